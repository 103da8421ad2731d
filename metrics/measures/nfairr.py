"""NFaiRR: FaiRR as a share of the best that a background set of documents allows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import InputError, InputTypeError
from ..public import public
from ..vocabulary import COLLECTION
from .base import Definition, Inputs, ParamInfo, PerQuery, always
from .discount import exposure, without_documents
from .fairr import FAIRR, TAU, fairr, neutrality, neutrality_of, two_groups
from .rab import matrices

# What is not a document sorts behind every document.
_NO_DOCUMENT = -1.0
_PAIR = 2


def ideal_fairr(
    neutral: NDArray[np.float64], present: NDArray[np.bool_], cutoff: int
) -> NDArray[np.float64]:
    """IFaiRR_k (Q,): the best FaiRR_k of any order of the background's documents (Q, B)."""
    best = -np.sort(-np.where(present, neutral, _NO_DOCUMENT), axis=1)
    return exposure(best, best > _NO_DOCUMENT, cutoff)


@public
def nfairr(
    female: ArrayLike,
    male: ArrayLike,
    cutoff: int,
    *,
    background: tuple[ArrayLike, ArrayLike],
    present: ArrayLike | None = None,
    background_present: ArrayLike | None = None,
    tau: int = 1,
) -> NDArray[np.float64]:
    """NFaiRR_k = FaiRR_k / IFaiRR_k, IFaiRR_k being the best FaiRR_k of the background set.

    `female`, `male` (Q, T) or (T,) are counts of group words in ranked order; `background` is
    the pair of such counts for the background documents of each query, (Q, B) or (B,), in any
    order. The masks are False where there is no document. The result is (Q,), or a 0-d
    array; NaN for a query without any document and where the background holds no document
    that is neutral in the least. It exceeds 1 where the ranking found more neutral documents than
    the background holds. Rekabsaz, Kopeinik & Schedl 2021.

    >>> nfairr([2, 0], [0, 0], cutoff=1, background=([2, 0], [0, 0]))
    array(0.)
    """
    achieved = fairr(female, male, cutoff, present, tau)
    if not isinstance(background, tuple | list) or len(background) != _PAIR:
        raise InputTypeError(
            f"the background is {type(background).__name__}.",
            remedy="Give the counts of both groups: background=(female, male).",
        )
    f, m, counted, _ = matrices(*background, cutoff, background_present)
    ideal = ideal_fairr(neutrality(f, m, tau), counted, cutoff).reshape(achieved.shape)
    return _share(achieved, ideal)


def _share(achieved: NDArray[np.float64], ideal: NDArray[np.float64]) -> NDArray[np.float64]:
    share: NDArray[np.float64] = np.divide(
        achieved, ideal, out=np.full(achieved.shape, np.nan), where=ideal > 0
    )
    return share


def _compute(
    inputs: Inputs, cutoffs: Sequence[int], *, background: str, depth: int, tau: int
) -> list[PerQuery]:
    ranked = inputs.ranked
    achieved = neutrality_of(ranked, tau)
    if background == COLLECTION:
        neutral, present = _of_collection(inputs, max(cutoffs), tau)
    else:
        neutral, present = _of_run(inputs, background, depth, tau)
    results = []
    for cutoff in cutoffs:
        value = np.where(
            without_documents(ranked.present, cutoff),
            np.nan,
            exposure(achieved, ranked.present, cutoff),
        )
        ideal = ideal_fairr(neutral, present, cutoff)
        results.append(PerQuery(_share(value, np.broadcast_to(ideal, value.shape))))
    return results


def _of_collection(
    inputs: Inputs, cutoff: int, tau: int
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """The most neutral documents of the whole collection: one row for all queries."""
    if inputs.magnitudes is None:
        raise InputError("NFaiRR over the whole collection needs the scored collection.")
    magnitudes = inputs.magnitudes
    magnitudes.check_whole("NFaiRR over the whole collection")
    first, second = two_groups(magnitudes.groups)

    def most_neutral() -> NDArray[np.float64]:
        neutral = neutrality(magnitudes.tc[first], magnitudes.tc[second], tau)
        return np.partition(neutral, -cutoff)[-cutoff:] if len(neutral) > cutoff else neutral

    # The same for every run: a collection of millions is gone through once.
    top = magnitudes.kept(("most neutral", cutoff, tau), most_neutral)
    return top[None, :], np.ones((1, len(top)), dtype=bool)


def _of_run(
    inputs: Inputs, name: str, depth: int, tau: int
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    if name not in inputs.backgrounds:
        known = ", ".join([*inputs.backgrounds, COLLECTION])
        raise InputError(
            f"NFaiRR has no background {name!r}." if name else "NFaiRR needs a background.",
            remedy='Give background="collection", or the run whose documents it re-orders for its '
            f"ideal. Known: {known}.",
        )
    background = inputs.backgrounds[name]
    present = background.present if depth == 0 else background.present[:, :depth]
    without = inputs.ranked.present.any(axis=1) & ~present.any(axis=1)
    empty = [background.qids[place] for place in np.flatnonzero(without)]
    if empty:
        raise InputError(
            f"the background run {name!r} has no document for {len(empty):,} of the queries, "
            f"the first being {empty[0]!r}.",
            path=background.run.path or None,
            remedy='Use a background run that answers every query, or background="collection".',
        )
    return neutrality_of(background, tau)[:, : present.shape[1]], present


NFAIRR = Definition(
    name="NFaiRR",
    position=50,
    summary="FaiRR divided by the best FaiRR that the background documents allow.",
    equation="NFaiRR(q, k) = FaiRR(q, k) / IFaiRR(q, k), IFaiRR the FaiRR of the background "
    "documents in their best order ([AAA24], 1-3)",
    formula="NFaiRR_k = FaiRR_k / IFaiRR_k; "
    "IFaiRR_k = the greatest FaiRR_k of any order of the background",
    example="NFaiRR(background=collection)@4",
    working=f"({FAIRR.working}) / (1 + 1/log2(3) + 1/2 + 1/2/log2(5))",
    source="[RKS21]; with the whole collection as background: [AAA24]",
    range="[0, 1], above 1 where the run found more neutral documents than the background holds",
    direction="1 is as neutral as the background allows",
    compute=_compute,
    bounds=always(0.0, 1.0),
    params={
        "background": ParamInfo(
            str, "", "The run whose documents are re-ordered for the ideal, or `collection`."
        ),
        "depth": ParamInfo(int, 0, "How many documents of the background run; 0 is all.", least=0),
        "tau": TAU,
    },
    needs=frozenset({"magnitudes", "two groups", "background"}),
    short_list="Only the documents that exist are summed, so a short list has a lower value.",
    empty_list="Undefined, left out and counted; so is a query whose whole background is of one "
    "group. A query without a background is an error.",
    no_group_words="The document is neutral and counts fully.",
)
