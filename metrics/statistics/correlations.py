"""Correlation of two measures over queries or systems. Seeded; same seed, same numbers."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import Hinted
from ..extras import need
from ..public import public
from .ordering import comparable, varies
from .significance import PERMUTATIONS, ROUNDING, Array, paired_values

# Pairs of values up to which all orders are tried, random ones, and from which there is a test.
_EXACT, _PERMUTED, _LEAST_TESTED = 9, 50, 3
# Decimals that processors agree on: how a sum ends depends on the order in which they add up.
_DECIMALS = 12


@dataclass(frozen=True)
class Correlation(Hinted):
    """Correlation of two lists of numbers; None where one of them does not vary.

    `*_p` are two-sided, of no correlation: None with fewer than three pairs.
    """

    pearson: float | None
    spearman: float | None
    kendall: float | None
    n: int
    pearson_p: float | None = None
    spearman_p: float | None = None
    kendall_p: float | None = None


@public
def correlation(
    first: ArrayLike, second: ArrayLike, *, seed: int = 0, tested: bool = True
) -> Correlation:
    """Pearson's r, Spearman's rho and Kendall's tau-b, over queries or over systems.

    Values are `comparable` before they are ranked, so that equal ones are ties. The p-values are
    exact for up to nine pairs, where all orders of `second` are tried; of `PERMUTATIONS` random
    orders for up to 50, the observed one among them; asymptotic above. With
    `tested=False` there are none.
    """
    a, b = (comparable(values) for values in paired_values(first, second))
    if not (varies(a) and varies(b)):
        return Correlation(None, None, None, len(a))
    stats = need("scipy.stats")
    tests = [test(a, b) for test in (stats.pearsonr, stats.spearmanr, stats.kendalltau)]
    pearson, spearman, kendall = (round(float(test.statistic), _DECIMALS) for test in tests)
    if not tested or len(a) < _LEAST_TESTED:
        return Correlation(pearson, spearman, kendall, len(a))
    if len(a) <= _PERMUTED:
        p_values = _orders_as_far(a, b, stats.rankdata, seed)
    else:
        p_values = [float(test.pvalue) for test in tests]
    return Correlation(pearson, spearman, kendall, len(a), *(round(p, _DECIMALS) for p in p_values))


def _orders_as_far(a: Array, b: Array, ranks: Callable[[Array], Array], seed: int) -> list[float]:
    """For r, rho and tau, the share of orders of `b` that go with `a` at least as far."""
    orders = _orders(len(a), seed)
    left, right = np.triu_indices(len(a), 1)
    is_above = np.sign(b[:, None] - b)
    sums = [
        _centred(b)[orders] @ _centred(a),
        _centred(ranks(b))[orders] @ _centred(ranks(a)),
        is_above[orders[:, left], orders[:, right]] @ np.sign(a[left] - a[right]),
    ]
    return [float((abs(row) >= abs(row[0]) - ROUNDING * abs(row).max()).mean()) for row in sums]


@lru_cache(maxsize=2)
def _orders(n: int, seed: int) -> NDArray[np.int64]:
    """Return all orders of n values, or random ones, (orders, n); the first is the identity."""
    if n <= _EXACT:
        return np.array(list(permutations(range(n))))
    orders = np.tile(np.arange(n), (PERMUTATIONS, 1))
    np.random.default_rng(seed).permuted(orders[1:], axis=1, out=orders[1:])
    return orders


def _centred(values: Array) -> Array:
    centred: Array = values - values.mean()
    return centred
