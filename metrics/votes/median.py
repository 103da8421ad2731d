"""Median of votes for options in an order."""

import numpy as np
import numpy.typing as npt

from .majority import UNDECIDED
from .table import Counts

#: Labels by which two middles lie apart: a person decides between them.
_APART = 2


def middles(counts: Counts) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Label codes of the lower and the upper middle vote of each query of `counts`.

    `counts` (queries x labels) have the labels in their order. Both are 0 without a vote, and
    differ only where an even number of votes splits at the middle. The median is the lower one.
    """
    reached, n_votes = 2 * counts.cumsum(axis=1), counts.sum(axis=1)[:, None]
    low, high = (reached >= n_votes), (reached > n_votes)
    return low.argmax(axis=1), high.argmax(axis=1)


def medians(counts: Counts, *, strict: bool = False) -> npt.NDArray[np.int64]:
    """Label code of the lower middle vote; with `strict` `UNDECIDED` where the middles lie apart.

    That is by two labels and more: the lower one would stand for both, and nobody chose between.
    """
    low, high = middles(counts)
    return np.where((high - low >= _APART) & strict, UNDECIDED, low)
