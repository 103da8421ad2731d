"""Is a document cited because of its group, or because of its rank? Odds within strata."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arrays import floats
from ..errors import InputError
from ..extras import need
from ..vocabulary import LEVEL

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Odds:
    """An odds ratio with its interval; NaN where no stratum tells anything.

    `log_variance` is that of Robins, Breslow & Greenland for independent strata; `low` and `high`
    come from the jackknife over clusters where there are any, else from `log_variance`.
    """

    value: float
    low: float
    high: float
    log_variance: float
    n_clusters: int
    level: float = LEVEL


def mantel_haenszel(
    tables: ArrayLike, clusters: Sequence[int] | ArrayLike | None = None, *, level: float = LEVEL
) -> Odds:
    """The odds ratio common to strata; `tables` (strata, 4) has a, b, c, d of each.

    Of group A there are a cited and b not, of all others c and d. With `clusters` (strata,), the
    query of each stratum, the interval is the jackknife's over queries: whom a query prefers
    differs from query to query, and the variance for independent strata is too small then.

    Nathan Mantel & William Haenszel. Statistical Aspects of the Analysis of Data From
    Retrospective Studies of Disease. JNCI 1959. James Robins, Norman Breslow & Sander Greenland.
    Estimators of the Mantel-Haenszel Variance Consistent in Both Sparse Data and Large-Strata
    Limiting Models. Biometrics 1986.

    >>> odds = mantel_haenszel([(30, 70, 12, 48), (18, 82, 9, 71), (6, 94, 4, 96)])
    >>> print(f"{odds.value:.6f} [{odds.low:.6f}, {odds.high:.6f}]")
    1.690116 [1.002191, 2.850245]
    """
    cells = floats(tables).reshape(-1, 4)
    if (cells < 0).any():
        raise InputError("a table of odds has a number below 0.")
    cells = cells[cells.sum(axis=1) > 0]
    a, b, c, d = cells.T
    totals = cells.sum(axis=1)
    up, down = a * d / totals, b * c / totals
    if not (up.sum() > 0 and down.sum() > 0):
        return Odds(np.nan, np.nan, np.nan, np.nan, 0, level)
    value = float(up.sum() / down.sum())
    variance = _robins(cells)
    if clusters is None:
        half = float(need("scipy.special").ndtri((1 + level) / 2)) * variance**0.5
        n_clusters = 0
    else:
        of = np.asarray(clusters)[floats(tables).reshape(-1, 4).sum(axis=1) > 0]
        half, n_clusters = _jackknife(up, down, of, level)
    low, high = value * np.exp(-half), value * np.exp(half)
    return Odds(value, float(low), float(high), variance, n_clusters, level)


def _robins(cells: Array) -> float:
    a, b, c, d = cells.T
    totals = cells.sum(axis=1)
    up, down = a * d / totals, b * c / totals
    along, across = (a + d) / totals, (b + c) / totals
    first = (along * up).sum() / (2 * up.sum() ** 2)
    second = (along * down + across * up).sum() / (2 * up.sum() * down.sum())
    return float(first + second + (across * down).sum() / (2 * down.sum() ** 2))


def _jackknife(up: Array, down: Array, clusters: Array, level: float) -> tuple[float, int]:
    """Half the width of the interval of the logarithm, and the number of clusters that tell."""
    _, place = np.unique(clusters, return_inverse=True)
    ups, downs = np.bincount(place, up), np.bincount(place, down)
    tell = (ups > 0) | (downs > 0)
    ups, downs = ups[tell], downs[tell]
    n = len(ups)
    left_up, left_down = ups.sum() - ups, downs.sum() - downs
    if n <= 1 or not ((left_up > 0).all() and (left_down > 0).all()):
        return float("nan"), n
    without = np.log(left_up / left_down)
    variance = (n - 1) / n * ((without - without.mean()) ** 2).sum()
    return float(need("scipy.special").stdtrit(n - 1, (1 + level) / 2) * variance**0.5), n


def rank_bins(n: int) -> NDArray[np.int64]:
    """The stratum of each of n ranks: 1, 2 to 3, 4 to 7, 8 to 15, ..., where attention is alike."""
    bins: NDArray[np.int64] = np.log2(np.arange(1, n + 1)).astype(np.int64)
    return bins


def strata_of(
    is_group: NDArray[np.bool_], is_cited: NDArray[np.bool_], strata: NDArray[np.int64], n: int
) -> Array:
    """The tables (n, 4) of documents (documents,) by the number of their stratum."""
    column = np.where(is_group, 0, 2) + np.where(is_cited, 0, 1)
    counts = np.bincount(strata * 4 + column, minlength=4 * n)
    return counts.reshape(n, 4).astype(np.float64)
