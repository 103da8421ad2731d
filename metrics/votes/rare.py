"""Intervals of alpha for a category that few queries show.

The bootstrap draws from what was seen: where two queries show a category and the voters agree on
both, no resample has a disagreement, and the interval is a point at 1. Two models also count what
could have been seen, and the interval here is the wider of the two at either end:

* every way in which votes can fall has an unknown probability, with half a query's weight before
  the data on the split ways together and half a query's on the unanimous one (Dirichlet). This
  one sees that a few clear queries may be missing among many stray votes;
* each query has a probability of its own to be voted into the category, and these follow a beta
  distribution, whose intraclass correlation is alpha (the beta-binomial). This one learns from few
  queries how much voters hesitate.

Either fails alone; measurements/agreement_coverage.py counts how often the result holds the true
value.
"""

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from ..extras import need
from .coefficients import category_alpha
from .intervals import percentile_interval
from .patterns import Patterns
from .table import Votes

Floats = npt.NDArray[np.float64]

#: With at least this many queries on either side the bootstrap has its level.
ENOUGH = 50
#: With at least so many HITs in which two votes agree on either side, or half of all HITs, the
#: interval for other workers holds: fewer may be a few similar queries, whatever stray votes lie on
#: others (measurements/worker_tables.py).
ENOUGH_HITS = 15
#: The part of the error that `level` allows which each model gets: they are only models.
_CAUTION = 0.6
#: Prior weight of unseen ways to vote, in queries: the split ones together, and the unanimous one.
_SPLIT, _UNANIMOUS = 0.5, 0.5
#: Alpha cannot be negative where voters are exchangeable: it is a share of variance.
_ALPHAS = np.concatenate([[1e-6], np.linspace(0.005, 0.995, 100), [1 - 1e-4]])
_SHARES = 120


def n_showing(patterns: Patterns) -> npt.NDArray[np.int64]:
    """For each label the queries with a vote for it or those with one against it: the fewer.

    Queries with a single vote say nothing about agreement and are not counted.
    """
    paired = patterns.votes > 1
    sizes = patterns.sizes[paired]
    rows, votes = patterns.rows[paired], patterns.votes[paired]
    showing = sizes @ (rows > 0)
    against = sizes @ (rows < votes[:, None])
    fewer: npt.NDArray[np.int64] = np.minimum(showing, against).astype(np.int64)
    return fewer


def hits_holding(table: Votes) -> npt.NDArray[np.int64]:
    """For each label the HITs with a query of which two votes say it, or do not: the fewer.

    Where HITs are unknown each query is one of its own.
    """
    counts = table.counts()
    hits = np.arange(len(counts)) if table.clusters is None else table.clusters
    against = counts.sum(axis=1, keepdims=True) - counts

    def holding(votes: npt.NDArray[np.int64]) -> list[int]:
        return [len(np.unique(hits[of > 1])) for of in votes.T]

    return np.minimum(holding(counts), holding(against))


def rare_interval(
    patterns: Patterns, label: int, *, level: float, resamples: int, seed: int
) -> tuple[float, float]:
    """The ends of the interval of the alpha of one label (its place), which must be defined."""
    two = _two_sides(patterns, label)
    cautious = 1 - _CAUTION * (1 - level)
    by_ways = percentile_interval(_alphas_of_ways(two, resamples, seed), level=cautious)
    ends = [by_ways, _beta_binomial_interval(two, cautious)]
    observed = float(category_alpha(two, two.observed)[0, 0])
    lows = [observed, *(low for low, _ in ends if low is not None)]
    highs = [observed, *(high for _, high in ends if high is not None)]
    return min(lows), max(highs)


def _two_sides(patterns: Patterns, label: int) -> Patterns:
    """The queries with two votes or more as (votes for the rarer side, votes for the other)."""
    paired = patterns.votes > 1
    rows, sizes = patterns.rows[paired], patterns.sizes[paired]
    votes = rows.sum(axis=1)
    chosen = rows[:, label]
    if 2 * (sizes @ chosen) > sizes @ votes:
        chosen = votes - chosen
    ways, place = np.unique(np.stack([chosen, votes - chosen], axis=1), axis=0, return_inverse=True)
    return Patterns(ways, np.bincount(place, weights=sizes).astype(np.int64))


def _alphas_of_ways(two: Patterns, resamples: int, seed: int) -> Floats:
    """Alpha under `resamples` draws of the probabilities of all ways in which votes can fall."""
    weight: dict[tuple[int, int], float] = {}
    for (chosen, others), size in zip(two.rows.astype(int).tolist(), two.sizes, strict=True):
        weight[chosen, others] = weight.get((chosen, others), 0.0) + float(size)
    for votes in np.unique(two.votes).astype(int).tolist():
        # Numbers of votes that few queries have seldom matter.
        share = float(two.sizes[two.votes == votes].sum()) / two.n_queries
        for chosen in range(1, votes + 1):
            unseen = _UNANIMOUS if chosen == votes else _SPLIT / (votes - 1)
            way = chosen, votes - chosen
            weight[way] = weight.get(way, 0.0) + share * unseen
    ways = Patterns(np.array(list(weight), dtype=np.float64), np.zeros(len(weight), np.int64))
    drawn = np.random.default_rng(seed).gamma(list(weight.values()), size=(resamples, len(weight)))
    drawn *= two.n_queries / drawn.sum(axis=1, keepdims=True)
    alphas: Floats = category_alpha(ways, drawn)[:, 0]
    return alphas


def _beta_binomial_interval(two: Patterns, level: float) -> tuple[float, float]:
    """The middle `level` of alpha's posterior, on a grid and rounded outwards.

    The prior leans towards rare categories and towards voters who agree: 1 / sqrt(share) and
    1 / sqrt(1 - alpha).
    """
    least = 0.05 / max(float(two.sizes @ two.votes), 1.0)
    shares = np.geomspace(least, 0.6, _SHARES)[:, None]
    likelihood = np.zeros((_SHARES, len(_ALPHAS)))
    for (chosen, others), size in zip(two.rows.tolist(), two.sizes, strict=True):
        likelihood += size * _log_probability(chosen, others, least)
    # Steps of the shares grow with them, hence the square root of 1 / sqrt(share) times the share.
    joint = np.exp(likelihood - likelihood.max()) * np.sqrt(shares)
    mass = joint.sum(axis=0) * np.gradient(_ALPHAS) / np.sqrt(1 - _ALPHAS)
    below = np.cumsum(mass) / mass.sum()
    first = int(np.searchsorted(below, (1 - level) / 2)) - 1
    last = int(np.searchsorted(below, (1 + level) / 2)) + 1
    return (
        float(_ALPHAS[first]) if first > 0 else 0.0,
        float(_ALPHAS[last]) if last < len(_ALPHAS) - 1 else 1.0,
    )


@lru_cache(maxsize=64)
def _log_probability(chosen: float, others: float, least: float) -> Floats:
    """Log-probability of the votes for each share and alpha; the categories of a study share it."""
    shares = np.geomspace(least, 0.6, _SHARES)[:, None]
    spread = 1 / _ALPHAS - 1
    a, b = shares * spread, (1 - shares) * spread
    betaln = need("scipy.special", extra="votes").betaln
    log: Floats = betaln(a + chosen, b + others) - betaln(a, b)
    return log
