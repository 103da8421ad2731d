"""A collection in shards: scored one by one, anywhere and in any order, joined to the same file.

A shard is a span of whole lines of one file; an archive cannot be entered in its middle, so it is
one shard. Scoring a shard gives a part, itself a scored collection, without a digest and hardly
packed. The parts in their order give the bytes that `texts.scoring.score_collection` writes for the
whole.
"""

import contextlib
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from ..errors import InputError
from ..io import storage as places
from ..io.digests import AND
from ..io.files import open_bytes
from ..version import VERSION
from ..vocabulary import Format, Tokenizer
from .collection import BYTE_ORDER_MARK, detect_format, empty_collection
from .duplicates import Duplicates
from .lexicon import Lexicon
from .magnitude_store import Metadata, open_magnitudes
from .magnitude_writer import writing_magnitudes
from .scan.checksum import Checksum
from .scan.pipeline import scan
from .scan.reading import open_span
from .scan.scored import Scored
from .scoring import CollectionWriter, scored_rows

SHARD_SIZE = 256 << 20  # bytes: some seconds of work, more than it takes to hand it out
_PACKED = (".gz", ".zst")
_BLOCK = 1 << 20


@dataclass(frozen=True)
class File:
    """A file of a collection as it was when the shards were made."""

    path: str
    size: int  # bytes as they lie there
    modified: int  # nanoseconds since 1970
    format: Format  # never "auto"

    def check_unchanged(self) -> None:
        """`InputError` where the file has become another one."""
        if places.stat(self.path) != (self.size, self.modified):
            raise InputError(
                "has changed since its shards were made.",
                path=self.path,
                remedy="Score it again when nothing writes to it.",
            )


@dataclass(frozen=True)
class Shard:
    """The bytes `begin` to `end` of the file with the number `file`, as they lie there."""

    file: int
    begin: int
    end: int


@dataclass(frozen=True)
class Plan:
    """Which shards the files of a collection are scored in; the shards are in their order."""

    files: tuple[File, ...]
    shards: tuple[Shard, ...]


def plan_shards(
    paths: Sequence[str | Path],
    format: Format = "auto",  # noqa: A002 - the name of the command's option
    shard_size: int = SHARD_SIZE,
) -> Plan:
    """Cut files (paths or URLs) into shards of about `shard_size` bytes that begin at lines.

    Raises `InputError` for a file that is missing or empty, and for standard input.
    """
    if shard_size < 1:
        raise InputError(f"shards of {shard_size} bytes.", remedy="Use 1 or more.")
    files = tuple(_file(path, format) for path in paths)
    shards = tuple(
        Shard(number, begin, end)
        for number, file in enumerate(files)
        for begin, end in _spans(file, shard_size)
    )
    return Plan(files, shards)


def _file(path: str | Path, format_: Format) -> File:
    if str(path) == "-":
        raise InputError(
            "standard input cannot be read in shards.", remedy="Save it to a file first."
        )
    path = places.absolute(path)
    size, modified = places.stat(path)
    with open_bytes(path) as stream:
        start = stream.read(len(BYTE_ORDER_MARK) + 1).removeprefix(BYTE_ORDER_MARK)
    if not start:
        raise empty_collection(path)
    return File(path, size, modified, detect_format(path, format_, start))


def _spans(file: File, shard_size: int) -> Iterator[tuple[int, int]]:
    if file.path.endswith(_PACKED):
        yield 0, file.size
        return
    begin = 0
    with places.open_raw(file.path) as raw:
        while begin < file.size:
            end = _line_start(raw, begin + shard_size, file.size)
            yield begin, end
            begin = end


def _line_start(raw: BinaryIO, near: int, size: int) -> int:
    """Where the first line begins at `near` or behind it; the end of the file if none does."""
    if near >= size:
        return size
    at = near - 1  # the line before may end just there
    raw.seek(at)
    while block := raw.read(min(_BLOCK, size - at)):
        feed: int = block.find(b"\n")
        if feed >= 0:
            return at + feed + 1
        at += len(block)
    return size


def score_shard(
    plan: Plan,
    number: int,
    output: str | Path,
    *,
    lexicon: Lexicon,
    tokenizer: Tokenizer,
    threads: int = 1,
    progress: Callable[[int], object] = lambda _size: None,
) -> Metadata:
    """Score one shard into the part `output`, a path or a URL; what stands there is replaced.

    The part appears whole or not at all, and is the same bytes whoever makes it. `progress` is
    called with the number of bytes read. Raises `InputError` with the line of the whole file.
    """
    shard = plan.shards[number]
    file = plan.files[shard.file]
    file.check_unchanged()
    span = (shard.begin, shard.end)
    with (
        _replacing(output) as part,
        Duplicates() as duplicates,
        # A part is written once and read once, soon and for its rows alone.
        writing_magnitudes(part, lexicon.groups, packed=False) as writer,
    ):
        passages = CollectionWriter(writer, duplicates)
        passages.begin(file.path)
        try:
            with open_span(file.path, span, progress) as reader:
                scan(
                    reader,
                    file.path,
                    lexicon=lexicon,
                    tokenizer=tokenizer,
                    format_=file.format,
                    threads=threads,
                    hand_on=passages.add,
                )
        except InputError as error:
            raise _in_whole_file(passages.located(error), file, shard) from error
        metadata = Metadata(
            lexicon_name=lexicon.name,
            lexicon_sha256=lexicon.sha256,
            groups=lexicon.groups,
            tokenizer=tokenizer,
            collection_name=f"{places.name_of(file.path)}[{shard.begin}:{shard.end}]",
            collection_size=shard.end - shard.begin,
            collection_digest="",
            n_documents=passages.n_documents,
            program_version=VERSION,
        )
        writer.finish(metadata)
    return metadata


