"""States of the places and votes of batches: the one count that every page and program shows.

The expressions that decide it stand beside the tables, in `annotation.models.places`.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Count, Q, Sum

from annotation.models import HIT, Abstention, Assignment, Batch, SchemeVote, Vote
from annotation.models.places import scheme_vote_state, vote_state, with_places
from annotation.vocabulary import TO_COME, PlaceState, VoteState, WorkerKind


@dataclass
class Places:
    """The places and votes of one batch, each under exactly one state.

    `votes` are those on queries of the study; without HITs, as in an imported batch, there are
    votes and no places. `hits` counts HITs by their state, the last three fields the votes that
    count by who gave them.
    """

    places: Counter[str] = field(default_factory=Counter)
    votes: Counter[str] = field(default_factory=Counter)
    hits: Counter[str] = field(default_factory=Counter)
    n_unreadable: int = 0
    n_workers: int = 0
    n_simulated: int = 0
    n_model: int = 0

    @property
    def n_places(self) -> int:
        return self.places.total()

    @property
    def n_asked(self) -> int:
        """The votes that the HITs ask for."""
        return self.votes.total() if self.hits else 0


def places_by_batch(batches: Collection[int]) -> dict[int, Places]:
    """States of every place and vote of `batches`, by key.

    Three statements, and two more where a batch has a scheme. Its vote is a query that a worker
    answered, all questions together.
    """
    found: defaultdict[int, Places] = defaultdict(Places)
    n_readable: Counter[int] = Counter()
    with_scheme: set[int] = set()
    for row in _hits(batches):
        n_readable[row["batch"]] += (
            row["n"] * (row["n_answers"] - row["n_unreadable"]) * row["n_asked"]
        )
        if row["batch__has_scheme"]:
            with_scheme.add(row["batch"])
        _add_hits(found[row["batch"]], row)
    for model, counted in ((Vote, VoteState.COUNTED), (Abstention, VoteState.CANNOT_TELL)):
        for row in _answered(model, counted, batches):
            _add_votes(found[row["query__batch"]], row)
            n_readable[row["query__batch"]] -= row["n_of_hits"]
    _add_scheme_answers(found, n_readable, with_scheme)
    for batch, n_repeated in n_readable.items():
        # Who could not tell twice has one row: the second one was never stored.
        found[batch].votes[VoteState.REPEATED] += n_repeated
    return dict(found)


def n_places_to_come(*, batch: Batch) -> int:
    """The places of one batch to which an answer is still to come; one statement."""
    return with_places(batch.hits.all()).aggregate(n=Sum("n_to_come"))["n"] or 0


def in_words(counts: Mapping[str, int], states: type[PlaceState] | type[VoteState]) -> list[str]:
    """The others beside those that are in, as in "40 waiting for the panel's list".

    In are the votes that count, and the answers that were submitted.
    """
    return [
        f"{counts[state]:,} {state.label}"
        for state in states
        if state not in (VoteState.COUNTED, PlaceState.SUBMITTED) and counts.get(state)
    ]


def _hits(batches: Collection[int]) -> Any:
    """HITs by batch, counted where they are alike: most of a batch's are.

    A sum in the database would work out the numbers of each HIT anew for every column.
    """
    return (
        with_places(HIT.objects.filter(batch__in=batches))
        .order_by()
        .values(
            *("batch", "batch__has_scheme", "state", "free_state"),
            *("n_answers", "n_unreadable", "n_asked", "n_holders", "n_free"),
        )
        .annotate(n=Count("pk"))
    )


def _answered(
    model: type[Vote] | type[Abstention], counted: VoteState, batches: Collection[int]
) -> Any:
    """Votes or abstentions on queries of the study, by batch and what became of them."""
    return (
        model.objects.filter(query__batch__in=batches, query__gold="")
        .annotate(vote_state=vote_state(counted))
        .order_by()
        .values("query__batch", "vote_state")
        .annotate(
            n=Count("pk"),
            n_of_hits=Count("assignment"),
            workers=Count("worker", distinct=True),
            simulated=Count("pk", filter=Q(worker__kind=WorkerKind.SIMULATED)),
            model=Count("pk", filter=Q(worker__kind=WorkerKind.MODEL)),
        )
    )


def _add_scheme_answers(
    found: Mapping[int, Places], n_readable: Counter[int], with_scheme: Collection[int]
) -> None:
    """Count the queries that workers answered; of what is readable the others were left out.

    The rest of `n_readable` are those of a second answer to a HIT, of which nothing is stored.
    """
    if not with_scheme:
        return
    answered = (
        SchemeVote.objects.filter(query__batch__in=with_scheme, query__gold="")
        .annotate(vote_state=scheme_vote_state())
        .order_by()
        .values("query__batch", "vote_state", "assignment", "worker", "worker__kind")
        .annotate(n=Count("query", distinct=True))
    )
    workers: defaultdict[int, set[object]] = defaultdict(set)
    for row in answered:
        batch = row["query__batch"]
        of = found[batch]
        of.votes[row["vote_state"]] += row["n"]
        n_readable[batch] -= row["n"]
        if row["vote_state"] == VoteState.COUNTED:
            workers[batch].add(row["worker"])
            of.n_simulated += row["n"] * (row["worker__kind"] == WorkerKind.SIMULATED)
    n_repeated = _repeated_in(with_scheme)
    for batch in with_scheme:
        found[batch].n_workers = len(workers[batch])
        found[batch].votes[VoteState.LEFT_OUT] += max(n_readable[batch] - n_repeated[batch], 0)
        n_readable[batch] = n_repeated[batch]


def _repeated_in(batches: Collection[int]) -> Counter[int]:
    """By batch the queries of every answer to a HIT after the first one of the same worker."""
    repeated: Counter[int] = Counter()
    twice = (
        Assignment.objects.filter(hit__batch__in=batches, problem="")
        .order_by()
        .values("hit__batch", "hit", "worker")
        .annotate(n=Count("pk", distinct=True), n_queries=Count("hit__places"))
        .filter(n__gt=1)
    )
    for row in twice:
        per_answer = row["n_queries"] // row["n"]
        repeated[row["hit__batch"]] += (row["n"] - 1) * per_answer
    return repeated


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
    of.votes[VoteState.TO_COME if is_to_come else VoteState.WITHDRAWN] += free * n_asked


def _add_votes(of: Places, row: Mapping[str, Any]) -> None:
    of.votes[row["vote_state"]] += row["n"]
    if row["vote_state"] == VoteState.COUNTED:
        of.n_workers, of.n_simulated = row["workers"], row["simulated"]
        of.n_model = row["model"]
