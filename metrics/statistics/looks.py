"""Intervals for repeated looks: they hold at every look, not at one alone."""

from math import log, sqrt

from ..errors import InputError
from ..extras import need
from ..vocabulary import LEVEL

#: Number of labels with the narrowest of these intervals; far fewer and far more lose little.
BEST_AT = 200
#: The information, in units of that of the mixture, at which its boundary is lowest (level .95).
_BEST_INFORMATION = 8.0


def level_at_every_look(
    n: int, pool: float, *, level: float = LEVEL, best_at: int = BEST_AT
) -> float:
    """The level of an interval for one look that makes it hold `level` at all looks together.

    For `n` labels of a pool of so many queries (infinity where the figure is of more than the
    pool), drawn in one order that goes on from look to look: intervals of this level, one at each
    look, all hold the true figure with probability `level`, however many looks there are and
    whatever is decided by them. So one may stop when they are narrow enough. The boundary is that
    of a normal mixture for sums of many terms, which needs no plan of looks; its price is an
    interval that is more than half as wide again.

    Herbert Robbins. Statistical Methods Related to the Law of the Iterated Logarithm. Annals of
    Mathematical Statistics 1970. Ian Waudby-Smith, David Arbour, Ritwik Sinha, Edward Kennedy and
    Aaditya Ramdas. Time-Uniform Central Limit Theory and Asymptotic Confidence Sequences. Annals of
    Statistics 2024.
    """
    if not 0 < level < 1:
        raise InputError(f"the level is {level}.", remedy="Use a number between 0 and 1.")
    if not 0 < n <= pool:
        raise InputError(f"{n:,} labels are none of a pool of {pool:,g} queries.")
    if n == pool:
        return level
    # Of a finite pool the variance falls as 1/n - 1/pool; where all is counted none is left.
    information = _BEST_INFORMATION * n / (1 - n / pool) / best_at
    boundary = sqrt((1 + 1 / information) * log((information + 1) / (1 - level) ** 2))
    return 2 * float(need("scipy.special").ndtr(boundary)) - 1
