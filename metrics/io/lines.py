"""The lines of a text: the only way in which files of records are read."""

import contextlib
import io
import unicodedata
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import BinaryIO

from ..errors import InputError
from .encodings import HEAD, Converted, marks_of
from .files import open_bytes
from .packing import packing_at

#: Most bytes of a line. A longer one is not a passage, and would exceed the memory limit.
MAX_LINE = 1 << 24
#: Bytes of a line of a run, of judgements, queries and the like, which holds a few words.
MAX_RECORD = 1 << 16

BYTE_ORDER_MARK = "\ufeff"
_UTF8 = "Save the file as UTF-8."


@contextlib.contextmanager
def open_text(
    path: str | Path,
    on_read: Callable[[bytes], object] | None = None,
    span: tuple[int, int] | None = None,
) -> Iterator[io.BufferedReader]:
    r"""The bytes of a text as UTF-8 without a byte order mark, whose lines end with `\n`.

    However it is packed (see `open_bytes`, whose errors these are); UTF-16 and UTF-32 with a mark,
    and UTF-16 without one; and lines that end with `\r` alone. A file as most are costs nothing.
    Whether it is valid UTF-8 is for the reader to say.
    """
    with open_bytes(path, on_read, span) as stream:
        yield as_text(stream, path)


def as_text(stream: io.BufferedReader, path: str | Path | None) -> io.BufferedReader:
    """Open as text a stream that is at its beginning."""
    marks = marks_of(stream.peek(HEAD)[:HEAD])
    if marks.mark:
        stream.read(marks.mark)
    return stream if marks.is_plain else io.BufferedReader(Converted(stream, marks, path), HEAD)


def is_plain(path: str | Path) -> bool:
    r"""Return whether an unpacked file is UTF-8 whose lines end with `\n`, judged by its head."""
    with open_bytes(path) as stream:
        return marks_of(stream.peek(HEAD)[:HEAD]).is_plain


def is_read_as_is(path: str | Path) -> bool:
    """Return whether `open_text` gives the bytes on disk: neither packed nor marked."""
    with open_bytes(path) as stream:
        marks = marks_of(stream.peek(HEAD)[:HEAD])
    return not packing_at(path) and marks.is_plain and not marks.mark


def read_text(path: str | Path, largest: int) -> str:
    r"""All of a text; its lines end with `\n` or `\r\n`.

    Raises `InputError` for more than `largest` bytes, and with the line for bytes that are not
    UTF-8.
    """
    with open_text(path) as stream:
        content = stream.read(largest + 1)
    if len(content) > largest:
        raise InputError(
            f"holds more than {largest // 1_000_000:,} MB of text.",
            path=path,
            remedy="Is this the right file? Give it in several parts.",
        )
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InputError("is not UTF-8.", path=path, line=line, remedy=_UTF8) from None


def text_lines(path: str | Path, most: int = MAX_RECORD) -> Iterator[tuple[int, str]]:
    r"""Each line of a file with its number from 1 and the line end that it has.

    Raises `InputError` with file and line for one of more than `most` bytes, and for bytes that are
    no text: not UTF-8, a NUL byte, or a `\r` inside a line, which hides the line behind it.
    """
    with open_text(path) as stream:
        yield from decoded_lines(stream, path, most)


def decoded_lines(
    stream: BinaryIO, path: str | Path | None, most: int = MAX_RECORD
) -> Iterator[tuple[int, str]]:
    """Yield the lines of a stream as `open_text` gives it."""
    for number, raw in numbered_lines(stream, path, most):
        try:
            line = raw.decode()
        except UnicodeDecodeError:
            raise InputError("is not UTF-8.", path=path, line=number, remedy=_UTF8) from None
        if "\0" in line:
            raise InputError(
                "holds a NUL byte.",
                path=path,
                line=number,
                remedy="Give a text file; for a pickle, give what pandas.read_pickle(path) "
                "returns.",
            )
        if "\r" in line and "\r" in line.rstrip("\r\n"):
            raise InputError(
                "holds a carriage return inside the line: two lines, or one?",
                path=path,
                line=number,
                remedy="Save the file with one kind of line ends.",
            )
        # Files with a mark that were put together have one there, too.
        yield number, line.removeprefix(BYTE_ORDER_MARK)


def typed_lines(
    text: str, most: int = MAX_RECORD, path: str | Path | None = None
) -> Iterator[tuple[int, str]]:
    """Each line of typed or pasted text, or of the content of `path`, as `text_lines`."""
    raw = io.BytesIO(text.encode("utf-8", "surrogatepass"))
    yield from decoded_lines(as_text(io.BufferedReader(raw), path), path, most)


def numbered_lines(
    stream: BinaryIO, path: str | Path | None, most: int = MAX_RECORD
) -> Iterator[tuple[int, bytes]]:
    r"""Each line with its number from 1 and the `\n` at its end.

    Raises `InputError` with file and line for one of more than `most` bytes before its end, which
    is never read whole.
    """
    for number, line in enumerate(iter(partial(stream.readline, most + 1), b""), start=1):
        if len(line) > most and not line.endswith(b"\n"):
            raise line_too_long(path, number, most)
        yield number, line


def line_too_long(path: str | Path | None, number: int | None, most: int = MAX_LINE) -> InputError:
    """The error for a line of more than `most` bytes."""
    return InputError(
        f"longer than {most:,} bytes.",
        path=path,
        line=number,
        remedy="Is this the right file? Write one record per line.",
    )


def one_line(text: str) -> str:
    """`text` with single blanks between its words, and its letters composed: as readers see it."""
    return " ".join(unicodedata.normalize("NFC", text).split())
