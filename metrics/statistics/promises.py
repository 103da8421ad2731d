"""Automatic labels with a promise: how many are wrong at most, by a random sample of people's.

Models label a pool; people label a random sample of it. Labels are accepted in an order that the
models' answers give, the surest first, as far as the sample shows that few of them are wrong.

*Of the file* (`wrong_allowed`): at most r - 1 of all N labels are wrong. Accept until the sample
shows one wrong label more than k. However many wrong labels there are and wherever they stand in
the order: when the r-th of them that people did not see is accepted, those that they saw are as
many as marked ones before the r-th unmarked one, a negative hypergeometric number. So k is the
largest number that it has, or less, with a chance of at most alpha; the order needs no tests one by
one, and equals can be put into an order by chance.

*Of the automatic labels* (`wrong_at_most`): of the accepted labels that people did not see, a share
is wrong. The labels at or above each of several thresholds, from the strictest on, are tested by
the upper end for a finite pool; the first that fails ends it (fixed sequence). The thresholds
depend on the models' answers and on how many of the sample lie above, not on what people say.

Anastasios Angelopoulos, Stephen Bates, Emmanuel Candès, Michael Jordan and Lihua Lei. Learn Then
Test: Calibrating Predictive Algorithms to Achieve Risk Control. Annals of Applied Statistics 2025.
"""

from itertools import count

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..extras import need

#: A share of labels in counts: what a product of two numbers is too small by.
_ROUNDING = 1e-9
#: A further threshold is tested where so many more of the sample lie above it.
_GROWTH = 1.25


def labels_without_error(error: float, alpha: float, wrong: int = 0) -> int:
    """The fewest labels, `wrong` of them wrong, that show a share of wrong ones below `error`.

    Of a pool without end, by the binomial test at level `alpha`. Raises `InputError` unless both
    are between 0 and 1.
    """
    _check(error, alpha)
    binomial = need("scipy.special").bdtr
    return next(n for n in count(wrong + 1) if binomial(wrong, n, error) <= alpha)


def wrong_at_most(wrong: int, sampled: int, accepted: int, alpha: float) -> int:
    """The upper end, at level 1 - `alpha`, of the number of wrong ones among `accepted` labels.

    `sampled` of them, drawn at random without replacement, have `wrong` wrong ones.
    """
    low, high = wrong, accepted - (sampled - wrong)
    while low < high:
        middle = (low + high + 1) // 2
        is_likely = _chance(wrong, sampled, middle, accepted) > alpha
        low, high = (middle, high) if is_likely else (low, middle - 1)
    return low


def wrong_allowed(pool: int, sampled: int, error: float, alpha: float) -> int:
    """Number of wrong labels that the sample may show; -1 where even none shows nothing.

    With no more, the accepted labels that are not of the sample have at most `error` times `pool`
    wrong ones, but with a chance of at most `alpha` of the drawing.
    """
    _check(error, alpha)
    low, high = -1, sampled
    while low < high:
        middle = (low + high + 1) // 2
        is_shown = _is_shown(pool, sampled, middle, error, alpha)
        low, high = (middle, high) if is_shown else (low, middle - 1)
    return low


def _is_shown(pool: int, sampled: int, wrong: int, error: float, alpha: float) -> bool:
    """True if a sample with so many wrong labels shows that at most `error` are, of the file."""
    marked = _whole(error * pool) + 1 + wrong
    return marked <= pool and _chance(wrong, sampled, marked, pool) <= alpha


def accepted_of_file(
    confidence: NDArray[np.float64],
    is_sampled: NDArray[np.bool_],
    is_wrong: NDArray[np.bool_],
    *,
    error: float,
    alpha: float,
    lot: NDArray[np.float64],
) -> NDArray[np.bool_]:
    """Which labels of a pool (N) are accepted: at most `error` of the N are wrong and unseen.

    `confidence` (N): of the models, NaN where they have no label. `is_wrong` (N) is read of the
    sampled ones alone. `lot` (N): drawn without them, puts labels of equal confidence into order.
    """
    n = len(confidence)
    order = np.lexsort((lot, -confidence))
    order = order[~np.isnan(confidence[order])]
    seen = np.cumsum((is_sampled & is_wrong)[order])
    allowed = wrong_allowed(n, int(is_sampled.sum()), error, alpha)
    accepted = np.zeros(n, bool)
    accepted[order[: np.searchsorted(seen, allowed, side="right")]] = True
    return accepted


def accepted_of_automatic(
    confidence: NDArray[np.float64],
    is_sampled: NDArray[np.bool_],
    is_wrong: NDArray[np.bool_],
    *,
    error: float,
    alpha: float,
) -> NDArray[np.bool_]:
    """Which labels of a pool (N) are accepted: of those not in the sample `error` are wrong.

    The arguments are those of `accepted_of_file`, without the lot.
    """
    accepted = np.zeros(len(confidence), bool)
    least = float(labels_without_error(error, alpha))
    values = np.unique(confidence[~np.isnan(confidence)])[::-1]
    for threshold in values:
        above = confidence >= threshold
        sampled = int((above & is_sampled).sum())
        if sampled < least and not (threshold == values[-1] and accepted.any()):
            continue
        rest = int(above.sum()) - sampled
        wrong = int((above & is_sampled & is_wrong).sum())
        if wrong_at_most(wrong, sampled, sampled + rest, alpha) - wrong > _whole(error * rest):
            break
        accepted, least = above, _GROWTH * sampled
    return accepted


def sample_needed(
    pool: int, wrong: float, error: float, alpha: float, *, of_file: bool
) -> int | None:
    """The fewest labels of people with which all others may be automatic, in half of the samples.

    If the models' labels are wrong on a share `wrong`; None where that is too many.
    """

    def is_enough(sampled: int) -> bool:
        seen = round(wrong * sampled)
        if of_file:
            return _is_shown(pool, sampled, seen, error, alpha)
        unseen = wrong_at_most(seen, sampled, pool, alpha) - seen
        return unseen <= _whole(error * (pool - sampled))

    low, high = 1, pool - 1
    if wrong >= error or not is_enough(high):
        return None
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if is_enough(middle) else (middle + 1, high)
    return low


def _chance(wrong: int, sampled: int, marked: int, pool: int) -> float:
    """The chance that a sample of the pool has at most so many of the marked ones."""
    k = np.arange(max(0, sampled - (pool - marked)), min(wrong, sampled, marked) + 1)
    logs = _choose(marked, k) + _choose(pool - marked, sampled - k) - _choose(pool, sampled)
    return float(np.exp(logs).sum())


def _choose(n: int, k: "int | NDArray[np.int64]") -> NDArray[np.float64]:
    """The logarithm of the number of choices of `k` out of `n`."""
    gammaln = need("scipy.special").gammaln
    logarithm: NDArray[np.float64] = gammaln(n + 1) - gammaln(np.add(k, 1)) - gammaln(n - k + 1)
    return logarithm


def _whole(number: float) -> int:
    return int(number + _ROUNDING)


def _check(error: float, alpha: float) -> None:
    for name, value in (("share of wrong labels", error), ("chance that it is broken", alpha)):
        if not 0 < value < 1:
            raise InputError(f"the {name} is {value}.", remedy="Use a number between 0 and 1.")
