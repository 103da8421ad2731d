"""Intervals: a seeded bootstrap over queries, and Wilson's for a share."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from ..vocabulary import LEVEL, RESAMPLES
from .patterns import Patterns, Weights

LEAST_RESAMPLES = 10
#: What somebody else's call or file may ask for: with more, intervals stay the same and time grows.
MOST_RESAMPLES = 10_000
#: Decimals to which processors agree: the last digits of a sum depend on the order of additions.
_DECIMALS = 12
#: Numbers held at once; bounds memory when queries show many different patterns.
_CELLS = 4_000_000


class IntervalMethod(StrEnum):
    """Parts of a study that an interval treats as drawn: queries alone, or workers, too."""

    QUERIES_AND_WORKERS = "queries_and_workers"
    QUERIES = "queries"


@dataclass(frozen=True)
class Estimate:
    """A number with its interval; None where it is undefined."""

    value: float | None
    low: float | None
    high: float | None
    level: float = LEVEL

    def as_dict(self) -> dict[str, float | None]:
        return {"value": self.value, "low": self.low, "high": self.high, "level": self.level}


Statistic = Callable[[Patterns, Weights], npt.NDArray[np.float64]]


def resample(patterns: Patterns, *, resamples: int, rng: np.random.Generator) -> Weights:
    """Count each pattern in `resamples` draws of all queries with replacement.

    Drawing n queries and counting their patterns is one multinomial draw, so that the cost depends
    on the number of patterns and not on the number of queries. Shape (resamples, patterns).
    """
    n = patterns.n_queries
    if n == 0:
        return np.zeros((resamples, 0))
    return rng.multinomial(n, patterns.sizes / n, size=resamples).astype(np.float64)


def bootstrap(
    patterns: Patterns,
    statistics: dict[str, Statistic],
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> dict[str, npt.NDArray[np.float64]]:
    """Each statistic on the same `resamples` resamples of the queries, stacked along axis 0."""
    rng = np.random.default_rng(seed)
    step = max(1, min(resamples, _CELLS // max(1, patterns.rows.size)))
    parts: dict[str, list[npt.NDArray[np.float64]]] = {name: [] for name in statistics}
    for start in range(0, resamples, step):
        weights = resample(patterns, resamples=min(step, resamples - start), rng=rng)
        for name, statistic in statistics.items():
            parts[name].append(statistic(patterns, weights))
    return {name: np.concatenate(part) for name, part in parts.items()}


def percentile_interval(
    sample: npt.NDArray[np.float64], *, level: float = LEVEL
) -> tuple[float | None, float | None]:
    """The middle `level` of the defined values of `sample` (1-d); None without any."""
    defined = sample[~np.isnan(sample)]
    if defined.size == 0:
        return None, None
    low, high = np.quantile(defined, [(1 - level) / 2, (1 + level) / 2])
    return round(float(low), _DECIMALS), round(float(high), _DECIMALS)


def estimate(
    value: float | None, sample: npt.NDArray[np.float64], *, level: float = LEVEL
) -> Estimate:
    """`value` with the percentile interval of its bootstrap `sample`."""
    if value is None or math.isnan(value):
        return Estimate(None, None, None, level)
    return Estimate(round(value, _DECIMALS), *percentile_interval(sample, level=level), level)


def wilson(successes: int, trials: int, *, level: float = LEVEL) -> Estimate:
    """A share with Wilson's score interval, which stays inside 0 to 1. Wilson 1927."""
    if trials == 0:
        return Estimate(None, None, None, level)
    z = NormalDist().inv_cdf((1 + level) / 2)
    share = successes / trials
    centre = (share + z * z / (2 * trials)) / (1 + z * z / trials)
    half = (
        z
        / (1 + z * z / trials)
        * math.sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    )
    return Estimate(share, max(0.0, centre - half), min(1.0, centre + half), level)
