"""Figures of a whole pool from few judgments of people and many of a model.

A model's judgments alone give a wrong figure, however many there are. The model's values of all
queries and people's of a random sample together give a figure whose interval holds, whatever the
model is worth: the mean of the model's over the pool, corrected by its error in the sample. Its
weight is tuned, so that a poor model does not make the interval wider than that of people alone.
`mean` is of any number per query, as nDCG; `share` and `mean_of_subset` are of queries that belong
to a subset or not; `ratio_of_means` of two numbers.

Differences of estimators as in prediction-powered inference (Angelopoulos et al. 2023) and
design-based supervised learning (Egami et al. 2023), here for a finite pool and for ratios.
"""

import math
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InputError
from ..extras import need
from ..vocabulary import LEVEL
from .samples import Array, Sample, dot
from .significance import MIN_QUERIES

#: Of this pool, or of the queries that it can be taken for a sample of.
Target = Literal["pool", "population"]

#: A mean over the subset is withheld where fewer of the sample belong to it, or do not.
LEAST_OF_EACH = 5
#: From this relative error of a denominator on its interval is Fieller's.
_WEAK_DENOMINATOR = 0.05
_DRAWS = 20_000
#: Residuals that a sample happened not to show and that its variance counts all the same. Where a
#: model is nearly always right most samples show none or one, and Poisson's interval around so few
#: reaches as far as that of so many more (measurements/few_labels_coverage.py).
UNSEEN = 2.5
#: Of a query whose number lies as far from the mean as any in the pool, so much counts as one more
#: than the sample shows: few far ones may make most of a mean, and small samples have none of them
#: (measurements/few_judgments.py).
FAR = 0.4
#: Where the model's numbers make the interval wider by more than that, they are left out.
MOST_WIDER = 1.05

__all__ = [
    "FAR",
    "LEAST_OF_EACH",
    "MIN_QUERIES",
    "MOST_WIDER",
    "UNSEEN",
    "Figure",
    "Sample",
    "Target",
    "fieller",
    "half_width_with",
    "labels_needed",
    "mean",
    "mean_of_subset",
    "ratio_of_means",
    "share",
    "share_by_strata",
    "student",
    "too_few",
    "too_few_of_each",
    "tuned",
    "withheld",
    "without_strata",
]


@dataclass(frozen=True)
class Figure:
    """A figure of the pool with its interval, and what the model gave to it.

    `low`, `high`: at `level`; None where withheld, and `withheld` says why. `n`: labels of people.
    `weight`: how much of the belief was used, 0 (people alone) to 1; NaN where it made strata.
    `effective_n`: labels of a simple random sample that people alone would need for as narrow an
    interval, at most the pool. `naive`: the figure by the model alone.
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
        """Error of the model alone, as far as the sample tells."""
        return self.naive - self.value

    @property
    def p(self) -> float | None:
        """Two-sided p of the test that the figure is 0, by Student's t; None where withheld."""
        if self.low is None or not self.standard_error:
            return None
        degrees = self.n - 1 - (self.weight > 0)
        t = -abs(self.value) / self.standard_error
        return 2 * float(need("scipy.special").stdtr(degrees, t))


