"""AWRF-TREC: attention-weighted rank fairness as TREC's fair ranking tracks compute it."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .alignment import (
    TARGETED,
    UNKNOWN_RULE,
    against_target,
    align,
    mean_over_queries,
    needs_of,
)
from .base import Definition, Ends, Inputs, PerQuery
from .discount import exposure_shares, trec_discounts, without_documents
from .target import DISTANCES


def awrf_trec(
    weights: NDArray[np.float64],
    target: NDArray[np.float64],
    present: NDArray[np.bool_],
    cutoff: int,
) -> NDArray[np.float64]:
    """1 - JS(shown, target)^2 for each query (Q,), in [1 - ln 2, 1]; 1 is fair.

    `weights` (G, Q, T) are the shares of the groups in each ranked document, `target` (Q, G) or
    (G,) the shares that they should have, `present` (Q, T) is False where there is no document.
    The exposures are the mean of the documents by 1/log2(max(rank, 2)); JS^2 is the Jensen-Shannon
    divergence in nats. NaN where no document up to the cut-off has a group, or without a target.
    """
    exposures = exposure_shares(weights, present, cutoff, trec_discounts)
    value = 1.0 - math.log(2) * DISTANCES["js"](exposures, target)
    undefined = ~exposures.any(axis=-1) | np.isnan(target).any(axis=-1)
    return np.where(undefined | without_documents(present, cutoff), np.nan, value)


def _compute(inputs: Inputs, cutoffs: Sequence[int], **params: Any) -> list[PerQuery]:
    return against_target(inputs, cutoffs, params, awrf_trec, fair=1.0, weights=trec_discounts)


def _bounds(inputs: Inputs, cutoffs: Sequence[int], params: Mapping[str, Any]) -> list[Ends]:
    """The worst ranking shows one group alone, that of the smallest share in the target."""
    target = align(inputs, params).target
    all_to_one = np.broadcast_to(np.eye(target.shape[1])[:, None], (target.shape[1], *target.shape))
    values = 1.0 - math.log(2) * DISTANCES["js"](
        all_to_one, np.broadcast_to(target, all_to_one.shape)
    )
    worst = np.where(np.isnan(target).any(axis=-1), np.nan, values.min(axis=0))
    return [(mean_over_queries(worst), 1.0)] * len(cutoffs)


AWRF_TREC = Definition(
    name="AWRF-TREC",
    position=62,
    summary="Closeness of the attention that the groups receive to the target, as TREC has it.",
    equation="AWRF(L) = 1 - Delta(d_L, target), d_L = sum_r a(d_r) / log2(max(r, 2)), normalised, "
    "Delta the Jensen-Shannon divergence",
    formula="AWRF_k = 1 - JS(E / |E|_1, target)^2 in nats; E = sum_{r<=k} a(d_r) / log2(max(r, 2))",
    example="AWRF-TREC@4",
    working="1 - (0.45 * ln(0.45 / 0.475) + 0.55 * ln(0.55 / 0.525) + 0.5 * ln(0.5 / 0.475) "
    "+ 0.5 * ln(0.5 / 0.525)) / 2",
    source="[EMRJ22]; the measure: [SZR19]",
    range="[1 - ln 2, 1] = [0.307, 1]",
    direction="more is fairer",
    compute=_compute,
    bounds=_bounds,
    params={
        **TARGETED,
        "unknown": UNKNOWN_RULE,
    },
    needs_of=needs_of,
    empty_list="Undefined; so is a query without a target (target=relevant without relevant "
    "documents).",
    no_group_words="As `unknown` says; a list of such documents is undefined, with "
    "unknown=discount 1.",
)
