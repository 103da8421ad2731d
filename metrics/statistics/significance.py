"""Intervals and tests over the queries of a study. Seeded; same seed, same numbers.

Queries on which a value is undefined (NaN) are left out, in pairs where two systems are compared.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arrays import floats
from ..errors import Hinted, InputError, InputTypeError
from ..extras import need
from ..public import public
from ..vocabulary import LEVEL
from .ordering import comparable, varies

PERMUTATIONS = 10_000
#: Below so many queries, or where fewer than so many differ from the commonest value, neither a
#: mean nor a difference has an interval or a t-test: both hold less than they say where most values
#: are 0 and the others have a long tail (`python -m measurements.interval_coverage`).
MIN_QUERIES, MIN_UNLIKE = 30, 15
#: How tables say so.
WITHHELD_NOTE = (
    f"none below {MIN_QUERIES} queries, or where fewer than {MIN_UNLIKE} differ from the commonest "
    "value"
)

# Random numbers, and sums of pairs, held at once: neither many queries nor many systems need much.
_AT_ONCE = 500_000
# Random sums that miss the observed one by less than this share of all terms are as far out.
ROUNDING = 1e-12
Array = NDArray[np.float64]


@dataclass(frozen=True)
class Interval(Hinted):
    """A mean with its confidence interval; None where there is none.

    `p` is the two-sided p of the t-test that the mean is 0: below 1 - `level` where the interval
    does not hold 0.
    """

    value: float | None
    low: float | None
    high: float | None
    level: float
    n: int
    p: float | None = None


@dataclass(frozen=True)
class Comparison:
    """System `first` minus system `second` over the queries that both are defined on.

    `low` and `high`: interval of the difference (Student's t). `t` and `t_p`: paired t-test,
    two-sided. These and `equivalence_p` are None where `is_enough` is not. `permutation_p`: random
    sign flips of the differences, two-sided. `effect`: Cohen's
    d_z, mean over standard deviation of the differences.
    `equivalence_p`: two one-sided t-tests that the difference is less than a margin, either way.
    `*_bonferroni` and `*_holm`: p corrected over the family of the pairs (`corrected_together`).
    Undefined numbers are None: no spread in the differences, no query, no margin.
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
    equivalence_p: float | None = None
    equivalence_p_bonferroni: float | None = None
    equivalence_p_holm: float | None = None


def is_enough(values: Array) -> bool:
    """Return whether enough `values`, and enough unlike the commonest one, allow a t-interval."""
    if len(values) < MIN_QUERIES:
        return False
    _, times = np.unique(comparable(values), return_counts=True)
    return len(values) - int(times.max()) >= MIN_UNLIKE


@public
def mean_interval(values: ArrayLike, *, level: float = LEVEL) -> Interval:
    """The mean over queries with its interval by Student's t; `values` (Q,).

    It has no ends where there are too few values (`is_enough`). Values of queries are often 0 and
    have a long tail; on such values this holds its level better than bootstraps do
    (`python -m measurements.interval_coverage`).
    """
    if not 0 < level < 1:
        raise InputError(f"the level is {level}.", remedy="Use a number between 0 and 1.")
    known = _known(values)
    n, value = len(known), float(known.mean()) if len(known) else None
    if value is None or not is_enough(known):
        return Interval(value, None, None, level, n)
    error = float(known.std(ddof=1)) / n**0.5
    special = need("scipy.special")
    half = error * float(special.stdtrit(n - 1, (1 + level) / 2))
    p = 2 * float(special.stdtr(n - 1, -abs(value) / error))
    return Interval(value, value - half, value + half, level, n, p)


@public
def paired_t_test(first: ArrayLike, second: ArrayLike) -> tuple[float, float] | None:
    """Statistic and two-sided p of the paired t-test; None for too few or alike (`is_enough`)."""
    _low, _high, statistic, p = _t_test(_differences(first, second))
    return None if statistic is None or p is None else (statistic, p)


def n_undefined(first: ArrayLike, second: ArrayLike) -> int:
    """Number of queries that a comparison leaves out, because a value of theirs is NaN."""
    return np.size(first) - len(_differences(first, second))


def _t_test(
    differences: Array,
) -> tuple[float, float, float, float] | tuple[None, None, None, None]:
    """The interval of the mean, the statistic and p; None where there are not enough."""
    if not is_enough(differences):
        return None, None, None, None
    # As scipy.stats.ttest_1samp, which takes 50 MB more to load.
    n, mean, special = len(differences), float(differences.mean()), need("scipy.special")
    error = float(np.sqrt(differences.var(ddof=1) / n))
    half = float(special.stdtrit(n - 1, (1 + LEVEL) / 2)) * error
    statistic = mean / error
    return mean - half, mean + half, statistic, 2 * float(special.stdtr(n - 1, -abs(statistic)))


def _equivalence_p(differences: Array, margin: float) -> float | None:
    """The p of two one-sided paired t-tests that the means differ by less than `margin`.

    None for too few or alike (`is_enough`). `InputError` for a margin that is not above 0.

    Donald Schuirmann. A Comparison of the Two One-Sided Tests Procedure and the Power Approach for
    Assessing the Equivalence of Average Bioavailability. Journal of Pharmacokinetics and
    Biopharmaceutics 1987.
    """
    if not margin > 0:
        raise InputError(f"the margin is {margin}.", remedy="Use a number above 0.")
    if not is_enough(differences):
        return None
    n = len(differences)
    error = float(differences.std(ddof=1)) / n**0.5
    nearest = margin - abs(float(differences.mean()))
    return float(need("scipy.special").stdtr(n - 1, -nearest / error))


@public
def permutation_test(
    first: ArrayLike, second: ArrayLike, *, resamples: int = PERMUTATIONS, seed: int = 0
) -> float | None:
    """Two-sided p of the paired permutation test: the signs of the differences are flipped.

    All 2^n flips are tried if these are at most `resamples`, else as many random ones. The observed
    one is then among them, so that p is never 0. Returns None without queries.
    """
    return _permutation_tests([_differences(first, second)], resamples, seed)[0]


def effect_size(first: ArrayLike, second: ArrayLike) -> float | None:
    """Cohen's d_z: mean over standard deviation of the differences; None for no spread."""
    differences = _differences(first, second)
    if not varies(differences):
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


@public
def compare_all(
    values: Mapping[str, ArrayLike],
    *,
    baseline: str = "",
    margin: float | None = None,
    resamples: int = PERMUTATIONS,
    seed: int = 0,
) -> list[Comparison]:
    """Every pair of systems on the same queries, with corrections over all the pairs.

    `values` maps each system to its value per query (Q,), aligned over the systems. With
    `baseline` the pairs are every other system against it, and the corrections are over those.
    `margin` is the difference from which on two systems count as unlike, for `equivalence_p`.
    """
    if not isinstance(values, Mapping):
        raise InputTypeError(
            f"the systems are {type(values).__name__}.",
            remedy="Give {name: values}, a value per query; compare takes the table of evaluate.",
        )
    pairs = list(combinations(values, 2))
    if baseline and baseline not in values:
        raise InputError(
            f"no system is named {baseline!r}, which is the baseline.",
            remedy=f"Known: {', '.join(values)}.",
        )
    if baseline:
        pairs = [(system, baseline) for system in values if system != baseline]
    differences = [_differences(values[a], values[b]) for a, b in pairs]
    tests = [_t_test(difference) for difference in differences]
    permutation_p = _permutation_tests(differences, resamples, seed)
    comparisons = [
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
            equivalence_p=None if margin is None else _equivalence_p(difference, margin),
        )
        for (first, second), difference, (low, high, t, p), flipped in zip(
            pairs, differences, tests, permutation_p, strict=True
        )
    ]
    return corrected_together(comparisons)


