"""AWRF: distance between the attention that the groups receive and their target."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arrays import floats
from ..errors import InputError, InputTypeError
from ..public import public
from ..texts.magnitude import MAGNITUDES
from .base import Definition, Ends, Inputs, ParamInfo, PerQuery
from .discount import check_cutoff, exposure_shares, without_documents
from .target import DISTANCE, DISTANCES, TARGET, shares, worst


def stack(
    groups: Sequence[ArrayLike], present: ArrayLike | None
) -> tuple[NDArray[np.float64], NDArray[np.bool_], tuple[int, ...]]:
    """One array per group as (G, Q, T), the mask as (Q, T), and the shape of the result."""
    if isinstance(groups, str | Mapping) or not isinstance(groups, Iterable):
        raise InputTypeError(
            f"the groups are {type(groups).__name__}.",
            remedy="Give one array of magnitudes for each group.",
        )
    try:
        stacked = np.stack([floats(group) for group in groups])
    except ValueError as error:
        raise InputError(
            f"the arrays of the groups do not match ({error}).",
            remedy="Give one array of magnitudes for each group, all of one shape.",
        ) from error
    shape = stacked.shape[1:]
    counted = np.ones(shape, dtype=bool) if present is None else np.asarray(present, dtype=bool)
    if counted.shape != shape or len(shape) not in (1, 2):
        raise InputError(
            f"the shapes {shape} and {counted.shape} do not match.",
            remedy="Give arrays of ranks, or of queries x ranks, of one shape.",
        )
    depth = shape[-1]
    return stacked.reshape(len(stacked), -1, depth), counted.reshape(-1, depth), shape[:-1]


def target_of(target: ArrayLike | None, n_groups: int) -> NDArray[np.float64]:
    """The target as an array (G,); None is an equal share for each group."""
    values = floats([1 / n_groups] * n_groups if target is None else target)
    if values.shape != (n_groups,) or (values < 0).any() or not np.isclose(values.sum(), 1):
        raise InputError(
            f"the target {values} is not one share for each of {n_groups} groups.",
            remedy=f"Give shares that sum to 1: target={[round(1 / n_groups, 3)] * n_groups}.",
        )
    return values


@public
def awrf(
    groups: Sequence[ArrayLike],
    cutoff: int,
    *,
    target: ArrayLike | None = None,
    distance: str = "absolute",
    unaligned: str = "zero",
    present: ArrayLike | None = None,
) -> NDArray[np.float64]:
    """Attention-weighted rank fairness, as a distance: 0 is fair.

    `groups` holds one array of magnitudes in ranked order per group, each (Q, T) or (T,).
    A document is aligned with the groups in proportion to its magnitudes; without group words it
    has no alignment, or an equal one with `unaligned="uniform"`. Alignments are summed with the
    discount 1/log2(rank + 1), normalised, and compared with `target` (G,; default: equal
    shares). `distance`: `absolute` = sum over groups of `|difference|`, `tv` = half of that, `js` =
    Jensen-Shannon divergence and `kl` = Kullback-Leibler divergence from the target, in bits.
    The result is (Q,), or a 0-d array; 0 where no document is aligned, NaN for a
    query without any document. Raj & Ekstrand 2022; Abolghasemi et al. 2024, equations 4-6.

    >>> awrf([[1, 0], [1, 0]], cutoff=2)
    array(0.)
    """
    check_cutoff(cutoff)
    if distance not in DISTANCES:
        raise InputError(f"no distance {distance!r}.", remedy=f"Use {', '.join(DISTANCES)}.")
    stacked, counted, shape = stack(groups, present)
    goal = target_of(target, len(stacked))
    return awrf_of(alignment(stacked, unaligned), counted, cutoff, goal, distance).reshape(shape)


def alignment(magnitudes: NDArray[np.float64], unaligned: str) -> NDArray[np.float64]:
    """Share of each group in each document, (G, Q, T) to (G, Q, T)."""
    total = np.broadcast_to(magnitudes.sum(axis=0), magnitudes.shape)
    filler = 1.0 / len(magnitudes) if unaligned == "uniform" else 0.0
    aligned: NDArray[np.float64] = np.divide(
        magnitudes, total, out=np.full(magnitudes.shape, filler), where=total > 0
    )
    return aligned


def awrf_of(
    aligned: NDArray[np.float64],
    present: NDArray[np.bool_],
    cutoff: int,
    target: NDArray[np.float64],
    distance: str,
) -> NDArray[np.float64]:
    """AWRF of documents that have been aligned, (G, Q, T) to (Q,)."""
    exposures = exposure_shares(aligned, present, cutoff)
    value = np.where(exposures.any(axis=-1), DISTANCES[distance](exposures, target), 0.0)
    return np.where(without_documents(present, cutoff), np.nan, value)


def _compute(inputs: Inputs, cutoffs: Sequence[int], **params: Any) -> list[PerQuery]:
    ranked = inputs.ranked
    magnitudes = np.stack([ranked.magnitude(params["magnitude"], g) for g in ranked.groups])
    aligned = alignment(magnitudes, params["unaligned"])
    target = shares(params["target"], ranked.groups)
    return [
        PerQuery(awrf_of(aligned, ranked.present, cutoff, target, params["distance"]))
        for cutoff in cutoffs
    ]


def _bounds(inputs: Inputs, cutoffs: Sequence[int], params: Mapping[str, Any]) -> list[Ends]:
    target = shares(params["target"], inputs.ranked.groups)
    return [(worst(params["distance"], target), 0.0)] * len(cutoffs)


AWRF = Definition(
    name="AWRF",
    position=60,
    summary="Distance between the attention that the groups receive and the target shares.",
    equation="AWRF(L) = Delta(E_L, target), E_L = sum_r v_r a(d_r), normalised by its L1 norm, "
    "v_r = 1/log2(r+1) ([AAA24], 4-6)",
    formula="AWRF_k = Delta(E / |E|_1, target); E = sum_{r<=k} a(d_r) / log2(r+1); "
    "a_g(d) = mag_g(d) / sum_h mag_h(d)",
    example="AWRF@4",
    working="2 * abs((1/log2(3) + 1/4/log2(5)) / (1 + 1/log2(3) + 1/log2(5)) - 1/2)",
    source="[RE22]; on terms: [AAA24]",
    range="absolute: [0, 2 (1 - min target)]; tv: half of that; js: [0, 1]; kl: [0, infinity], "
    "[0, 1] for two equal groups",
    direction="0 is fair: it is a distance",
    compute=_compute,
    bounds=_bounds,
    params={
        "magnitude": ParamInfo(
            str, "tc", "What aligns a document with the groups.", tuple(MAGNITUDES)
        ),
        "distance": DISTANCE,
        "target": TARGET,
        "unaligned": ParamInfo(
            str,
            "zero",
            "Alignment of a document without group words: none, or equal.",
            ("zero", "uniform"),
        ),
    },
    no_group_words="The document gives its attention to no group (unaligned=uniform: to all "
    "equally); a list of such documents has distance 0.",
)
