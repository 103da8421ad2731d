"""Queries, or other units, of a pool that people judged, and the design that drew them."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import InputError

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Sample:
    """Queries (or other units) of a pool of M that people judged, drawn at random by known rules.

    `rows` (n): their places in the pool. `outcomes` (n): what people's judgments of each come to,
    any finite number: the value of a measure, or 1 where a query belongs to a subset, else 0.
    `belief` (M): what a model's come to, for all of the pool; NaN where it gave no answer, which
    counts as .5. `strata` (M): the stratum of each query, where each was
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

    @property
    def unevenness(self) -> float:
        """The part of the labels that unequal weights cost (Kish 1965): 0 where all count alike."""
        weights = self._weights()
        return 1 - 1 / (self.n * dot(weights, weights))

    def mean(self, values: Array) -> float:
        """Estimate of the pool's mean of `values` (n), which are known of the sample."""
        return dot(values, self._weights())

    def covariance(self, a: Array, b: Array) -> float:
        """Of the estimates of two means, over all samples that might have been drawn."""
        if self.chances is not None:
            weights = self._weights()
            centred = (a - dot(a, weights)) * (b - dot(b, weights))
            left_out = (1 - self.chances[self.rows]) * self.n / (self.n - 1)
            return dot(left_out * centred, weights**2)
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

    def unseen(self, a: Array, b: Array) -> float:
        """Return what a residual of 1 that the sample does not show would add to that covariance.

        `a`, `b` (M): by what the residual of each query of the pool is multiplied.
        """
        weights = self._weights()
        left_out = max(1 - self.n / self.pool, 0.0)
        return left_out * dot(weights, weights) / self.n * dot(a, b) / self.pool

    def squared_skewness(self, a: Array) -> float:
        """The squared skewness of the terms of `mean(a)`; about n where one differs from all.

        About 0 where as many lie far out on one side as on the other; 0 where all are alike.
        """
        parts = np.zeros(self.n, np.int64) if self.strata is None else self.strata[self.rows]
        weights = self._weights()
        middles = np.bincount(parts, weights * a) / np.bincount(parts, weights)
        terms = weights * (a - middles[parts])
        total = dot(terms, terms)
        return self.n * dot(terms, terms * terms) ** 2 / total**3 if total else 0.0

    def check_belonging(self) -> None:
        """`InputError` where outcomes are not 0 or 1, or beliefs no chances."""
        if not ((self.belief >= 0) & (self.belief <= 1)).all():
            raise InputError("a belief is a number from 0 to 1, one per query of the pool.")
        if not np.isin(self.outcomes, (0, 1)).all():
            raise InputError("each labelled query needs one outcome, 0 or 1.")

    def spread(self, a: Array, b: Array) -> float:
        """Covariance of `a` and `b` from query to query of the pool."""
        weights = self._weights()
        centred = (a - dot(weights, a)) * (b - dot(weights, b))
        return dot(weights, centred) * self.n / (self.n - 1)

    def _weights(self) -> Array:
        """The share of the pool that each labelled query stands for; 1 in all."""
        if self.chances is not None:
            inverse = 1 / self.chances[self.rows]
            return inverse / float(inverse.sum())
        if self.strata is None:
            return np.full(self.n, 1 / self.n)
        drawn = np.bincount(self.strata[self.rows], minlength=self.strata.max() + 1)
        share = np.bincount(self.strata) / self.pool / np.maximum(drawn, 1)
        weights: Array = share[self.strata[self.rows]]
        return weights

    def _check(self) -> None:
        if self.belief.ndim != 1 or np.isinf(self.belief).any():
            raise InputError("a belief is a finite number, one per query of the pool.")
        if self.rows.shape != self.outcomes.shape or not np.isfinite(self.outcomes).all():
            raise InputError("each labelled query needs one outcome, a finite number.")
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


def dot(a: Array, b: Array) -> float:
    """Sum of products, with the same bits on every processor: `@` adds up as each one likes."""
    return float((a * b).sum())


def _covariance(a: Array, b: Array) -> float:
    """Of two samples, with n - 1; NaN for one value."""
    n = len(a)
    return dot(a - a.sum() / n, b - b.sum() / n) / (n - 1) if n > 1 else np.nan
