"""Joining parts: to the file that scoring at once writes, byte for byte, or to a folder."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

from ...errors import InputError
from ...extras import need
from ...io import storage as places
from ...io.digests import AND
from ...io.file_kinds import SCORED_COLLECTION
from ...io.outputs import check_outputs
from ...version import VERSION
from ..collection_writer import CollectionWriter, NoWriter, scored_rows
from ..duplicates import Duplicates
from ..magnitude_store import Metadata, open_magnitudes
from ..repair import repair_name
from ..scan.scored import Scored
from .parts import PartFacts, Scoring, facts_of
from .plan import Plan


def join_parts(
    plan: Plan,
    parts: Iterable[str | Path],
    output: str | Path,
    scoring: Scoring,
    *,
    progress: Callable[[int], object] = lambda _number: None,
) -> Metadata:
    """Write the scored collection of which `parts` are the shards, in their order.

    The file has the bytes that `texts.scoring.score_collection` writes for the whole, and the
    errors are the same: a repeated docno, a file without passages. `parts` may give each part when
    it is there, so that it is joined while others are still scored. `progress` is called with 1
    after each part. Memory is bounded, whatever the number of parts. Raises `InputError` for a
    part of another plan or in another place of the order, one that is missing, and one too many.
    """
    _check_not_read(output, plan)
    writing = need("..magnitude_writer", __package__).writing_magnitudes
    with places.written(output) as path, writing(path, scoring.lexicon.groups) as writer:
        metadata = check_parts(plan, parts, output, scoring, writer=writer, progress=progress)
        writer.finish(metadata)
    return metadata


def check_parts(
    plan: Plan,
    parts: Iterable[str | Path],
    output: str | Path,
    scoring: Scoring,
    *,
    writer: Any = None,
    progress: Callable[[int], object] = lambda _number: None,
) -> Metadata:
    """The metadata of the whole of which `parts` are the shards; with a `writer` it gets all rows.

    Errors are those of `join_parts`.
    """
    digests: list[str] = []
    with Duplicates() as duplicates:
        passages = CollectionWriter(writer or NoWriter(), duplicates)
        file = -1
        for part in _read_ahead(plan, parts, output, scoring):
            rows = iter(part.rows)
            for span, n_rows in zip(plan.shards[part.number].spans, part.facts.n_rows, strict=True):
                if span.file != file:
                    _check_not_empty(passages, file)
                    file = span.file
                    passages.begin(plan.files[file].path, plan.files[file].n_headers)
                rows = _add(passages, rows, n_rows)
            digests += part.facts.digests
            progress(1)
        _check_not_empty(passages, file)
        passages.check_duplicates()
    return Metadata(
        lexicon_name=scoring.lexicon.name,
        lexicon_sha256=scoring.lexicon.sha256,
        groups=scoring.lexicon.groups,
        tokenizer=scoring.tokenizer,
        collection_name=" + ".join(places.name_of(file.path) for file in plan.files),
        collection_size=sum(file.size for file in plan.files),
        collection_digest=AND.join(digests),
        n_documents=passages.n_documents,
        program_version=VERSION,
        repair=repair_name() if scoring.repair_encoding else "",
    )


class _Part(NamedTuple):
    number: int
    facts: PartFacts
    rows: list[Scored]


def _add(passages: CollectionWriter, rows: Iterator[Scored], n_rows: int) -> Iterator[Scored]:
    """Add so many rows, and give what is left."""
    while n_rows:
        scored = next(rows)
        if (n_scored := len(scored.docnos)) > n_rows:
            scored, rest = scored.split(n_rows)
            rows = _before(rest, rows)
        n_rows -= min(n_scored, n_rows)
        passages.add(scored)
    return rows


def _before(first: Scored, others: Iterator[Scored]) -> Iterator[Scored]:
    yield first
    yield from others


def _read_ahead(
    plan: Plan, parts: Iterable[str | Path], output: str | Path, scoring: Scoring
) -> Iterator[_Part]:
    """The rows of the parts; one part is read while the one before is written."""
    digest = scoring.digest_of(plan)
    with ThreadPoolExecutor(1) as reader:
        before: Future[_Part] | None = None
        numbers = range(len(plan.shards))
        for number, part in _each(numbers, parts):
            _check_not_read(output, plan, part)
            reading = reader.submit(_read, part, digest, number)
            if before is not None:
                yield before.result()
            before = reading
        if before is not None:
            yield before.result()


def _each(numbers: range, parts: Iterable[str | Path]) -> Iterator[tuple[int, str | Path]]:
    """Each part with its number; `InputError` where there are more or fewer."""
    number = -1
    for number, part in enumerate(parts):
        if number not in numbers:
            raise InputError(f"is beyond the plan, which has {len(numbers)} shards.", path=part)
        yield number, part
    if number + 1 < len(numbers):
        raise InputError(
            f"{number + 1} parts, but the plan has {len(numbers)} shards.",
            remedy="Score the others as well.",
        )


def _read(part: str | Path, digest: str, number: int) -> _Part:
    with places.fetched(part) as path:
        facts = facts_of(path)
        if (facts.plan, facts.number) != (digest, number):
            of_plan = "this plan" if facts.plan == digest else "another plan"
            raise InputError(
                f"is part {facts.number + 1} of {of_plan}, in place of part {number + 1}.",
                path=part,
                remedy="Give the parts of this plan, each once and in their order.",
            )
        # As lines have it, where errors come from the scan; here nothing is parsed any more.
        return _Part(number, facts, list(scored_rows(open_magnitudes(path), "tsv")))


def _check_not_read(output: str | Path, plan: Plan, *parts: str | Path) -> None:
    """`InputError` where the file to write is one that is read."""
    inputs = [file.path for file in plan.files]
    check_outputs([(output, SCORED_COLLECTION)], [*inputs, *map(str, parts)], force=True)


def _check_not_empty(passages: CollectionWriter, file: int) -> None:
    if file >= 0:
        passages.check_not_empty()
