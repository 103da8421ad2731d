"""Scoring a collection: files of passages in, a Parquet file of magnitudes out."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from ..engines import SHARD_SIZE, Engine
from ..errors import InputError, InputTypeError
from ..extras import need
from ..io.digests import AND
from ..io.file_kinds import SCORED_COLLECTION
from ..io.files import checked_path
from ..io.listing import listed_files
from ..io.missing import is_folder
from ..io.outputs import check_outputs
from ..io.storage import name_of, written
from ..kernels import always_worth_compiling, expect
from ..public import public
from ..version import VERSION
from ..vocabulary import Format, Tokenizer
from .collection import is_parquet
from .collection_writer import CollectionWriter, scored_rows
from .duplicates import Duplicates
from .lexicon import Lexicon, read_lexicon
from .magnitude_store import Magnitudes, Metadata, open_magnitudes
from .repair import repair_name
from .scan.checksum import Checksums
from .scan.pipeline import Source, scan
from .scan.reading import SMALL, open_blocks
from .scan.selection import Selection
from .sharding.parts import Scoring


@public
def score_collection(
    paths: str | Path | Sequence[str | Path],
    output: str | Path,
    *,
    lexicon: Lexicon | Mapping[str, Iterable[str]] | str | Path | None = None,
    tokenizer: Tokenizer = "word",
    format: Format = "auto",  # noqa: A002 - the name of the command's option
    extend: str | Path | None = None,
    repair_encoding: bool = False,
    selection: Selection | None = None,
    threads: int | None = None,
    engine: str | Engine | None = None,
    scheduler: str | None = None,
    as_parts: bool = False,
    shard_size: int = SHARD_SIZE,
    progress: Callable[[int], object] = lambda _size: None,
) -> Metadata:
    """Score every passage of a collection, of one or several files, into the Parquet file `output`.

    Paths may be folders, patterns, `@FILE` with a path per line, and URLs; `output` may be a URL.
    The file is written while the collection is read, in bounded memory, and appears whole or not
    at all. The same collection, lexicon and tokenizer give the same bytes, with any number of
    `threads` (default: one per core). `progress` is called with the number of bytes read, as they
    lie on disk. Needs `fairpool[fast]`.

    With `repair_encoding` texts are repaired first that were decoded by the wrong encoding, as by
    `repair_text`; needs `fairpool[repair]`.

    `extend` names a scored collection that these passages are added to: the result is that of
    scoring its files and these ones together, without reading its files. With a `selection` only
    those documents are scored; of the others the docno is checked.

    With an `engine` the files are scored in shards of about `shard_size` bytes: in `"processes"` of
    this machine, on `"dask"` or `"ray"`, at the address `scheduler` if one runs already, or by any
    function that maps as `map` does. The file is the same. Parts stay beside `output` until all are
    joined, so that the same call goes on with what is there. With `as_parts` that stays a folder of
    parts, which is opened as a file is. Raises `InputError` with file
    and line, where `output` is one of the files that are read, and where `extend` was scored in
    another way.
    """
    lexicon = read_lexicon(lexicon)
    listed = paths if isinstance(paths, list | tuple) else [paths]
    files = listed_files(_checked(path, "the collection") for path in listed)
    _checked(output, "the output")
    if not files:
        raise InputError("there is no collection.", remedy="Give the path of at least one file.")
    if threads is not None and not isinstance(threads, int):
        raise InputTypeError(f"threads is {threads!r}.", remedy="Give a whole number: threads=2.")
    if Path(output).is_dir() and not as_parts:
        raise is_folder(output, "Name the file to write, such as scored.parquet.")
    if not callable(progress):
        raise InputTypeError(
            f"progress is {progress!r}.", remedy="Leave it out, or give a function of bytes."
        )
    if engine or as_parts:
        if selection is not None or extend is not None:
            raise InputError(
                "an engine scores whole collections.",
                remedy="Leave out the engine to score some documents, or to add to others.",
            )
        on_engine: Metadata = need(".sharding.on_engine", __package__).score_on_engine(
            files,
            output,
            Scoring(lexicon, tokenizer, repair_encoding),
            engine=engine or "processes",
            scheduler=scheduler,
            workers=threads,
            format=format,
            as_parts=as_parts,
            shard_size=shard_size,
            progress=progress,
        )
        return on_engine
    check_outputs([(output, SCORED_COLLECTION)], map(str, files), force=True)
    if Path(output).suffix in _OF_TEXT:
        raise InputError(
            "what was scored is written as Parquet.",
            path=output,
            remedy=f"Name it {Path(output).with_suffix('.parquet')}.",
        )
    writing = need(".magnitude_writer", __package__).writing_magnitudes
    repair = repair_name() if repair_encoding else ""
    old = None if extend is None else _to_extend(extend, lexicon, tokenizer, repair)
    expect("marks", expected_size(files, format))
    with (
        Duplicates() as duplicates,
        Checksums(progress) as checksums,
        written(output) as path,
        writing(path, lexicon.groups) as writer,
    ):
        collection = CollectionWriter(writer, duplicates)
        sources = [] if old is None else [_add_scored(collection, old)]
        try:
            scan(
                (_source(collection, path, format, checksums) for path in files),
                lexicon=lexicon,
                tokenizer=tokenizer,
                format_=format,
                repair_encoding=repair_encoding,
                threads=threads or os.cpu_count() or 1,
                hand_on=collection.add,
                selection=selection,
            )
        except InputError as error:
            raise collection.located(error) from error
        collection.check_duplicates()
        sources += [
            _Read(name_of(path), checksum.size, digest)
            for path, checksum, digest in zip(
                files, checksums.files, checksums.results(), strict=True
            )
        ]
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


#: Endings of files of text, which no scored collection is.
_OF_TEXT = frozenset({".csv", ".tsv", ".txt", ".json", ".jsonl"})


class _Read(NamedTuple):
    """A file that passages were read from, or the files of a collection scored before."""

    name: str
    size: int
    digest: str


def expected_size(paths: Iterable[str | Path], format_: Format) -> int:
    """The bytes in these files, unpacked, as far as that is known and matters before they are read.

    Standard input, URLs and what an archive grows to are found out when they are read; beyond what
    settles that kernels are compiled nobody looks at thousands of files.
    """
    size = 0
    for path in filter(os.path.isfile, paths):
        if size > always_worth_compiling(SMALL):
            break
        if is_parquet(path, format_):
            size += sum(need(".parquet_collection", __package__).group_sizes(path))
        else:
            size += Path(path).stat().st_size
    return size


def _source(
    collection: CollectionWriter, path: str | Path, format_: Format, checksums: Checksums
) -> Source:
    return Source(
        path,
        lambda: open_blocks(path, format_, checksums.begin()),
        partial(collection.begin, path),
        collection.check_not_empty,
        collection.skip_header,
    )


def _add_scored(collection: CollectionWriter, old: Magnitudes) -> _Read:
    collection.begin(old.path)
    for scored in scored_rows(old, "tsv"):
        collection.add(scored)
    done = old.metadata
    return _Read(done.collection_name, done.collection_size, done.collection_digest)


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


def _checked(path: Any, what: str) -> Any:
    """The path as it was given, which may be a URL; `InputTypeError` for what is none."""
    checked_path(path, what)
    return path
