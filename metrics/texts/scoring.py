"""Scoring a collection: files of passages in, a Parquet file of magnitudes out."""

import os
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ..errors import InputError
from ..extras import need
from ..io.digests import AND
from ..version import VERSION
from ..vocabulary import Format, Tokenizer
from .collection import PARSERS, empty_collection, is_parquet, repeated_docno
from .duplicates import DIGEST_SIZE, Duplicates
from .lexicon import Lexicon, read_lexicon
from .magnitude import Scores
from .magnitude_store import Magnitudes, Metadata, open_magnitudes
from .repair import repair_name
from .scan.checksum import Checksum
from .scan.docnos import digests_of
from .scan.pipeline import scan
from .scan.reading import open_blocks
from .scan.scored import Scored
from .scan.selection import Selection

if TYPE_CHECKING:
    from .magnitude_writer import MagnitudeWriter

_PASSAGES_AT_ONCE = 1 << 18  # of a scored collection that is extended or joined


def score_collection(
    paths: str | Path | Sequence[str | Path],
    output: str | Path,
    *,
    lexicon: Lexicon | None = None,
    tokenizer: Tokenizer = "word",
    format: Format = "auto",  # noqa: A002 - the name of the command's option
    extend: str | Path | None = None,
    repair_encoding: bool = False,
    selection: Selection | None = None,
    threads: int | None = None,
    progress: Callable[[int], object] = lambda _size: None,
) -> Metadata:
    """Score every passage of a collection, of one or several files, into the Parquet file `output`.

    The file is written while the collection is read, in bounded memory, and appears whole or not
    at all. The same collection, lexicon and tokenizer give the same bytes, with any number of
    `threads` (default: one per core). `progress` is called with the number of bytes read, as they
    lie on disk. Needs `fairpool[fast]`.

    With `repair_encoding` texts are repaired first that were decoded by the wrong encoding, as by
    `repair_text`; needs `fairpool[repair]`.

    `extend` names a scored collection that these passages are added to: the result is that of
    scoring its files and these ones together, without reading its files. With a `selection` only
    those documents are scored; of the others the docno is checked. Raises `InputError` with file
    and line, and where `extend` was scored in another way.
    """
    lexicon = lexicon or read_lexicon()
    files = [paths] if isinstance(paths, str | Path) else list(paths)
    writing = need(".magnitude_writer", __package__).writing_magnitudes
    repair = repair_name() if repair_encoding else ""
    old = None if extend is None else _to_extend(extend, lexicon, tokenizer, repair)
    scan_with_options = partial(
        scan,
        lexicon=lexicon,
        tokenizer=tokenizer,
        format_=format,
        repair_encoding=repair_encoding,
        threads=threads or os.cpu_count() or 1,
        selection=selection,
    )
    with Duplicates() as duplicates, writing(output, lexicon.groups) as writer:
        collection = CollectionWriter(writer, duplicates)
        sources = [] if old is None else [_add_scored(collection, old)]
        for path in files:
            with Checksum(progress) as checksum:
                sources.append(_add_file(collection, path, scan_with_options, checksum))
        collection.check_duplicates()
        metadata = Metadata(
            lexicon_name=lexicon.name,
            lexicon_sha256=lexicon.sha256,
            groups=lexicon.groups,
            tokenizer=tokenizer,
            collection_name=" + ".join(source.name for source in sources),
            collection_size=sum(source.size for source in sources),
            collection_digest=AND.join(source.digest for source in sources),
            n_documents=collection.n_documents,
            program_version=VERSION,
            repair=repair,
            selected_by="" if selection is None else selection.origin,
        )
        writer.finish(metadata)
    return metadata


class _Source(NamedTuple):
    """The source of passages: a file, or the files of a collection scored before."""

    name: str
    size: int
    digest: str


def _add_file(
    collection: "CollectionWriter",
    path: str | Path,
    scan_with_options: partial[None],
    checksum: Checksum,
) -> _Source:
    collection.begin(path)
    try:
        opened = open_blocks
        if is_parquet(path, scan_with_options.keywords["format_"]):
            opened = need(".scan.rows", __package__).open_rows
        with opened(path, checksum) as reader:
            scan_with_options(reader, path, hand_on=collection.add)
    except InputError as error:
        raise collection.located(error) from error
    collection.check_not_empty()
    return _Source(Path(path).name, checksum.size, checksum.result())


