"""EE-L, EE-D and EE-R: expected exposure of groups, as TREC's fair ranking tracks compute it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from .alignment import (
    TARGETED,
    UNKNOWN_GROUP,
    align,
    mean_over_queries,
    needs_of,
)
from .base import Bounds, Definition, Ends, Inputs, Need, PerQuery
from .discount import exposure, trec_discounts

_OfExposures = Callable[[NDArray[np.float64], NDArray[np.float64]], NDArray[np.float64]]
_Worst = Callable[..., NDArray[np.float64]]


def expected_exposure(
    weights: NDArray[np.float64], counted: NDArray[np.bool_], cutoff: int
) -> NDArray[np.float64]:
    """Exposure of each group (Q, G) by the documents that count, not normalised.

    `weights` (G, Q, T) are the shares of the groups in each ranked document, `counted` (Q, T) is
    True at a relevant document. Zero where no relevant document is ranked.
    """
    return np.stack(
        [exposure(group, counted, cutoff, trec_discounts) for group in weights], axis=-1
    )


def target_exposure(target: NDArray[np.float64], cutoff: int) -> NDArray[np.float64]:
    """The exposure that each group should have: its share of that of all ranks (Q, G)."""
    target_shares: NDArray[np.float64] = target * np.cumsum(trec_discounts(cutoff))[-1]
    return target_shares


def _loss(exposed: NDArray[np.float64], target: NDArray[np.float64]) -> NDArray[np.float64]:
    return _dot(exposed - target, exposed - target)


def _disparity(exposed: NDArray[np.float64], _wanted: object) -> NDArray[np.float64]:
    return _dot(exposed, exposed)


def _dot(first: NDArray[np.float64], second: NDArray[np.float64]) -> NDArray[np.float64]:
    """Group after group, so that a query's value does not depend on the queries beside it."""
    total: NDArray[np.float64] = np.cumsum(first * second, axis=-1)[:, -1]
    return total


def relevant_ranks(inputs: Inputs, relevant: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Ranks with a relevant document (Q, T), and queries with judgements (Q,)."""
    if not inputs.qrels:
        raise InputError("expected exposure needs judgements.", remedy='Give qrels="FILE".')
    ranked = inputs.ranked
    listed = ranked.positions >= 0
    docnos = iter(ranked.run.docnos.take(ranked.positions[listed]).tolist())
    is_relevant = np.zeros(listed.shape, dtype=bool)
    is_relevant[listed] = [
        grades.get(docno, 0) >= relevant
        for qid, n in zip(ranked.qids, listed.sum(axis=1).tolist(), strict=True)
        for grades in (inputs.qrels.get(qid, {}),)
        for docno in islice(docnos, n)
    ]
    return is_relevant, np.array([bool(inputs.qrels.get(qid)) for qid in ranked.qids])


def _computing(of_exposures: _OfExposures) -> Callable[..., list[PerQuery]]:
    def compute(inputs: Inputs, cutoffs: Sequence[int], **params: Any) -> list[PerQuery]:
        aligned = align(inputs, params)
        is_relevant, judged = relevant_ranks(inputs, params["relevant"])
        results = []
        for cutoff in cutoffs:
            exposed = expected_exposure(aligned.weights, is_relevant & aligned.present, cutoff)
            value = of_exposures(exposed, target_exposure(aligned.target, cutoff))
            results.append(PerQuery(np.where(judged, value, np.nan)))
        return results

    return compute


def _needs(params: Mapping[str, Any]) -> frozenset[Need]:
    return needs_of(params) | {"qrels"}


def _bounds_of(of_exposures: _OfExposures, worst: _Worst, ideal: float | None) -> Bounds:
    """From the exposures at the ends of what is possible: none, or all to one group."""

    def at(target: NDArray[np.float64], cutoff: int) -> Ends:
        ideal_exposure = target_exposure(target, cutoff)
        whole = float(trec_discounts(cutoff).sum())
        ends = [np.zeros(ideal_exposure.shape)]
        ends += [
            np.broadcast_to(exposure, ideal_exposure.shape)
            for exposure in whole * np.eye(target.shape[1])
        ]
        values = np.stack([of_exposures(end, ideal_exposure) for end in ends])
        return mean_over_queries(worst(values, axis=0)), ideal

    def bounds(inputs: Inputs, cutoffs: Sequence[int], params: Mapping[str, Any]) -> list[Ends]:
        target = align(inputs, params).target
        return [at(target, cutoff) for cutoff in cutoffs]

    return bounds


def _definition(
    name: str, of_exposures: _OfExposures, worst: _Worst, ideal: float | None, **described: Any
) -> Definition:
    return Definition(
        name=name,
        example=f"{name}@4",
        source="[DME20]; of groups, with the discount of [EMRJ22]",
        compute=_computing(of_exposures),
        bounds=_bounds_of(of_exposures, worst, ideal),
        params={
            **TARGETED,
            "unknown": replace(UNKNOWN_GROUP, is_named=True),
        },
        needs=frozenset({"magnitudes", "qrels"}),
        needs_of=_needs,
        short_list="Missing ranks expose nothing; the target is that of k ranks.",
        empty_list="Zero exposure for a judged query; undefined for one without judgements.",
        no_group_words="As `unknown` says: they expose no group, or one with the target 0.",
        **described,
    )


_EXPOSURE = (
    "e_g = sum_{r<=k: d_r relevant} a_g(d_r) / log2(max(r, 2)); "
    "e*_g = target_g * sum_{r<=k} 1/log2(max(r, 2))"
)
_ALL = "(2 + 1/log2(3) + 1/2)"

EE_L = _definition(
    "EE-L",
    _loss,
    np.max,
    0.0,
    position=64,
    summary="Expected exposure loss: squared distance of the groups' exposure from the target.",
    equation="EE-L = ||e - e*||^2 = EE-D - 2 EE-R + ||e*||^2",
    formula=f"EE-L_k = sum_g (e_g - e*_g)^2; {_EXPOSURE}",
    working=f"(1.125 - {_ALL}/2)**2 + (0.375 - {_ALL}/2)**2",
    range="[0, infinity), it grows with the cut-off",
    direction="0 is fair: it is a distance",
)

EE_D = _definition(
    "EE-D",
    _disparity,
    np.max,
    None,
    position=65,
    summary="Expected exposure disparity: squared exposure of the groups, summed.",
    equation="EE-D = ||e||^2",
    formula=f"EE-D_k = sum_g e_g^2; {_EXPOSURE}",
    working="1.125**2 + 0.375**2",
    range="[0, infinity), it grows with the cut-off",
    direction="less is more even, and 0 is no exposure of relevant documents at all",
)

EE_R = _definition(
    "EE-R",
    _dot,
    np.min,
    None,
    position=66,
    summary="Expected exposure relevance: agreement of the groups' exposure with the target.",
    equation="EE-R = e . e*",
    formula=f"EE-R_k = sum_g e_g e*_g; {_EXPOSURE}",
    working=f"1.5 * {_ALL}/2",
    range="[0, infinity), it grows with the cut-off",
    direction="more is more exposure where the target has it",
)
