"""Removal of secrets from text for logs, errors and people."""

import json
import re
from collections.abc import Callable, Iterable
from urllib.parse import quote, quote_plus

_BLOT = "***"
_SHORTEST = 4
#: Texts within texts: an address in an error, in bytes that JSON quotes.
_DEPTH = 3
#: Before a secret that ends where the address that it is a part of goes on.
_IN_ADDRESSES = r"""
    (?:/invites/|/join/invited/|/sign-in/(?:link|forgotten/[^\s/]+)/  # links that let somebody in
      |/annotate/(?:task|submit)/         # and to the page of one answer
      |\bfairpool_                        # tokens of the API
      |://[^\s:/@]*:(?=[^\s/]*@))         # a password in the address of a server
"""
#: Before a secret that is a word, in quotes or not, also quoted within quotes.
_BEFORE_WORDS = r"""
    (?:\bBearer\s+
      # A header of any scheme: in HTTP, in a mapping, in a pair.
      |authorization(?:\\?["']?\s*[=:]|["']\s*,)\s*(?:b(?=["']))?[\\"']*(?:[A-Za-z][\w-]*[ ]+)?
      |\b[\w-]*(?:signature|password|passwd|secret|sessionid|csrf|[_-]token|api[_-]?key)
       \w*\\?["']?\s*[=:]\s*\\?["']?
      |\bAWS4-HMAC-SHA256\s)              # a signed request
"""
_BEFORE = re.compile(
    rf"({_IN_ADDRESSES})[^\s\"'&/@,;]+|({_BEFORE_WORDS})[^\s\"'\\&,;]+",
    re.IGNORECASE | re.VERBOSE,
)
#: What writes one text into another. `repr` escapes an apostrophe only beside a quotation mark.
_SPELLINGS: tuple[Callable[[str], str], ...] = (
    lambda text: json.dumps(text)[1:-1],
    lambda text: json.dumps(text, ensure_ascii=False)[1:-1],
    lambda text: repr(text)[1:-1],
    lambda text: repr(f"\"'{text}")[4:-1],
    lambda text: ascii(text)[1:-1],
    lambda text: repr(text.encode())[2:-1],
    quote_plus,
    quote,
    lambda text: quote(text, safe=""),
)
#: Secrets of this process, in every form in which a text may have them.
_hidden: set[str] = set()


def hide(secrets: Iterable[str]) -> None:
    """Have `redact` blot these out wherever they are, from now on.

    Of less than four characters none is: they are parts of all kinds of words, and no secrets.
    """
    known = {secret for secret in secrets if len(secret) >= _SHORTEST}
    for _ in range(_DEPTH):
        known |= {spell(text) for text in known for spell in _SPELLINGS}
    _hidden.update(known)


def redact(text: str) -> str:
    """`text` without hidden secrets, and without what looks like a password, token or key."""
    for secret in sorted(_hidden, key=len, reverse=True):
        text = text.replace(secret, _BLOT)
    return _BEFORE.sub(lambda match: f"{match[1] or match[2]}{_BLOT}", text)
