"""What names an input: `blake3:` and the digest of its bytes as they lie on disk.

`b3sum FILE` prints the same hexadecimal digits. Rows and files of earlier versions have `sha256:`
or, older still, the digits of SHA-256 alone; they keep what they have.
"""

import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from blake3 import blake3

from .storage import open_raw

#: What joins the digests of a collection's files.
AND = " + "

_BLAKE3, _SHA256 = "blake3", "sha256"
_ALGORITHMS: dict[str, Callable[[], Any]] = {_BLAKE3: blake3, _SHA256: hashlib.sha256}
_BLOCK = 1 << 20


class Digest:
    """The digest of bytes that come one after another: `update` with them, then `str`."""

    def __init__(self, algorithm: str = _BLAKE3) -> None:
        self._algorithm, self._hash = algorithm, _ALGORITHMS[algorithm]()
        self.update: Callable[[Any], object] = self._hash.update

    def __str__(self) -> str:
        return f"{self._algorithm}:{self._hash.hexdigest()}"


def digest_of(path: str | Path, algorithm: str = _BLAKE3) -> str:
    """The digest of a file's bytes; of a URL, of what stands there."""
    digest = Digest(algorithm)
    with open_raw(path) as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return str(digest)


def bytes_digest(data: bytes) -> str:
    """The digest that a file of these bytes has."""
    digest = Digest()
    digest.update(data)
    return str(digest)


def full(digest: str) -> str:
    """A digest with its algorithm, whatever its age; "" stays."""
    return f"{_SHA256}:{digest}" if digest and ":" not in digest else digest


def digest_in(record: Mapping[str, Any], name: str = "digest") -> str:
    """The digest that a record of any age names; "" where it names none.

    What ends in `digest` now ended in `sha256` before.
    """
    old = name.removesuffix("digest") + _SHA256
    return AND.join(full(one) for one in str(record.get(name, record.get(old, ""))).split(AND))


def matches_digest(digest: str, path: str | Path, found: str = "") -> bool:
    """Whether the file has this digest.

    `found` is its digest where that is known: only of another algorithm is the file read again.
    """
    algorithm = full(digest).partition(":")[0]
    if not found.startswith(f"{algorithm}:"):
        found = digest_of(path, algorithm)
    return found == full(digest)
