"""The pool of ranked lists: the union of their first queries, with their origins.

The procedure of Rekabsaz & Schedl 2020, section 3.2: two lists for each model, the first 500
queries of each. Word lists of more groups have a list for each.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import Any

from metrics.errors import InputError
from pooling.items import list_name, run_and_direction
from pooling.rankings import RankedList


@dataclass(frozen=True, order=True)
class Place:
    """A query's rank (from 1) in one list of one run, and the bias that put it there.

    Of a pair it is the passage's rank in the run's ranking for the query: no direction, no bias.
    """

    run: str
    direction: str
    rank: int
    bias: float | None = None

    def __str__(self) -> str:
        return f"{list_name(self.run, self.direction)}:{self.rank}"


@dataclass(frozen=True)
class PooledQuery:
    """A query of the pool, or a pair by its id; `places` are sorted by run, then direction."""

    qid: str
    places: tuple[Place, ...]

    @property
    def best_rank(self) -> int:
        """The best rank over all lists, from 1."""
        return min(place.rank for place in self.places)


@dataclass(frozen=True)
class Pool:
    """The first `cutoff` queries of each list; `queries` are sorted by query id as text.

    `lists` names the lists (`BM25:f`) with the queries taken from each, sorted by name;
    `next_biases` has the bias of the first query that each left out, if it left out any. A pool
    `of_pairs` has one list of each run (`BM25`), and no biases.
    """

    cutoff: int
    lists: dict[str, tuple[str, ...]]
    queries: tuple[PooledQuery, ...]
    next_biases: Mapping[str, float] = field(default_factory=dict)
    of_pairs: bool = False

    @cached_property
    def unique_to_run(self) -> dict[str, int]:
        """For each run, how many pooled queries only its lists brought."""
        counts = {run_and_direction(name)[0]: 0 for name in self.lists}
        for query in self.queries:
            runs = {place.run for place in query.places}
            if len(runs) == 1:
                counts[runs.pop()] += 1
        return counts

    @cached_property
    def overlap(self) -> dict[str, dict[str, int]]:
        """For each pair of lists, how many pooled queries they share: `overlap[a][b]`, a < b."""
        members = {name: set(qids) for name, qids in self.lists.items()}
        shared: dict[str, dict[str, int]] = {name: {} for name in members}
        for first, second in combinations(members, 2):
            shared[first][second] = len(members[first] & members[second])
        return {name: others for name, others in shared.items() if others}

    @cached_property
    def n_zero_bias(self) -> int:
        """Number of list entries with a bias of zero."""
        return sum(place.bias == 0 for place in self._places())

    @cached_property
    def n_tied_at_cut(self) -> int:
        """Number of list entries with the bias of a query that their list left out.

        Only the order of ids decided between them.
        """
        return sum(map(self._is_tied, self._places()))

    @cached_property
    def n_tied_zeros(self) -> int:
        """Number of these with a bias of zero."""
        return sum(place.bias == 0 and self._is_tied(place) for place in self._places())

    def _places(self) -> Iterator[Place]:
        return (place for query in self.queries for place in query.places)

    def _is_tied(self, place: Place) -> bool:
        return self.next_biases.get(list_name(place.run, place.direction)) == place.bias

    def summary(self) -> dict[str, object]:
        """The numbers to report; the caller adds `n_queries`, which the query set has."""
        sizes = {
            "n_runs": len(self.unique_to_run),
            "n_lists": len(self.lists),
            "cutoff": self.cutoff,
            "n_pooled": len(self.queries),
            "list_sizes": {name: len(qids) for name, qids in self.lists.items()},
            "unique_to_run": self.unique_to_run,
            "overlap": self.overlap,
        }
        if self.of_pairs:
            return sizes
        return sizes | {
            "n_zero_bias": self.n_zero_bias,
            "n_tied_at_cut": self.n_tied_at_cut,
            "n_tied_zeros": self.n_tied_zeros,
        }


def ties_in_words(summary: Mapping[str, Any]) -> str:
    """Say how much of a pool ties decided, by its summary; empty where they decided nothing."""
    n_tied, n_zeros = summary.get("n_tied_at_cut", 0), summary.get("n_tied_zeros", 0)
    if not n_tied:
        return ""
    n_places = sum(summary["list_sizes"].values())
    return (
        f"Ties decide {n_tied:,} of {n_places:,} places in the lists, {n_zeros:,} of them "
        "between queries with a bias of zero: the order of ids decided which of the queries "
        "with the same bias were left out."
    )


def pool_of(lists: Iterable[RankedList], cutoff: int) -> Pool:
    """Pool the first `cutoff` queries of each list; the order of the lists does not matter."""
    if cutoff < 1:
        raise InputError(f"the cut-off is {cutoff}.", remedy="Use 1 or more.")
    taken: dict[str, tuple[str, ...]] = {}
    next_biases: dict[str, float] = {}
    places: dict[str, list[Place]] = {}
    for ranked in sorted(lists, key=lambda ranked: (ranked.run, ranked.direction)):
        taken[ranked.name] = ranked.qids[:cutoff]
        biases = ranked.bias[:cutoff].tolist()
        is_cut = len(ranked.bias) > cutoff
        next_bias = float(ranked.bias[cutoff]) if is_cut else ranked.next_bias
        if next_bias is not None:
            next_biases[ranked.name] = next_bias
        for rank, (qid, bias) in enumerate(zip(taken[ranked.name], biases, strict=True), start=1):
            places.setdefault(qid, []).append(Place(ranked.run, ranked.direction, rank, bias))
    queries = tuple(PooledQuery(qid, tuple(places[qid])) for qid in sorted(places))
    return Pool(cutoff, taken, queries, next_biases)
