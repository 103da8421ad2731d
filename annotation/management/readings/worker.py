"""Signs of quality of each worker of a batch."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass

from annotation.core.parameters import parameter
from annotation.labels.queries.quality import (
    batch_worker_pairs,
    batch_worker_quality,
    workers_with_discarded_votes,
)
from annotation.management.readings import Answer, reads
from annotation.models import Batch
from metrics.votes.workers import WorkerPair, WorkerQuality


@dataclass(frozen=True)
class _Shown:
    """Comparison of workers with each other, if it is wanted."""

    pairs: bool = parameter(
        False,
        help_text="Also show how every two workers agree on the queries that both voted on.",
    )


@reads("worker quality study", subject="batch", parameters=_Shown)
def quality(batch: Batch, options: _Shown) -> Answer:
    """Show signs of quality of each worker: a list of what to look at.

    These are accuracy on gold questions, agreement with the others beyond chance, time, uniformity
    and share of the votes, with warnings. It discards nobody's votes.
    """
    rows = batch_worker_quality(batch=batch)
    aside = workers_with_discarded_votes(batch=batch)
    pairs = batch_worker_pairs(batch=batch) if options.pairs else []
    workers = [asdict(row) | {"set_aside": aside.get(row.worker)} for row in rows]
    result = {"workers": workers} | ({"pairs": pairs} if pairs else {})
    return Answer(result, [*_table(rows, aside), *map(_pair, pairs)])


def _table(rows: list[WorkerQuality], aside: dict[str, str]) -> Iterator[str]:
    yield f"{'worker':<24}{'votes':>7}{'checks':>8}{'right':>20}{'others':>8}{'s/query':>9}"
    for row in rows:
        yield _line(row)
        remarks = [*row.remarks]
        if row.worker in aside:
            remarks.append(f"SET ASIDE: {aside[row.worker]}")
        if remarks:
            yield f"    {'; '.join(remarks)}"


def _pair(pair: WorkerPair) -> str:
    agreement = pair.agreement
    return (
        f"{pair.first} and {pair.second}: {agreement.value:.2f} on {pair.n_common:,} "
        f"queries ({agreement.low:.2f} to {agreement.high:.2f})"
    )


def _line(row: WorkerQuality) -> str:
    gold = row.gold_accuracy
    right = "" if gold.value is None else f"{gold.value:.2f} ({gold.low:.2f}-{gold.high:.2f})"
    others = "" if row.with_others is None else f"{row.with_others:.2f}"
    seconds = "" if row.seconds is None else f"{row.seconds:.1f}"
    return f"{row.worker:<24}{row.n_votes:>7}{row.n_gold:>8}{right:>20}{others:>8}{seconds:>9}"
