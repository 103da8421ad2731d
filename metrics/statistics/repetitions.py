"""Means over queries and repetitions: seeds of one method, or judges, drawn as queries are.

A table of values, queries by repetitions, varies from query to query, from repetition to
repetition, and by what is left; the mean of all has a part of each. Two-way analysis of variance
without replication, degrees of freedom by Satterthwaite (Biometrics Bulletin 1946).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import nan, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arrays import floats
from ..errors import InputError
from ..extras import need
from ..public import public
from ..vocabulary import LEVEL
from .figure import Figure, withheld
from .significance import WITHHELD_NOTE, is_enough

Array = NDArray[np.float64]
#: Below so many repetitions nothing tells well enough how far they lie apart: an interval of two
#: holds less than it says where they differ much (`python -m measurements.repetitions`).
MIN_REPETITIONS = 3
#: From this share of the variance on the repetitions alone decide how wide an interval is.
_MOST = 0.5


@dataclass(frozen=True)
class Components:
    """The mean squares of a table of values: queries, repetitions, and the rest.

    NaN where there is one query or one repetition alone.
    """

    mean: float
    n_queries: int
    n_repetitions: int
    of_queries: float
    of_repetitions: float
    of_rest: float

    @property
    def n(self) -> int:
        """The number of values."""
        return self.n_queries * self.n_repetitions

    @property
    def fixed_variance(self) -> float:
        """The variance of the mean where these repetitions are all that it is about."""
        return self.of_queries / self.n

    @property
    def repetition_variance(self) -> float:
        """The part of the variance of the mean that repetitions have, 0 or more."""
        return max((self.of_repetitions - self.of_rest) / self.n, 0.0)

    @property
    def variance(self) -> float:
        """The variance of the mean where queries and repetitions are drawn."""
        both = (self.of_queries + self.of_repetitions - self.of_rest) / self.n
        return both if both > 0 else self.fixed_variance

    @property
    def share(self) -> float:
        """The share of the variance that repetitions have, 0 to 1; NaN where nothing varies."""
        return self.repetition_variance / self.variance if self.variance else nan

    @property
    def degrees(self) -> float:
        """Satterthwaite's degrees of freedom, no more than repetitions allow where they decide."""
        parts = (
            (self.of_queries, self.n_queries - 1),
            (self.of_repetitions, self.n_repetitions - 1),
            (self.of_rest, (self.n_queries - 1) * (self.n_repetitions - 1)),
        )
        below = sum((square / self.n) ** 2 / degrees for square, degrees in parts)
        degrees = self.variance**2 / below if below else nan
        return min(degrees, self.n_repetitions - 1) if self.share > _MOST else degrees


@dataclass(frozen=True)
class RepeatedMean:
    """A mean over queries and repetitions, or a difference of two, with its intervals.

    `low`, `high`, `p`: queries and repetitions drawn; None where `withheld` says why. `fixed_*`:
    repetitions fixed, so of these very models and all queries like these. `deviation`: standard
    deviation of the means of the repetitions; `share`: the part of the variance that is theirs;
    both None for fewer than two. p is of the t-test that the value is 0.
    """

    value: float | None
    low: float | None
    high: float | None
    fixed_low: float | None
    fixed_high: float | None
    p: float | None
    fixed_p: float | None
    deviation: float | None
    share: float | None
    standard_error: float | None
    degrees: float | None
    n: int
    n_repetitions: int
    level: float
    withheld: str = ""


def components(values: ArrayLike) -> Components:
    """The components of values (Q, S), a row per query and a column per repetition; none missing.

    >>> components([[0.0, 0.5], [1.0, 1.5]]).of_queries
    1.0
    """
    table = _table(values)
    n_queries, n_repetitions = table.shape
    mean = float(table.mean())
    rows = table.mean(axis=1, keepdims=True) - mean
    columns = table.mean(axis=0, keepdims=True) - mean
    rest = table - mean - rows - columns

    def mean_square(parts: Array, times: int, degrees: int) -> float:
        return times * float((parts**2).sum()) / degrees if degrees else nan

    return Components(
        mean,
        n_queries,
        n_repetitions,
        mean_square(rows, n_repetitions, n_queries - 1),
        mean_square(columns, n_queries, n_repetitions - 1),
        mean_square(rest, 1, (n_queries - 1) * (n_repetitions - 1)),
    )


@public
def repeated_mean(values: ArrayLike, *, level: float = LEVEL) -> RepeatedMean:
    """The mean of values (Q, S) of queries by repetitions of one system, or by judges.

    A query that any repetition has no value for (NaN) is left out. No interval for too few queries
    or too many alike (`is_enough`), and none over repetitions below `MIN_REPETITIONS`.
    """
    table = _known(values)
    figure = _alone(table, level)
    if not len(table) or not is_enough(table.mean(axis=1)):
        return figure
    parts = components(table)
    figure = _fixed(figure, parts.fixed_variance)
    if parts.n_repetitions < MIN_REPETITIONS:
        return replace(figure, withheld=few(parts.n_repetitions))
    return _drawn(replace(figure, share=_none(parts.share)), parts.variance, parts.degrees)


