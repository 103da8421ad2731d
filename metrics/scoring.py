"""Scoring a collection: files of passages in, a Parquet file of magnitudes out."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from metrics.collection import PARSERS, Format, empty_collection, repeated_docno
from metrics.errors import InputError
from metrics.lexicon import Lexicon
from metrics.magnitude_store import Metadata
from metrics.magnitude_writer import MagnitudeWriter, writing_magnitudes
from metrics.repeats import Repeats
from metrics.scan.checksum import Checksum
from metrics.scan.pipeline import scan
from metrics.scan.reading import open_blocks
from metrics.scan.scored import Scored
from metrics.tokens import Tokenizer
from metrics.version import VERSION


def score_collection(
    paths: str | Path | Sequence[str | Path],
    output: str | Path,
    *,
    lexicon: Lexicon,
    tokenizer: Tokenizer = "word",
    format: Format = "auto",  # noqa: A002 - the name of the command's option
    threads: int | None = None,
    progress: Callable[[int], object] = lambda _size: None,
) -> Metadata:
    """Score every passage of a collection, of one or several files, into the Parquet file `output`.

    The file is written while the collection is read, in bounded memory, and appears whole or not
    at all. The same collection, lexicon and tokenizer give the same bytes, with any number of
    `threads` (default: one per core). `progress` is called with the number of bytes read, as they
    lie on disk. Raises `InputError` with file and line.
    """
    files = [paths] if isinstance(paths, str | Path) else list(paths)
    threads = threads or os.cpu_count() or 1
    with (
        Repeats() as repeats,
        Checksum(progress) as checksum,
        writing_magnitudes(output, lexicon.groups) as writer,
    ):
        collection = CollectionWriter(writer, repeats)
        for path in files:
            collection.begin(path)
            try:
                with open_blocks(path, checksum) as reader:
                    scan(
                        reader,
                        path,
                        lexicon=lexicon,
                        tokenizer=tokenizer,
                        format_=format,
                        threads=threads,
                        hand_on=collection.add,
                    )
            except InputError as error:
                raise collection.located(error) from error
            collection.check_not_empty()
        collection.check_repeats()
        metadata = Metadata(
            lexicon_name=lexicon.name,
            lexicon_sha256=lexicon.sha256,
            groups=lexicon.groups,
            tokenizer=tokenizer,
            collection_name=" + ".join(Path(path).name for path in files),
            collection_size=checksum.size,
            collection_sha256=checksum.hexdigest(),
            n_documents=collection.n_documents,
            program_version=VERSION,
        )
        writer.finish(metadata)
    return metadata


class CollectionWriter:
    """Writes blocks as they come and remembers which passage came from which line."""

    def __init__(self, writer: MagnitudeWriter, repeats: Repeats) -> None:
        self.n_documents = 0
        self._writer, self._repeats = writer, repeats
        # Numbers that grow from passage to passage cannot repeat: then nothing is compared.
        self._ascending, self._last_number = True, -1
        self._begins: list[tuple[int, str | Path]] = []

    def begin(self, path: str | Path) -> None:
        self._begins.append((self.n_documents, path))

    def add(self, scored: Scored) -> None:
        self._writer.write(scored.docnos, scored.scores)
        self._repeats.add(scored.digests)
        first, last = scored.ascending
        self._ascending = self._ascending and self._last_number < first
        self._last_number = last
        self.n_documents += len(scored.docnos)
        if scored.bad_line is not None:
            begin, path = self._begins[-1]
            # The definition says what is wrong with the line that the scan stopped at.
            line = scored.bad_line.removesuffix(b"\r")
            PARSERS[scored.format](line, path, self.n_documents - begin + 1)
            raise AssertionError("the scan refused a line that the definition reads")

    def located(self, error: InputError) -> InputError:
        """The error of an archive that is cut short, with how far it could be read."""
        begin, _path = self._begins[-1]
        if error.line is not None or self.n_documents == begin:
            return error
        line = self.n_documents - begin
        return InputError(error.message, path=error.path, line=line, remedy=error.remedy)

    def check_not_empty(self) -> None:
        begin, path = self._begins[-1]
        if self.n_documents == begin:
            raise empty_collection(path)

    def check_repeats(self) -> None:
        repeat = None if self._ascending else self._repeats.first()
        if repeat is None:
            return
        (path, line), (earlier_path, earlier_line) = (self._place(number) for number in repeat)
        raise repeated_docno(path, line, earlier_path, earlier_line)

    def _place(self, number: int) -> tuple[str | Path, int]:
        begin, path = next(at for at in reversed(self._begins) if at[0] <= number)
        return path, number - begin + 1
