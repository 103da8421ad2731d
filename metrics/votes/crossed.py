"""Intervals of agreement that hold for other queries and other workers.

A study could have come out differently in two crossed ways: by its queries and by its workers. The
variance of a coefficient is that between queries, plus what workers add: the squares of what each
worker moved, less what is within the same queries and counted there already (Cameron, Gelbach &
Miller, *Journal of Business & Economic Statistics* 29, 2011). Queries of one HIT share their
workers and count as one, a cluster.

What a worker moved is seen by leaving out their votes (the jackknife), what a query moved by the
derivative of the coefficient by the sums that the query adds to.
measurements/agreement_coverage.py counts how often the intervals hold the truth.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..extras import need
from ..vocabulary import LEVEL
from .coefficients import Coefficient
from .patterns import group_rows
from .table import Counts, Votes

Floats = npt.NDArray[np.float64]

#: With fewer workers, queries with two votes or HITs, no interval holds its level.
MIN_WORKERS, MIN_QUERIES, MIN_HITS = 3, 50, 5
#: Of two votes each, that is of fewer than so many on average, three or four workers make too few
#: pairs: intervals of 1,000 queries held in .86 and .88.
_MIN_WORKERS_OF_TWO, _TWO = 5, 2.5
_LEAST_FREEDOM = 2.0
#: Step of the derivative, as a share of the sum.
_STEP = 1e-6


@dataclass(frozen=True)
class Scale:
    """A scale on which a coefficient spreads evenly: the function, its slope and its inverse."""

    there: Callable[[Floats], Floats]
    slope: Callable[[Floats], Floats]
    back: Callable[[Floats], Floats]


#: For coefficients from -1 to 1.
BEYOND_CHANCE = Scale(
    lambda x: -np.log(1 - x), lambda x: 1 / (1 - x), lambda y: np.maximum(-np.expm1(-y), -1)
)
#: For shares between 0 and 1.
SHARE = Scale(
    lambda x: need("scipy.special", extra="votes").logit(x),
    lambda x: 1 / (x * (1 - x)),
    lambda y: need("scipy.special", extra="votes").expit(y),
)


@dataclass(frozen=True)
class Spread:
    """The variance of a coefficient on its `scale`, in two parts; each in the coefficient's shape.

    `queries` is the variance over draws of queries, `workers` what draws of workers add to it;
    `freedom` are the degrees of freedom of their sum.
    """

    value: Floats
    queries: Floats
    workers: Floats
    freedom: Floats
    scale: Scale

    @property
    def worker_share(self) -> Floats:
        """The share of the variance that is due to differences between workers."""
        with np.errstate(invalid="ignore"):
            share: Floats = self.workers / (self.queries + self.workers)
        return share

    @property
    def errors(self) -> tuple[Floats, Floats]:
        """Standard errors by queries and by workers, in the units of the coefficient."""
        with np.errstate(divide="ignore"):
            slope = self.scale.slope(self.value)
        return np.sqrt(self.queries) / slope, np.sqrt(self.workers) / slope

    def ends(self, level: float = LEVEL) -> tuple[Floats, Floats]:
        """The interval by Student's t; NaN where all votes, or all but one worker's, are alike."""
        quantile = need("scipy.special", extra="votes").stdtrit(self.freedom, (1 + level) / 2)
        half = quantile * np.sqrt(self.queries + self.workers)
        half = np.where(half > 0, half, np.nan)
        with np.errstate(divide="ignore", invalid="ignore"):
            middle = self.scale.there(self.value)
            return self.scale.back(middle - half), self.scale.back(middle + half)


def crossed_spread(design: "Design", coefficient: Coefficient, scale: Scale) -> Spread:
    """The spread of `coefficient` where queries and workers are drawn anew."""
    terms = coefficient.terms(design.rows)
    sums = design.sizes @ terms
    # The contribution of a vote: what its query adds to the sums, less what it would add without.
    lost = terms[design.before] - np.where(
        design.is_last[:, None], 0, coefficient.terms(design.rows_less)[design.after]
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        observed = coefficient.value(sums[None])[0]
        slope = scale.slope(observed.reshape(-1)) * _derivative(coefficient, sums)
        queries = design.between_clusters(terms @ slope)
        by_move = lost @ slope
        by_move -= (design.n_moves @ by_move) / len(design.move)
        left_out = coefficient.value(sums - design.sums_of_workers(lost))
        left_out = scale.there(left_out.reshape(design.n_workers, -1))
        n = design.n_workers
        jackknife = (n - 1) / n * ((left_out - left_out.mean(axis=0)) ** 2).sum(axis=0)
        # The part of a worker's squared moves that is common to other queries.
        shared = 1 - design.between_cells(by_move) / design.between_workers(by_move)
        workers = np.where(jackknife > 0, jackknife * np.maximum(shared, 0), jackknife)
        # A difference is less certain than its parts, most of all with two votes per query.
        fewer = min(design.n_clusters, design.n_workers_effective) - 1
        known = np.minimum(1, (queries + workers) / jackknife)
        freedom = np.maximum(fewer * known, min(fewer, _LEAST_FREEDOM))
    shape = observed.shape
    return Spread(
        value=observed,
        queries=queries.reshape(shape),
        workers=workers.reshape(shape),
        freedom=freedom.reshape(shape),
        scale=scale,
    )


def _derivative(coefficient: Coefficient, sums: Floats) -> Floats:
    """Of the coefficient by each of its sums, shape (sums, values)."""
    steps = _STEP * np.where(sums > 0, sums, sums.max(initial=1))
    up, down = (
        coefficient.value(sums + sign * np.diag(steps)).reshape(len(sums), -1) for sign in (1, -1)
    )
    return (up - down) / (2 * steps[:, None])


class Design:
    """Layout of the votes, and the effect on a query of leaving a vote out.

    `rows` are the patterns of the queries (votes for each label), `sizes` how many queries have
    each, `rows_less` patterns with a vote less. A *move* is a pattern and a label that it has votes
    for: one of them left out. `before`, `after` and `is_last` have an entry per move: places in
    `rows` and in `rows_less`, and whether nothing is left. `move` is the move of each vote.
    """

    def __init__(self, table: Votes, *, keeps_queries: bool = True) -> None:
        """Lay out the votes; unless `keeps_queries`, leaving a vote out leaves out its query."""
        counts = table.counts()
        has_votes = counts.sum(axis=1) > 0
        query = (np.cumsum(has_votes) - 1)[table.item]
        rows, self._pattern = group_rows(counts[has_votes])
        n, labels = rows.shape
        self.rows, self.sizes = rows.astype(np.float64), np.bincount(self._pattern, minlength=n)
        self.before, chosen = np.nonzero(rows)
        less = rows[self.before]
        less[np.arange(len(less)), chosen] -= 1
        self.is_last = less.sum(axis=1) == 0
        if not keeps_queries:
            self.is_last[:] = True
        less[self.is_last] = rows[self.before[self.is_last]]
        rows_less, self.after = group_rows(less)
        self.rows_less = rows_less.astype(np.float64)
        places = np.cumsum(rows.reshape(-1) > 0) - 1
        self.move = places[self._pattern[query] * labels + table.answer]
        self.n_moves = np.bincount(self.move, minlength=len(less))
        _, self._worker = np.unique(table.worker, return_inverse=True)
        hits = np.arange(len(counts)) if table.clusters is None else table.clusters
        _, self._cluster = np.unique(hits[has_votes], return_inverse=True)
        pair = self._cluster[query] * self.n_workers + self._worker
        _, self._cell = np.unique(pair, return_inverse=True)

    @property
    def is_large_enough(self) -> bool:
        """True if there are enough workers, queries and HITs for an interval."""
        return (
            self.n_workers >= self.least_workers
            and self.n_paired >= MIN_QUERIES
            and self.n_clusters >= MIN_HITS
        )

    @property
    def least_workers(self) -> int:
        """With so many workers an interval holds, by how many votes each query has."""
        votes = self.rows.sum(axis=1)
        of_paired = self.sizes * (votes > 1)
        is_of_two = (of_paired * votes).sum() < _TWO * of_paired.sum()
        return _MIN_WORKERS_OF_TWO if is_of_two else MIN_WORKERS

    @property
    def n_paired(self) -> int:
        """Queries with two votes or more."""
        return int(self.sizes[self.rows.sum(axis=1) > 1].sum())

    @property
    def n_clusters(self) -> int:
        return int(self._cluster.max(initial=-1)) + 1

    @property
    def n_workers(self) -> int:
        return int(self._worker.max(initial=-1)) + 1

    @property
    def n_workers_effective(self) -> float:
        """Number of workers, with equal numbers of votes, who would be as informative."""
        shares = np.bincount(self._worker) / len(self._worker)
        return float(1 / (shares @ shares))

    def sums_of_workers(self, by_move: Floats) -> Floats:
        """The sum over the votes of each worker, shape (workers, columns)."""
        return np.stack([np.bincount(self._worker, of[self.move]) for of in by_move.T], axis=1)

    def between_clusters(self, by_pattern: Floats) -> Floats:
        n = self.n_clusters
        return _squares(self._cluster, by_pattern, self._pattern) * (n / (n - 1))

    def between_workers(self, by_move: Floats) -> Floats:
        return _squares(self._worker, by_move, self.move)

    def between_cells(self, by_move: Floats) -> Floats:
        """Sum the squares of each worker's moves within each cluster."""
        return _squares(self._cell, by_move, self.move)


def _squares(group: Counts, values: Floats, place: Counts) -> Floats:
    """Sum of squares over groups of the sum of `values[place]` in each, for each column."""
    sums = (np.bincount(group, weights=column[place]) for column in values.T)
    # No product of vectors: the threads of BLAS cost more than they save.
    return np.array([float(np.square(moved).sum()) for moved in sums])
