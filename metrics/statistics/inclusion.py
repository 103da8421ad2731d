"""The mean over the queries that a sample was drawn from, each of them by a known chance."""

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InputError
from ..extras import need
from ..vocabulary import LEVEL
from .significance import MIN_QUERIES, Interval, is_enough, mean_interval


def hajek_interval(values: ArrayLike, inclusion: ArrayLike, *, level: float = LEVEL) -> Interval:
    """The mean of `values` (Q,), each weighted by the inverse of its chance to be in the sample.

    `inclusion` (Q,): those chances, above 0 and at most 1. Queries whose value is NaN are left out.
    With equal chances this is `mean_interval`. Else the interval is Student's, by the linearised
    variance; its degrees of freedom are those of the effective number of parts that the variance
    has, which are few where one query of large weight makes most of it. Without ends where the
    effective number of queries (Kish) is below `MIN_QUERIES`, and where values are not enough
    (`is_enough`). It holds for the queries that those of the sample stand for, as far as all of
    them had a chance.

    Jaroslav Hájek. Comment on "An Essay on the Logical Foundations of Survey Sampling", 1971.
    Leslie Kish. Survey Sampling, 1965.
    """
    per_query, chances = (np.asarray(column, dtype=np.float64) for column in (values, inclusion))
    if per_query.shape != chances.shape or per_query.ndim != 1:
        raise InputError(f"the shapes {per_query.shape} and {chances.shape} are not one per query.")
    if not ((chances > 0) & (chances <= 1)).all():
        raise InputError(
            "a chance to be drawn is not above 0 and at most 1.",
            remedy="Leave out queries that could not be drawn: the mean does not speak of them.",
        )
    known = per_query[~np.isnan(per_query)]
    weights = 1 / chances[~np.isnan(per_query)]
    n = len(known)
    if n and np.ptp(weights) == 0:
        return mean_interval(known, level=level)
    if not n or not np.isfinite(known).all():
        return Interval(None, None, None, level, n)
    shares = weights / weights.sum()
    value = float(shares @ known)
    effective = 1 / float((shares**2).sum())
    if effective < MIN_QUERIES or not is_enough(known):
        return Interval(value, None, None, level, n)
    parts = (shares * (known - value)) ** 2
    error = float(np.sqrt(n / (n - 1) * parts.sum()))
    # Below one degree of freedom the interval is as wide as at one.
    degrees = max(float(parts.sum()) ** 2 / float((parts**2).sum()) - 1, 1.0)
    special = need("scipy.special")
    half = error * float(special.stdtrit(degrees, (1 + level) / 2))
    p = 2 * float(special.stdtr(degrees, -abs(value) / error))
    return Interval(value, value - half, value + half, level, n, p)
