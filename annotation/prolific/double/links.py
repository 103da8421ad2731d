"""Signed links of participants, as at Prolific: a JSON web token in the address."""

import base64
import functools
import json
import time
from typing import Any
from urllib.parse import urlsplit

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa

_GOOD_FOR = 120
_KEY_ID = "rehearsal"


@functools.cache
def _key() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(public_exponent=65_537, key_size=2_048)


def key_set() -> dict[str, Any]:
    """Return the keys that verify signatures, as `/.well-known/study/jwks.json` has them."""
    numbers = _key().public_key().public_numbers()
    public = {name: _text(_bytes(getattr(numbers, name))) for name in ("n", "e")}
    return {"keys": [{"kty": "RSA", "kid": _KEY_ID, "use": "sig", "alg": "RS256", **public}]}


def signed(address: str, *, audience: str, session: str, values: dict[str, str]) -> str:
    """The address with a token that says who comes, for `audience`."""
    now = int(time.time())
    header = {"alg": "RS256", "typ": "JWT", "kid": _KEY_ID}
    claims = {
        "iss": "https://www.prolific.com",
        "iat": now,
        "exp": now + _GOOD_FOR,
        "aud": audience,
        "sub": session,
        "prolific": values,
    }
    parts = ".".join(_text(json.dumps(part).encode()) for part in (header, claims))
    signature = _key().sign(parts.encode(), padding.PKCS1v15(), hashes.SHA256())
    join = "&" if urlsplit(address).query else "?"
    return f"{address}{join}prolific_token={parts}.{_text(signature)}"


def origin(address: str) -> str:
    """The address without what follows its host."""
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc}"


def _text(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def _bytes(number: int) -> bytes:
    return number.to_bytes((number.bit_length() + 7) // 8, "big")
