"""ExposureRatio: the least exposed group's mean exposure as a share of the most exposed group's."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .alignment import ATTRIBUTES, UNKNOWN_GROUP, align, needs_of
from .base import Definition, Inputs, PerQuery, always
from .discount import exposure


def exposure_ratio(
    weights: NDArray[np.float64], present: NDArray[np.bool_], cutoff: int
) -> NDArray[np.float64]:
    """Least over greatest mean exposure of the groups, for each query (Q,); 1 is fair.

    `weights` (G, Q, T) are the shares of the groups in each ranked document, `present` (Q, T) is
    False where there is no document. A group's mean exposure is that of its documents among the
    first ranks, by 1/log2(rank + 1); a group without any has 0. NaN where no group has any.
    """
    exposed = np.stack([exposure(group, present, cutoff) for group in weights])
    depth = min(cutoff, weights.shape[2])
    number = np.cumsum(np.where(present, weights, 0.0)[:, :, :depth], axis=2)[:, :, -1]
    mean = np.divide(exposed, number, out=np.zeros(exposed.shape), where=number > 0)
    most = mean.max(axis=0)
    ratio: NDArray[np.float64] = np.divide(
        mean.min(axis=0), most, out=np.full(most.shape, np.nan), where=most > 0
    )
    return ratio


def _compute(inputs: Inputs, cutoffs: Sequence[int], **params: Any) -> list[PerQuery]:
    aligned = align(inputs, params)
    return [
        PerQuery(exposure_ratio(aligned.weights, aligned.present, cutoff)) for cutoff in cutoffs
    ]


EXPOSURE_RATIO = Definition(
    name="ExposureRatio",
    position=68,
    summary="Mean exposure of the least exposed group as a share of the most exposed group's.",
    equation="Exposure(G) / Exposure(G'), Exposure(G) = mean over its documents of v_r, "
    "v_r = 1/log2(r+1)",
    formula="ratio_k = min_g E_g / max_g E_g; E_g = sum_{r<=k} a_g(d_r) / log2(r+1) / "
    "sum_{r<=k} a_g(d_r), 0 for a group without documents",
    example="ExposureRatio@4",
    working="(1/log2(3) + 1/4/log2(5)) / 1.25 / ((1 + 3/4/log2(5)) / 1.75)",
    source="[SJ18]; as a ratio of groups: [WWW24]",
    range="[0, 1]",
    direction="1 is fair",
    compute=_compute,
    bounds=always(0.0, 1.0),
    params={"attributes": ATTRIBUTES, "unknown": UNKNOWN_GROUP},
    needs_of=needs_of,
    no_group_words="As `unknown` says; a list of such documents is undefined.",
)
