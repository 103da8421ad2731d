"""ARaB: RaB averaged over the ranks 1 to t, so that the top weighs more."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..public import public
from .base import Definition, Inputs, PerQuery, always
from .rab import (
    TWO_SIDES,
    by_blocks,
    matrices,
    per_query,
    quotient,
    running_sum,
    running_sums,
)
from .sides import shown_sides

# Whole numbers below this one are doubles.
_EXACT = 2**53


def arab_at(
    difference: NDArray[Any],
    present: NDArray[np.bool_],
    length: NDArray[np.int64],
    cutoffs: Sequence[int],
) -> list[NDArray[np.float64]]:
    """Mean of RaB over the ranks down to each cut-off that have one: one (Q,) per cut-off.

    A list ends at its `length`: the ranks behind it do not exist. Of whole numbers the result is
    the double nearest to the exact one: the sums have a common denominator and are divided once.
    """
    reached = [min(cutoff, difference.shape[1]) for cutoff in cutoffs]
    return by_blocks(partial(_arab_at, reached), difference, present, length)


def _arab_at(
    reached: Sequence[int],
    difference: NDArray[Any],
    present: NDArray[np.bool_],
    length: NDArray[np.int64],
) -> list[NDArray[np.float64]]:
    deepest = max(reached)
    totals, counts = running_sums(difference[:, :deepest], present[:, :deepest])
    exists = (counts > 0) & (np.arange(deepest + 1) <= length[:, None])
    ranks = running_sum(exists, np.int64)[:, 1:]
    if difference.dtype.kind != "i":
        means = np.where(exists, quotient(totals, counts), 0.0)
        sums = running_sum(means, np.float64)[:, 1:]
        return [quotient(sums[:, rank], ranks[:, rank]) for rank in reached]
    common = math.lcm(*range(1, deepest + 1))
    kind = _kind_of(common * deepest * (1 + int(np.abs(difference).max(initial=0))))
    shares: NDArray[Any] = np.array([0, *(common // n for n in range(1, deepest + 1))], dtype=kind)
    sums = running_sum(np.where(exists, totals * shares[counts], 0), kind)[:, 1:]
    return [quotient(sums[:, rank], ranks[:, rank].astype(kind) * common) for rank in reached]


def _kind_of(greatest: int) -> type:
    """Machine numbers where all that is computed fits, Python's own where it does not."""
    return np.int64 if greatest < _EXACT else object


@public
def arab(
    female: ArrayLike, male: ArrayLike, cutoff: int, present: ArrayLike | None = None
) -> NDArray[np.float64]:
    """ARaB_t = (1/t) sum_{x<=t} RaB_x: positive leans male, negative leans female.

    Arguments and result as for `rab`; the list ends at its last present document. The mean runs
    over the ranks x with at least one document at or above them.
    Rekabsaz & Schedl 2020, equations 4 (qARaB per group, here of the difference of the groups)
    and 5 (ARaB).

    >>> arab([0, 0], [1, 0], cutoff=2)
    array(0.75)
    """
    f, m, counted, shape = matrices(female, male, cutoff, present)
    depth = counted.shape[1]
    backwards = np.argmax(counted[:, ::-1], axis=1) if depth else np.zeros(len(counted), int)
    length = np.where(counted.any(axis=1), depth - backwards, 0)
    return arab_at(m - f, counted, length, [cutoff])[0].reshape(shape)


def _compute(inputs: Inputs, cutoffs: Sequence[int], **params: Any) -> list[PerQuery]:
    ranked = inputs.ranked
    return per_query(
        inputs,
        lambda values: arab_at(values, ranked.present, ranked.length, cutoffs),
        **params,
    )


ARAB = Definition(
    name="ARaB",
    position=20,
    summary="RaB averaged over the ranks 1 to t.",
    equation="qARaB_t^g(q) = (1/t) sum_{x=1..t} qRaB_x^g(q) (4); ARaB_t(q) = qARaB_t^m(q) - "
    "qARaB_t^f(q), ARaB_t = the mean over the queries (5)",
    formula="ARaB_t = (1/t) sum_{x<=t} RaB_x",
    example="ARaB@4",
    working="(ln(3) + (ln(3) - ln(2)) / 2 + (ln(3) - ln(2)) / 3 + (2 * ln(3) - ln(2)) / 4) / 4",
    source="[RS20]",
    range="unbounded for tf, logtc and tc; [-1, 1] for bool and tfnorm",
    direction="0 is balanced, positive leans male, negative leans female",
    compute=_compute,
    bounds=always(None, 0.0),
    params=TWO_SIDES,
    needs=frozenset({"magnitudes", "two groups"}),
    sides=shown_sides,
    short_list="The means run over the documents, and over the ranks, that exist.",
)