def mean(
    sample: Sample,
    *,
    weight: float | None = None,
    target: Target = "pool",
    level: float = LEVEL,
    unseen: float = UNSEEN,
) -> Figure:
    """The mean over the pool of a number per query, as nDCG or the difference of two systems'.

    `weight`: of the model's numbers, on people's scale; the best one by the sample where None,
    which costs a degree of freedom, or 0 where they would make the interval wider (`MOST_WIDER`).
    Where a few large residuals make most of the variance, as of a model that is nearly always
    right, samples often show too few of them: then `unseen` more of their size are counted, or
    `FAR` of the farthest number that the pool shows where that is more. With 0 the interval is the
    textbook's. Of a difference pass the differences: one figure says more than the intervals
    of two. Withheld below `MIN_QUERIES` judged ones, and where all outcomes and beliefs are one
    number, so that nothing tells how they vary.
    """
    z, f = sample.outcomes, sample.belief[sample.rows]
    chosen = tuned(sample, z, f) if weight is None else weight
    is_tuned = weight is None and chosen > 0
    off = z - chosen * f
    variance = sample.covariance(off, off) * _fitted(sample, is_tuned=is_tuned)
    why = ""
    if sample.n < sample.pool:
        far = _farthest(sample, z, sample.belief)
        if np.ptp(off):
            variance *= _with_unseen(sample, off, far, unseen)
        else:
            variance = unseen * sample.unseen(far, far)
        why = "" if far.any() else f"all {sample.n:,} values of people and the model's are alike."
        why = too_few(sample.n) or why
    if target == "population":
        variance += sample.spread(z, z) / sample.pool
    figure = _figure(
        sample,
        _estimate(sample, chosen),
        variance,
        sample.spread(z, z),
        naive=float(sample.belief.mean()),
        weight=chosen,
        is_tuned=is_tuned,
        target=target,
        level=level,
        why=why,
    )
    if not is_tuned:
        return figure
    alone = mean(sample, weight=0.0, target=target, level=level, unseen=unseen)
    return alone if _is_wider(figure, alone) else figure


def ratio_of_means(
    top: Sample,
    bottom: Sample,
    *,
    weight: float | None = None,
    target: Target = "pool",
    level: float = LEVEL,
    unseen: float = UNSEEN,
) -> Figure:
    """The mean of one number over the mean of another, as a mean over the queries that have one.

    `top` and `bottom` are the same units under the same design. Where the denominator is weak the
    interval is Fieller's, or withheld. The other parameters are those of `mean`.
    """
    z, d = top.outcomes, bottom.outcomes
    f, e = top.belief[top.rows], bottom.belief[bottom.rows]
    chosen, ratio = _tuned_ratio(top, bottom, weight)
    is_tuned = weight is None and chosen > 0
    parts = (z - chosen * f, d - chosen * e)
    variances = _covariances(top, parts)
    variances *= _fitted(top, is_tuned=is_tuned)
    off = parts[0] - ratio * parts[1]
    far = _farthest(top, z - ratio * d, top.belief - ratio * bottom.belief)
    if top.covariance(off, off):
        variances *= _with_unseen(top, off, far, unseen)
    else:
        variances[0, 0] += unseen * top.unseen(far, far)
    if target == "population":
        variances += _spreads(top, (z, d))
    figure = _figure_of_ratio(
        top,
        ratio,
        _estimate(bottom, chosen),
        variances,
        top.spread(z - ratio * d, z - ratio * d),
        naive=float(top.belief.sum() / bottom.belief.sum()) if bottom.belief.any() else np.nan,
        weight=chosen,
        is_tuned=is_tuned,
        target=target,
        level=level,
    )
    if top.n < top.pool and (why := too_few(top.n)):
        return withheld(figure, why)
    if not is_tuned:
        return figure
    alone = ratio_of_means(top, bottom, weight=0.0, target=target, level=level, unseen=unseen)
    return alone if _is_wider(figure, alone) else figure


def share(
    sample: Sample,
    *,
    weight: float | None = None,
    target: Target = "pool",
    level: float = LEVEL,
    unseen: float = UNSEEN,
) -> Figure:
    """The share of the pool that belongs to the subset.

    `weight`: of the belief; the best one by the sample where None. `unseen`: residuals that count
    although the sample did not show them; 0 is the textbook's interval, which is too narrow where
    a model is nearly always right. Of a rare category, or for any
    share where the model answered in categories, `share_by_strata` holds its level better.
    """
    sample.check_belonging()
    z, f = sample.outcomes, sample.belief[sample.rows]
    chosen = tuned(sample, z, f) if weight is None else weight
    off = z - chosen * f
    ones = np.ones(sample.pool)
    variance = sample.covariance(off, off)
    variance += unseen * _counted(sample, off, chosen) * sample.unseen(ones, ones)
    if target == "population":
        variance += sample.spread(z, z) / sample.pool
    return _figure(
        sample,
        _estimate(sample, chosen),
        variance,
        sample.spread(z, z),
        naive=float(sample.belief.mean()),
        weight=chosen,
        is_tuned=weight is None and chosen > 0,
        target=target,
        level=level,
        within=(0.0, 1.0),
    )


