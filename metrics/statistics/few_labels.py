"""Figures of a whole pool from few labels of people and many beliefs of a model.

A model's labels alone give a wrong figure, however many there are. What is known of all queries
(the model's belief that a query belongs to the subset, and the bias of its ranking) and what people
say of a random sample give one together whose interval holds, whatever the model is worth: the
belief's mean over the pool, corrected by what it is off in the sample. Its weight is tuned, so that
a poor model does not make the interval wider than that of people alone.

Differences of estimators as in prediction-powered inference (Angelopoulos et al. 2023) and
design-based supervised learning (Egami et al. 2023), here for a finite pool and for ratios.
"""

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import InputError
from ..extras import need

Array = NDArray[np.float64]
#: Of this pool, or of the queries that it can be taken for a sample of.
Target = Literal["pool", "population"]

#: A mean over the subset is withheld where fewer of the sample belong to it, or do not.
LEAST_OF_EACH = 5
#: From this relative error of a denominator on its interval is Fieller's.
_WEAK_DENOMINATOR = 0.05
_DRAWS = 20_000


@dataclass(frozen=True)
class Sample:
    """Queries of a pool of M that people labelled, drawn at random in a way that is known.

    `rows` (n): their places in the pool. `outcomes` (n): 1 where people put the query into the
    subset, else 0. `belief` (M): what a model holds its chance to be there; NaN where the model
    gave no answer, which counts as .5. `strata` (M): the stratum of each query, where each was
    drawn from by itself. `chances` (M): each query's chance to be drawn, where they were drawn one
    by one (Poisson sampling). Without either it is a simple random sample without replacement.
    """

    belief: Array
    rows: NDArray[np.int64]
    outcomes: Array
    strata: NDArray[np.int64] | None = None
    chances: Array | None = None

    @classmethod
    def of(
        cls,
        belief: ArrayLike,
        rows: ArrayLike,
        outcomes: ArrayLike,
        *,
        strata: ArrayLike | None = None,
        chances: ArrayLike | None = None,
    ) -> "Sample":
        """The sample with its arrays checked; `InputError` says what is impossible about them."""
        sample = cls(
            belief=np.asarray(belief, float),
            rows=np.asarray(rows, np.int64),
            outcomes=np.asarray(outcomes, float),
            strata=None if strata is None else np.unique(strata, return_inverse=True)[1],
            chances=None if chances is None else np.asarray(chances, float),
        )
        sample._check()
        return replace(sample, belief=np.where(np.isnan(sample.belief), 0.5, sample.belief))

    @property
    def pool(self) -> int:
        """Number of queries in the pool."""
        return len(self.belief)

    @property
    def n(self) -> int:
        """Number of labelled queries."""
        return len(self.rows)

    def mean(self, values: Array) -> float:
        """Estimate of the pool's mean of `values` (n), which are known of the sample."""
        return _dot(values, self._weights())

    def covariance(self, a: Array, b: Array) -> float:
        """Of the estimates of two means, over all samples that might have been drawn."""
        if self.chances is not None:
            chance = self.chances[self.rows]
            return float(np.sum((1 - chance) * a * b / chance**2)) / self.pool**2
        parts = np.zeros(self.n, np.int64) if self.strata is None else self.strata[self.rows]
        sizes = [self.pool] if self.strata is None else np.bincount(self.strata)
        covariance = 0.0
        for stratum, size in enumerate(sizes):
            drawn = np.flatnonzero(parts == stratum)
            left_out = 1 - len(drawn) / size
            if left_out > 0:
                spread = _covariance(a[drawn], b[drawn])
                covariance += (size / self.pool) ** 2 * left_out * spread / len(drawn)
        return covariance

    def spread(self, a: Array, b: Array) -> float:
        """Covariance of `a` and `b` from query to query of the pool."""
        weights = self._weights() / self._weights().sum()
        centred = (a - _dot(weights, a)) * (b - _dot(weights, b))
        return _dot(weights, centred) * self.n / (self.n - 1)

    def _weights(self) -> Array:
        """How much of the pool each labelled query stands for; about 1 in all."""
        if self.chances is not None:
            return 1 / self.chances[self.rows] / self.pool
        if self.strata is None:
            return np.full(self.n, 1 / self.n)
        drawn = np.bincount(self.strata[self.rows], minlength=self.strata.max() + 1)
        share = np.bincount(self.strata) / self.pool / np.maximum(drawn, 1)
        weights: Array = share[self.strata[self.rows]]
        return weights

    def _check(self) -> None:
        known = self.belief[~np.isnan(self.belief)]
        if self.belief.ndim != 1 or not ((known >= 0) & (known <= 1)).all():
            raise InputError("a belief is a number from 0 to 1, one per query of the pool.")
        if self.rows.shape != self.outcomes.shape or not np.isin(self.outcomes, (0, 1)).all():
            raise InputError("each labelled query needs one outcome, 0 or 1.")
        if len(np.unique(self.rows)) < self.n or not np.isin(self.rows, np.arange(self.pool)).all():
            raise InputError("a labelled query is not in the pool, or is named twice.")
        if self.n < 2:  # noqa: PLR2004 - no spread in one
            raise InputError(f"{self.n} labelled queries say nothing about the others.")
        if self.strata is not None:
            labelled = set(self.strata[self.rows])
            if self.strata.shape != self.belief.shape or labelled != set(self.strata):
                raise InputError("each query needs a stratum, and each stratum a labelled query.")
        if self.chances is not None and not (
            self.chances.shape == self.belief.shape
            and ((self.chances > 0) & (self.chances <= 1)).all()
        ):
            raise InputError(
                "each query of the pool needs a chance to be drawn, above 0 and at most 1."
            )


