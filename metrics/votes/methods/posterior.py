"""Posterior of each query under a model of the voters."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..majority import UNDECIDED

Floats = npt.NDArray[np.float64]

#: Decimals that a probability keeps from round to round. Otherwise equal probabilities would drift
#: apart by the order of sums, a little more in every round.
_DECIMALS = 14


@dataclass(frozen=True)
class Posterior:
    """`probabilities` has shape (queries, labels); rows of queries without a vote are NaN.

    `iterations` counts the rounds until `converged`; `worker_accuracy` is the probability that the
    model gives each worker of being right, shape (workers,). Categories whose probabilities differ
    by no more than `precision`, the accuracy of the rounds, are tied.
    """

    probabilities: Floats
    iterations: int
    converged: bool
    log_likelihood: float
    worker_accuracy: Floats
    precision: float = 1e-9

    def codes(self) -> npt.NDArray[np.int64]:
        """The most probable label of each query; `UNDECIDED` when two are as probable."""
        known = np.nan_to_num(self.probabilities, nan=0.0)
        ordered = np.sort(known, axis=1)
        # Where nobody voted all are zero, and none is ahead.
        second = ordered[:, -2] if ordered.shape[1] > 1 else 0.0
        clear = ordered[:, -1] - second > self.precision
        return np.where(clear, known.argmax(axis=1), UNDECIDED)


def normalised(log_weights: Floats) -> tuple[Floats, Floats]:
    """Rows of log weights as probabilities, rounded, and the logarithm of each row's sum."""
    # Few labels of many queries: reductions over rows are several times as fast.
    weights = np.ascontiguousarray(log_weights.T)
    top = weights.max(axis=0)
    weights -= top
    np.exp(weights, out=weights)
    total = weights.sum(axis=0)
    weights /= total
    probabilities = np.ascontiguousarray(np.round(weights, _DECIMALS, out=weights).T)
    return probabilities, top + np.log(total)


def without_unvoted(probabilities: Floats, voted: npt.NDArray[np.bool_]) -> Floats:
    """Replace the rows of queries without votes by NaN."""
    return np.where(voted[:, None], probabilities, np.nan)
