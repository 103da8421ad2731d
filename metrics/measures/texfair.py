"""TExFAIR and TED: how evenly the terms of the groups are exposed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import InputError
from ..public import public
from ..runs.ranked import Ranked
from .awrf import stack, target_of
from .base import Bounds, Definition, Ends, Inputs, PerQuery
from .discount import check_cutoff, exposure, exposure_shares, without_documents
from .target import TARGET, shares


@public
def ted(
    groups: Sequence[ArrayLike],
    n_tokens: ArrayLike,
    cutoff: int,
    *,
    target: ArrayLike | None = None,
    rbdf: bool = True,
    present: ArrayLike | None = None,
) -> NDArray[np.float64]:
    """Term exposure divergence, a distance: 0 where the exposures are as the target has it.

    `groups` holds one array of counts of group words in ranked order per group, each (Q, T) or
    (T,), and `n_tokens`, of the same shape, the lengths of the documents. The terms of a group
    are exposed by sum_{r<=k} count / length / log2(r + 1); TED is the sum over groups of
    `|share of the exposure - target|`. With `rbdf` it is multiplied with the discounted share of
    the documents that have a group word at all. The result is (Q,), or a 0-d array:
    0 where no group word occurs, NaN for a query without any document.
    Abolghasemi et al. 2024, equations 7-13.

    >>> ted([[1, 0], [0, 0]], n_tokens=[5, 5], cutoff=1)
    array(1.)
    """
    check_cutoff(cutoff)
    stacked, counted, shape = stack(groups, present)
    lengths = np.asarray(n_tokens, dtype=np.float64)
    if lengths.shape != shape + stacked.shape[-1:]:
        raise InputError(
            f"n_tokens has the shape {lengths.shape}, which does not match.",
            remedy="Give the length of each document, an array of the shape of a group's.",
        )
    rates = per_token(stacked, lengths.reshape(counted.shape))
    goal = target_of(target, len(stacked))
    return _ted(rates, counted, cutoff, goal, rbdf=rbdf).reshape(shape)


@public
def texfair(
    groups: Sequence[ArrayLike],
    n_tokens: ArrayLike,
    cutoff: int,
    *,
    target: ArrayLike | None = None,
    rbdf: bool = True,
    present: ArrayLike | None = None,
) -> NDArray[np.float64]:
    """TExFAIR_k = max TED - TED_k: arguments as for `ted`; more is fairer.

    max TED = 2 (1 - the smallest target share), which is 1 for two equal groups.
    Abolghasemi et al. 2024.

    >>> texfair([[1, 0], [0, 1]], n_tokens=[5, 5], cutoff=1)
    array(0.)
    """
    distance = ted(groups, n_tokens, cutoff, target=target, rbdf=rbdf, present=present)
    return np.asarray(greatest_ted(target_of(target, len(groups))) - distance)


def greatest_ted(target: NDArray[np.float64]) -> float:
    """The greatest TED that a ranking can have: all exposure to the group of least share."""
    return float(2.0 * (1.0 - target.min()))


def per_token(counts: NDArray[np.float64], n_tokens: NDArray[np.float64]) -> NDArray[np.float64]:
    """Share of the group words in the tokens of each document (G, Q, T); 0 in an empty one."""
    lengths = np.broadcast_to(n_tokens, counts.shape)
    return np.divide(counts, lengths, out=np.zeros(counts.shape), where=lengths > 0)


def rbdf_of(
    has_group_word: NDArray[np.bool_], present: NDArray[np.bool_], cutoff: int
) -> NDArray[np.float64]:
    """The rank-biased discounting factor (Q,): discounted share of documents with a group word.

    sum of 1/log2(r + 1) over the ranks r <= k whose document has a term of any group, divided by
    the sum over all ranks r <= k. It lets the documents without such terms count.
    """
    total = exposure(np.ones(present.shape), present, cutoff)
    return np.divide(
        exposure(has_group_word.astype(np.float64), present, cutoff),
        total,
        out=np.zeros(total.shape),
        where=total > 0,
    )


def _ted(
    rates: NDArray[np.float64],
    present: NDArray[np.bool_],
    cutoff: int,
    target: NDArray[np.float64],
    *,
    rbdf: bool,
) -> NDArray[np.float64]:
    exposures = exposure_shares(rates, present, cutoff)
    value = np.where(exposures.any(axis=-1), np.abs(exposures - target).sum(axis=-1), 0.0)
    if rbdf:
        value *= rbdf_of(rates.sum(axis=0) > 0, present, cutoff)
    return np.where(without_documents(present, cutoff), np.nan, value)


def _ted_of(
    ranked: Ranked, cutoffs: Sequence[int], target: NDArray[np.float64], *, rbdf: bool
) -> list[NDArray[np.float64]]:
    counts = np.stack([ranked.tc[group].astype(np.float64) for group in ranked.groups])
    rates = per_token(counts, ranked.n_tokens.astype(np.float64))
    return [_ted(rates, ranked.present, cutoff, target, rbdf=rbdf) for cutoff in cutoffs]


def _computing(*, fairness: bool, rbdf: bool) -> Callable[..., list[PerQuery]]:
    def compute(inputs: Inputs, cutoffs: Sequence[int], **params: Any) -> list[PerQuery]:
        goal = shares(params["target"], inputs.ranked.groups)
        distances = _ted_of(inputs.ranked, cutoffs, goal, rbdf=rbdf)
        greatest = greatest_ted(goal)
        return [PerQuery(greatest - d if fairness else d) for d in distances]

    return compute


def _bounding(*, fairness: bool) -> Bounds:
    def bounds(inputs: Inputs, cutoffs: Sequence[int], params: Mapping[str, Any]) -> list[Ends]:
        greatest = greatest_ted(shares(params["target"], inputs.ranked.groups))
        return [(0.0, greatest) if fairness else (greatest, 0.0)] * len(cutoffs)

    return bounds


_TE = (
    "p_g = TE_g / sum_h TE_h; TE_g = sum_{r<=k} (occurrences of terms of g in d_r / |d_r|) / "
    "log2(r+1)"
)
_RBDF = "RBDF = sum_{r<=k: d_r has a group term} 1/log2(r+1) / sum_{r<=k} 1/log2(r+1)"
_TED_NO_GROUP_WORDS = "The document exposes nothing; a list of such documents has TED 0."
_TEXFAIR_NO_GROUP_WORDS = (
    "The document exposes nothing; a list of such documents has TED 0, so TExFAIR is greatest."
)
# The worked example: what exposes the terms of the two groups, and what is made of it.
_FEMALE, _MALE = "(1/2/log2(3) + 1/5/log2(5))", "(2/5 + 3/5/log2(5))"
_TED_WORKING = f"2 * abs({_FEMALE} / ({_FEMALE} + {_MALE}) - 1/2)"
_RBDF_WORKING = "(1 + 1/log2(3) + 1/log2(5)) / (1 + 1/log2(3) + 1/2 + 1/log2(5))"

TED = Definition(
    name="TED",
    position=70,
    summary="Distance of the groups' term exposures from the target, weighted by how many "
    "documents have group words.",
    equation="TE@k(t, q) = sum_{r=1..k} tf(t, d_r)/|d_r| * 1/log2(r+1); p(G) = sum_{t in G} "
    "TE@k(t) / sum_x sum_{t in G_x} TE@k(t); TED = sum_x |p(G_x) - target_x|; with "
    "proportionality TED * RBDF (7-13)",
    formula=f"TED_k = RBDF * sum_g |p_g - target_g|; {_TE}; {_RBDF}",
    example="TED@4",
    working=f"{_RBDF_WORKING} * {_TED_WORKING}",
    source="[AAA24]",
    range="[0, 2 (1 - min target)], [0, 1] for two equal groups",
    direction="0 is fair: it is a distance",
    compute=_computing(fairness=False, rbdf=True),
    bounds=_bounding(fairness=False),
    params={"target": TARGET},
    no_group_words=_TED_NO_GROUP_WORDS,
)

TED_NO_RBDF = Definition(
    name="TED-noRBDF",
    position=80,
    summary="Distance of the groups' term exposures from the target.",
    equation="TED = sum_x |p(G_x) - target_x|, p as for TED (7-13)",
    formula=f"TED_k = sum_g |p_g - target_g|; {_TE}",
    example="TED-noRBDF@4",
    working=_TED_WORKING,
    source="[AAA24]",
    range="[0, 2 (1 - min target)], [0, 1] for two equal groups",
    direction="0 is fair: it is a distance",
    compute=_computing(fairness=False, rbdf=False),
    bounds=_bounding(fairness=False),
    params={"target": TARGET},
    no_group_words=_TED_NO_GROUP_WORDS,
)

TEXFAIR = Definition(
    name="TExFAIR",
    position=90,
    summary="Evenness of the groups' term exposures: greatest TED minus TED.",
    equation="TExFAIR = max(TED) - TED * RBDF, TED as above (7-13)",
    formula=f"TExFAIR_k = 2 (1 - min_g target_g) - RBDF * sum_g |p_g - target_g|; {_TE}; {_RBDF}",
    example="TExFAIR@4",
    working=f"1 - {_RBDF_WORKING} * {_TED_WORKING}",
    source="[AAA24]",
    range="[0, 2 (1 - min target)], [0, 1] for two equal groups",
    direction="more is fairer",
    compute=_computing(fairness=True, rbdf=True),
    bounds=_bounding(fairness=True),
    params={"target": TARGET},
    no_group_words=_TEXFAIR_NO_GROUP_WORDS,
)

TEXFAIR_NO_RBDF = Definition(
    name="TExFAIR-noRBDF",
    position=100,
    summary="TExFAIR without regard to how many documents have group words.",
    equation="TExFAIR = max(TED) - TED, TED without RBDF as above (7-13)",
    formula=f"TExFAIR_k = 2 (1 - min_g target_g) - sum_g |p_g - target_g|; {_TE}",
    example="TExFAIR-noRBDF@4",
    working=f"1 - {_TED_WORKING}",
    source="[AAA24]",
    range="[0, 2 (1 - min target)], [0, 1] for two equal groups",
    direction="more is fairer",
    compute=_computing(fairness=True, rbdf=False),
    bounds=_bounding(fairness=True),
    params={"target": TARGET},
    no_group_words=_TEXFAIR_NO_GROUP_WORDS,
)
