"""RaB: the gender bias of the first t documents of a ranking (Rekabsaz & Schedl 2020)."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from metrics.errors import InputError
from metrics.magnitude import MAGNITUDES
from metrics.measures.base import Definition, Inputs, ParamInfo, PerQuery

CITATION = (
    "Navid Rekabsaz and Markus Schedl. Do Neural Ranking Models Intensify Gender Bias? SIGIR 2020."
)

TWO_SIDES = {
    "magnitude": ParamInfo(
        str, "tf", "How group words in a document are counted.", tuple(MAGNITUDES)
    ),
    "female": ParamInfo(str, "f", "The group of words of the female side."),
    "male": ParamInfo(str, "m", "The group of words of the male side."),
}


def means_at(
    magnitude: NDArray[np.float64], present: NDArray[np.bool_], cutoffs: Sequence[int]
) -> list[NDArray[np.float64]]:
    """The qRaB (Q,) at each cut-off: the mean magnitude of the documents down to that rank.

    NaN where there is none; a list shorter than a cut-off has the value of its last rank.
    """
    reached = [min(cutoff, magnitude.shape[1]) for cutoff in cutoffs]
    kept = {0: np.full(len(magnitude), np.nan)}
    for rank, mean, _ in means_by_rank(magnitude, present):
        if rank in reached:
            kept[rank] = mean.copy()
    return [kept[rank] for rank in reached]


def means_by_rank(
    magnitude: NDArray[np.float64], present: NDArray[np.bool_]
) -> Iterator[tuple[int, NDArray[np.float64], NDArray[np.int64]]]:
    """Rank (from 1), mean magnitude of the documents present down to it, and their number.

    The same two arrays (Q,) come again with each rank; the mean is NaN where the number is 0.
    """
    total, mean = np.zeros(len(magnitude)), np.full(len(magnitude), np.nan)
    count = np.zeros(len(magnitude), dtype=np.int64)
    # Rank by rank for all queries at once; each query's sum runs down its own list, so that it
    # has the same bits whichever other queries stand beside it.
    for place in range(magnitude.shape[1]):
        counted = present[:, place]
        np.add(total, magnitude[:, place], out=total, where=counted)
        count += counted
        np.divide(total, count, out=mean, where=count > 0)
        yield place + 1, mean, count


def rab(
    female: ArrayLike, male: ArrayLike, cutoff: int, present: ArrayLike | None = None
) -> NDArray[np.float64]:
    """RaB_t = qRaB_t^male - qRaB_t^female: positive leans male, negative leans female.

    `female` and `male` are magnitudes in ranked order, (Q, T) or (T,); `present`, of the same
    shape, is False where no document counts (default: all count). The result is (Q,), or a
    number of no dimension; NaN for a query without any document. A list shorter than `cutoff` is
    averaged over the documents that it has. Rekabsaz & Schedl 2020, equations 2 and 4.

    >>> rab([0, 0, 1], [1, 0, 1], cutoff=2)
    array(0.5)
    """
    f, m, counted, shape = matrices(female, male, cutoff, present)
    (female_side,), (male_side,) = (means_at(side, counted, [cutoff]) for side in (f, m))
    return (male_side - female_side).reshape(shape)


def matrices(
    female: ArrayLike, male: ArrayLike, cutoff: int, present: ArrayLike | None
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_], tuple[int, ...]]:
    """The arguments as (Q, T) matrices, and the shape of the result."""
    if cutoff < 1:
        raise InputError(f"the cut-off is {cutoff}.", remedy="Use 1 or more.")
    f, m = np.asarray(female, dtype=np.float64), np.asarray(male, dtype=np.float64)
    counted = np.ones(f.shape, dtype=bool) if present is None else np.asarray(present, dtype=bool)
    if not f.shape == m.shape == counted.shape or f.ndim not in (1, 2):
        raise InputError(
            f"the shapes {f.shape}, {m.shape}, {counted.shape} do not match.",
            remedy="Give arrays of ranks, or of queries x ranks, of one shape.",
        )
    f, m, counted = (np.atleast_2d(array) for array in (f, m, counted))
    return f, m, counted, np.asarray(female).shape[:-1]


def _compute(inputs: Inputs, cutoffs: Sequence[int], **params: Any) -> list[PerQuery]:
    ranked = inputs.ranked
    sides = {
        side: means_at(ranked.magnitude(params["magnitude"], params[side]), ranked.present, cutoffs)
        for side in ("female", "male")
    }
    return differences(sides)


def differences(sides: Mapping[str, Sequence[NDArray[np.float64]]]) -> list[PerQuery]:
    """Male minus female at each cut-off, with the two sides."""
    return [
        PerQuery(male - female, {"female": female, "male": male})
        for female, male in zip(sides["female"], sides["male"], strict=True)
    ]


RAB = Definition(
    name="RaB",
    summary="Mean magnitude of the first t documents, male minus female.",
    formula="RaB_t = (1/t) sum_{i<=t} mag_m(d_i) - (1/t) sum_{i<=t} mag_f(d_i)",
    citation=CITATION,
    range="unbounded for tf, logtc and tc; [-1, 1] for bool and tfnorm",
    direction="0 is balanced, positive leans male, negative leans female",
    compute=_compute,
    params=TWO_SIDES,
    needs=frozenset({"magnitudes", "two groups"}),
    short_list="The mean runs over the documents that exist.",
)
