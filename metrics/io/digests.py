"""Names of inputs: `blake3:` and the digest of its bytes as they lie on disk.

`b3sum FILE` prints the same hexadecimal digits. Older scored collections have the
digits of SHA-256 instead, which are read as `sha256:` with them.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from blake3 import blake3

from .storage import open_raw

#: Separator of the digests of a collection's files.
AND = " + "

_BLOCK = 1 << 20


class Digest:
    """The digest of bytes that come one after another: `update` with them, then `str`."""

    def __init__(self) -> None:
        self._hash = blake3()
        self.update: Callable[[Any], object] = self._hash.update

    def __str__(self) -> str:
        return f"blake3:{self._hash.hexdigest()}"


def digest_of(path: str | Path) -> str:
    """Return the digest of the bytes of a file, or of the object at a URL."""
    digest = Digest()
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
    return f"sha256:{digest}" if digest and ":" not in digest else digest


def digest_in(record: Mapping[str, Any], name: str = "digest") -> str:
    """Return the digest in a record of any version; "" without one.

    Keys that end in `digest` ended in `sha256` before.
    """
    old = name.removesuffix("digest") + "sha256"
    return AND.join(
        full(digest) for digest in str(record.get(name, record.get(old, ""))).split(AND)
    )
