"""Signed links of panels: a JSON web token (RS256) in the address.

Pure. A token is valid if one of the panel's public keys fits its signature, it has not expired, and
it was made for this site.
"""

import hashlib
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import jwt  # noqa: TID251 - the one place

from mturk_local.errors import CrowdError

#: Nothing else: a token must not choose how it is checked.
_ALGORITHMS = ["RS256"]
LONGEST_TOKEN = 8_192
#: Tolerated difference between the panel's clock and ours.
_LEEWAY = timedelta(seconds=30)


class SignedLink(NamedTuple):
    """Texts by name, the time of expiry, and a digest that identifies the link."""

    values: dict[str, str]
    digest: str
    expires_at: datetime


class TokenError(CrowdError):
    """The token proves nothing; the text is shown to the participant."""


def key_id(token: str) -> str:
    """Return the key id that the token claims, unverified."""
    try:
        if len(token) > LONGEST_TOKEN:
            raise TokenError("The link is too long.")
        named = jwt.get_unverified_header(token).get("kid")
    except (jwt.PyJWTError, ValueError, RecursionError) as error:
        raise TokenError("The link is not signed by the panel.") from error
    if not isinstance(named, str) or not named:
        raise TokenError("The link is not signed by the panel.")
    return named


def key_ids(key_set: Mapping[str, Any]) -> frozenset[str]:
    """The ids of the keys in a JSON web key set that can check such a token."""
    return frozenset(_usable(key_set))


def signed_link(
    token: str, *, key_set: Mapping[str, Any], audience: str, claim: str, path: str = ""
) -> SignedLink:
    """The link with the texts of the object `claim`; raises `TokenError`.

    `audience` is the domain or the origin that the token must be made for. The token may name it
    with or without scheme, port and path; a path has to be `path`, where the study brings people.
    """
    key = _usable(key_set).get(key_id(token))
    if key is None:
        raise TokenError("The link is not signed by the panel.")
    try:
        claims = jwt.decode(
            token,
            key,
            algorithms=_ALGORITHMS,
            leeway=_LEEWAY,
            # The library compares audiences as texts; below, addresses are compared.
            options={"require": ["exp", "aud"], "verify_aud": False},
        )
        expires_at = datetime.fromtimestamp(int(claims["exp"]), UTC) + _LEEWAY
        is_ours = any(_is_within(named, audience, path) for named in _texts(claims["aud"]))
    except jwt.ExpiredSignatureError as error:
        raise TokenError(
            "The link has expired. Go back to the panel and open the study again."
        ) from error
    except (jwt.PyJWTError, ValueError, OverflowError, OSError, RecursionError) as error:
        raise TokenError("The link is not signed by the panel for this site.") from error
    if not is_ours:
        raise TokenError("The link is not signed by the panel for this site.")
    values = claims.get(claim)
    if not isinstance(values, dict):
        raise TokenError("The link is incomplete: it does not say who you are.")
    # Without the signature itself, which the same link can carry in several spellings.
    signed, _, _ = token.rpartition(".")
    return SignedLink(
        values={name: value for name, value in values.items() if isinstance(value, str)},
        digest=hashlib.sha256(signed.encode()).hexdigest(),
        expires_at=expires_at,
    )


def _texts(audience: Any) -> list[str]:
    named = audience if isinstance(audience, list) else [audience]
    return [name for name in named if isinstance(name, str)]


def _is_within(named: str, audience: str, path: str) -> bool:
    """Return whether the domain or address `named` is on the host of `audience`, and its port.

    If it goes on behind the host, then with `path`: a link for one study opens no other one.
    """
    theirs, ours = (urlsplit(at if "//" in at else f"//{at}") for at in (named, audience))
    return (
        theirs.scheme in {"", "http", "https"}
        and theirs.hostname == ours.hostname is not None
        and ours.port in {None, theirs.port}
        and theirs.path.rstrip("/") in {"", path.rstrip("/")}
    )


def _usable(key_set: Mapping[str, Any]) -> dict[str, jwt.PyJWK]:
    """The RSA keys of a set by their id; all other entries are skipped."""
    keys = {}
    listed = key_set.get("keys")
    for entry in listed if isinstance(listed, list) else []:
        if not isinstance(entry, dict) or entry.get("kty") != "RSA" or not entry.get("kid"):
            continue
        try:
            keys[str(entry["kid"])] = jwt.PyJWK(entry, algorithm="RS256")
        except (jwt.PyJWTError, ValueError, TypeError):
            continue
    return keys