def corrected_together(family: Sequence[Comparison]) -> list[Comparison]:
    """The comparisons with their p-values corrected over all of them."""
    corrected: list[dict[str, Any]] = [{} for _ in family]
    for name in ("t_p", "permutation_p", "equivalence_p"):
        p_values = [getattr(pair, name) for pair in family]
        for correction in (bonferroni, holm):
            for fields, p in zip(corrected, correction(p_values), strict=True):
                fields[f"{name}_{correction.__name__}"] = p
    return [replace(pair, **fields) for pair, fields in zip(family, corrected, strict=True)]


def _permutation_tests(
    differences: Sequence[Array], resamples: int, seed: int
) -> list[float | None]:
    """One p per array; arrays of one length share their random signs."""
    p_values: list[float | None] = [None] * len(differences)
    for length in sorted({len(array) for array in differences if len(array)}):
        places = [place for place, array in enumerate(differences) if len(array) == length]
        matrix = np.stack([differences[place] for place in places], axis=1)
        for place, p in zip(places, _flip_signs(matrix, resamples, seed), strict=True):
            p_values[place] = float(p)
    return p_values


def _flip_signs(differences: Array, resamples: int, seed: int) -> Array:
    """For each column of (Q, pairs), the share of sign flips whose sum is at least as far out."""
    n = len(differences)
    if not isinstance(resamples, int | np.integer) or resamples < 1:
        raise InputTypeError(
            f"resamples is {resamples!r}.", remedy="Give a whole number above 0: resamples=10_000."
        )
    observed = np.abs(differences.sum(axis=0))
    bar = observed - ROUNDING * np.abs(differences).sum(axis=0)
    if n < resamples.bit_length() and 2**n <= resamples:
        flips = 2 * ((np.arange(2**n)[:, None] >> np.arange(n)) & 1) - 1
        exact: Array = (np.abs(flips @ differences) >= bar).mean(axis=0)
        return exact
    rng = np.random.default_rng(seed)
    as_far = np.zeros(differences.shape[1])
    for part in _parts(resamples, max(differences.shape)):
        signs = 2.0 * rng.integers(2, size=(part, n)) - 1.0
        as_far += (np.abs(signs @ differences) >= bar).sum(axis=0)
    return (as_far + 1) / (resamples + 1)


def _parts(resamples: int, n: int) -> list[int]:
    """`resamples` cut into parts whose numbers, `n` of each, fit into memory."""
    size = max(1, _AT_ONCE // n)
    whole, rest = divmod(resamples, size)
    return [size] * whole + [rest] * (rest > 0)


def _known(values: ArrayLike) -> Array:
    array = floats(values)
    known: Array = array[~np.isnan(array)]
    return known


def paired_values(first: ArrayLike, second: ArrayLike) -> tuple[Array, Array]:
    """Both lists (Q,) at the queries where neither is NaN."""
    a, b = floats(first), floats(second)
    if a.shape != b.shape or a.ndim != 1:
        raise InputError(
            f"the shapes {a.shape} and {b.shape} are not one value per query.",
            remedy="Give both sides the same queries, in the same order.",
        )
    both = ~(np.isnan(a) | np.isnan(b))
    return a[both], b[both]


def _differences(first: ArrayLike, second: ArrayLike) -> Array:
    a, b = paired_values(first, second)
    return a - b
