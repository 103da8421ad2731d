"""States of the places and votes of batches: the one count that every page and program shows.

The expressions that decide it are beside the tables, in `annotation.models.places`.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from django.db.models import Count, Q, Sum

from annotation.models import HIT, Batch, Vote
from annotation.models.places import with_places
from annotation.vocabulary import TO_COME, HITState, PlaceState, VoteState, WorkerKind


@dataclass
class Places:
    """The places and votes of one batch, each under exactly one state.

    `votes` are those on queries of the study; without HITs, as in an imported batch, there are
    votes and no places. `hits` counts HITs by their state, `n_workers` and the two after it the
    votes that count by who gave them.

    `n_missing` good answers are lacking that nobody is to give any more: rejected, unreadable or
    expired. `unused` are the US dollars held for rejected answers and withdrawn places.
    """

    places: Counter[str] = field(default_factory=Counter)
    votes: Counter[str] = field(default_factory=Counter)
    hits: Counter[str] = field(default_factory=Counter)
    n_unreadable: int = 0
    n_workers: int = 0
    n_simulated: int = 0
    n_model: int = 0
    n_missing: int = 0
    unused: Decimal = Decimal(0)

    @property
    def n_places(self) -> int:
        return self.places.total()

    @property
    def n_asked(self) -> int:
        """The votes that the HITs ask for."""
        return self.votes.total() if self.hits else 0


def places_by_batch(batches: Collection[int]) -> dict[int, Places]:
    """States of every place and vote of `batches`, by key.

    Two statements. A vote is a query that a worker answered, all questions together; queries left
    out are not votes.
    """
    places: defaultdict[int, Places] = defaultdict(Places)
    n_readable: Counter[int] = Counter()
    for row in _hits(batches):
        n_readable[row["batch"]] += (
            row["n"] * (row["n_answers"] - row["n_unreadable"]) * row["n_asked"]
        )
        _add_hits(places[row["batch"]], row)
    for row in _votes(batches):
        _add_votes(places[row["query__batch"]], row)
        n_readable[row["query__batch"]] -= row["n_of_hits"]
    for batch, n_left_out in n_readable.items():
        places[batch].votes[VoteState.LEFT_OUT] += n_left_out
    return dict(places)


def n_places_to_come(*, batch: Batch) -> int:
    """The places of one batch to which an answer is still to come; one statement."""
    return with_places(batch.hits.all()).aggregate(n=Sum("n_to_come"))["n"] or 0


def in_words(counts: Mapping[str, int], states: type[PlaceState] | type[VoteState]) -> list[str]:
    """Describe the places or votes that are not in, as in "40 waiting for the panel's list".

    In are the votes that count, and the answers that were submitted.
    """
    return [
        f"{counts[state]:,} {state.label}"
        for state in states
        if state not in (VoteState.COUNTED, PlaceState.SUBMITTED) and counts.get(state)
    ]


def _hits(batches: Collection[int]) -> Any:
    """Count equal HITs by batch: most of a batch's are equal.

    A sum in the database would compute the numbers of each HIT again for every column.
    """
    return (
        with_places(HIT.objects.filter(batch__in=batches))
        .order_by()
        .values(
            *("batch", "state", "free_state"),
            *("n_answers", "n_unreadable", "n_asked", "n_holders", "n_free", "n_to_come"),
            *("n_good", "n_rejected", "target_answers", "unit_cost"),
        )
        .annotate(n=Count("pk"))
    )


def _votes(batches: Collection[int]) -> Any:
    """Count votes on queries of the study, by batch and state."""
    return (
        Vote.objects.filter(query__batch__in=batches, query__gold="")
        .with_state()
        .order_by()
        .values("query__batch", "state")
        .annotate(
            n=Count("pk"),
            n_of_hits=Count("assignment"),
            workers=Count("worker", distinct=True),
            simulated=Count("pk", filter=Q(worker__kind=WorkerKind.SIMULATED)),
            model=Count("pk", filter=Q(worker__kind=WorkerKind.MODEL)),
        )
    )


def _add_hits(of: Places, row: Mapping[str, Any]) -> None:
    n_hits, n_asked = row["n"], row["n_asked"]
    unreadable, held, free = (
        n_hits * row[name] for name in ("n_unreadable", "n_holders", "n_free")
    )
    of.hits[row["state"]] += n_hits
    of.n_unreadable += unreadable
    of.places[PlaceState.SUBMITTED] += n_hits * row["n_answers"]
    of.places[PlaceState.HELD] += held
    of.places[row["free_state"]] += free
    of.votes[VoteState.UNREADABLE] += unreadable * n_asked
    of.votes[VoteState.TO_COME] += held * n_asked
    is_to_come = row["free_state"] in TO_COME
    if row["state"] in (HITState.SENT, HITState.PUBLISHED):
        n_missing = row["target_answers"] - row["n_good"] - row["n_to_come"]
        of.n_missing += n_hits * max(n_missing, 0)
        n_unused = n_hits * row["n_rejected"] + (0 if is_to_come else free)
        of.unused += row["unit_cost"] * n_unused
    of.votes[VoteState.TO_COME if is_to_come else VoteState.WITHDRAWN] += free * n_asked


def _add_votes(of: Places, row: Mapping[str, Any]) -> None:
    of.votes[row["state"]] += row["n"]
    if row["state"] == VoteState.COUNTED:
        of.n_workers, of.n_simulated = row["workers"], row["simulated"]
        of.n_model = row["model"]