@contextlib.contextmanager
def _replacing(output: str | Path) -> Iterator[Path]:
    """Where to write what is to stand at `output`: there, or here until it is put there."""
    if not places.is_url(output):
        yield Path(output)
        return
    with tempfile.TemporaryDirectory(prefix="fairpool-shard-") as folder:
        part = Path(folder) / places.name_of(output)
        yield part
        places.put(part, str(output))


def _in_whole_file(error: InputError, file: File, shard: Shard) -> InputError:
    """The error with the line counted from the beginning of the file, as people count."""
    if error.line is None or not shard.begin:
        return error
    before = 0
    with open_bytes(file.path, span=(0, shard.begin)) as stream:
        while block := stream.read(_BLOCK):
            before += block.count(b"\n")
    return InputError(error.message, path=error.path, line=before + error.line, remedy=error.remedy)


def checksum_of(plan: Plan, progress: Callable[[int], object] = lambda _size: None) -> str:
    """The digest of each file as it lies there, as `Metadata.collection_digest` has them."""
    return AND.join(_checksum_of_file(file, progress) for file in plan.files)


def _checksum_of_file(file: File, progress: Callable[[int], object]) -> str:
    file.check_unchanged()
    with Checksum(progress) as checksum, places.open_raw(file.path) as raw:
        while block := raw.read(_BLOCK):
            checksum.update(block)
        return checksum.result()


def join_parts(
    plan: Plan,
    parts: Iterable[str | Path],
    output: str | Path,
    *,
    lexicon: Lexicon,
    tokenizer: Tokenizer,
    collection_digest: Callable[[], str],
    progress: Callable[[int], object] = lambda _number: None,
) -> Metadata:
    """Write the scored collection of which `parts` are the shards, in their order.

    The file has the bytes that `texts.scoring.score_collection` writes for the whole, and the
    errors are the same: a repeated docno, a file without passages. `parts` may give each part when
    it is there, so that it is joined while others are still scored; `collection_digest` is called
    behind the last. `progress` is called with 1 after each part. Memory is bounded, whatever the
    number of parts.
    """
    with Duplicates() as duplicates, writing_magnitudes(output, lexicon.groups) as writer:
        passages = CollectionWriter(writer, duplicates)
        file = -1
        for shard, rows in _read_ahead(plan, parts):
            if shard.file != file:
                _check_not_empty(passages, file)
                file = shard.file
                passages.begin(plan.files[file].path)
            for scored in rows:
                passages.add(scored)
            progress(1)
        _check_not_empty(passages, file)
        passages.check_duplicates()
        metadata = Metadata(
            lexicon_name=lexicon.name,
            lexicon_sha256=lexicon.sha256,
            groups=lexicon.groups,
            tokenizer=tokenizer,
            collection_name=" + ".join(places.name_of(one.path) for one in plan.files),
            collection_size=sum(one.size for one in plan.files),
            collection_digest=collection_digest(),
            n_documents=passages.n_documents,
            program_version=VERSION,
        )
        writer.finish(metadata)
    return metadata


def _read_ahead(plan: Plan, parts: Iterable[str | Path]) -> Iterator[tuple[Shard, list[Scored]]]:
    """The shards with the rows of their parts; one part is read while the one before is written."""
    with ThreadPoolExecutor(1) as reader:
        before: tuple[Shard, Future[list[Scored]]] | None = None
        for shard, part in zip(plan.shards, parts, strict=True):
            reading = reader.submit(_rows_of, part, plan.files[shard.file].format)
            if before is not None:
                yield before[0], before[1].result()
            before = shard, reading
        if before is not None:
            yield before[0], before[1].result()


def _rows_of(part: str | Path, format_: Format) -> list[Scored]:
    with _fetched(part) as path:
        return list(scored_rows(open_magnitudes(path), format_))


def _check_not_empty(passages: CollectionWriter, file: int) -> None:
    if file >= 0:
        passages.check_not_empty()


@contextlib.contextmanager
def _fetched(part: str | Path) -> Iterator[Path]:
    """The part on this machine."""
    if not places.is_url(part):
        yield Path(part)
        return
    with tempfile.TemporaryDirectory(prefix="fairpool-part-") as folder:
        path = Path(folder) / places.name_of(part)
        places.fetch(part, path)
        yield path