def mean_of_subset(
    sample: Sample,
    values: ArrayLike,
    *,
    weight: float | None = None,
    target: Target = "pool",
    level: float = LEVEL,
    least: int = LEAST_OF_EACH,
    unseen: float = UNSEEN,
) -> Figure:
    """Mean over the subset of a value that is known of every query of the pool, as its bias.

    `values` (M): of the difference of two systems, pass the differences: the queries are the same,
    so it is one figure, and two intervals say less. It is a ratio of two estimates: where its
    denominator, the size of the subset, is weak, the interval is Fieller's, or withheld.
    """
    sample.check_belonging()
    known = np.asarray(values, float)
    y, z = known[sample.rows], sample.outcomes
    total = replace(sample, belief=sample.belief * known, outcomes=z * y)
    chosen, ratio = _tuned_ratio(total, sample, weight)
    off = z - chosen * sample.belief[sample.rows]
    variances = _covariances(sample, (off * y, off))
    of_all = (known, np.ones(sample.pool))
    unseen_errors = np.array([[sample.unseen(a, b) for a in of_all] for b in of_all])
    variances += unseen * _counted(sample, off, chosen) * unseen_errors
    if target == "population":
        variances += _spreads(sample, (z * y, z))
    belonging = int(z.sum())
    figure = _figure_of_ratio(
        sample,
        ratio,
        _estimate(sample, chosen),
        variances,
        sample.spread(*[z * (y - ratio)] * 2),
        naive=dot(sample.belief, known) / float(sample.belief.sum())
        if sample.belief.any()
        else np.nan,
        weight=chosen,
        is_tuned=weight is None and chosen > 0,
        target=target,
        level=level,
    )
    if min(belonging, sample.n - belonging) < least:
        return withheld(figure, too_few_of_each(belonging, sample.n, least))
    if figure.withheld:
        why = (
            f"{belonging:,} of {sample.n:,} labelled queries belong, too few for a finite "
            f"interval: label about {sample.n:,} more."
        )
        return replace(figure, withheld=why)
    return figure


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


def without_strata(sample: Sample) -> Sample:
    """The sample as people alone have it: by the chances that strata gave, and without these."""
    if sample.strata is None:
        return sample
    drawn = np.bincount(sample.strata[sample.rows], minlength=sample.strata.max() + 1)
    chances = (drawn / np.bincount(sample.strata))[sample.strata]
    return replace(sample, strata=None, chances=chances)


def share_by_strata(
    sample: Sample,
    labels: ArrayLike,
    *,
    target: Target = "pool",
    level: float = LEVEL,
    seed: int = 0,
) -> Figure:
    """The share that belongs, counted apart for each label of the model; right for rare ones, too.

    `labels` (M): what the model called each query. In each of its labels the share has Jeffreys'
    prior, and the queries without people's labels follow it at random (`seed`): the interval is
    that of the posterior. Its middle is too large for a rare share, as each label has a prior of
    its own; so `value` is that of `share`, which is nearly unbiased, without the belief where there
    is one label alone. The interval is extended to it where it lies outside.
    """
    sample.check_belonging()
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
    low, high = np.quantile(totals / sample.pool, [(1 - level) / 2, (1 + level) / 2])
    value = share(sample, weight=0.0 if len(groups) == 1 else None).value
    if low == high and sample.n < sample.pool:
        # What was not asked about may differ by one, and by no more than there is of it.
        seen, rest = belong.sum(), sample.pool - sample.n
        low = max(low - 1 / sample.pool, seen / sample.pool)
        high = min(high + 1 / sample.pool, (seen + rest) / sample.pool)
    variance = float(np.var(totals / sample.pool))
    return Figure(
        value=value,
        low=min(float(low), value),
        high=max(float(high), value),
        standard_error=float(np.sqrt(variance)),
        level=level,
        n=sample.n,
        weight=np.nan,
        effective_n=_effective(sample, _jeffreys_spread(sample), variance, target),
        naive=float(sample.belief.mean()),
    )


