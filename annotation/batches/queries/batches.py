"""Batches and how far they are, in a number of statements that does not depend on their number."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.db.models import Count, Max, Min, Q, QuerySet, Sum

from annotation.core.spent import spent_by_batch
from annotation.models import HIT, Assignment, Batch, Vote
from annotation.vocabulary import HITState, WorkerKind
from metrics.errors import InputError

_CENT = Decimal("0.01")
#: Fewer answers than this say nothing about how fast they come.
_ANSWERS_FOR_A_PACE = 3


@dataclass(frozen=True)
class BatchProgress:
    """One batch in numbers. Money is in US dollars, fees included.

    `number` is the batch's key, which stands in the addresses of its pages: a name may hold
    anything, also a slash.
    `n_hits_unknown` were sent to the crowd without a clear reply; `n_votes` are those that count;
    `committed` is what the published HITs may cost and bonuses; `spent` is what the approved
    answers and the bonuses did cost.
    """

    number: int
    name: str
    environment: str
    environment_name: str
    state: str
    state_name: str
    n_queries: int
    n_hits: int
    n_hits_published: int
    n_hits_unknown: int
    n_hits_refused: int
    n_assignments: int
    n_assignments_expected: int
    n_quarantined: int
    n_votes: int
    n_votes_expected: int
    n_votes_simulated: int
    n_votes_model: int
    n_workers: int
    budget: Decimal | None
    committed: Decimal
    spent: Decimal


def batch_get(*, name: str) -> Batch:
    """The batch of that name; `InputError` if there is none."""
    try:
        return Batch.objects.get(name=name)
    except Batch.DoesNotExist:
        raise InputError(
            f"there is no batch named {name!r}.",
            remedy="`create_batch` makes one; the first page of the site lists all.",
        ) from None


def batch_progress(*, batch: Batch) -> BatchProgress:
    """How far one batch is."""
    return _progress_of(Batch.objects.filter(pk=batch.pk))[0]


def batch_progress_list(*, batches: QuerySet[Batch] | None = None) -> list[BatchProgress]:
    """How far every batch or each of `batches` is, the latest first."""
    return _progress_of(Batch.objects.all() if batches is None else batches)


def _progress_of(batches: QuerySet[Batch]) -> list[BatchProgress]:
    """Six statements: one for each table, grouped by batch, and two for what was spent."""
    rows = list(batches.annotate(n_queries=Count("queries")))
    ids = [batch.pk for batch in rows]
    hits = _by_batch(_hits(ids), "batch")
    answers = _by_batch(_answers(ids), "hit__batch")
    votes = _by_batch(_votes(ids), "query__batch")
    spent = spent_by_batch(ids)
    return [
        _progress(
            batch,
            hits[batch.pk],
            answers[batch.pk],
            votes[batch.pk],
            spent.get(batch.pk, Decimal(0)),
        )
        for batch in rows
    ]


def _hits(batches: list[int]) -> Iterable[Mapping[str, Any]]:
    return (
        HIT.objects.filter(batch__in=batches)
        .order_by()
        .values("batch")
        .annotate(
            n=Count("pk"),
            published=Count("pk", filter=Q(state=HITState.PUBLISHED)),
            unknown=Count("pk", filter=Q(state=HITState.SENT)),
            refused=Count("pk", filter=Q(state=HITState.REFUSED)),
            wanted=Sum("max_assignments"),
        )
    )


def _answers(batches: list[int]) -> Iterable[Mapping[str, Any]]:
    return (
        Assignment.objects.filter(hit__batch__in=batches)
        .order_by()
        .values("hit__batch")
        .annotate(
            n=Count("pk"),
            quarantined=Count("pk", filter=~Q(problem="")),
        )
    )


def _votes(batches: list[int]) -> Iterable[Mapping[str, Any]]:
    return (
        Vote.objects.filter(query__batch__in=batches, counts=True)
        .order_by()
        .values("query__batch")
        .annotate(
            n=Count("pk"),
            simulated=Count("pk", filter=Q(worker__kind=WorkerKind.SIMULATED)),
            model=Count("pk", filter=Q(worker__kind=WorkerKind.MODEL)),
            workers=Count("worker", distinct=True),
        )
    )


def _by_batch(rows: Iterable[Mapping[str, Any]], key: str) -> defaultdict[int, Mapping[str, Any]]:
    return defaultdict(dict, {row[key]: row for row in rows})


def _progress(
    batch: Any,
    hits: Mapping[str, Any],
    answers: Mapping[str, Any],
    votes: Mapping[str, Any],
    spent: Decimal,
) -> BatchProgress:
    return BatchProgress(
        number=batch.pk,
        name=batch.name,
        environment=batch.environment,
        environment_name=batch.get_environment_display(),
        state=batch.state,
        state_name=batch.get_state_display(),
        n_queries=batch.n_queries,
        n_hits=hits.get("n", 0),
        n_hits_published=hits.get("published", 0),
        n_hits_unknown=hits.get("unknown", 0),
        n_hits_refused=hits.get("refused", 0),
        n_assignments=answers.get("n", 0),
        n_assignments_expected=hits.get("wanted", 0),
        n_quarantined=answers.get("quarantined", 0),
        n_votes=votes.get("n", 0),
        n_votes_expected=batch.n_queries * batch.assignments_per_hit if hits else 0,
        n_votes_simulated=votes.get("simulated", 0),
        n_votes_model=votes.get("model", 0),
        n_workers=votes.get("workers", 0),
        budget=batch.budget,
        committed=batch.committed,
        spent=spent,
    )


def batch_seconds_left(*, batch: Batch) -> float | None:
    """How long the missing answers take at the pace so far; None where there is no pace."""
    found = Assignment.objects.filter(hit__batch=batch).aggregate(
        n=Count("pk"), first=Min("submitted_at"), last=Max("submitted_at")
    )
    n_planned = HIT.objects.filter(batch=batch).aggregate(n=Sum("max_assignments"))["n"] or 0
    if found["n"] < _ANSWERS_FOR_A_PACE or found["n"] >= n_planned or found["last"] is None:
        return None
    passed = (found["last"] - found["first"]).total_seconds()
    return float(passed / (found["n"] - 1) * (n_planned - found["n"]))
