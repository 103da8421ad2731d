"""ARaB: RaB averaged over the ranks 1 to t, so that the top weighs more."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from metrics.measures.base import Definition, Inputs, PerQuery
from metrics.measures.rab import CITATION, TWO_SIDES, differences, matrices, means_by_rank


def _means_of_means_at(
    magnitude: NDArray[np.float64],
    present: NDArray[np.bool_],
    length: NDArray[np.int64],
    cutoffs: Sequence[int],
) -> list[NDArray[np.float64]]:
    """The qARaB (Q,) at each cut-off: the mean of qRaB over the ranks down to it that have one.

    A list ends at its `length`: the ranks behind it do not exist.
    """
    reached = [min(cutoff, magnitude.shape[1]) for cutoff in cutoffs]
    kept = {0: np.full(len(magnitude), np.nan)}
    total, ranks = np.zeros(len(magnitude)), np.zeros(len(magnitude), dtype=np.int64)
    for rank, mean, count in means_by_rank(magnitude, present):
        exists = (rank <= length) & (count > 0)
        np.add(total, mean, out=total, where=exists)
        ranks += exists
        if rank in reached:
            kept[rank] = np.full(len(magnitude), np.nan)
            np.divide(total, ranks, out=kept[rank], where=ranks > 0)
    return [kept[rank] for rank in reached]


def arab(
    female: ArrayLike, male: ArrayLike, cutoff: int, present: ArrayLike | None = None
) -> NDArray[np.float64]:
    """ARaB_t = (1/t) sum_{x<=t} RaB_x: positive leans male, negative leans female.

    Arguments and result as for `rab`; the list ends at its last present document. The mean runs
    over the ranks x with at least one document at or above them.
    Rekabsaz & Schedl 2020, equations 3 and 5.

    >>> arab([0, 0], [1, 0], cutoff=2)
    array(0.75)
    """
    f, m, counted, shape = matrices(female, male, cutoff, present)
    backwards = np.argmax(counted[:, ::-1], axis=1) if counted.shape[1] else np.zeros(len(f), int)
    length = np.where(counted.any(axis=1), counted.shape[1] - backwards, 0)
    (female_side,), (male_side,) = (
        _means_of_means_at(side, counted, length, [cutoff]) for side in (f, m)
    )
    return (male_side - female_side).reshape(shape)


def _compute(inputs: Inputs, cutoffs: Sequence[int], **params: Any) -> list[PerQuery]:
    ranked = inputs.ranked
    sides = {
        side: _means_of_means_at(
            ranked.magnitude(params["magnitude"], params[side]),
            ranked.present,
            ranked.length,
            cutoffs,
        )
        for side in ("female", "male")
    }
    return differences(sides)


ARAB = Definition(
    name="ARaB",
    summary="RaB averaged over the ranks 1 to t.",
    formula="ARaB_t = (1/t) sum_{x<=t} RaB_x",
    citation=CITATION,
    range="unbounded for tf, logtc and tc; [-1, 1] for bool and tfnorm",
    direction="0 is balanced, positive leans male, negative leans female",
    compute=_compute,
    params=TWO_SIDES,
    needs=frozenset({"magnitudes", "two groups"}),
    short_list="The means run over the documents, and over the ranks, that exist.",
)
