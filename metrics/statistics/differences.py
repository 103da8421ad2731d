"""The one estimator of means and ratios: the model's over the pool, corrected in the sample.

A mean is a ratio whose denominator is 1 for every unit. What differs is how an interval counts
residuals that a sample did not happen to show (`Edges`): of any numbers, or of those that belong.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from .figure import Figure, Target, fieller, student, too_few, withheld
from .samples import Array, Sample
from .significance import WITHHELD_NOTE, is_enough

#: From this relative error of a denominator on its interval is Fieller's.
_WEAK_DENOMINATOR = 0.05
#: Residuals that count where a sample shows none. Where a model is nearly always right most samples
#: show none, and Poisson's interval around none reaches as far (measurements/small_samples.py).
UNSEEN = 2.5
#: Part of the squared skewness of residuals, by their number, by which a variance grows: of
#: one-sided errors a sample shows too few as often as too many, but believes the few more firmly
#: (the first term of Hall's expansion); errors of both sides cancel out, and it grows by nothing.
SKEWED = 1.0
#: Of a query whose number lies as far from the mean as any in the pool, so much counts as one more
#: than the sample shows: few far ones may make most of a mean, and small samples have none of them
#: (measurements/few_judgments.py). Of people alone, and beside a model that counts in full, which
#: knows some of them.
FAR = (0.6, 0.4)
#: From this squared skewness of people's numbers on, by their number, a tail is long: a mean whose
#: pool may hold any numbers has no interval, so that at most .05 of the samples show one that does
#: not hold (measurements/small_samples.py).
LONG_TAIL = 0.05
#: Errors about whether a query belongs that count as more than the sample shows: with one, .89 of
#: the intervals of a rarer category's mean hold (measurements/few_labels_coverage.py).
MISTAKEN = 2.0
#: Where the model's numbers make the interval wider by more than that, they are left out.
MOST_WIDER = 1.05


@dataclass(frozen=True)
class Edges:
    """Residuals that an interval counts beyond what the sample shows.

    `far`: of a ratio, by how much a residual that was not seen changes its numerator and its
    denominator, for each unit of the pool; `counted`: so many of them, by the weight of the belief
    and whether the design has strata. `people`: the sample as people alone have it. `is_fitted`:
    the weight takes a degree of freedom of the residuals, too. `has_least`: a sample may be too
    small; `within`: what figures can be. `is_open`: whether, of a ratio, numbers may lie
    farther out than any that is known.
    """

    far: Callable[[float], tuple[Array, Array]]
    counted: Callable[[float, Sample], float]
    people: Callable[[Sample], Sample]
    is_fitted: bool
    within: tuple[float, float] = (-np.inf, np.inf)
    has_least: bool = False
    is_open: Callable[[float], bool] = lambda _: False


def difference_figure(
    top: Sample,
    bottom: Sample | None,
    edges: Edges,
    *,
    weight: float | None,
    target: Target,
    level: float,
    unseen: float,
) -> Figure:
    """The mean of `top` over that of `bottom`, None for 1; `weight` None for the best one.

    With the best one the figure has that of people alone beside it, and is no other where the model
    widens its interval by more than `MOST_WIDER`; where `unseen` is 0 it has none, and stays.
    """
    below = replace(top, belief=np.ones(top.pool), outcomes=np.ones(top.n))
    figure = _Parts.of(top, bottom or below, weight).figure(
        edges, is_ratio=bottom is not None, target=target, level=level, unseen=unseen
    )
    if weight is not None or not unseen:
        return figure
    alone = figure
    if figure.weight or top.strata is not None:
        alone = difference_figure(
            edges.people(top), bottom and edges.people(bottom), edges, weight=0.0,
            target=target, level=level, unseen=unseen,
        )  # fmt: skip
    return replace(alone if _is_wider(figure, alone) else figure, people=alone)


@dataclass(frozen=True)
class _Parts:
    """A ratio with the chosen weight: its linear parts by unit, and the size below."""

    top: Sample
    bottom: Sample
    weight: float
    is_tuned: bool
    ratio: float
    size: float

    @classmethod
    def of(cls, top: Sample, bottom: Sample, weight: float | None) -> "_Parts":
        """The parts with the best weight where it is None; that depends on the ratio."""
        chosen = weight or 0.0
        for _ in range(2 if weight is None and top.n < top.pool else 0):
            ratio = _ratio(top, bottom, chosen)
            v = top.belief - ratio * bottom.belief
            chosen = tuned(top, top.outcomes - ratio * bottom.outcomes, v[top.rows])
        return cls(
            top,
            bottom,
            chosen,
            weight is None and chosen > 0,
            _ratio(top, bottom, chosen),
            _estimate(bottom, chosen),
        )

    def figure(
        self, edges: Edges, *, is_ratio: bool, target: Target, level: float, unseen: float
    ) -> Figure:
        sample, z, d = self.top, self.top.outcomes, self.bottom.outcomes
        parts = tuple(part.outcomes - self.weight * part.belief[part.rows] for part in self._both)
        off = parts[0] - self.ratio * parts[1]
        far = edges.far(self.ratio)
        variances = _covariances(sample, parts)
        if edges.is_fitted and self.is_tuned:
            variances *= (sample.n - 1) / (sample.n - 2)
        if not np.ptp(off):
            variances += unseen * np.array([[sample.unseen(a, b) for a in far] for b in far])
        elif unseen:
            total = far[0] - self.ratio * far[1]
            variances *= _growth(
                sample, off, edges.counted(self.weight, sample) * sample.unseen(total, total)
            )
        whole = np.array([[sample.spread(a, b) / sample.pool for a in (z, d)] for b in (z, d)])
        is_wider = target == "population"
        figure = self._student(
            edges, variances + whole * is_wider, whole * is_wider, target=target, level=level
        )
        if why := self._why_not(edges, far, figure):
            return withheld(figure, why)
        return self._by_fieller(figure, variances + whole * is_wider) if is_ratio else figure

    @property
    def _both(self) -> tuple[Sample, Sample]:
        return self.top, self.bottom

    def _student(
        self, edges: Edges, variances: Array, whole: Array, *, target: Target, level: float
    ) -> Figure:
        """The figure with Student's interval."""
        sample = self.top
        variance, of_pool = (_of_ratio(part, self.ratio, self.size) for part in (variances, whole))
        u = sample.outcomes - self.ratio * self.bottom.outcomes
        spread = sample.spread(u, u) / self.size**2 if self.size else np.nan
        error = float(np.sqrt(variance))
        half = student(level, sample.n, is_tuned=self.is_tuned) * error
        least, most = edges.within
        beliefs = float(self.top.belief.sum()), float(self.bottom.belief.sum())
        return Figure(
            value=min(max(self.ratio, least), most),
            low=max(self.ratio - half, least),
            high=min(self.ratio + half, most),
            standard_error=error,
            level=level,
            n=sample.n,
            weight=self.weight,
            effective_n=effective(sample, spread, variance, target),
            naive=beliefs[0] / beliefs[1] if beliefs[1] else np.nan,
            target=target,
            of_pool=of_pool,
        )

    def _why_not(self, edges: Edges, far: tuple[Array, Array], figure: Figure) -> str:
        """Why there is no interval; "" where there is one."""
        sample = self.top
        if edges.has_least and (sample.n < sample.pool or figure.target == "population"):
            if why := too_few(sample.n):
                return why
            if sample.n < sample.pool and not far[0].any():
                return f"all {sample.n:,} values of people and the model's are alike."
            u = sample.outcomes - self.ratio * self.bottom.outcomes
            if sample.n == sample.pool and not is_enough(u):
                return f"an interval of all like these: {WITHHELD_NOTE}."
            if edges.is_open(self.ratio) and sample.squared_skewness(u) > LONG_TAIL * sample.n:
                return (
                    "a few large values make most of the mean, and no value that the model gives "
                    "to the pool is as large: those that were not judged may be larger still. "
                    "Judge more, or say that the values are bounded."
                )
        if np.isnan(figure.standard_error) and self.size:
            return "a stratum has one judged query: nothing tells its spread."
        return ""

    def _by_fieller(self, figure: Figure, variances: Array) -> Figure:
        """The figure with Fieller's interval, or withheld, where its denominator is weak."""
        size = self.size
        t = student(figure.level, figure.n, is_tuned=self.is_tuned)
        if size and t**2 * variances[1, 1] <= _WEAK_DENOMINATOR * size**2:
            return figure
        low, high = fieller(size * self.ratio, size, variances, t) if size else (-np.inf, np.inf)
        if np.isinf(low):
            why = f"the denominator may be 0: its {figure.n:,} judged units are too few."
            return withheld(figure, why)
        return replace(figure, low=float(low), high=float(high))


