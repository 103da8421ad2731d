"""RaB: the gender bias of the first t documents of a ranking (Rekabsaz & Schedl 2020)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from ..arrays import numbers
from ..errors import InputError
from ..public import public
from ..texts.magnitude import MAGNITUDES, whole_numbers
from .base import Definition, Inputs, ParamInfo, PerQuery, Sides, always
from .discount import check_cutoff
from .sides import named_sides, shown_sides

_QUERIES_AT_ONCE = 1 << 11

TWO_SIDES = {
    "magnitude": ParamInfo(
        str, "tf", "How group words in a document are counted.", tuple(MAGNITUDES)
    ),
    "female": ParamInfo(str, "f", "The group of words of the female side."),
    "male": ParamInfo(str, "m", "The group of words of the male side."),
}


def rab_at(
    difference: NDArray[Any], present: NDArray[np.bool_], cutoffs: Sequence[int]
) -> list[NDArray[np.float64]]:
    """Mean of `difference` (Q, T) over the documents down to each cut-off: one (Q,) per cut-off.

    The sum is divided once: of whole numbers the result is the double nearest to the exact one.
    NaN where there is no document; a list shorter than a cut-off has the value of its last rank.
    """

    def some(difference: NDArray[Any], present: NDArray[np.bool_]) -> list[NDArray[np.float64]]:
        totals, counts = running_sums(difference, present)
        reached = [min(cutoff, difference.shape[1]) for cutoff in cutoffs]
        return [quotient(totals[:, rank], counts[:, rank]) for rank in reached]

    return by_blocks(some, difference, present)


def by_blocks(
    compute: Callable[..., list[NDArray[np.float64]]], *columns: NDArray[Any]
) -> list[NDArray[np.float64]]:
    """The result of `compute` for the rows of `columns`, some at a time.

    Their numbers stay in the processor's cache, and their memory is reused: allocating memory for
    each step would take longer than the step.
    """
    starts = range(0, max(len(columns[0]), 1), _QUERIES_AT_ONCE)
    parts = [
        compute(*(column[start : start + _QUERIES_AT_ONCE] for column in columns))
        for start in starts
    ]
    return parts[0] if len(parts) == 1 else list(map(np.concatenate, zip(*parts, strict=True)))


def running_sums(
    difference: NDArray[Any], present: NDArray[np.bool_]
) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Sums and numbers of the documents present down to each rank, (Q, T + 1) from rank 0 on."""
    counted = difference if present.all() else np.where(present, difference, 0)
    return running_sum(counted, difference.dtype), running_sum(present, np.int64)


def running_sum(values: NDArray[Any], kind: DTypeLike) -> NDArray[Any]:
    """Sums of `values` (Q, T) down to each rank, (Q, T + 1) from rank 0 on, computed as `kind`.

    Each query's sum runs down its own list, so that it has the same bits whichever other queries
    stand beside it.
    """
    n_queries, depth = values.shape
    # The queries' values of one rank stand side by side in memory, and are added at once.
    sums = np.zeros((depth + 1, n_queries), dtype=kind)
    for rank in range(depth):
        np.add(sums[rank], values[:, rank], out=sums[rank + 1])
    return sums.T


def quotient(total: NDArray[Any], count: NDArray[Any]) -> NDArray[np.float64]:
    """`total` / `count`, NaN where `count` is 0; never a zero with a sign."""
    mean: NDArray[np.float64] = np.full(total.shape, np.nan)
    known = (count > 0).astype(bool)
    np.divide(total, count, out=mean, where=known, casting="unsafe")  # Python's numbers too
    return mean + 0.0


@public
def rab(
    female: ArrayLike, male: ArrayLike, cutoff: int, present: ArrayLike | None = None
) -> NDArray[np.float64]:
    """RaB_t = qRaB_t^male - qRaB_t^female: positive leans male, negative leans female.

    `female` and `male` are magnitudes in ranked order, (Q, T) or (T,); `present`, of the same
    shape, is False where no document counts (default: all count). The result is (Q,), or a
    0-d array; NaN for a query without any document. A list shorter than `cutoff` is
    averaged over the documents that it has. Rekabsaz & Schedl 2020, equations 2 (qRaB per group,
    here of the difference of the groups) and 3 (RaB).

    >>> rab([0, 0, 1], [1, 0, 1], cutoff=2)
    array(0.5)
    """
    f, m, counted, shape = matrices(female, male, cutoff, present)
    return rab_at(m - f, counted, [cutoff])[0].reshape(shape)


