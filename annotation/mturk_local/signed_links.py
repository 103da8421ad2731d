"""What a panel signed about a participant: a JSON web token (RS256) in the address. Pure.

A token is believed if one of the panel's public keys fits its signature, it has not expired, and
it was made for this site.
"""

from collections.abc import Mapping
from typing import Any

import jwt  # noqa: TID251 - the one place

from annotation.mturk_local.errors import CrowdError

#: Nothing else: a token must not choose how it is checked.
_ALGORITHMS = ["RS256"]
LONGEST_TOKEN = 8_192
#: Seconds by which the panel's clock may differ from ours.
_LEEWAY = 30


class TokenError(CrowdError):
    """The token proves nothing; the text is shown to the participant."""


def key_id(token: str) -> str:
    """The id of the key that the token says it was signed with; says nothing about its truth."""
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


def signed_parameters(
    token: str, *, key_set: Mapping[str, Any], audience: str, claim: str
) -> dict[str, str]:
    """The texts that the panel signed in the object `claim`; raises `TokenError`.

    `audience` is the domain that the token must be made for, with or without `https://`.
    """
    key = _usable(key_set).get(key_id(token))
    if key is None:
        raise TokenError("The link is not signed by the panel.")
    domain = audience.removeprefix("https://").rstrip("/")
    try:
        claims = jwt.decode(
            token,
            key,
            algorithms=_ALGORITHMS,
            audience=[domain, f"https://{domain}", f"https://{domain}/"],
            leeway=_LEEWAY,
            options={"require": ["exp", "aud"]},
        )
    except jwt.ExpiredSignatureError as error:
        raise TokenError(
            "The link has expired. Go back to the panel and open the study again."
        ) from error
    except (jwt.PyJWTError, ValueError, OverflowError, RecursionError) as error:
        raise TokenError("The link is not signed by the panel for this site.") from error
    values = claims.get(claim)
    if not isinstance(values, dict):
        raise TokenError("The link is incomplete: it does not say who you are.")
    return {name: value for name, value in values.items() if isinstance(value, str)}


def _usable(key_set: Mapping[str, Any]) -> dict[str, jwt.PyJWK]:
    """The RSA keys of a set by their id; whatever else stands in it is passed over."""
    found = {}
    listed = key_set.get("keys")
    for one in listed if isinstance(listed, list) else []:
        if not isinstance(one, dict) or one.get("kty") != "RSA" or not one.get("kid"):
            continue
        try:
            found[str(one["kid"])] = jwt.PyJWK(one, algorithm="RS256")
        except (jwt.PyJWTError, ValueError, TypeError):
            continue
    return found