def tuned(sample: Sample, u: Array, v: Array) -> float:
    """The weight of `v` with which the mean of `u - weight v` varies least, within 0 and 1."""
    if sample.n < 3 or not np.ptp(v):  # noqa: PLR2004 - two points fit any line
        return 0.0
    spread = sample.covariance(v, v)
    return float(np.clip(sample.covariance(u, v) / spread, 0, 1)) if spread > 0 else 0.0


def effective(sample: Sample, spread: float, variance: float, target: Target) -> float:
    """Labels of people alone, of a simple random sample, that give this variance.

    `spread`: variance from query to query of what they would be averaged of. At most the pool.
    """
    if target == "pool":
        variance += spread / sample.pool
        return min(spread / variance, sample.pool) if variance else float(sample.pool)
    return spread / variance if variance else np.inf


def _ratio(top: Sample, bottom: Sample, weight: float) -> float:
    size = _estimate(bottom, weight)
    return _estimate(top, weight) / size if size else np.nan


def _estimate(sample: Sample, weight: float) -> float:
    """The mean over the pool, with so much of the model's numbers."""
    off = sample.outcomes - weight * sample.belief[sample.rows]
    return weight * float(sample.belief.mean()) + sample.mean(off)


def _covariances(sample: Sample, parts: tuple[Array, ...]) -> Array:
    """Variances and covariance of the estimates of two means."""
    return np.array([[sample.covariance(a, b) for a in parts] for b in parts])


def _growth(sample: Sample, off: Array, unseen: float) -> float:
    """By how much the variance of the mean of `off` grows; `unseen` would be added to it."""
    variance = sample.covariance(off, off)
    if not variance:
        return 1.0
    return 1 + max(SKEWED * sample.squared_skewness(off) / sample.n, unseen / variance)


def _is_wider(figure: Figure, alone: Figure) -> bool:
    """Return whether an interval is wider than that of people alone by more than is allowed."""
    if alone.width is None:
        return False
    return figure.width is None or figure.width > MOST_WIDER * alone.width


def _of_ratio(variances: Array, ratio: float, size: float) -> float:
    """Variance of a ratio whose denominator is `size`, by its linear part."""
    (of_total, crossed), (_, of_size) = variances
    # Where the ratio is far out, rounding alone could leave less than nothing.
    total = max(float(of_total - 2 * ratio * crossed + ratio**2 * of_size), 0.0)
    return total / size**2 if size else np.nan
