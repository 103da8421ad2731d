"""Exposure of groups of documents: labels say which group a document belongs to, not its words."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import InputError
from .awrf import alignment, awrf_of, stack
from .base import Definition, Inputs, ParamInfo, PerQuery, document_numbers
from .discount import check_cutoff, exposure
from .target import DISTANCE, TARGET, shares

CITATION = (
    "Amifa Raj and Michael D. Ekstrand. Measuring Fairness in Ranked Results: An Analytical and "
    "Empirical Comparison. SIGIR 2022 (AWRF, and the exposure of a group)."
)


def label_exposure(
    groups: Sequence[ArrayLike], cutoff: int, *, present: ArrayLike | None = None
) -> NDArray[np.float64]:
    """The share of the exposure that each group receives, the groups last: (Q, G) or (G,).

    `groups` holds one array of weights in ranked order per group, each (Q, T) or (T,). A document
    is divided among its groups in proportion to their weights and exposed by 1 / log2(rank + 1);
    one without a group exposes none. NaN for a query whose documents have no group at all.

    >>> label_exposure([[1, 0, 0], [0, 0, 1]], cutoff=3).round(3).tolist()
    [0.667, 0.333]
    """
    check_cutoff(cutoff)
    stacked, counted, shape = stack(groups, present)
    return _shares(alignment(stacked, "zero"), counted, cutoff).reshape(*shape, len(stacked))


def _shares(
    aligned: NDArray[np.float64], present: NDArray[np.bool_], cutoff: int
) -> NDArray[np.float64]:
    exposed = np.stack([exposure(group, present, cutoff) for group in aligned], axis=-1)
    total = exposed.sum(axis=-1, keepdims=True)
    found: NDArray[np.float64] = np.divide(
        exposed, total, out=np.full(exposed.shape, np.nan), where=total > 0
    )
    return found


def _aligned(inputs: Inputs, unlabelled: str) -> NDArray[np.float64]:
    if inputs.labels is None:
        raise InputError("needs labels of documents.", remedy='Give labels="FILE".')
    values, _labelled = document_numbers(inputs.labels, inputs.ranked)
    return alignment(values, unlabelled)


def _compute_share(inputs: Inputs, cutoffs: Sequence[int], *, group: str) -> list[PerQuery]:
    aligned = _aligned(inputs, "zero")
    names = inputs.labels.names if inputs.labels else ()
    if group not in names:
        raise InputError(
            f"LabelExposure: no group {group!r}." if group else "LabelExposure names no group.",
            remedy=f"Write LabelExposure(group=NAME), one of {', '.join(names)}.",
        )
    place = names.index(group)
    present = inputs.ranked.positions >= 0
    return [PerQuery(_shares(aligned, present, cutoff)[:, place]) for cutoff in cutoffs]


def _compute_distance(
    inputs: Inputs, cutoffs: Sequence[int], *, distance: str, target: str, unlabelled: str
) -> list[PerQuery]:
    aligned = _aligned(inputs, unlabelled)
    goal = shares(target, inputs.labels.names if inputs.labels else ())
    present = inputs.ranked.positions >= 0
    return [PerQuery(awrf_of(aligned, present, cutoff, goal, distance)) for cutoff in cutoffs]


LABEL_EXPOSURE = Definition(
    name="LabelExposure",
    order=120,
    summary="Share of the exposure that the documents labelled with a group receive.",
    equation="exposure of a group: sum over its documents of v_r, v_r = 1/log2(r+1), as a "
    "share of that of all groups",
    formula="LabelExposure_k(g) = E_g / sum_h E_h; E_g = sum_{r<=k} a_g(d_r) / log2(r+1); "
    "a_g(d) = weight of g in d / sum of the weights of d",
    example="LabelExposure(group=north)@4",
    working="(1 + 3 / 4 / log2(5)) / (1 + 1 / log2(3) + 1 / log2(5))",
    citation=CITATION,
    range="[0, 1]; the groups add up to 1",
    direction="more is more exposure of the group",
    compute=_compute_share,
    params={"group": ParamInfo(str, "", "The group of the labels; it has to be named.")},
    needs=frozenset({"labels"}),
    empty_list="Undefined, left out and counted; so is a list of documents without labels.",
    no_group_words="Does not matter; a document without a label exposes no group.",
)

LABEL_AWRF = Definition(
    name="LabelAWRF",
    order=130,
    summary="Distance between the exposure of the labelled groups and the target shares.",
    equation="AWRF(L) = Delta(E_L, target), E_L = sum_r v_r a(d_r), normalised, v_r = "
    "1/log2(r+1); a(d) the alignment of a document with the groups",
    formula="LabelAWRF_k = Delta(E / |E|_1, target); E = sum_{r<=k} a(d_r) / log2(r+1); "
    "a_g(d) = weight of g in d / sum of the weights of d",
    example="LabelAWRF@4",
    working=f"2 * abs({LABEL_EXPOSURE.working} - 1 / 2)",
    citation=CITATION,
    range="absolute: [0, 2 (1 - min target)]; tv: half of that; js: [0, 1]; kl: [0, infinity]",
    direction="0 is fair: it is a distance",
    compute=_compute_distance,
    params={
        "distance": DISTANCE,
        "target": TARGET,
        "unlabelled": ParamInfo(
            str,
            "zero",
            "Alignment of a document without a label: none, or equal.",
            ("zero", "uniform"),
        ),
    },
    needs=frozenset({"labels"}),
    short_list="Only the documents that exist give exposure.",
    no_group_words="Does not matter; a document without a label exposes no group "
    "(unlabelled=uniform: all equally), and a list of such documents has distance 0.",
)