def _add_scored(collection: "CollectionWriter", old: Magnitudes) -> _Source:
    collection.begin(old.path)
    for scored in scored_rows(old, "tsv"):
        collection.add(scored)
    done = old.metadata
    return _Source(done.collection_name, done.collection_size, done.collection_digest)


def _to_extend(path: str | Path, lexicon: Lexicon, tokenizer: Tokenizer, repair: str) -> Magnitudes:
    """A scored collection, scored as more passages are going to be."""
    old = open_magnitudes(path)
    done = old.metadata
    old.check_whole("Extending a collection")
    for what, was, expected in (
        ("tokenizer", done.tokenizer, tokenizer),
        ("word list", done.lexicon_sha256, lexicon.sha256),
        ("repair of encodings", done.repair or "none", repair or "none"),
        ("version of Fairpool", done.program_version, VERSION),
    ):
        if was != expected:
            raise InputError(
                f"was scored with the {what} {was}, not {expected}.",
                path=path,
                remedy="Extend it with the same, or score all its files again.",
            )
    return old


def scored_rows(magnitudes: Magnitudes, format_: str) -> Iterator[Scored]:
    """The passages of a scored collection as the scan gave them, a row group at a time.

    `format_` is that of the lines which they were scored from.
    """
    with need("pyarrow.parquet").ParquetFile(
        magnitudes.path, page_checksum_verification=True
    ) as file:
        for batch in file.iter_batches(_PASSAGES_AT_ONCE):
            columns = {name: batch.column(name) for name in batch.schema.names}
            scores = Scores(
                n_tokens=columns["n_tokens"].to_numpy(),
                tc={group: columns[f"{group}_tc"].to_numpy() for group in magnitudes.groups},
                tf={group: columns[f"{group}_tf"].to_numpy() for group in magnitudes.groups},
            )
            found = digests_of(columns["docno"])
            yield Scored(columns["docno"], scores, found.digests, format_, found.ascending)


class CollectionWriter:
    """Writes blocks as they come and remembers which passage came from which line."""

    def __init__(self, writer: "MagnitudeWriter", duplicates: Duplicates) -> None:
        self.n_documents = self._n_lines = 0
        self._writer, self._duplicates = writer, duplicates
        # Numbers that grow from passage to passage cannot repeat: then nothing is compared.
        self._ascending, self._last_number = True, -1
        self._begins: list[tuple[int, str | Path]] = []

    def begin(self, path: str | Path) -> None:
        self._begins.append((self._n_lines, path))

    def add(self, scored: Scored) -> None:
        self._writer.write(scored.docnos, scored.scores)
        self._duplicates.add(scored.digests)
        first, last = scored.ascending
        self._ascending = self._ascending and self._last_number < first
        self._last_number = last
        self.n_documents += len(scored.docnos)
        self._n_lines += len(scored.digests) // DIGEST_SIZE
        if scored.bad_line is not None:
            begin, path = self._begins[-1]
            # The definition says what is wrong with the line that the scan stopped at.
            line = scored.bad_line.removesuffix(b"\r")
            PARSERS[scored.format](line, path, self._n_lines - begin + 1)
            raise AssertionError("the scan refused a line that the definition reads")

    def located(self, error: InputError) -> InputError:
        """The error of an archive that is cut short, with how far it could be read."""
        begin, _path = self._begins[-1]
        if error.line is not None or self._n_lines == begin:
            return error
        line = self._n_lines - begin
        return InputError(error.message, path=error.path, line=line, remedy=error.remedy)

    def check_not_empty(self) -> None:
        begin, path = self._begins[-1]
        if self._n_lines == begin:
            raise empty_collection(path)

    def check_duplicates(self) -> None:
        duplicate = None if self._ascending else self._duplicates.first()
        if duplicate is None:
            return
        (path, line), (earlier_path, earlier_line) = (self._place(number) for number in duplicate)
        raise repeated_docno(path, line, earlier_path, earlier_line)

    def _place(self, number: int) -> tuple[str | Path, int]:
        begin, path = next(at for at in reversed(self._begins) if at[0] <= number)
        return path, number - begin + 1