def matrices(
    female: ArrayLike, male: ArrayLike, cutoff: int, present: ArrayLike | None
) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.bool_], tuple[int, ...]]:
    """The arguments as (Q, T) matrices, and the shape of the result."""
    check_cutoff(cutoff)
    f, m = numbers(female), numbers(male)
    counted = np.ones(f.shape, dtype=bool) if present is None else np.asarray(present, dtype=bool)
    if not f.shape == m.shape == counted.shape or f.ndim not in (1, 2):
        raise InputError(
            f"the shapes {f.shape}, {m.shape}, {counted.shape} do not match.",
            remedy="Give arrays of ranks, or of queries x ranks, of one shape.",
        )
    lowest = min(f.min(initial=0), m.min(initial=0))
    if lowest < 0:
        raise InputError(
            f"a magnitude is {lowest}.",
            remedy="Give counts of words, or what tf makes of them: 0 or more.",
        )
    return np.atleast_2d(f), np.atleast_2d(m), np.atleast_2d(counted), f.shape[:-1]


AtCutoffs = Callable[[NDArray[Any]], Sequence[NDArray[np.float64]]]


def per_query(
    inputs: Inputs, at_cutoffs: AtCutoffs, *, magnitude: str, female: str, male: str
) -> list[PerQuery]:
    """Compute male minus female of a measure at its cut-offs, and the two sides on demand.

    `at_cutoffs` takes the values of the documents (Q, T), of the two groups' difference or of one
    group, and gives the values of the queries at each cut-off.
    """
    names = shown_sides({"female": female, "male": male}, inputs.ranked.groups)
    female, male = named_sides(female, male, inputs.ranked.groups)
    if female == male:
        raise InputError(
            f"both sides are the group {female!r}.", remedy="Name two groups of the word list."
        )

    def of_documents() -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
        f, m = (
            whole_numbers(magnitude, inputs.ranked.magnitude(magnitude, group))
            for group in (female, male)
        )
        return f, m, m - f

    f, m, difference = inputs.kept((magnitude, female, male), of_documents)
    values = at_cutoffs(difference)
    ways = (cache(lambda: at_cutoffs(f)), cache(lambda: at_cutoffs(m)))
    sides = dict(zip(names, ways, strict=True))
    return [
        PerQuery(value, Sides({name: partial(_item, side, i) for name, side in sides.items()}))
        for i, value in enumerate(values)
    ]


def _item(side: Callable[[], Sequence[NDArray[np.float64]]], place: int) -> NDArray[np.float64]:
    return side()[place]


def _compute(inputs: Inputs, cutoffs: Sequence[int], **params: Any) -> list[PerQuery]:
    ranked = inputs.ranked
    return per_query(inputs, lambda values: rab_at(values, ranked.present, cutoffs), **params)


RAB = Definition(
    name="RaB",
    position=10,
    summary="Mean magnitude of the first t documents, male minus female.",
    equation="qRaB_t^g(q) = (1/t) sum_{i=1..t} mag^g(d_i^(q)) (2); RaB_t(q) = qRaB_t^m(q) - "
    "qRaB_t^f(q), RaB_t = the mean over the queries (3)",
    formula="RaB_t = (1/t) sum_{i<=t} (mag_m(d_i) - mag_f(d_i))",
    example="RaB@4",
    working="(ln(3) - ln(2) + 0 + (ln(3) + ln(2) - ln(2))) / 4",
    source="[RS20]",
    range="unbounded for tf, logtc and tc; [-1, 1] for bool and tfnorm",
    direction="0 is balanced, positive leans male, negative leans female",
    compute=_compute,
    bounds=always(None, 0.0),
    params=TWO_SIDES,
    needs=frozenset({"magnitudes", "two groups"}),
    sides=shown_sides,
)
