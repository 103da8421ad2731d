"""Posterior of each query under a model of the voters."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from annotation.agreement.majority import UNDECIDED

Floats = npt.NDArray[np.float64]

#: Two categories whose probabilities differ by less than this are tied.
TIED = 1e-9


@dataclass(frozen=True)
class Posterior:
    """`probabilities` has shape (queries, labels); rows of queries without a vote are NaN.

    `iterations` counts the rounds until `converged`; `worker_accuracy` is the probability that
    the model gives each worker of being right, shape (workers,).
    """

    probabilities: Floats
    iterations: int
    converged: bool
    log_likelihood: float
    worker_accuracy: Floats

    def codes(self) -> npt.NDArray[np.int64]:
        """The most probable label of each query; `UNDECIDED` when two are equally probable."""
        known = np.nan_to_num(self.probabilities, nan=0.0)
        ordered = np.sort(known, axis=1)
        # Where nobody voted all are zero, and none is ahead.
        second = ordered[:, -2] if ordered.shape[1] > 1 else 0.0
        clear = ordered[:, -1] - second > TIED
        return np.where(clear, known.argmax(axis=1), UNDECIDED)


def normalised(log_weights: Floats) -> tuple[Floats, Floats]:
    """Rows of log weights as probabilities, and the logarithm of each row's sum."""
    top = log_weights.max(axis=1, keepdims=True)
    weights = np.exp(log_weights - top)
    total = weights.sum(axis=1, keepdims=True)
    return weights / total, (top + np.log(total))[:, 0]


def without_unvoted(probabilities: Floats, voted: npt.NDArray[np.bool_]) -> Floats:
    """The same with NaN in the rows of queries that nobody voted on."""
    return np.where(voted[:, None], probabilities, np.nan)
