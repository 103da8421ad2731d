"""Zips, opened once their end says that they list no more files than somebody wants to read.

`zipfile` reads the whole list into memory, some 700 bytes for each of its entries: a zip of 94 MB
may list two million.
"""

import struct
import zipfile
from pathlib import Path
from typing import BinaryIO

from ..errors import InputError

#: Most entries of a zip that anybody gives, and bytes of its list for each on average.
MOST_ENTRIES = 100_000
_BYTES = 1_000
#: An entry of the list before its name, extra fields and comment, whose lengths it says.
_ENTRY = struct.Struct("<28x3H12x")


def open_zip(
    file: BinaryIO | str | Path, path: str | Path | None = None, *, most: int = MOST_ENTRIES
) -> zipfile.ZipFile:
    """A zip to read from; `path` names it in errors, by default its own.

    Raises `InputError` for one that lists more than `most` entries, before it reads the list, and
    `zipfile.BadZipFile` for what is not a zip.
    """
    if isinstance(file, str | Path):
        with Path(file).open("rb") as opened:
            check_entries(opened, path or file, most)
    else:
        check_entries(file, path, most)
    return zipfile.ZipFile(file)


def check_entries(file: BinaryIO, path: str | Path | None, most: int) -> None:
    """Refuse a zip whose end announces more than `most` entries, or whose list has more."""
    n, start, n_bytes = _list_announced(file)
    is_long = (
        n > most
        or n_bytes > most * _BYTES
        or (n_bytes > most * _ENTRY.size and _is_longer(file, start, n_bytes, most))
    )
    file.seek(0)
    if is_long:
        listed = f"{n:,}" if n > most else f"more than {most:,}"
        raise InputError(
            f"is a zip that lists {listed} files and folders; at most {most:,} are read.",
            path=path,
            remedy="Pack only the files that you need, or give them without a zip.",
        )


def _list_announced(file: BinaryIO) -> tuple[int, int, int]:
    """Number of entries, place and bytes of the list; the last two are what `zipfile` goes by.

    The record, also that of 64 bits, is found as `zipfile` finds it.
    """
    record = zipfile._EndRecData(file)  # type: ignore[attr-defined] # noqa: SLF001 - as it is believed
    if record is None:
        return 0, 0, 0
    n, n_bytes, end = int(record[4]), int(record[5]), int(record[9])
    if record[0] == b"PK\6\6":
        end -= 76  # the record of 64 bits and its locator stand between
    return n, max(0, end - n_bytes), n_bytes


def _is_longer(file: BinaryIO, start: int, n_bytes: int, most: int) -> bool:
    """Return whether more than `most` entries follow each other in the list, whatever was said."""
    place, n = start, 0
    while n <= most and place + _ENTRY.size <= start + n_bytes:
        file.seek(place)
        head = file.read(_ENTRY.size)
        if len(head) < _ENTRY.size or not head.startswith(b"PK\1\2"):
            return False  # `zipfile` says so, too
        place += _ENTRY.size + sum(_ENTRY.unpack(head))
        n += 1
    return n > most
