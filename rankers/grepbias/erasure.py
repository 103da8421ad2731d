"""Effect of a linear eraser on the scores of a bi-encoder on Grep-BiasIR, without training."""

from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from metrics.reports.formats.tables import Row
from rankers.eraser import Eraser, Matrix, leace, pair_subspace
from rankers.grepbias.dataset import CATEGORIES, Pair

Method = Literal["subspace", "leace"]
METHODS: tuple[Method, ...] = get_args(Method)
COLUMNS = ("category", "auc_before", "auc_after", "gap_before", "gap_after", "n_pairs")
_GENDERS = ("M", "F")


def erasure_rows(
    pairs: Sequence[Pair],
    queries: Matrix,
    documents: Matrix,
    method: Method = "subspace",
    n_directions: int = 16,
) -> list[Row]:
    """Effect of erasing gender in each category and on average, with the columns `COLUMNS`.

    `queries` and `documents` (N, H) are the vectors of the pairs, whose cosine is the score. The
    eraser is fitted on the documents of the *other* categories and applied to the documents of the
    category alone: `auc` is how often a relevant document of a pair scores above an irrelevant one,
    `gap` the mean |s_M - s_F| of the wordings of one document (`n_pairs`).
    """
    category = np.array([pair.category for pair in pairs])
    rows: list[dict[str, object]] = []
    for name in CATEGORIES:
        own = category == name
        eraser = _fit(
            [pair for pair, is_own in zip(pairs, own, strict=True) if not is_own],
            documents[~own], method, n_directions,
        )  # fmt: skip
        chosen = [pair for pair, is_own in zip(pairs, own, strict=True) if is_own]
        before = _cosines(queries[own], documents[own])
        after = _cosines(queries[own], eraser(documents[own]))
        matched = matched_wordings(chosen)
        rows.append(
            {
                "category": name,
                "auc_before": auc_of(chosen, before),
                "auc_after": auc_of(chosen, after),
                "gap_before": _gap(matched, before),
                "gap_after": _gap(matched, after),
                "n_pairs": len(matched),
            }
        )
    means = {name: float(np.mean([row[name] for row in rows])) for name in COLUMNS[1:-1]}
    n_pairs = sum(
        len(matched_wordings([p for p in pairs if p.category == name])) for name in CATEGORIES
    )
    return [*rows, {"category": "mean", **means, "n_pairs": n_pairs}]


def _fit(pairs: Sequence[Pair], documents: Matrix, method: Method, n_directions: int) -> Eraser:
    if method == "leace":
        genders = np.array([[pair.gender == gender for gender in _GENDERS] for pair in pairs])
        return leace(documents, genders.astype(np.float64))
    male, female = np.array(matched_wordings(pairs)).T
    return pair_subspace(documents[male], documents[female], n_directions)


def matched_wordings(pairs: Sequence[Pair]) -> list[tuple[int, int]]:
    """Places of the male and the female wording of each document that has both."""
    places: dict[tuple[str, str, bool], dict[str, int]] = {}
    for place, pair in enumerate(pairs):
        key = (pair.category, pair.query, pair.relevant)
        places.setdefault(key, {})[pair.gender] = place
    return [(of["M"], of["F"]) for of in places.values() if {"M", "F"} <= of.keys()]


def _cosines(queries: Matrix, documents: Matrix) -> Matrix:
    lengths = np.linalg.norm(queries, axis=1) * np.linalg.norm(documents, axis=1)
    cosines: Matrix = (queries * documents).sum(axis=1) / lengths
    return cosines


def _gap(matched: list[tuple[int, int]], scores: Matrix) -> float:
    male, female = np.array(matched).T
    return float(np.abs(scores[male] - scores[female]).mean())


def auc_of(pairs: Sequence[Pair], scores: NDArray[np.float64]) -> float:
    relevant = np.array([pair.relevant for pair in pairs])
    better = scores[relevant][:, None] - scores[~relevant]
    return float((better > 0).mean() + (better == 0).mean() / 2)
