"""The lines of a file, none longer than what may lie in memory."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import BinaryIO

from ..errors import InputError

#: Bytes. A longer line is no passage, and would not fit the memory that is promised.
MAX_LINE = 1 << 24
#: Bytes of a line of a run, of judgements, queries and the like, which holds a few words.
MAX_RECORD = 1 << 16


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
