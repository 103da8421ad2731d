"""Power of a comparison, by simulation from the queries at hand."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import InputError
from ..extras import need
from .ordering import varies
from .significance import MIN_QUERIES, ROUNDING, paired_values

SIMULATIONS = 1_000
#: Up to so many queries are drawn; for more, means are as good as normal.
MOST_DRAWN = 2_000
#: More queries than anybody measures: there the search ends.
MOST_QUERIES = 1_000_000
TARGET = 0.8

# The p-value below which a difference is shown, for one comparison alone.
_LEVEL = 0.05


@dataclass(frozen=True)
class Power:
    """Power of `n` queries to show that `first` and `second` differ by `difference`.

    `higher` is the one of both that is the higher one in that: differences whose tail lies to one
    side are shown more surely in one direction, and these are the numbers of the other, so that
    they hold for either. It is "" where both are as sure, or nothing is known.

    `power` is the share of studies with these many queries in which the paired t-test would have p
    below `level`; `n_needed` is the least number of queries, from `MIN_QUERIES` on, for a
    power of `TARGET`. Both are None where the differences do not vary, `n_needed` also where
    `MOST_QUERIES` are too few.
    """

    first: str
    second: str
    n: int
    difference: float
    level: float
    power: float | None
    n_needed: int | None
    higher: str = ""


def power_of(
    first: ArrayLike, second: ArrayLike, difference: float, *, level: float = _LEVEL, seed: int = 0
) -> tuple[float | None, int | None, int]:
    """The power of the queries at hand, how many would have a power of `TARGET`, and which way.

    `first`, `second`: values per query (Q,) of two systems. Studies are drawn from their
    differences, moved so that their mean is `difference`, or the same below 0: the shape of the
    differences, with its zeros and its tail, is that of these systems. The numbers are those of the
    direction that is harder to show: 1 where the first system is the higher one, -1 where the
    second is, 0 where both are as hard. `InputError` for a difference not above 0.
    """
    if not difference > 0:
        raise InputError(f"the difference is {difference}.", remedy="Use a number above 0.")
    a, b = paired_values(first, second)
    differences = a - b
    if not varies(differences):
        return None, None, 0
    centred = differences - differences.mean()
    up, down = (_shown(sign * centred + difference, difference, level, seed) for sign in (1, -1))
    if up == down:
        return *up, 0
    # No number of queries is the largest one.
    (power, _, needed), sign = min(
        ((result[0], -(result[1] or np.inf), result[1]), sign)
        for result, sign in ((up, 1), (down, -1))
    )
    return power, needed, sign


def _shown(
    moved: NDArray[np.float64], difference: float, level: float, seed: int
) -> tuple[float, int | None]:
    """Power and number of queries where studies are drawn from these differences."""
    powers = _drawn(moved, level, seed)
    n = len(moved)
    spread = difference / float(moved.std(ddof=0))
    now = float(powers[n - 2]) if n <= MOST_DRAWN else _normal(spread, n, level)
    enough = np.flatnonzero(powers >= TARGET)
    # By chance a few queries may seem enough and one more not: the last time that they are not.
    short = np.flatnonzero(powers < TARGET)
    if len(enough) and (not len(short) or short[-1] + 1 < len(powers)):
        return now, max(MIN_QUERIES, int(short[-1] + 1 if len(short) else 0) + 2)
    return now, _least_normal(spread, level)


def _drawn(moved: NDArray[np.float64], level: float, seed: int) -> NDArray[np.float64]:
    """The power of 2, 3, ... `MOST_DRAWN` queries: the share of simulated studies with a small p.

    One study is a row of draws, and its first n draws are a study of n queries.
    """
    draw = np.random.default_rng(seed)
    n = np.arange(1, MOST_DRAWN + 1)
    critical = np.abs(need("scipy.special").stdtrit(n[1:] - 1, level / 2))
    n_significant = np.zeros(MOST_DRAWN - 1)
    for _ in range(SIMULATIONS):
        study = draw.choice(moved, MOST_DRAWN)
        mean = study.cumsum() / n
        variance = np.maximum((study**2).cumsum() / n - mean**2, 0)[1:]
        # Where all draws are equal there is no test; rounding leaves them some variance.
        error = np.sqrt(variance / (n[1:] - 1))
        n_significant += (variance > ROUNDING * mean[1:] ** 2) & (
            np.abs(mean[1:]) > critical * error
        )
    return n_significant / SIMULATIONS


def _normal(spread: float, n: int, level: float) -> float:
    """The power where means are normal; `spread` is the difference over its deviation."""
    special = need("scipy.special")
    return float(special.ndtr(abs(spread) * n**0.5 + special.ndtri(level / 2)))


def _least_normal(spread: float, level: float) -> int | None:
    special = need("scipy.special")
    quantiles = float(special.ndtri(TARGET) - special.ndtri(level / 2))
    n = max(MOST_DRAWN + 1, int(np.ceil((quantiles / spread) ** 2)))
    return n if n <= MOST_QUERIES else None
