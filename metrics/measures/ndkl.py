"""NDKL: divergence of the groups' shares among the first ranks from the target, over all ranks."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .alignment import (
    LEFT_OUT,
    TARGETED,
    UNKNOWN_RULE,
    against_target,
    align,
    mean_over_queries,
    needs_of,
)
from .base import Definition, Ends, Inputs, ParamInfo, PerQuery
from .discount import discounts, exposure

COUNTED = "counted"


def ndkl(
    weights: NDArray[np.float64],
    target: NDArray[np.float64],
    present: NDArray[np.bool_],
    cutoff: int,
    *,
    before: str = LEFT_OUT,
) -> NDArray[np.float64]:
    """Normalised discounted cumulative KL divergence of each query (Q,), in nats; 0 is fair.

    `weights` (G, Q, T) are the shares of the groups in each ranked document, `target` (Q, G) or
    (G,) the shares that they should have, `present` (Q, T) is False where there is no document.
    Infinite where a group is shown that the target excludes; NaN where no document up to the
    cut-off has a group, and without a target. A group that is not shown yet adds nothing. Ranks
    `before` the first document with a group are left out of the sum and of what it is divided by,
    or counted as ranks without a divergence, as in the equation.
    """
    depth = min(cutoff, weights.shape[2])
    so_far = np.cumsum(np.where(present, weights, 0.0)[:, :, :depth], axis=2)
    total = so_far.sum(axis=0)
    exposures = np.divide(so_far, total, out=np.zeros(so_far.shape), where=total > 0)
    goal = np.broadcast_to(target, (weights.shape[1], len(weights))).T[:, :, None]
    ratio = np.divide(exposures, goal, out=np.full(exposures.shape, np.inf), where=goal > 0)
    with np.errstate(divide="ignore"):
        logarithms = np.log(ratio, out=np.zeros(ratio.shape), where=exposures > 0)
    divergence = np.where(exposures > 0, exposures * logarithms, 0.0).sum(axis=0)
    has_group = total > 0
    if before != LEFT_OUT:
        has_group = np.broadcast_to(has_group.any(axis=1, keepdims=True), has_group.shape)
    counts = present[:, :depth] & has_group
    value = exposure(np.maximum(divergence, 0.0), counts, cutoff)
    norm = exposure(np.ones(counts.shape), counts, cutoff)
    value = np.divide(value, norm, out=np.full(value.shape, np.nan), where=norm > 0)
    return np.where(np.isnan(goal[:, :, 0]).any(axis=0), np.nan, value)


def _compute(inputs: Inputs, cutoffs: Sequence[int], **params: Any) -> list[PerQuery]:
    measure = partial(ndkl, before=params["before"])
    return against_target(inputs, cutoffs, params, measure, fair=0.0, weights=discounts)


def _bounds(inputs: Inputs, cutoffs: Sequence[int], params: Mapping[str, Any]) -> list[Ends]:
    """The worst ranking shows one group alone, that of the smallest share in the target."""
    least = align(inputs, params).target.min(axis=1)
    with np.errstate(divide="ignore"):
        return [(mean_over_queries(-np.log(least)), 0.0)] * len(cutoffs)


NDKL = Definition(
    name="NDKL",
    position=67,
    summary="Divergence of the groups' shares in the first i ranks from the target, over all i.",
    equation="NDKL = (1/Z) sum_i (1/log2(i+1)) d_KL(D_i || D_r), Z = sum_i 1/log2(i+1)",
    formula="NDKL_k = sum_{i<=k} KL(D_i || target) / log2(i+1) / sum_{i<=k} 1/log2(i+1) in nats; "
    "D_i = mean of a(d_r) over r <= i",
    example="NDKL@4",
    working="(ln(2) + (5/12 * ln(5/6) + 7/12 * ln(7/6)) / log2(5)) "
    "/ (1 + 1/log2(3) + 1/2 + 1/log2(5))",
    source="[GAK19]",
    range="[0, ln(1 / smallest target share)], infinity where a group without a target is shown",
    direction="0 is fair: it is a distance",
    compute=_compute,
    bounds=_bounds,
    params={
        **TARGETED,
        "unknown": UNKNOWN_RULE,
        "before": ParamInfo(
            str,
            LEFT_OUT,
            "Ranks before the first document with a group: left out, so that a list whose only "
            "such document is far down has the worst value; or counted, without a divergence.",
            (LEFT_OUT, COUNTED),
        ),
    },
    needs_of=needs_of,
    empty_list="Undefined; so is a query without a target.",
    no_group_words="As `unknown` says, and `before` of those before the first with any; a list of "
    "them alone is undefined, with unknown=discount 0.",
)
