"""FaiRR: attention of a ranking that goes to neutral documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arrays import floats
from ..errors import InputError, InputTypeError
from ..public import public
from ..runs.ranked import Ranked
from .base import Definition, Inputs, ParamInfo, PerQuery
from .discount import discounts, exposure, without_documents
from .rab import matrices

TAU = ParamInfo(int, 1, "A document with at most so many group words is neutral.", least=0)


@public
def neutrality(female: ArrayLike, male: ArrayLike, tau: int = 1) -> NDArray[np.float64]:
    """Neutrality of documents, 0 (all group words of one group) to 1; any shape.

    `female` and `male` are counts of group words. 1 where they are `tau` or fewer together, else
    `1 - |share of female words - 1/2| - |share of male words - 1/2|`.

    >>> neutrality([0, 2, 3], [1, 2, 0])
    array([1., 1., 0.])
    """
    if not isinstance(tau, int | float | np.number):
        raise InputTypeError(f"tau is {tau!r}.", remedy="Give a number of group words: tau=1.")
    f, m = floats(female), floats(male)
    total = f + m
    share = np.divide(f, total, out=np.full(total.shape, 0.5), where=total > tau)
    # The two shares add up to one, so that they lie equally far from one half.
    neutral: NDArray[np.float64] = 1.0 - 2.0 * np.abs(share - 0.5)
    return neutral


@public
def fairr(
    female: ArrayLike,
    male: ArrayLike,
    cutoff: int,
    present: ArrayLike | None = None,
    tau: int = 1,
) -> NDArray[np.float64]:
    """FaiRR_k = sum_{r<=k} neutrality(d_r) / log2(r + 1).

    `female` and `male` are counts of group words in ranked order, (Q, T) or (T,), and `present`
    is False where no document counts. The result is (Q,), or a 0-d array; NaN for a
    query without any document. Rekabsaz, Kopeinik & Schedl 2021.

    >>> fairr([0, 2], [0, 0], cutoff=2)
    array(1.)
    """
    f, m, counted, shape = matrices(female, male, cutoff, present)
    return _fairr(neutrality(f, m, tau), counted, cutoff).reshape(shape)


def _fairr(
    neutral: NDArray[np.float64], present: NDArray[np.bool_], cutoff: int
) -> NDArray[np.float64]:
    return np.where(without_documents(present, cutoff), np.nan, exposure(neutral, present, cutoff))


def neutrality_of(ranked: Ranked, tau: int) -> NDArray[np.float64]:
    """Neutrality of the documents of a joined run (Q, T); it must have two groups."""
    first, second = two_groups(ranked.groups)
    return neutrality(ranked.tc[first], ranked.tc[second], tau)


def two_groups(groups: tuple[str, ...]) -> tuple[str, str]:
    """The two groups; with three, neutrality would fall below zero."""
    if len(groups) != 2:  # noqa: PLR2004 - a pair is what the definition is about
        raise InputError(
            f"FaiRR and NFaiRR are defined for two groups, not for {len(groups)} "
            f"({', '.join(groups)}).",
            remedy="Use TExFAIR or AWRF, which take any number of groups.",
        )
    return groups[0], groups[1]


def _compute(inputs: Inputs, cutoffs: Sequence[int], *, tau: int, **_: Any) -> list[PerQuery]:
    neutral = neutrality_of(inputs.ranked, tau)
    return [PerQuery(_fairr(neutral, inputs.ranked.present, cutoff)) for cutoff in cutoffs]


FAIRR = Definition(
    name="FaiRR",
    position=40,
    summary="Neutrality of the documents, summed with the discount of their ranks.",
    equation="FaiRR(q, k) = sum_{r=1..k} w(d_r) p(r), p(r) = 1/log2(r+1); w(d) = 1 if sum_g "
    "mag^g(d) <= tau, else 1 - sum_g |mag^g(d) / sum_x mag^x(d) - J_g|, J_g = 1/2",
    formula="FaiRR_k = sum_{r<=k} w(d_r) / log2(r+1); w(d) = 1 where c_f + c_m <= tau, "
    "else 1 - sum_g |c_g / (c_f + c_m) - 1/2|",
    example="FaiRR@4",
    working="0 + 1/log2(3) + 1/2 + 1/2/log2(5)",
    source="[RKS21]",
    range="[0, sum_{r<=k} 1/log2(r+1)]: [0, 4.544] at 10",
    direction="more is more neutral",
    compute=_compute,
    bounds=lambda _inputs, cutoffs, _params: [
        (0.0, float(discounts(cutoff).sum())) for cutoff in cutoffs
    ],
    params={"tau": TAU},
    needs=frozenset({"magnitudes", "two groups"}),
    short_list="Only the documents that exist are summed, so a short list has a lower value.",
    no_group_words="The document is neutral and counts fully.",
)