@dataclass(frozen=True)
class Figure:
    """A figure of the pool with its interval, and what the model gave to it.

    `low`, `high`: at `level`; None where withheld, and `withheld` says why. `n`: labels of people.
    `weight`: how much of the belief was used, 0 (people alone) to 1; NaN where it made strata.
    `effective_n`: labels that people alone would need for as narrow an interval. `naive`: the
    figure by the model alone.
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

    @property
    def naive_error(self) -> float:
        """How far the model alone is off, as far as the sample tells."""
        return self.naive - self.value


def share(
    sample: Sample, *, weight: float | None = None, target: Target = "pool", level: float = 0.95
) -> Figure:
    """The share of the pool that belongs to the subset.

    `weight`: of the belief; the best one by the sample where None. Of a rare category, or for any
    share where the model answered in categories, `share_by_strata` holds its level better.
    """
    z, f = sample.outcomes, sample.belief[sample.rows]
    chosen = tuned(sample, z, f) if weight is None else weight
    value = chosen * float(sample.belief.mean()) + sample.mean(z - chosen * f)
    variance = sample.covariance(z - chosen * f, z - chosen * f)
    alone = sample.covariance(z, z)
    if target == "population":
        across = sample.spread(z, z) / sample.pool
        variance, alone = variance + across, alone + across
    error = float(np.sqrt(variance))
    half = student(level, sample.n, is_tuned=weight is None and chosen > 0) * error
    return Figure(
        value=value,
        low=value - half,
        high=value + half,
        standard_error=error,
        level=level,
        n=sample.n,
        weight=chosen,
        effective_n=_effective(sample.n, alone, variance),
        naive=float(sample.belief.mean()),
    )


def mean_of_subset(
    sample: Sample,
    values: ArrayLike,
    *,
    weight: float | None = None,
    target: Target = "pool",
    level: float = 0.95,
    least: int = LEAST_OF_EACH,
) -> Figure:
    """Mean over the subset of a value that is known of every query of the pool, as its bias.

    `values` (M): of the difference of two systems, pass the differences: the queries are the same,
    so it is one figure, and two intervals say less. It is a ratio of two estimates: where its
    denominator, the size of the subset, is weak, the interval is Fieller's, or withheld.
    """
    known = np.asarray(values, float)
    y = known[sample.rows]
    z, f = sample.outcomes, sample.belief[sample.rows]
    chosen = 0.0 if weight is None else weight
    ratio = _ratio(sample, known, chosen)
    for _ in range(2 if weight is None else 0):  # the best weight depends on the ratio
        chosen = tuned(sample, z * (y - ratio), f * (y - ratio))
        ratio = _ratio(sample, known, chosen)
    variances, size = _variances(sample, y, chosen, target), _size(sample, chosen)
    variance = _of_ratio(variances, ratio, size)
    t = student(level, sample.n, is_tuned=weight is None and chosen > 0)
    low, high = ratio - t * np.sqrt(variance), ratio + t * np.sqrt(variance)
    belonging, why = int(z.sum()), ""
    if min(belonging, sample.n - belonging) < least:
        why = (
            f"{belonging} of {sample.n} labelled queries belong: it takes {least} that do and "
            f"{least} that do not."
        )
    elif t**2 * variances[1, 1] > _WEAK_DENOMINATOR * size**2:
        low, high = fieller(size * ratio, size, variances, t)
        if np.isinf(low):
            why = "too few labelled queries belong for a finite interval."
    return Figure(
        value=ratio,
        low=None if why else float(low),
        high=None if why else float(high),
        standard_error=float(np.sqrt(variance)),
        level=level,
        n=sample.n,
        weight=chosen,
        effective_n=_effective(
            sample.n, _of_ratio(_variances(sample, y, 0.0, target), ratio, size), variance
        ),
        naive=_naive(sample.belief, known),
        withheld=why,
    )


def share_by_strata(
    sample: Sample,
    labels: ArrayLike,
    *,
    target: Target = "pool",
    level: float = 0.95,
    seed: int = 0,
) -> Figure:
    """The share that belongs, counted apart for each label of the model; right for rare ones, too.

    `labels` (M): what the model called each query. In each of its labels the share has Jeffreys'
    prior, and the queries without people's labels follow it at random (`seed`).
    """
    if sample.chances is not None or sample.strata is not None:
        raise InputError("shares by label need a simple random sample.")
    groups, of_group = np.unique(np.asarray(labels), return_inverse=True)
    sizes = np.bincount(of_group)
    drawn = np.bincount(of_group[sample.rows], minlength=len(groups))
    belong = np.bincount(of_group[sample.rows], sample.outcomes, len(groups))
    random = np.random.default_rng(seed)
    shares = random.beta(belong + 0.5, drawn - belong + 0.5, (_DRAWS, len(groups)))
    totals = (belong + random.binomial(sizes - drawn, shares)).sum(axis=1)
    if target == "population":
        totals = sample.pool * random.beta(totals + 0.5, sample.pool - totals + 0.5)
    low, middle, high = np.quantile(totals / sample.pool, [(1 - level) / 2, 0.5, (1 + level) / 2])
    variance = float(np.var(totals / sample.pool))
    alone = _jeffreys_variance(sample, target)
    return Figure(
        value=float(middle),
        low=float(low),
        high=float(high),
        standard_error=float(np.sqrt(variance)),
        level=level,
        n=sample.n,
        weight=np.nan,
        effective_n=_effective(sample.n, alone, variance),
        naive=float(sample.belief.mean()),
    )


def _jeffreys_variance(sample: Sample, target: Target) -> float:
    """Variance of the share by the labels of people alone, by the same rule."""
    belong = float(sample.outcomes.sum()) + 0.5
    total = sample.n + 1.0
    rest = sample.pool - sample.n
    one = belong * (total - belong) / (total * (total + 1))
    across = one * sample.pool if target == "population" else 0.0
    return (one * rest * (1 + rest / total) + across) / sample.pool**2


def half_width_with(figure: Figure, n: int, pool: int) -> float:
    """The half width that `n` labels in all of a simple random sample would give.

    `figure`: of this pool, by the labels of a pilot of `figure.n`.
    """
    variance = figure.standard_error**2 * figure.n / (1 - figure.n / pool)
    t = student(figure.level, figure.n, is_tuned=figure.weight > 0)
    return float(t * np.sqrt(variance / n * (1 - n / pool)))


def labels_needed(figure: Figure, half_width: float, pool: int) -> int:
    """How many labels in all, of a simple random sample, give an interval of +- `half_width`.

    `figure`: of this pool, by the labels of a pilot of `figure.n`.
    """
    variance = figure.standard_error**2 * figure.n / (1 - figure.n / pool)
    t = student(figure.level, figure.n, is_tuned=figure.weight > 0)
    exact = variance * pool / (variance + pool * (half_width / t) ** 2)
    return int(np.ceil(exact - 1e-9))  # what the pilot has by rounding is no label more


def tuned(sample: Sample, u: Array, v: Array) -> float:
    """The weight of `v` with which the mean of `u - weight v` varies least, within 0 and 1."""
    if sample.n < 3 or not np.ptp(v):  # noqa: PLR2004 - two points fit any line
        return 0.0
    spread = sample.covariance(v, v)
    return float(np.clip(sample.covariance(u, v) / spread, 0, 1)) if spread > 0 else 0.0


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


def student(level: float, n: int, *, is_tuned: bool) -> float:
    """The quantile of Student's t; the tuning weight takes a degree of freedom."""
    return float(need("scipy.stats").t.ppf((1 + level) / 2, n - 1 - is_tuned))


