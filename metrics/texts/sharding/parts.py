"""Scoring a shard into a part: itself a scored collection, of a part of the passages."""

import json
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from ...errors import InputError
from ...extras import need
from ...io import storage as places
from ...io.digests import AND
from ...io.file_kinds import SCORED_COLLECTION
from ...io.files import open_bytes
from ...io.outputs import check_outputs
from ...kernels import expect
from ...version import VERSION
from ...vocabulary import Tokenizer
from ..collection_writer import CollectionWriter
from ..duplicates import Duplicates
from ..lexicon import Lexicon
from ..magnitude_store import Metadata
from ..repair import repair_name
from ..scan.checksum import Checksums
from ..scan.pipeline import Source, scan
from ..scan.reading import Reader, open_blocks, open_span
from .plan import File, Plan, Span

#: In the metadata of a part's file.
_FACTS = "fairpool.part"
_BLOCK = 1 << 20


@dataclass(frozen=True)
class Scoring:
    """Settings by which passages are scored."""

    lexicon: Lexicon
    tokenizer: Tokenizer = "word"
    repair_encoding: bool = False

    def digest_of(self, plan: Plan) -> str:
        """Return the name of a plan's parts under these settings and this version of Fairpool."""
        how = (VERSION, self.lexicon.name, self.lexicon.sha256, self.tokenizer)
        return plan.digest(*how, repair_name() if self.repair_encoding else "")


@dataclass(frozen=True)
class Work:
    """Job of a worker: shard `number`, and nothing of the other shards.

    Spans refer to `files` by their index; `size` is that of all shards, in bytes.
    """

    plan: str
    number: int
    n_shards: int
    size: int
    files: tuple[File, ...]
    spans: tuple[Span, ...]
    scoring: Scoring

    @classmethod
    def of(cls, plan: Plan, number: int, scoring: Scoring) -> "Work":
        """The work on one shard of a plan."""
        spans = plan.shards[number].spans
        numbers = sorted({span.file for span in spans})
        return cls(
            plan=scoring.digest_of(plan),
            number=number,
            n_shards=len(plan.shards),
            size=plan.size,
            files=tuple(plan.files[file] for file in numbers),
            spans=tuple(replace(span, file=numbers.index(span.file)) for span in spans),
            scoring=scoring,
        )

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> "Work":
        """The reverse of `asdict`, also where JSON lies between."""
        how, words = values["scoring"], values["scoring"]["lexicon"]
        lexicon = Lexicon(words["name"], tuple(words["groups"]), tuple(map(tuple, words["words"])))
        return cls(
            **values
            | {
                "files": tuple(File(**file) for file in values["files"]),
                "spans": tuple(Span(**span) for span in values["spans"]),
                "scoring": Scoring(lexicon, how["tokenizer"], how["repair_encoding"]),
            }
        )


@dataclass(frozen=True)
class PartFacts:
    """Facts of a part that joining needs beside its rows.

    `n_rows` has the number of passages of each span, `digests` that of each file that begins in
    the part, of all its bytes.
    """

    plan: str
    number: int
    n_rows: tuple[int, ...]
    digests: tuple[str, ...]


def score_shard(
    work: Work,
    output: str | Path,
    *,
    packed: bool = False,
    threads: int = 1,
    progress: Callable[[int], object] = lambda _size: None,
) -> Metadata:
    """Score one shard into the part `output`, a path or a URL; what stands there is replaced.

    The part appears whole or not at all, and is the same bytes whoever makes it. An unpacked part
    takes several times the space and a fraction of the time. `progress` is called with the number
    of bytes read. Raises `InputError` with the line of the whole file, and where `output` is a file
    of the collection.
    """
    files, spans, scoring = work.files, work.spans, work.scoring
    check_outputs([(output, SCORED_COLLECTION)], [file.path for file in files], force=True)
    for file in files:
        file.check_unchanged()
    # The worker will score further shards, so compiling pays.
    expect("marks", work.size)
    writing = need("..magnitude_writer", __package__).writing_magnitudes
    with (
        places.written(output) as part,
        Duplicates() as duplicates,
        Checksums(progress) as checksums,
        writing(part, scoring.lexicon.groups, packed=packed) as writer,
    ):
        passages = CollectionWriter(writer, duplicates)
        n_rows: list[int] = []
        for span in spans:
            file = files[span.file]
            try:
                scan(
                    [_source(span, file, passages, checksums, n_rows)],
                    lexicon=scoring.lexicon,
                    tokenizer=scoring.tokenizer,
                    format_=file.format,
                    repair_encoding=scoring.repair_encoding,
                    threads=threads,
                    hand_on=passages.add,
                )
            except InputError as error:
                raise _in_whole_file(passages.located(error), file, span) from error
        digests = checksums.results()
        metadata = Metadata(
            lexicon_name=scoring.lexicon.name,
            lexicon_sha256=scoring.lexicon.sha256,
            groups=scoring.lexicon.groups,
            tokenizer=scoring.tokenizer,
            collection_name=f"part {work.number + 1} of {work.n_shards}",
            collection_size=sum(span.size for span in spans),
            collection_digest=AND.join(digests),
            n_documents=passages.n_documents,
            program_version=VERSION,
            repair=repair_name() if scoring.repair_encoding else "",
        )
        facts = PartFacts(work.plan, work.number, tuple(n_rows), tuple(digests))
        writer.finish(metadata, {_FACTS: json.dumps(asdict(facts))})
    return metadata


def _source(
    span: Span, file: File, passages: CollectionWriter, checksums: Checksums, n_rows: list[int]
) -> Source:
    is_parquet = file.format == "parquet"
    is_all = not span.begin and (file.is_whole or (span.size == file.size and not is_parquet))

    def opened() -> AbstractContextManager[Reader]:
        if is_all:
            return open_blocks(file.path, file.format, checksums.begin())
        if not span.begin:
            checksums.begin().update_from(file.path)
        if is_parquet:
            reader: AbstractContextManager[Reader] = need("..scan.rows", __package__).open_groups(
                file.path, (span.begin, span.end), span.size, checksums.progress
            )
            return reader
        return open_span(file.path, (span.begin, span.end), checksums.progress)

    def end() -> None:
        n_rows.append(passages.n_documents - sum(n_rows))

    return Source(
        file.path,
        opened,
        partial(passages.begin, file.path),
        end,
        None if span.begin else passages.skip_header,
    )


def _in_whole_file(error: InputError, file: File, span: Span) -> InputError:
    """The error with the line counted from the beginning of the file, as people count."""
    if error.line is None or not span.begin or file.format == "parquet":
        return error
    before = 0
    with open_bytes(file.path, span=(0, span.begin)) as stream:
        while block := stream.read(_BLOCK):
            before += block.count(b"\n")
    return InputError(error.message, path=error.path, line=before + error.line, remedy=error.remedy)


def facts_of(part: str | Path) -> PartFacts:
    """Return the facts of a part; `InputError` where it is none, or not whole."""
    with places.fetched(part) as path:
        facts = need("..magnitude_file", __package__).read_key_value(path, _FACTS)
    if facts is None:
        raise InputError("is not part of a scored collection.", path=part)
    values = json.loads(facts)
    return PartFacts(
        values["plan"], values["number"], tuple(values["n_rows"]), tuple(values["digests"])
    )


def is_done(part: str | Path, work: Work) -> bool:
    """Return whether the part is there, whole, and that of this shard of this plan."""
    if not places.exists(part):
        return False
    try:
        facts = facts_of(part)
    except InputError:
        return False
    return (facts.plan, facts.number) == (work.plan, work.number)
