"""Compressed files, detected by their first bytes; and files inside a zip.

The path of a file in a zip is that of the zip with the name inside, `runs.zip/a.run`.
"""

import bz2
import io
import lzma
import re
import zipfile
import zlib
from pathlib import Path
from shlex import quote
from typing import Any, BinaryIO

from isal import igzip
from isal.igzip_lib import IsalError

from ..errors import InputError
from ..extras import need
from .zips import open_zip

#: How many of its first bytes say how a file is packed.
HEAD = 16
#: Suffixes of packed files.
ENDINGS = (".gz", ".bz2", ".xz", ".zst", ".zip")
#: The sentence of options that take packed files.
PACKED_HELP = "Packed files (gzip, bzip2, xz, zstd, zip) are recognised by their content."
#: Errors of damaged archives; Arrow raises an `OSError` without a number.
DAMAGED = (
    EOFError, IsalError, igzip.BadGzipFile, lzma.LZMAError, zlib.error, zipfile.BadZipFile,
    NotImplementedError,
)  # fmt: skip

_STARTS = {
    "gz": re.compile(rb"\x1f\x8b\x08"),
    "bz2": re.compile(rb"BZh[1-9](1AY&SY|\x17rE8P\x90)"),
    "xz": re.compile(rb"\xfd7zXZ\0"),
    # A frame, or one to be skipped, which some programs write first.
    "zst": re.compile(rb"\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18", re.DOTALL),
    "zip": re.compile(rb"PK(\x03\x04|\x05\x06)"),
}
#: Names in a zip that is the document of an office program.
_OFFICE = ("[Content_Types].xml", "mimetype")
_NAMED_AT_MOST = 5


def packing_of(start: bytes) -> str:
    """`gz`, `bz2`, `xz`, `zst` or `zip`, as the first bytes say; "" for what is not packed.

    >>> packing_of(b"1 Q0 d1 1 2.5 BM25")
    ''
    """
    return next((name for name, begins in _STARTS.items() if begins.match(start)), "")


def unpacked(raw: Any, packing: str) -> Any:
    """The bytes of a `gz`, `bz2`, `xz` or `zst`, for `readinto`; `raw` is what reads the file."""
    if packing == "gz":
        return igzip.open(raw, "rb")  # type: ignore[no-untyped-call]
    if packing == "bz2":
        return bz2.BZ2File(raw)
    if packing == "xz":
        return lzma.LZMAFile(raw)
    # Arrow's reader, because python-zstandard takes a truncated file for a whole one.
    return need("pyarrow").CompressedInputStream(raw, "zstd")


def packing_at(path: str | Path) -> str:
    """Return the compression of a local file; "" where there is none to be looked at."""
    if not Path(path).is_file():
        return ""
    with Path(path).open("rb") as file:
        return packing_of(file.read(HEAD))


def each_file(path: str | Path) -> list[Path]:
    """The paths of the files in a zip, sorted; the path itself of any other file.

    Files added by operating systems are left out. Raises `InputError` for the document of an office
    program, and for a damaged zip.
    """
    if packing_at(path) != "zip":
        return [Path(path)]
    with _opened(path) as archive:
        # No name leads out of the zip, not even one that begins with a slash.
        return [Path(f"{path}/{name}") for name in _names(archive, path)]


def only_member(raw: BinaryIO, path: str | Path) -> BinaryIO:
    """The bytes of the one file in a zip; `InputError` where it holds none or several."""
    archive = open_zip(raw, path)
    names = _names(archive, path)
    if not names:
        raise InputError("is a zip without files.", path=path)
    if len(names) > 1:
        listed = ", ".join(names[:_NAMED_AT_MOST]) + (
            ", ..." if len(names) > _NAMED_AT_MOST else ""
        )
        raise InputError(
            f"holds {len(names):,} files: {listed}.",
            path=path,
            remedy=f"Name the one that you mean: {quote(str(Path(path) / names[0]))}",
        )
    return _member(archive, names[0], path)


def member_at(path: str | Path) -> BinaryIO | None:
    """The bytes of a file that the path names inside a zip; None where it names none."""
    path = Path(path)
    for folder in path.parents:
        if folder.is_file():
            if packing_at(folder) != "zip":
                return None
            name = path.relative_to(folder).as_posix()
            with _opened(folder) as archive:
                if name in _names(archive, folder):
                    return io.BufferedReader(_member(archive, name, folder))  # type: ignore[type-var]
            return None
    return None


def _opened(path: str | Path) -> zipfile.ZipFile:
    try:
        return open_zip(path)
    except (zipfile.BadZipFile, ValueError) as error:
        raise InputError(f"is a damaged zip ({error}).", path=path) from None


def _names(archive: zipfile.ZipFile, path: str | Path) -> list[str]:
    names = archive.namelist()
    if set(_OFFICE) & set(names):
        raise InputError(
            "is an office document, not text.",
            path=path,
            remedy="Save it as CSV in UTF-8.",
        )
    return sorted(name for name in names if not _is_aside(name))


def _is_aside(name: str) -> bool:
    """Return whether the entry is a folder, or added by an operating system."""
    return name.endswith("/") or name.startswith("__MACOSX/") or Path(name).name.startswith(".")


def _member(archive: zipfile.ZipFile, name: str, path: str | Path) -> BinaryIO:
    """The bytes of a file in a zip; once the zip is closed too, its file ends with them."""
    try:
        return archive.open(name)  # type: ignore[return-value] # a reader of bytes
    except RuntimeError as error:
        raise InputError(
            f"cannot be unpacked ({error}).", path=path, remedy="Unpack it first."
        ) from None