def _size(sample: Sample, weight: float) -> float:
    f = sample.belief[sample.rows]
    return weight * float(sample.belief.mean()) + sample.mean(sample.outcomes - weight * f)


def _ratio(sample: Sample, values: Array, weight: float) -> float:
    y, f = values[sample.rows], sample.belief[sample.rows]
    total = weight * float(np.mean(sample.belief * values))
    total += sample.mean((sample.outcomes - weight * f) * y)
    size = _size(sample, weight)
    return total / size if size else np.nan


def _variances(sample: Sample, y: Array, weight: float, target: Target) -> Array:
    """Variances and covariance of the ratio's two totals."""
    off = sample.outcomes - weight * sample.belief[sample.rows]
    parts = (off * y, off)
    variances = np.array([[sample.covariance(a, b) for a in parts] for b in parts])
    if target == "population":
        whole = (sample.outcomes * y, sample.outcomes)
        variances += [[sample.spread(a, b) / sample.pool for a in whole] for b in whole]
    return variances


def _of_ratio(variances: Array, ratio: float, size: float) -> float:
    """Variance of a ratio whose denominator is `size`, by its linear part."""
    (of_total, crossed), (_, of_size) = variances
    total = float(of_total - 2 * ratio * crossed + ratio**2 * of_size)
    return total / size**2 if size else np.nan


def _naive(belief: Array, values: Array) -> float:
    return _dot(belief, values) / float(belief.sum()) if belief.any() else np.nan


def _dot(a: Array, b: Array) -> float:
    """Sum of products, with the same bits on every processor: `@` adds up as each one likes."""
    return float((a * b).sum())


def _covariance(a: Array, b: Array) -> float:
    """Of two samples, with n - 1; NaN for one value."""
    n = len(a)
    return _dot(a - a.sum() / n, b - b.sum() / n) / (n - 1) if n > 1 else np.nan


def _effective(n: int, alone: float, variance: float) -> float:
    return n * alone / variance if variance else np.inf
