"""Writing what the scan gives, and remembering which passage came from which line of which file."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, Protocol

from ..errors import InputError
from ..extras import need
from ..io.strings import Strings
from .collection import PARSERS, empty_collection, repeated_docno
from .duplicates import DIGEST_SIZE, Duplicates
from .magnitude import Scores
from .magnitude_store import Magnitudes
from .scan.docnos import digests_of
from .scan.scored import Scored

_PASSAGES_AT_ONCE = 1 << 18  # of a scored collection that is extended or joined


class _Begin(NamedTuple):
    """Where a file begins among the passages: behind `n_lines`, with some headers of its own."""

    n_lines: int
    path: str | Path
    n_headers: int

    def line_of(self, number: int) -> int:
        """The line of the file that has passage `number`, counted from 0 over all files."""
        return number - self.n_lines + self.n_headers + 1


class Writer(Protocol):
    """Takes rows as `MagnitudeWriter` does."""

    def write(self, docnos: Strings, scores: Scores) -> None: ...


class NoWriter:
    """Writes nothing, where only docnos are to be compared."""

    def write(self, docnos: Strings, scores: Scores) -> None:
        """The rows stay where they are."""


class CollectionWriter:
    """Writes blocks as they come and remembers which passage came from which line."""

    def __init__(self, writer: Writer, duplicates: Duplicates) -> None:
        self.n_documents = self._n_lines = 0
        self._writer, self._duplicates = writer, duplicates
        # Numbers that grow from passage to passage cannot repeat: then nothing is compared.
        self._ascending, self._last_number = True, -1
        self._begins: list[_Begin] = []

    def begin(self, path: str | Path, n_headers: int = 0) -> None:
        self._begins.append(_Begin(self._n_lines, path, n_headers))

    def skip_header(self) -> None:
        """The first line of the file that was begun is not a passage."""
        self._begins[-1] = self._begins[-1]._replace(n_headers=1)

    def add(self, scored: Scored) -> None:
        self._writer.write(scored.docnos, scored.scores)
        self._duplicates.add(scored.digests)
        first, last = scored.ascending
        self._ascending = self._ascending and self._last_number < first
        self._last_number = last
        self.n_documents += len(scored.docnos)
        self._n_lines += len(scored.digests) // DIGEST_SIZE
        if scored.bad_line is not None:
            begin = self._begins[-1]
            # The definition says what is wrong with the line that the scan stopped at.
            line = scored.bad_line.removesuffix(b"\r")
            PARSERS[scored.format](line, begin.path, begin.line_of(self._n_lines))
            raise AssertionError("the scan refused a line that the definition reads")

    def located(self, error: InputError) -> InputError:
        """The error of an archive that is cut short, with how far it could be read."""
        begin = self._begins[-1]
        if error.line is not None or self._n_lines == begin.n_lines:
            return error
        line = begin.line_of(self._n_lines) - 1
        return InputError(error.message, path=error.path, line=line, remedy=error.remedy)

    def check_not_empty(self) -> None:
        begin = self._begins[-1]
        if self._n_lines == begin.n_lines:
            raise empty_collection(begin.path)

    def check_duplicates(self) -> None:
        duplicate = None if self._ascending else self._duplicates.first()
        if duplicate is None:
            return
        (path, line), (earlier_path, earlier_line) = (self._place(number) for number in duplicate)
        raise repeated_docno(path, line, earlier_path, earlier_line)

    def _place(self, number: int) -> tuple[str | Path, int]:
        begin = next(
            begin_of_part
            for begin_of_part in reversed(self._begins)
            if begin_of_part.n_lines <= number
        )
        return begin.path, begin.line_of(number)


def scored_rows(magnitudes: Magnitudes, format_: str) -> Iterator[Scored]:
    """The passages of a scored collection as the scan gave them, a row group at a time.

    `format_` is the format of the scored lines.
    """
    for part in need(".magnitude_file", __package__).parts_of(magnitudes.path):
        yield from _rows_of(part, magnitudes.groups, format_)


def _rows_of(path: Path, groups: tuple[str, ...], format_: str) -> Iterator[Scored]:
    with need("pyarrow.parquet").ParquetFile(path, page_checksum_verification=True) as file:
        for batch in file.iter_batches(_PASSAGES_AT_ONCE):
            columns = {name: batch.column(name) for name in batch.schema.names}
            scores = Scores(
                n_tokens=columns["n_tokens"].to_numpy(),
                tc={group: columns[f"{group}_tc"].to_numpy() for group in groups},
                tf={group: columns[f"{group}_tf"].to_numpy() for group in groups},
            )
            digests = digests_of(columns["docno"])
            yield Scored(columns["docno"], scores, digests.digests, format_, digests.ascending)
