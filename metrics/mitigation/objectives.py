"""Objectives that order the documents of one query by relevance and by gender balance.

All take relevance r in [0, 1] (scores, min-max normalised within the query), the counts f and m of
female and male words, and a strength s in [0, 1]; s = 0 keeps the order of the run.
"""

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..measures.fairr import neutrality
from ..vocabulary import BalanceMethod

Array = NDArray[np.float64]


def reorder(
    method: BalanceMethod,
    scores: Array,
    female: Array,
    male: Array,
    lengths: Array,
    *,
    strength: float,
) -> NDArray[np.int64]:
    """Places (n,) of the documents of a query in their new order.

    The arguments (n,) stand in the order of the run: scores, counts of female and male words, and
    numbers of tokens. Equal values keep the order of the run.
    """
    if not 0 <= strength <= 1:
        raise InputError(f"the strength is {strength}.", remedy="Use a number from 0 to 1.")
    if strength == 0:
        return np.arange(len(scores))
    relevance = _min_max(scores)
    if method == "interpolate":
        value = (1 - strength) * relevance + strength * neutrality(female, male)
        order: NDArray[np.int64] = np.argsort(-value, kind="stable")
        return order
    if method == "detgreedy":
        return _deterministic_greedy(relevance, np.sign(male - female), strength)
    return _greedy(relevance, _IMBALANCES[method](female, male, lengths), strength)


def _min_max(scores: Array) -> Array:
    low, high = scores.min(initial=np.inf), scores.max(initial=-np.inf)
    if not high > low:
        return np.ones(len(scores))
    scaled: Array = (scores - low) / (high - low)
    return scaled


# Given the documents placed so far (in order), the imbalance (n,) of the list that each candidate
# would make at the next rank, in [0, 1].
_Imbalance = Callable[[list[int]], Array]


def _greedy(relevance: Array, imbalance: _Imbalance, strength: float) -> NDArray[np.int64]:
    """At each rank the document of the largest (1 - s) r(d) - s I(list + d).

    Carbonell & Goldstein. *The Use of MMR, Diversity-Based Reranking*, SIGIR 1998, with the
    imbalance of the list in the place of the similarity to it.
    """
    placed: list[int] = []
    free = np.ones(len(relevance), dtype=np.bool_)
    for _ in range(len(relevance)):
        value = (1 - strength) * relevance - strength * imbalance(placed)
        best = int(np.argmax(np.where(free, value, -np.inf)))
        placed.append(best)
        free[best] = False
    return np.array(placed, dtype=np.int64)


def _direction_imbalance(female: Array, male: Array, _lengths: Array) -> _Imbalance:
    """`mmr`: |mean over the list of the direction b(d)|, b = (m - f) / (m + f), 0 without words."""
    total = female + male
    direction = np.divide(male - female, total, out=np.zeros(len(total)), where=total > 0)

    def imbalance(placed: list[int]) -> Array:
        sums: Array = np.abs(direction[placed].sum() + direction) / (len(placed) + 1)
        return sums

    return imbalance


def _exposure_imbalance(female: Array, male: Array, lengths: Array) -> _Imbalance:
    """`exposure`: |E_m - E_f| / (E_m + E_f), E_g = sum over ranks of c_g(d) / |d| / log2(r + 1).

    This is TED of Abolghasemi et al. (ECIR 2024) for two groups and equal targets, without the
    rank-biased discounting factor (RBDF) that TExFAIR has beside it.
    """
    length = np.maximum(lengths, 1)
    shares = np.stack([female / length, male / length])

    def imbalance(placed: list[int]) -> Array:
        weights = 1 / np.log2(np.arange(len(placed)) + 2)
        exposures = (shares[:, placed] @ weights)[:, None] + shares / np.log2(len(placed) + 2)
        total = exposures.sum(axis=0)
        far: Array = np.divide(
            np.abs(exposures[1] - exposures[0]), total, out=np.zeros(len(total)), where=total > 0
        )
        return far

    return imbalance


def _count_imbalance(female: Array, male: Array, _lengths: Array) -> _Imbalance:
    """`count`: |documents of more male words - documents of more female ones| over the length."""
    sign = np.sign(male - female)

    def imbalance(placed: list[int]) -> Array:
        running: Array = np.abs(sign[placed].sum() + sign) / (len(placed) + 1)
        return running

    return imbalance


_IMBALANCES: dict[str, Callable[[Array, Array, Array], _Imbalance]] = {
    "mmr": _direction_imbalance,
    "exposure": _exposure_imbalance,
    "count": _count_imbalance,
}


def _deterministic_greedy(relevance: Array, sign: Array, strength: float) -> NDArray[np.int64]:
    """`detgreedy`: each group between its least and its largest count among the first k, for all k.

    A group that has less than floor(s p k) goes next, else one that has less than ceil(p k / s),
    else any; of those the most relevant document. The share p of the documents of neither group is
    theirs among the candidates, the rest is halved between the two groups. Geyik, Ambler &
    Kenthapadi. *Fairness-Aware Ranking in Search & Recommendation Systems*, KDD 2019 (s = 1).
    """
    neutral = float((sign == 0).mean())
    shares = {-1.0: (1 - neutral) / 2, 0.0: neutral, 1.0: (1 - neutral) / 2}
    counts = dict.fromkeys(shares, 0)
    order = np.argsort(-relevance, kind="stable").tolist()
    placed: list[int] = []
    for k in range(1, len(order) + 1):
        short = {g for g, p in shares.items() if counts[g] < math.floor(strength * p * k)}
        open_ = {g for g, p in shares.items() if counts[g] < math.ceil(p * k / strength)}
        chosen = next(
            (place for groups in (short, open_) for place in order if sign[place] in groups),
            order[0],
        )
        order.remove(chosen)
        placed.append(chosen)
        counts[float(sign[chosen])] += 1
    return np.array(placed, dtype=np.int64)
