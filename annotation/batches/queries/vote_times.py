"""When the votes of a batch came in."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from django.db.models import Count

from annotation.labels.queries.votes import all_votes
from annotation.models import Batch

#: Most bars of a picture, and the spans of time that a bar may stand for.
_MOST = 48
_SPANS = tuple(timedelta(minutes=n) for n in (5, 15, 60, 180, 720, 1_440, 10_080, 43_200, 525_600))


@dataclass(frozen=True)
class VoteTimes:
    """Number of votes in each bar of length `span`, by the bar's beginning; without gaps."""

    span: timedelta
    counts: Sequence[tuple[datetime, int]]


def vote_times(*, batch: Batch) -> VoteTimes | None:
    """Count votes by time of submission; None without times, as for imported votes."""
    moments = all_votes(batch=batch).filter(assignment__submitted_at__isnull=False)
    counted = moments.order_by().values_list("assignment__submitted_at").annotate(Count("pk"))
    by_moment = {moment: n_votes for moment, n_votes in counted if moment is not None}
    if not by_moment:
        return None
    first, last = min(by_moment), max(by_moment)
    span = next(
        (candidate for candidate in _SPANS if (last - first) / candidate < _MOST), _SPANS[-1]
    )
    start = _floor(first, span)
    n_bars = int((last - start) / span) + 1
    counts = Counter[int]()
    for moment, n_votes in by_moment.items():
        counts[int((moment - start) / span)] += n_votes
    return VoteTimes(span, [(start + span * bar, counts[bar]) for bar in range(n_bars)])


def _floor(moment: datetime, span: timedelta) -> datetime:
    """The last whole span before the moment, counted from midnight of a Monday in UTC."""
    origin = datetime(2024, 1, 1, tzinfo=UTC)
    return origin + (moment - origin) // span * span
