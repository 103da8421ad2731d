"""The status and the counters of a HIT, as Amazon counts them."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from datetime import datetime

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from mturk_local.models import HIT, Assignment, AssignmentState

_COMPLETED = (AssignmentState.APPROVED, AssignmentState.REJECTED)


def counts_of(hits: Iterable[HIT]) -> dict[int, Counter[str]]:
    """Per HIT (primary key), how many assignments are in each state; one query for all."""
    counts: dict[int, Counter[str]] = defaultdict(Counter)
    rows = Assignment.objects.filter(hit__in=list(hits)).order_by()
    for hit_id, state, number in rows.values_list("hit_id", "state").annotate(Count("pk")):
        counts[hit_id][state] = number
    return counts


def status_of(hit: HIT, counts: Counter[str], now: datetime) -> str:
    """The `HITStatus`; an expired HIT that somebody still works on is Unassignable."""
    if hit.disposed_at:
        return "Disposed"
    if counts[AssignmentState.ACCEPTED]:
        closed = hit.open_slots == 0 or hit.expiration <= now
        return "Unassignable" if closed else "Assignable"
    if hit.open_slots == 0 or hit.expiration <= now:
        return "Reviewing" if hit.reviewing else "Reviewable"
    return "Assignable"


def completed(counts: Counter[str]) -> int:
    """`NumberOfAssignmentsCompleted`: approved or rejected; merely submitted work is not in it."""
    return sum(counts[state] for state in _COMPLETED)


def reviewable(hits: QuerySet[HIT], now: datetime) -> QuerySet[HIT]:
    """Those of `hits` whose status is Reviewable or Reviewing."""
    being_done = Assignment.objects.filter(hit=OuterRef("pk"), state=AssignmentState.ACCEPTED)
    return hits.filter(
        ~Exists(being_done), Q(open_slots=0) | Q(expiration__lte=now), disposed_at=None
    )