def _jeffreys_spread(sample: Sample) -> float:
    """Variance from query to query of the outcomes, by the same rule."""
    rate = (float(sample.outcomes.sum()) + 0.5) / (sample.n + 1.0)
    return rate * (1 - rate)


def half_width_with(figure: Figure, n: int, pool: int) -> float:
    """Return the half width that `n` labels of a simple random sample would give.

    `figure`: of this pool, by the labels of a pilot of `figure.n`.
    """
    variance, t = _of_pilot(figure, pool)
    return float(t * np.sqrt(variance / n * (1 - n / pool)))


def labels_needed(figure: Figure, half_width: float, pool: int) -> int:
    """Total labels, of a simple random sample, for an interval of +- `half_width`.

    `figure`: of this pool, by the labels of a pilot of `figure.n`.
    """
    variance, t = _of_pilot(figure, pool)
    exact = variance * pool / (variance + pool * (half_width / t) ** 2)
    return int(np.ceil(exact - 1e-9))  # what the pilot has by rounding is no label more


def _of_pilot(figure: Figure, pool: int) -> tuple[float, float]:
    """The variance that one label has, and the quantile of the interval."""
    variance = figure.standard_error**2 * figure.n / (1 - figure.n / pool)
    return variance, student(figure.level, figure.n, is_tuned=figure.weight > 0)


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
    return float(need("scipy.special").stdtrit(n - 1 - is_tuned, (1 + level) / 2))


def _estimate(sample: Sample, weight: float) -> float:
    """The mean over the pool, with so much of the model's numbers."""
    off = sample.outcomes - weight * sample.belief[sample.rows]
    return weight * float(sample.belief.mean()) + sample.mean(off)


def _tuned_ratio(top: Sample, bottom: Sample, weight: float | None) -> tuple[float, float]:
    """The weight of the model and the ratio with it; the best weight depends on the ratio."""

    def ratio_with(weight: float) -> float:
        size = _estimate(bottom, weight)
        return _estimate(top, weight) / size if size else np.nan

    chosen = 0.0 if weight is None else weight
    ratio = ratio_with(chosen)
    for _ in range(2 if weight is None else 0):
        u = top.outcomes - ratio * bottom.outcomes
        v = top.belief - ratio * bottom.belief
        chosen = tuned(top, u, v[top.rows])
        ratio = ratio_with(chosen)
    return chosen, ratio


def _figure(
    sample: Sample,
    value: float,
    variance: float,
    spread: float,
    *,
    naive: float,
    weight: float,
    is_tuned: bool,
    target: Target,
    level: float,
    within: tuple[float, float] = (-np.inf, np.inf),
    why: str = "",
) -> Figure:
    """The figure with Student's interval; `spread` as for `_effective`."""
    error = float(np.sqrt(variance))
    half = student(level, sample.n, is_tuned=is_tuned) * error
    least, most = within
    if np.isnan(variance):
        why = why or "a stratum has one judged query: nothing tells its spread."
    return Figure(
        value=min(max(value, least), most),
        low=None if why else max(value - half, least),
        high=None if why else min(value + half, most),
        standard_error=error,
        level=level,
        n=sample.n,
        weight=weight,
        effective_n=_effective(sample, spread, variance, target),
        naive=naive,
        withheld=why,
    )


