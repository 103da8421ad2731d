"""Intervals, tests and correlations over the queries of a study. Seeded; same seed, same numbers.

Queries on which a value is undefined (NaN) are left out, in pairs where two systems are compared.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from ..errors import InputError
from .ordering import comparable

RESAMPLES = 10_000

# Random numbers held at once, so that many queries do not need much memory.
_AT_ONCE = 4_000_000
# Random sums that miss the observed one by less than this share of all terms are as far out.
_ROUNDING = 1e-12
# Decimals that processors agree on: how a sum ends depends on the order in which they add up.
_DECIMALS = 12

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Interval:
    """A mean with its confidence interval; None where there is nothing to average."""

    value: float | None
    low: float | None
    high: float | None
    level: float
    n: int


@dataclass(frozen=True)
class Comparison:
    """System `first` minus system `second` over the queries that both are defined on.

    `low` and `high`: 95 % interval of the difference (Student's t). `t` and `t_p`: paired t-test,
    two-sided. `permutation_p`: random sign flips of the differences, two-sided. `effect`: Cohen's
    d_z, mean over standard deviation of the differences.
    `*_bonferroni` and `*_holm`: p corrected over all pairs that were compared together.
    Undefined numbers are None: no spread in the differences, or fewer than two queries.
    """

    first: str
    second: str
    n: int
    difference: float | None
    low: float | None
    high: float | None
    t: float | None
    t_p: float | None
    permutation_p: float | None
    effect: float | None
    t_p_bonferroni: float | None = None
    t_p_holm: float | None = None
    permutation_p_bonferroni: float | None = None
    permutation_p_holm: float | None = None


@dataclass(frozen=True)
class Correlation:
    """How two lists of numbers go together; None where one of them does not vary.

    `*_p` are two-sided, of no correlation.
    """

    pearson: float | None
    spearman: float | None
    kendall: float | None
    n: int
    pearson_p: float | None = None
    spearman_p: float | None = None
    kendall_p: float | None = None


def bootstrap_interval(
    values: ArrayLike, *, level: float = 0.95, resamples: int = RESAMPLES, seed: int = 0
) -> Interval:
    """Percentile bootstrap of the mean over queries; `values` (Q,).

    Bradley Efron. Bootstrap Methods: Another Look at the Jackknife. Annals of Statistics 1979.
    """
    return bootstrap_intervals([values], level=level, resamples=resamples, seed=seed)[0]


def bootstrap_intervals(
    columns: Sequence[ArrayLike], *, level: float = 0.95, resamples: int = RESAMPLES, seed: int = 0
) -> list[Interval]:
    """`bootstrap_interval` of each column; columns of one length share their resamples.

    The numbers are those that each column has by itself.
    """
    if not 0 < level < 1:
        raise InputError(f"the level is {level}.", remedy="Use a number between 0 and 1.")
    known = [_known(values) for values in columns]
    found = [Interval(None, None, None, level, 0)] * len(known)
    for length in sorted({len(array) for array in known if len(array)}):
        places = [place for place, array in enumerate(known) if len(array) == length]
        means = _resampled_means([known[place] for place in places], resamples, seed)
        ends = np.quantile(means, [(1 - level) / 2, (1 + level) / 2], axis=1)
        for place, low, high in zip(places, *ends.tolist(), strict=True):
            found[place] = Interval(float(known[place].mean()), low, high, level, length)
    return found


def _resampled_means(columns: Sequence[Array], resamples: int, seed: int) -> Array:
    """(columns, resamples): the means of resamples of columns of one length."""
    length = len(columns[0])
    rng = np.random.default_rng(seed)
    parts = []
    for part in _parts(resamples, length):
        drawn = rng.integers(length, size=(part, length))
        parts.append(np.stack([column[drawn].mean(axis=1) for column in columns]))
    return np.concatenate(parts, axis=1)


def paired_t_test(first: ArrayLike, second: ArrayLike) -> tuple[float, float] | None:
    """Statistic and two-sided p of the paired t-test; None for no spread or under two queries."""
    _low, _high, statistic, p = _t_test(_differences(first, second))
    return None if statistic is None or p is None else (statistic, p)


def _t_test(
    differences: Array,
) -> tuple[float, float, float, float] | tuple[None, None, None, None]:
    """The 95 % interval of the mean, the statistic and p; None for no spread."""
    if not _varies(differences):
        return None, None, None, None
    found = scipy.stats.ttest_1samp(differences, 0.0)
    low, high = found.confidence_interval(0.95)
    return float(low), float(high), float(found.statistic), float(found.pvalue)


def permutation_test(
    first: ArrayLike, second: ArrayLike, *, resamples: int = RESAMPLES, seed: int = 0
) -> float | None:
    """Two-sided p of the paired permutation test: the signs of the differences are flipped.

    All 2^n flips where that are no more than `resamples`, else as many random ones; then the
    observed one counts among them, so that p is never 0. None without queries.
    """
    return _permutation_tests([_differences(first, second)], resamples, seed)[0]


def effect_size(first: ArrayLike, second: ArrayLike) -> float | None:
    """Cohen's d_z: mean over standard deviation of the differences; None for no spread."""
    differences = _differences(first, second)
    if not _varies(differences):
        return None
    return float(differences.mean() / differences.std(ddof=1))


def bonferroni(p_values: Sequence[float | None]) -> list[float | None]:
    """Each p times the number of tests, at most 1. Undefined ones stay and are not counted."""
    tests = sum(p is not None for p in p_values)
    return [None if p is None else min(1.0, p * tests) for p in p_values]


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Step-down correction, never larger than Bonferroni's. Undefined ones are not counted.

    Sture Holm. A Simple Sequentially Rejective Multiple Test Procedure. Scandinavian Journal of
    Statistics 1979.
    """
    known = sorted((p, place) for place, p in enumerate(p_values) if p is not None)
    corrected: list[float | None] = [None] * len(p_values)
    largest = 0.0
    for number, (p, place) in enumerate(known):
        largest = max(largest, min(1.0, p * (len(known) - number)))
        corrected[place] = largest
    return corrected


def compare_all(
    values: Mapping[str, ArrayLike],
    *,
    baseline: str = "",
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> list[Comparison]:
    """Every pair of systems on the same queries, with corrections over all the pairs.

    `values` maps each system to its value per query (Q,), aligned over the systems. With
    `baseline` the pairs are every other system against it, and the corrections are over those.
    """
    pairs = list(combinations(values, 2))
    if baseline:
        pairs = [(system, baseline) for system in values if system != baseline]
    differences = [_differences(values[a], values[b]) for a, b in pairs]
    tests = [_t_test(difference) for difference in differences]
    t_p = [test[3] for test in tests]
    permutation_p = _permutation_tests(differences, resamples, seed)
    corrected = zip(
        bonferroni(t_p), holm(t_p), bonferroni(permutation_p), holm(permutation_p), strict=True
    )
    return [
        Comparison(
            first,
            second,
            len(difference),
            float(difference.mean()) if len(difference) else None,
            low,
            high,
            t,
            p,
            flipped,
            effect_size(values[first], values[second]),
            *all_corrected,
        )
        for (first, second), difference, (low, high, t, p), flipped, all_corrected in zip(
            pairs, differences, tests, permutation_p, corrected, strict=True
        )
    ]


def correlation(first: ArrayLike, second: ArrayLike) -> Correlation:
    """Pearson's r, Spearman's rho and Kendall's tau-b, over queries or over systems.

    Values are `comparable` before they are ranked, so that equal ones are ties.
    """
    a, b = (comparable(values) for values in _pairs(first, second))
    if not (_varies(a) and _varies(b)):
        return Correlation(None, None, None, len(a))
    tests = [
        test(a, b) for test in (scipy.stats.pearsonr, scipy.stats.spearmanr, scipy.stats.kendalltau)
    ]
    values = (round(float(test.statistic), _DECIMALS) for test in tests)
    p_values = (_probability(float(test.pvalue)) for test in tests)
    pearson, spearman, kendall = values
    return Correlation(pearson, spearman, kendall, len(a), *p_values)


def _probability(p: float) -> float | None:
    """None where two pairs of values leave nothing to test."""
    return None if np.isnan(p) else round(p, _DECIMALS)


def _permutation_tests(
    differences: Sequence[Array], resamples: int, seed: int
) -> list[float | None]:
    """One p per array; arrays of one length share their random signs."""
    found: list[float | None] = [None] * len(differences)
    for length in sorted({len(array) for array in differences if len(array)}):
        places = [place for place, array in enumerate(differences) if len(array) == length]
        matrix = np.stack([differences[place] for place in places], axis=1)
        for place, p in zip(places, _flip_signs(matrix, resamples, seed), strict=True):
            found[place] = float(p)
    return found


def _flip_signs(differences: Array, resamples: int, seed: int) -> Array:
    """For each column of (Q, pairs), the share of sign flips whose sum is at least as far out."""
    n = len(differences)
    observed = np.abs(differences.sum(axis=0))
    bar = observed - _ROUNDING * np.abs(differences).sum(axis=0)
    if n < resamples.bit_length() and 2**n <= resamples:
        flips = 2 * ((np.arange(2**n)[:, None] >> np.arange(n)) & 1) - 1
        exact: Array = (np.abs(flips @ differences) >= bar).mean(axis=0)
        return exact
    rng = np.random.default_rng(seed)
    as_far = np.zeros(differences.shape[1])
    for part in _parts(resamples, n):
        signs = 2.0 * rng.integers(2, size=(part, n)) - 1.0
        as_far += (np.abs(signs @ differences) >= bar).sum(axis=0)
    return (as_far + 1) / (resamples + 1)


def _parts(resamples: int, n: int) -> list[int]:
    """`resamples` cut into parts whose random numbers fit into memory."""
    size = max(1, _AT_ONCE // n)
    whole, rest = divmod(resamples, size)
    return [size] * whole + [rest] * (rest > 0)


def _known(values: ArrayLike) -> Array:
    array = np.asarray(values, dtype=np.float64)
    known: Array = array[~np.isnan(array)]
    return known


def _pairs(first: ArrayLike, second: ArrayLike) -> tuple[Array, Array]:
    a, b = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if a.shape != b.shape or a.ndim != 1:
        raise InputError(f"the shapes {a.shape} and {b.shape} are not one value per query.")
    both = ~(np.isnan(a) | np.isnan(b))
    return a[both], b[both]


def _differences(first: ArrayLike, second: ArrayLike) -> Array:
    a, b = _pairs(first, second)
    return a - b


def _varies(values: Array) -> bool:
    return len(values) > 1 and bool(np.ptp(comparable(values)) > 0)
