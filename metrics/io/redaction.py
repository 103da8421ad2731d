"""Text for logs, errors and people, without what opens something. Pure."""

import re

_BLOT = "***"
#: What comes before a secret; the secret is what follows, up to a character that it cannot have.
_BEFORE = re.compile(
    r"""((?:/invites/|/join/invited/|/sign-in/link/  # links that let somebody in
        |/annotate/(?:task|submit)/         # and to the page of one answer
        |\bBearer\s+|\bfairpool_            # tokens of the API
        |://[^\s:/@]*:(?=[^\s/]*@)         # a password in the address of a server
        |\bAWS4-HMAC-SHA256\s              # a signed request
        |\b[\w-]*(?:signature|password|passwd|secret|sessionid|csrf|_token)\w*["']?\s*[=:]\s*["']?
        ))[^\s"'&/@,;]+""",
    re.IGNORECASE | re.VERBOSE,
)


def redact(text: str) -> str:
    """`text` with whatever looks like a password, a token, a signature or a key blotted out."""
    return _BEFORE.sub(rf"\1{_BLOT}", text)
