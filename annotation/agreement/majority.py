"""Majority vote: the category with strictly more votes than every other, else a tie."""

import numpy as np
import numpy.typing as npt

from annotation.agreement.table import Counts

#: The code of a query without a decision: no vote, or no category ahead of all others.
UNDECIDED = -1


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