@public
def repeated_difference(
    first: ArrayLike, second: ArrayLike, *, level: float = LEVEL
) -> RepeatedMean:
    """The mean of `first` (Q, S) minus that of `second` (Q, T), systems with seeds of their own.

    Queries are paired, seeds are not; `n_repetitions` is the smaller number of them. Of judges that
    both systems share it is `repeated_mean(first - second)`.
    """
    a, b = _table(first), _table(second)
    if len(a) != len(b):
        raise InputError(
            f"{len(a):,} queries are not paired with {len(b):,}.",
            remedy="Give both the same queries in the same order.",
        )
    known = ~(np.isnan(a).any(axis=1) | np.isnan(b).any(axis=1))
    a, b = a[known], b[known]
    differences = a.mean(axis=1) - b.mean(axis=1)
    n = len(differences)
    figure = replace(_alone(differences[:, None], level), n_repetitions=min(a.shape[1], b.shape[1]))
    if not is_enough(differences):
        return figure
    fixed = float(differences.var(ddof=1)) / n
    figure = _fixed(figure, fixed)
    if figure.n_repetitions < MIN_REPETITIONS:
        return replace(figure, withheld=few(figure.n_repetitions))
    own = [components(table) for table in (a, b)]
    of_seeds = [parts.repetition_variance for parts in own]
    variance = fixed + sum(of_seeds)
    below = fixed**2 / (n - 1)
    below += sum(
        part**2 / (parts.n_repetitions - 1) for part, parts in zip(of_seeds, own, strict=True)
    )
    share = sum(of_seeds) / variance if variance else nan
    return _drawn(
        replace(figure, share=_none(share)), variance, variance**2 / below if below else nan
    )


def student(
    value: float, variance: float, degrees: float, level: float = LEVEL
) -> tuple[float, float, float | None]:
    """The ends of Student's interval and the two-sided p; no p where nothing varies."""
    if not variance:
        return value, value, None
    special, error = need("scipy.special"), sqrt(variance)
    half = error * float(special.stdtrit(degrees, (1 + level) / 2))
    return value - half, value + half, 2 * float(special.stdtr(degrees, -abs(value) / error))


def with_repetitions(figure: Figure, tables: Sequence[Array]) -> Figure:
    """A figure of means over repetitions, wider by what repetitions add; withheld for too few.

    `tables` (Q, S): values of the judged queries of one system, or of each of two. Labels do not
    lessen that part of the variance, as they do not that of the pool.
    """
    fewest = min(table.shape[1] for table in tables)
    if figure.low is None or not figure.standard_error:
        return figure
    if fewest < MIN_REPETITIONS:
        return withheld(figure, few(fewest))
    own = [components(_known(table)) for table in tables]
    of_seeds = [parts.repetition_variance for parts in own]
    fixed, labels = figure.standard_error**2, figure.n - 1 - (figure.weight > 0)
    variance = fixed + sum(of_seeds)
    below = fixed**2 / labels
    below += sum(
        part**2 / (parts.n_repetitions - 1) for part, parts in zip(of_seeds, own, strict=True)
    )
    degrees = variance**2 / below
    if len(tables) == 1 and sum(of_seeds) > _MOST * variance:
        degrees = min(degrees, fewest - 1)
    low, high, _ = student(figure.value, variance, degrees, figure.level)
    return replace(
        figure,
        low=low,
        high=high,
        standard_error=sqrt(variance),
        of_pool=figure.of_pool + sum(of_seeds),
        degrees=degrees,
    )


def few(n: int) -> str:
    """Why an interval over so few repetitions is withheld."""
    what = "repetition" if n == 1 else "repetitions"
    return f"{n} {what}, and an interval over them takes {MIN_REPETITIONS}."


def _table(values: ArrayLike) -> Array:
    table = floats(values)
    if table.ndim != 2 or not table.shape[1]:  # noqa: PLR2004 - queries by repetitions
        raise InputError(
            f"the shape {table.shape} is not queries by repetitions.",
            remedy="Give a row for each query, and in it a value for each repetition.",
        )
    return table


def _known(values: ArrayLike) -> Array:
    table = _table(values)
    known: Array = table[~np.isnan(table).any(axis=1)]
    return known


def _alone(table: Array, level: float) -> RepeatedMean:
    """The mean without an interval, for what is not enough."""
    if not 0 < level < 1:
        raise InputError(f"the level is {level}.", remedy="Use a number between 0 and 1.")
    n, n_repetitions = table.shape
    deviation = float(table.mean(axis=0).std(ddof=1)) if n and n_repetitions > 1 else None
    return RepeatedMean(
        value=float(table.mean()) if n else None,
        low=None,
        high=None,
        fixed_low=None,
        fixed_high=None,
        p=None,
        fixed_p=None,
        deviation=deviation,
        share=None,
        standard_error=None,
        degrees=None,
        n=n,
        n_repetitions=n_repetitions,
        level=level,
        withheld=f"an interval of queries like these: {WITHHELD_NOTE}.",
    )


def _fixed(figure: RepeatedMean, variance: float) -> RepeatedMean:
    low, high, p = student(figure.value or 0.0, variance, figure.n - 1, figure.level)
    return replace(figure, fixed_low=low, fixed_high=high, fixed_p=p, withheld="")


def _drawn(figure: RepeatedMean, variance: float, degrees: float) -> RepeatedMean:
    low, high, p = student(figure.value or 0.0, variance, degrees, figure.level)
    return replace(
        figure, low=low, high=high, p=p, standard_error=sqrt(variance), degrees=_none(degrees)
    )


def _none(value: float) -> float | None:
    return None if np.isnan(value) else value
