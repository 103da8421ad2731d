"""Removal of secrets from text for logs, errors and people. Pure."""

import re

_BLOT = "***"
#: Text before a secret, which reaches up to a character that it cannot contain.
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
