"""A figure of a pool of queries with its interval, and the labels that narrower ones take."""

import math
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from ..extras import need
from .samples import Array
from .significance import MIN_QUERIES

#: Of this pool, or of the queries that it can be taken for a sample of.
Target = Literal["pool", "population"]
#: Targets in words, as tables, files and notices name them.
TARGETS: dict[Target, str] = {
    "pool": "this pool of queries, as it is",
    "population": "all queries like those of the pool",
}


@dataclass(frozen=True)
class Figure:
    """A figure of the pool with its interval, and what the model gave to it.

    `low`, `high`: at `level`; None where withheld, and `withheld` says why. `n`: labels of people.
    `weight`: how much of the belief was used, 0 (people alone) to 1; NaN where it made strata.
    `effective_n`: labels of a simple random sample that people alone would need for as narrow an
    interval, at most the pool where that is the target. `naive`: the figure by the model alone.
    `target`: what interval and p are about, a key of `TARGETS`. `of_pool`: the part of the variance
    that is there because the pool itself is a sample, which no labels lessen. `people`: the figure
    by people's labels alone, where the weight of the belief was chosen.
    """

    value: float
    low: float | None
    high: float | None
    standard_error: float
    level: float
    n: int
    weight: float
    effective_n: float
    naive: float
    withheld: str = ""
    target: Target = "pool"
    of_pool: float = 0.0
    degrees: float | None = None
    people: "Figure | None" = field(default=None, compare=False, repr=False)

    @property
    def naive_error(self) -> float:
        """Error of the model alone, as far as the sample tells."""
        return self.naive - self.value

    @property
    def width(self) -> float | None:
        """The width of the interval; None where withheld."""
        return None if self.low is None or self.high is None else self.high - self.low

    @property
    def p(self) -> float | None:
        """Two-sided p of the test that the figure is 0, by Student's t; None where withheld."""
        if self.low is None or not self.standard_error:
            return None
        degrees = self.degrees or self.n - 1 - (self.weight > 0)
        t = -abs(self.value) / self.standard_error
        return 2 * float(need("scipy.special").stdtr(degrees, t))


def withheld(figure: Figure, why: str) -> Figure:
    """The figure without its interval, and why."""
    return replace(figure, low=None, high=None, withheld=why)


def too_few(n: int) -> str:
    """Why the interval of a mean of any numbers is withheld; "" where `n` are enough."""
    if n >= MIN_QUERIES:
        return ""
    return f"{n:,} judged, and it takes {MIN_QUERIES}: judge {MIN_QUERIES - n:,} more."


def too_few_of_each(belonging: int, n: int, least: int) -> str:
    """Say why an interval is withheld for too few that belong, or do not, and what to do."""
    fewest = min(belonging, n - belonging)
    which = "belong" if belonging == fewest else "do not belong"
    # One more than was seen is about the expectation for rarer ones.
    more = math.ceil(n * (least - fewest) / max(fewest, 1))
    return (
        f"{fewest:,} of {n:,} labelled queries {which}, and it takes {least}: label about "
        f"{more:,} more."
    )


def worth(people: Figure, both: Figure, pool: int) -> float | None:
    """Number of labels of people alone that one is worth beside the model's, by the widths given.

    With w the width of `both` as a share of that of `people`: of a population 1 / w^2; of a pool,
    where people alone would need n' labels for the narrower interval, n' / n, from
    1 / n' = 1 / pool + (1 / n - 1 / pool) w^2. None where an interval is withheld or has no width.
    """
    if not people.width or not both.width:
        return None
    square = (both.width / people.width) ** 2
    if both.target == "population":
        return 1 / square
    n = people.n
    return 1 / (1 / pool + (1 / n - 1 / pool) * square) / n


def half_width_with(figure: Figure, n: int, pool: int) -> float:
    """Return the half width that `n` labels of a simple random sample would give.

    `figure`: of this pool or of its population, by the labels of a pilot of `figure.n`.
    """
    variance, t = _of_pilot(figure, pool)
    return float(t * np.sqrt(figure.of_pool + variance / n * (1 - n / pool)))


def labels_needed(figure: Figure, half_width: float, pool: int) -> int | None:
    """Total labels, of a simple random sample, for an interval of +- `half_width`.

    `figure`: of this pool or of its population, by the labels of a pilot of `figure.n`. None where
    even labels of the whole pool would not do: of a population then only a larger pool does.
    """
    variance, t = _of_pilot(figure, pool)
    left = (half_width / t) ** 2 - figure.of_pool
    if left < 0:
        return None
    # What the pilot has by rounding is not a label more.
    return min(math.ceil(variance * pool / (variance + pool * left) - 1e-9), pool)


def student(level: float, n: int, *, is_tuned: bool) -> float:
    """The quantile of Student's t; the tuning weight takes a degree of freedom."""
    return float(need("scipy.special").stdtrit(n - 1 - is_tuned, (1 + level) / 2))


def fieller(
    numerator: float, denominator: float, variances: Array, t: float
) -> tuple[float, float]:
    """The interval of a ratio by Fieller's theorem; infinite where the denominator may be zero.

    `variances` (2 x 2): of numerator and denominator; `t`: the quantile of the level.
    """
    a = denominator**2 - t**2 * variances[1, 1]
    b = numerator * denominator - t**2 * variances[0, 1]
    c = numerator**2 - t**2 * variances[0, 0]
    root = b**2 - a * c
    if a <= 0 or root < 0:
        return -np.inf, np.inf
    return (b - np.sqrt(root)) / a, (b + np.sqrt(root)) / a


def _of_pilot(figure: Figure, pool: int) -> tuple[float, float]:
    """The variance that one label has, and the quantile of the interval."""
    left_out = 1 - figure.n / pool
    known = figure.standard_error**2 - figure.of_pool
    variance = known * figure.n / left_out if left_out else 0.0
    return variance, student(figure.level, figure.n, is_tuned=figure.weight > 0)
