"""Shares of a pool, counted apart in strata of a model's belief or of the design."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import InputError
from ..extras import need
from ..vocabulary import LEVEL
from .differences import effective
from .figure import Figure, Target
from .samples import Array, Sample

#: Chances below this one move no end of an interval.
_HARDLY_EVER = 1e-9
#: Labels that a stratum has at least, before its share is counted apart. It is known before the
#: labels are; with fewer the prior of the stratum would say more than people do
#: (measurements/small_samples.py).
LEAST_OF_STRATUM = 5
#: Labels that belong, and that do not, which the prior of a stratum counts. With Jeffreys' .5 each
#: the interval leaves out shares of 11 % where 22 labels show none, which is seven of a hundred
#: samples: .92 of those of 50 or 80 labels hold beside a model that is right on .95 or .97 and errs
#: on one side, and .93 and more with these, 1 % wider (measurements/small_samples.py).
_PRIOR = 0.55


def can_be_stratified(sample: Sample) -> bool:
    """Return whether shares may be counted apart: the design, and enough labels in each stratum."""
    if sample.chances is not None:
        return False
    if sample.strata is None:
        return True
    return int(np.bincount(sample.strata[sample.rows]).min()) >= LEAST_OF_STRATUM


def share_by_strata(
    sample: Sample,
    labels: ArrayLike,
    *,
    target: Target = "pool",
    level: float = LEVEL,
) -> Figure:
    """The share that belongs, counted apart for each label of the model; right for rare ones, too.

    `labels` (M): what the model called each query, or the strata that the sample was drawn from.
    Labels are put together until each has `LEAST_OF_STRATUM` labels of people, those next to each
    other in belief. In each the share has nearly Jeffreys' prior, and the queries without people's
    labels follow it: the interval is that of the posterior. Its middle is too large for a rare
    share, as each label has a prior of its own; so `value` is the mean of people's shares, weighted
    by the sizes of the labels, and the interval is extended to it where it lies outside.
    """
    sample.check_belonging()
    groups = np.unique(np.asarray(labels), return_inverse=True)[1]
    if sample.strata is None:
        groups = _joined(groups, sample)
    if sample.chances is not None or not _follows(groups, sample.strata):
        raise InputError("shares by label need a simple random sample, or one of these strata.")
    sizes = np.bincount(groups)
    drawn = np.bincount(groups[sample.rows], minlength=len(sizes))
    belong = np.bincount(groups[sample.rows], sample.outcomes, len(sizes)).astype(np.float64)
    seen, rest = int(belong.sum()), sample.pool - sample.n
    chances = _of_the_others(belong, drawn, sizes)
    totals = np.arange(seen, seen + rest + 1, dtype=np.float64)
    variance = of_pool = _variance(chances, totals / sample.pool)
    ends = ((1 - level) / 2, (1 + level) / 2)
    if target == "population":
        above, below = totals + 0.5, sample.pool - totals + 0.5
        each = above * below / (above + below) ** 2 / (above + below + 1)
        variance = _variance(chances, above / (above + below)) + float((chances * each).sum())
        low, high = _quantiles(chances, above, below, ends)
    else:
        low, high = totals[np.searchsorted(chances.cumsum(), ends)] / sample.pool
    value = float((sizes * belong / drawn).sum()) / sample.pool
    if low == high and sample.n < sample.pool:
        # What was not asked about may differ by one, and by no more than there is of it.
        low = max(low - 1 / sample.pool, seen / sample.pool)
        high = min(high + 1 / sample.pool, (seen + rest) / sample.pool)
    rate = (float(sample.outcomes.sum()) + 0.5) / (sample.n + 1.0)
    return Figure(
        value=value,
        low=min(float(low), value),
        high=max(float(high), value),
        standard_error=float(np.sqrt(variance)),
        level=level,
        n=sample.n,
        weight=np.nan if len(sizes) > 1 else 0.0,
        effective_n=effective(sample, rate * (1 - rate), variance, target),
        naive=float(sample.belief.mean()),
        target=target,
        of_pool=max(variance - of_pool, 0.0) if target == "population" else 0.0,
    )


def _of_the_others(belong: Array, drawn: NDArray[np.int64], sizes: NDArray[np.int64]) -> Array:
    """The chances that 0, 1, 2, ... of the queries without labels belong, by all strata."""
    special = need("scipy.special")
    rest = int((sizes - drawn).sum())
    length = 2 ** int(rest).bit_length()
    product = np.ones(length // 2 + 1, complex)
    for of_stratum, n, size in zip(belong, drawn, sizes, strict=True):
        k = np.arange(size - n + 1)
        above, below = of_stratum + _PRIOR, n - of_stratum + _PRIOR
        logs = (
            special.betaln(k + above, k[::-1] + below)
            - special.betaln(above, below)
            - special.betaln(k + 1, k[::-1] + 1)
            - np.log(len(k))
        )
        product *= np.fft.rfft(np.exp(logs), length)
    chances: Array = np.clip(np.fft.irfft(product, length)[: rest + 1], 0, None)
    chances /= chances.sum()
    return chances


def _variance(chances: Array, values: Array) -> float:
    middle = float((chances * values).sum())
    return float((chances * (values - middle) ** 2).sum())


def _quantiles(
    chances: Array, above: Array, below: Array, ends: tuple[float, float]
) -> tuple[float, float]:
    """Quantiles of a mixture of beta distributions."""
    special, brentq = need("scipy.special"), need("scipy.optimize").brentq
    often = chances > _HARDLY_EVER
    weights, a, b = chances[often], above[often], below[often]
    low, high = (
        brentq(lambda x, end=end: (weights * special.betainc(a, b, x)).sum() - end, 0, 1)
        for end in ends
    )
    return low, high


def _joined(groups: NDArray[np.int64], sample: Sample) -> NDArray[np.int64]:
    """The groups in the order of their mean belief, each with enough labels of people."""
    sizes = np.bincount(groups)
    order = np.argsort(np.bincount(groups, sample.belief) / sizes, kind="stable")
    drawn = np.bincount(groups[sample.rows], minlength=len(sizes))
    joined = np.zeros(len(sizes), np.int64)
    number, held = 0, 0
    for group in order:
        if held >= LEAST_OF_STRATUM:
            number, held = number + 1, 0
        joined[group] = number
        held += drawn[group]
    if held < LEAST_OF_STRATUM and number:
        joined[joined == number] = number - 1
    return joined[groups]


def _follows(groups: NDArray[np.int64], strata: NDArray[np.int64] | None) -> bool:
    """Return whether groups are the strata of the design, or there are none."""
    if strata is None:
        return True
    pairs = np.unique(np.stack([groups, strata]), axis=1).shape[1]
    return bool(pairs == len(np.unique(groups)) == len(np.unique(strata)))
