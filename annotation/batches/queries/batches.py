"""Batches and their progress, in a number of statements that does not depend on their number."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.db.models import Count, Max, Min, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

from annotation.batches.queries.places import (
    Places,
    in_words,
    n_places_to_come,
    places_by_batch,
)
from annotation.core.spent import Spent, spent_by_batch, where_paid, with_studies
from annotation.models import Assignment, Batch, BatchQuery
from annotation.vocabulary import (
    NOT_COUNTED,
    TO_COME,
    BatchState,
    Environment,
    HITState,
    PlaceState,
    VoteState,
)
from metrics.errors import InputError

#: Fewer answers than this say nothing about how fast they come.
_ANSWERS_FOR_A_PACE = 3


@dataclass(frozen=True)
class BatchProgress:
    """One batch in numbers. Money is in US dollars, fees included.

    `number` is the batch's key, which is used in addresses, as a name may contain a slash.
    `n_queries` counts what is judged: queries, or pairs where that is the `item_noun`.
    `n_hits_unknown` were sent to the crowd without a clear reply.

    `places` counts by `PlaceState` the `n_assignments_expected` that the HITs ask for; `votes`
    counts by `VoteState` the `n_votes_expected` from these on queries of the study, gold questions
    excluded. Of them `n_votes` count, `n_cannot_tell` named no category, and `n_not_counted` were
    given and do not count. An imported batch has votes without places: it expects none.
    `n_missing` answers are lacking that nobody is to give any more: those asked for were rejected,
    cannot be read or have expired.

    The numbers of answers and votes are those of `collected_at`, where the crowd has been asked.

    `committed` is the most that published HITs, bonuses and recruiting may cost; `spent` is the
    cost of approved answers and bonuses: `spent_here` through the crowd, and `spent_on_prolific`,
    in `prolific_currency`, which is part of `spent` only if that is USD. `unused` is held for
    rejected answers and withdrawn places, in case that one is restored or still handed in.
    """

    number: int
    name: str
    environment: str
    environment_name: str
    state: str
    state_name: str
    n_queries: int
    item_noun: str
    n_hits: int
    n_hits_published: int
    n_hits_unknown: int
    n_hits_refused: int
    n_assignments: int
    n_assignments_expected: int
    n_quarantined: int
    n_missing: int
    places: dict[str, int]
    votes: dict[str, int]
    n_votes: int
    n_cannot_tell: int
    n_not_counted: int
    n_votes_expected: int
    n_votes_simulated: int
    n_votes_model: int
    n_workers: int
    budget: Decimal | None
    committed: Decimal
    spent: Decimal
    unused: Decimal
    spent_here: Decimal
    spent_on_prolific: Decimal | None
    prolific_currency: str
    collected_at: datetime | None

    @property
    def n_to_come(self) -> int:
        """The places to which an answer is still to come."""
        return sum(self.places[state] for state in TO_COME)

    @property
    def is_imported(self) -> bool:
        """True if the votes or labels came from a file: the batch was never published."""
        return self.environment == Environment.IMPORTED

    @property
    def is_awaited(self) -> bool:
        """True if answers are still to come: neither to a draft nor to a stopped batch."""
        is_out = self.state in (BatchState.PUBLISHING, BatchState.PUBLISHED)
        return is_out and self.n_to_come > 0

    @property
    def held(self) -> Decimal:
        """Part of `committed` for answers to come, or that wait for review, and for bonuses."""
        return self.committed - self.spent - self.unused

    @property
    def recruits_on_prolific(self) -> bool:
        """True if a study of the batch was published on Prolific."""
        return self.spent_on_prolific is not None

    @property
    def on_prolific(self) -> dict[str, Decimal]:
        """Amounts paid on Prolific, by currency; empty where the batch does not recruit there."""
        if self.spent_on_prolific is None:
            return {}
        return {self.prolific_currency: self.spent_on_prolific}

    @property
    def where_paid(self) -> str:
        """Where `spent` was paid, as in "0.50 USD here, 2.97 USD on Prolific"."""
        return where_paid(self.spent_here, self.on_prolific)

    @property
    def free_places(self) -> list[str]:
        """Places without an answer, as in "3 open"."""
        return in_words(self.places, PlaceState)

    @property
    def other_votes(self) -> list[str]:
        """Votes that do not count, as in "40 waiting for the panel's list"."""
        return in_words(self.votes, VoteState)


def get_batch(*, name: str) -> Batch:
    """The batch of that name; `InputError` if there is none."""
    try:
        return Batch.objects.get(name=name)
    except Batch.DoesNotExist:
        raise InputError(
            f"there is no batch named {name!r}.",
            remedy="`batch create` makes one; the first page of the site lists all.",
        ) from None


def batch_progress(*, batch: Batch) -> BatchProgress:
    """Return the progress of one batch."""
    return _progress_of(Batch.objects.filter(pk=batch.pk))[0]


def batch_progress_list(*, batches: QuerySet[Batch] | None = None) -> list[BatchProgress]:
    """Return the progress of `batches`, or of all, the latest first."""
    return _progress_of(Batch.objects.all() if batches is None else batches)


def votes_in_words(batches: Iterable[BatchProgress]) -> str:
    """Say how many votes of `batches` count, and what became of all others.

    Those of batches that expect none are counted apart: they are not of the votes expected.
    """
    votes: Counter[str] = Counter()
    expected = n_imported = 0
    for batch in batches:
        votes.update(batch.votes)
        expected += batch.n_votes_expected
        n_imported += 0 if batch.n_votes_expected else batch.n_votes
    n_votes = votes[VoteState.COUNTED]
    counts = [f"{n_votes:,} votes"]
    if expected:
        counts = [f"{n_votes - n_imported:,} of {expected:,} votes"]
        counts += [f"{n_imported:,} imported"] if n_imported else []
    return ", ".join([*counts, *in_words(votes, VoteState)])


def _progress_of(batches: QuerySet[Batch]) -> list[BatchProgress]:
    """Six statements: one for each table, grouped by batch, and two for what was spent.

    One more where a batch recruits on Prolific.
    """
    queries = BatchQuery.objects.filter(batch=OuterRef("pk")).order_by().values("batch")
    n_queries = Subquery(queries.annotate(n=Count("pk")).values("n"))
    rows = list(with_studies(batches).annotate(n_queries=Coalesce(n_queries, 0)))
    places, spent = places_by_batch([batch.pk for batch in rows]), spent_by_batch(rows)
    return [_progress(batch, places.get(batch.pk, Places()), spent[batch.pk]) for batch in rows]


def _progress(batch: Any, of: Places, spent: Spent) -> BatchProgress:
    return BatchProgress(
        number=batch.pk,
        name=batch.name,
        environment=batch.environment,
        environment_name=batch.get_environment_display(),
        state=batch.state,
        state_name=batch.get_state_display(),
        n_queries=batch.n_queries,
        item_noun=batch.scheme.item_noun,
        n_hits=of.hits.total(),
        n_hits_published=of.hits[HITState.PUBLISHED],
        n_hits_unknown=of.hits[HITState.SENT],
        n_hits_refused=of.hits[HITState.REFUSED],
        n_assignments=of.places[PlaceState.SUBMITTED],
        n_assignments_expected=of.n_places,
        n_quarantined=of.n_unreadable,
        n_missing=of.n_missing,
        places={state.value: of.places[state] for state in PlaceState},
        votes={state.value: of.votes[state] for state in VoteState},
        n_votes=of.votes[VoteState.COUNTED],
        n_cannot_tell=of.votes[VoteState.CANNOT_TELL],
        n_not_counted=sum(of.votes[state] for state in NOT_COUNTED),
        n_votes_expected=of.n_asked,
        n_votes_simulated=of.n_simulated,
        n_votes_model=of.n_model,
        n_workers=of.n_workers,
        budget=batch.budget,
        committed=batch.committed,
        spent=spent.usd,
        unused=of.unused,
        spent_here=spent.here,
        spent_on_prolific=spent.market.spent if spent.market else None,
        prolific_currency=spent.market.currency if spent.market else "",
        collected_at=batch.collected_at,
    )


def batch_seconds_left(*, batch: Batch) -> float | None:
    """Estimate the time, in seconds, until the last answer at the pace so far; None without one."""
    pace = Assignment.objects.filter(hit__batch=batch).aggregate(
        n=Count("pk"), first=Min("submitted_at"), last=Max("submitted_at")
    )
    n_to_come = n_places_to_come(batch=batch)
    if pace["n"] < _ANSWERS_FOR_A_PACE or not n_to_come or pace["last"] is None:
        return None
    passed = (pace["last"] - pace["first"]).total_seconds()
    return float(passed / (pace["n"] - 1) * n_to_come)