def _figure_of_ratio(
    sample: Sample,
    ratio: float,
    size: float,
    variances: Array,
    spread: float,
    *,
    is_tuned: bool,
    level: float,
    **others: Any,
) -> Figure:
    """A ratio whose denominator is `size`; by Fieller, or withheld, where that is weak."""
    variance = _of_ratio(variances, ratio, size)
    spread = spread / size**2 if size else np.nan
    figure = _figure(sample, ratio, variance, spread, is_tuned=is_tuned, level=level, **others)
    t = student(level, sample.n, is_tuned=is_tuned)
    if size and t**2 * variances[1, 1] <= _WEAK_DENOMINATOR * size**2:
        return figure
    low, high = fieller(size * ratio, size, variances, t) if size else (-np.inf, np.inf)
    if np.isinf(low):
        why = f"the denominator may be 0: its {sample.n:,} judged units are too few."
        return withheld(figure, why)
    return replace(figure, low=float(low), high=float(high))


def _covariances(sample: Sample, parts: tuple[Array, Array]) -> Array:
    """Variances and covariance of the estimates of two means."""
    return np.array([[sample.covariance(a, b) for a in parts] for b in parts])


def _spreads(sample: Sample, parts: tuple[Array, Array]) -> Array:
    """Covariance of the same because the pool itself is a sample."""
    return np.array([[sample.spread(a, b) / sample.pool for a in parts] for b in parts])


def _fitted(sample: Sample, *, is_tuned: bool) -> float:
    """Factor of a variance for a weight that was fitted to the same residuals."""
    return (sample.n - 1) / (sample.n - 2) if is_tuned else 1.0


def _is_wider(figure: Figure, alone: Figure) -> bool:
    """Return whether an interval is wider than that of people alone by more than is allowed."""
    if alone.low is None or alone.high is None:
        return False
    if figure.low is None or figure.high is None:
        return True
    return figure.high - figure.low > MOST_WIDER * (alone.high - alone.low)


def _farthest(sample: Sample, outcomes: Array, belief: Array) -> Array:
    """The distance from the mean of the farthest number, people's or the model's: once for each."""
    of_people = np.abs(outcomes - sample.mean(outcomes)).max()
    return np.full(sample.pool, max(of_people, np.abs(belief - belief.mean()).max()))


def _with_unseen(sample: Sample, off: Array, far: Array, unseen: float) -> float:
    """By how much the variance of the mean of `off` grows with residuals that were not seen.

    Of the size of those seen, where few large ones make most of it; and of the farthest.
    """
    variance = sample.covariance(off, off)
    if not variance or not unseen:
        return 1.0
    larger = unseen * sample.excess_kurtosis(off) / sample.n
    return 1 + max(larger, FAR * sample.unseen(far, far) / variance)


def _counted(sample: Sample, off: Array, weight: float) -> float:
    """Share with which residuals that were not seen count: as the belief does, which hides them.

    Strata hide them as a belief does that counts in full. Without either, residuals show how people
    differ; where all are alike, nothing shows it.
    """
    are_parted = sample.strata is not None and np.ptp(sample.strata) > 0
    return weight if np.ptp(off) and not are_parted else 1.0


def _of_ratio(variances: Array, ratio: float, size: float) -> float:
    """Variance of a ratio whose denominator is `size`, by its linear part."""
    (of_total, crossed), (_, of_size) = variances
    # Where the ratio is far out, rounding alone could leave less than nothing.
    total = max(float(of_total - 2 * ratio * crossed + ratio**2 * of_size), 0.0)
    return total / size**2 if size else np.nan


def _effective(sample: Sample, spread: float, variance: float, target: Target) -> float:
    """Labels of people alone, of a simple random sample, that give this variance.

    `spread`: variance from query to query of what they would be averaged of. At most the pool.
    """
    if target == "pool":
        variance += spread / sample.pool
    return min(spread / variance, sample.pool) if variance else float(sample.pool)
