"""Exposure of groups of documents: labels say which group a document belongs to, not its words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import InputError
from ..public import public
from ..texts.document_numbers import attribute_columns
from .awrf import alignment, awrf_of, stack
from .base import Definition, Ends, Inputs, ParamInfo, PerQuery, document_numbers
from .discount import check_cutoff, discounts, exposure_shares, plain
from .target import DISTANCE, TARGET, shares, worst

_Weights = Callable[[int], NDArray[np.float64]]
_GROUP = ParamInfo(str, "", "The group of the labels; without one every group, in rows of its own.")


@public
def label_exposure(
    groups: Sequence[ArrayLike], cutoff: int, *, present: ArrayLike | None = None
) -> NDArray[np.float64]:
    """The share of the exposure that each group receives, the groups last: (Q, G) or (G,).

    `groups` holds one array of weights in ranked order per group, each (Q, T) or (T,). A document
    is divided among its groups in proportion to their weights and exposed by 1/log2(rank + 1);
    one without a group exposes none. NaN for a query whose documents have no group at all.

    >>> label_exposure([[1, 0, 0], [0, 0, 1]], cutoff=3).round(3).tolist()
    [0.667, 0.333]
    """
    check_cutoff(cutoff)
    stacked, counted, shape = stack(groups, present)
    return _shares(alignment(stacked, "zero"), counted, cutoff).reshape(*shape, len(stacked))


def _shares(
    aligned: NDArray[np.float64],
    present: NDArray[np.bool_],
    cutoff: int,
    weights: _Weights = discounts,
) -> NDArray[np.float64]:
    exposures = exposure_shares(aligned, present, cutoff, weights)
    return np.where(exposures.any(axis=-1, keepdims=True), exposures, np.nan)


def _aligned(inputs: Inputs, unlabelled: str, attribute: str) -> NDArray[np.float64]:
    """The groups of one attribute in each document; those of others have no part in it."""
    if inputs.labels is None:
        raise InputError("needs labels of documents.", remedy='Give labels="FILE".')
    values, _labelled = document_numbers(inputs.labels, inputs.ranked)
    columns = attribute_columns(inputs.labels.names).get(attribute, [])
    others = np.setdiff1d(np.arange(len(values)), columns)
    values[others] = 0.0
    return alignment(values, unlabelled)


def _compute_share(
    inputs: Inputs, cutoffs: Sequence[int], *, group: str, name: str, weights: _Weights
) -> list[PerQuery]:
    names = inputs.labels.names if inputs.labels else ()
    aligned = _aligned(inputs, "zero", group.rpartition(":")[0])
    if group not in names:
        raise InputError(
            f"{name}: no group {group!r}." if group else f"{name} names no group.",
            remedy=f"Write {name}(group=NAME), one of {', '.join(names)}.",
        )
    place = names.index(group)
    present = inputs.ranked.positions >= 0
    return [PerQuery(_shares(aligned, present, cutoff, weights)[:, place]) for cutoff in cutoffs]


def _compute_distance(
    inputs: Inputs, cutoffs: Sequence[int], *, distance: str, target: str, unlabelled: str
) -> list[PerQuery]:
    names = inputs.labels.names if inputs.labels else ()
    attributes = attribute_columns(names)
    if len(attributes) > 1:
        raise InputError(
            f"LabelAWRF is of one attribute, and the labels have {', '.join(attributes)}.",
            remedy="Use AWRF-TREC(attributes=NAME), of one of them or several joined by +.",
        )
    aligned = _aligned(inputs, unlabelled, next(iter(attributes), ""))
    goal = shares(target, names)
    present = inputs.ranked.positions >= 0
    return [PerQuery(awrf_of(aligned, present, cutoff, goal, distance)) for cutoff in cutoffs]


def _bounds(inputs: Inputs, cutoffs: Sequence[int], params: Mapping[str, Any]) -> list[Ends]:
    names = inputs.labels.names if inputs.labels else ()
    return [(worst(params["distance"], shares(params["target"], names)), 0.0)] * len(cutoffs)


LABEL_EXPOSURE = Definition(
    name="LabelExposure",
    position=120,
    summary="Share of the exposure that the documents labelled with a group receive.",
    equation="exposure of a group: sum over its documents of v_r, v_r = 1/log2(r+1), as a "
    "share of that of all groups",
    formula="LabelExposure_k(g) = E_g / sum_h E_h; E_g = sum_{r<=k} a_g(d_r) / log2(r+1); "
    "a_g(d) = weight of g in d / sum of the weights of d",
    example="LabelExposure(group=north)@4",
    working="(1 + 3/4/log2(5)) / (1 + 1/log2(3) + 1/log2(5))",
    source="[RE22]",
    range="[0, 1]; the groups add up to 1",
    direction="more is more exposure of the group",
    compute=partial(_compute_share, name="LabelExposure", weights=discounts),
    params={"group": _GROUP},
    needs=frozenset({"labels"}),
    empty_list="Undefined; so is a list of documents without labels.",
    no_group_words="A document without a label exposes no group.",
)

LABEL_SHARE = Definition(
    name="LabelShare",
    position=125,
    summary="Share of the documents that are labelled with a group, at whatever rank.",
    equation="share of a group: its documents among the first k that have a label, a document of "
    "several groups divided among them; the plain counterpart of LabelExposure",
    formula="LabelShare_k(g) = sum_{r<=k} a_g(d_r) / sum_{r<=k} sum_h a_h(d_r); "
    "a_g(d) = weight of g in d / sum of the weights of d",
    example="LabelShare(group=north)@4",
    working="(1 + 3/4) / 3",
    source="ours",
    range="[0, 1]; the groups add up to 1",
    direction="more is more documents of the group",
    compute=partial(_compute_share, name="LabelShare", weights=plain),
    params={"group": _GROUP},
    needs=frozenset({"labels"}),
    empty_list="Undefined; so is a list of documents without labels.",
    no_group_words="A document without a label is not counted.",
)

LABEL_AWRF = Definition(
    name="LabelAWRF",
    position=130,
    summary="Distance between the exposure of the labelled groups and the target shares.",
    equation="AWRF(L) = Delta(E_L, target), E_L = sum_r v_r a(d_r), normalised, v_r = "
    "1/log2(r+1); a(d) the alignment of a document with the groups",
    formula="LabelAWRF_k = Delta(E / |E|_1, target); E = sum_{r<=k} a(d_r) / log2(r+1); "
    "a_g(d) = weight of g in d / sum of the weights of d",
    example="LabelAWRF@4",
    working=f"2 * abs({LABEL_EXPOSURE.working} - 1/2)",
    source="[RE22]",
    range="absolute: [0, 2 (1 - min target)]; tv: half of that; js: [0, 1]; kl: [0, infinity]",
    direction="0 is fair: it is a distance",
    compute=_compute_distance,
    bounds=_bounds,
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
    no_group_words="A document without a label exposes no group (unlabelled=uniform: all "
    "equally); a list of such documents has distance 0.",
)
