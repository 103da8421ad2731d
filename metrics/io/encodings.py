r"""Encoding, byte order mark and line ends of a text, from its first bytes.

Readers take UTF-8 with `\n` or `\r\n`. Text in UTF-16 or UTF-32, and text whose lines end with
`\r` alone, as programs of old Macs write it, is changed into that while it is read.
"""

import codecs
import io
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from ..errors import InputError

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    # Those of UTF-32 begin as those of UTF-16 do.
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
#: Number of first bytes that determine the encoding.
HEAD = 1 << 16
# Of the characters of UTF-16 without a mark: ids, digits and blanks are in every table.
_LEAST_SHARE = 0.2
_BLOCK = 1 << 18


class Marks(NamedTuple):
    r"""`mark` is the length of the byte order mark; `cr` is whether `\r` alone ends lines."""

    encoding: str
    mark: int
    cr: bool

    @property
    def is_plain(self) -> bool:
        r"""Return whether it is UTF-8 whose lines end with `\n`, perhaps behind a mark."""
        return self.encoding == "utf-8" and not self.cr


def marks_of(head: bytes) -> Marks:
    r"""Return encoding, mark and line ends of a text, from its first bytes.

    Lines end with `\r` where there is no `\n` among these bytes.

    >>> marks_of("q1\twho\r".encode("utf-16"))
    Marks(encoding='utf-16-le', mark=2, cr=True)
    """
    for mark, encoding in _MARKS:
        if head.startswith(mark):
            return Marks(encoding, len(mark), _ends_in_cr(head[len(mark) :], encoding))
    encoding = _without_mark(head)
    return Marks(encoding, 0, _ends_in_cr(head, encoding))


def _without_mark(head: bytes) -> str:
    """Detect UTF-16 by a first ASCII character and NULs that are all the same half of a unit."""
    if b"\0" not in head[:2] or head[:2] == b"\0\0":
        return "utf-8"
    whole = head[: len(head) & ~1]
    low, high = whole[::2].count(0), whole[1::2].count(0)
    if (low and high) or max(low, high) < _LEAST_SHARE * len(whole) / 2:
        return "utf-8"
    return "utf-16-le" if high else "utf-16-be"


def _ends_in_cr(head: bytes, encoding: str) -> bool:
    if encoding != "utf-8":
        head = head.decode(encoding, "ignore").encode("utf-8", "ignore")
    # A text has no NUL: what has one is something else, whose bytes say so as they are.
    return b"\n" not in head and b"\r" in head and b"\0" not in head


class Converted(io.RawIOBase):
    r"""A text of any `Marks` as UTF-8 whose lines end with `\n`; its mark has been read."""

    def __init__(self, source: BinaryIO, marks: Marks, path: str | Path | None) -> None:
        decoder: Any = codecs.getincrementaldecoder(marks.encoding)()
        # Where \r ends lines, \r\n ends one, too.
        self._decoder = (
            io.IncrementalNewlineDecoder(decoder, translate=True) if marks.cr else decoder
        )
        self._source, self._name, self._path = source, marks.encoding[:6].upper(), path
        self._ready, self._at_end = b"", False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._ready and not self._at_end:
            block = self._source.read(_BLOCK)
            self._at_end = not block
            try:
                self._ready = self._decoder.decode(block, final=self._at_end).encode()
            except UnicodeError:
                raise InputError(
                    f"is not {self._name}, although it begins like it.",
                    path=self._path,
                    remedy="Save the file as UTF-8.",
                ) from None
        with memoryview(buffer) as view:
            size = min(len(view), len(self._ready))
            view[:size] = self._ready[:size]
        self._ready = self._ready[size:]
        return size
