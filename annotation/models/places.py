"""States of the places of a HIT, defined once.

A place is one of the assignments that a HIT asks for; it brings a vote for each study query of the
HIT. All counts of answers use these expressions, so that they agree.
"""

from typing import Any

from django.db.models import (
    Case,
    CharField,
    Count,
    F,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Value,
    When,
)
from django.db.models.functions import Coalesce, Greatest, Least
from django.utils import timezone

from annotation.models.assignments import Assignment
from annotation.models.batches import HIT, HITQuery
from annotation.vocabulary import (
    TO_COME,
    AssignmentState,
    BatchState,
    HITState,
    PlaceState,
)


def with_places(hits: QuerySet[HIT]) -> QuerySet[Any]:
    """HITs with the number of their answers and of the places without one.

    `n_answers` were submitted, `n_unreadable` of them could not be read, `n_rejected` were
    rejected, `n_good` are neither. Of the places without an answer somebody holds `n_holders`; the
    others are `n_free`, and `free_state` is the `PlaceState` of these. To `n_to_come` places an
    answer is still to come. `n_asked` queries are of the study, none of them a gold question: each
    place should bring that many votes.
    """
    answers = Assignment.objects.filter(hit=OuterRef("pk"))
    places = HITQuery.objects.filter(hit=OuterRef("pk"), query__gold="")
    counted = hits.annotate(
        n_answers=_count(answers),
        n_unreadable=_count(answers.exclude(problem="")),
        n_rejected=_count(answers.filter(state=AssignmentState.REJECTED)),
        n_good=_count(answers.filter(problem="").exclude(state=AssignmentState.REJECTED)),
        n_asked=_count(places),
        free_state=_free_state(),
    ).annotate(n_without=Greatest(F("max_assignments") - F("n_answers"), 0))
    free = Case(When(free_state__in=TO_COME, then=F("n_free")), default=0)
    return (
        counted.annotate(n_holders=Least(F("n_held"), F("n_without")))
        .annotate(n_free=F("n_without") - F("n_holders"))
        .annotate(n_to_come=F("n_holders") + free)
    )


def _free_state() -> Case:
    """Return the state of free places: open until the HIT expires, which stopping causes."""
    is_stopped = Q(batch__state=BatchState.STOPPED)
    is_offered = Q(expires_at__gt=timezone.now()) | Q(expires_at=None) & ~is_stopped
    return Case(
        When(Q(state=HITState.PUBLISHED) & is_offered, then=Value(PlaceState.OPEN)),
        When(is_stopped | Q(state=HITState.PUBLISHED), then=Value(PlaceState.WITHDRAWN)),
        default=Value(PlaceState.UNPUBLISHED),
        output_field=CharField(),
    )


def _count(rows: QuerySet[Any]) -> Coalesce:
    counted = rows.order_by().values("hit").annotate(n=Count("pk")).values("n")
    return Coalesce(Subquery(counted), 0)
