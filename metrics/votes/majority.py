"""Majority vote: the category with strictly more votes than every other, else a tie."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from .table import Counts

#: The code of a query without a decision: no vote, or no category ahead of all others.
UNDECIDED = -1
#: Votes for options that a query needs for a label once somebody could not tell.
VOTES_BESIDE_ABSTENTIONS = 2


def majority(counts: Counts, *, strict: bool = False) -> npt.NDArray[np.int64]:
    """Label code of each query of `counts` (queries x labels), or `UNDECIDED`.

    With `strict` the category needs more than half of the query's votes. A tie is never drawn.
    """
    if counts.size == 0:
        return np.full(len(counts), UNDECIDED, dtype=np.int64)
    most = counts.max(axis=1)
    ahead = ((counts == most[:, None]).sum(axis=1) == 1) & (most > 0)
    if strict:
        ahead &= 2 * most > counts.sum(axis=1)
    return np.where(ahead, counts.argmax(axis=1), UNDECIDED)


def majority_may_change(
    counts: Sequence[int], waiting: Sequence[int], free: int, *, strict: bool = False
) -> bool:
    """Return whether further votes could change the label of a query, or make or break a tie.

    `counts` are its votes by label, at least one; each of those `waiting` by label may be added or
    not, and `free` more of any label.
    """
    most, total = max(counts), sum(counts)
    gains = [number + free for number in waiting]
    leader = counts.index(most)
    if strict and 2 * most <= total:
        return any(2 * (n + gain) > total + gain for n, gain in zip(counts, gains, strict=True))
    if strict:
        return 2 * most <= total + sum(waiting) - waiting[leader] + free
    if list(counts).count(most) > 1:
        return any(n + gain > most for n, gain in zip(counts, gains, strict=True))
    reached = [n + gain for n, gain in zip(counts, gains, strict=True)]
    return any(n >= most for label, n in enumerate(reached) if label != leader)
