"""MRR, recall, precision, DCG and nDCG with the conventions of trec_eval.

The values are those of trec_eval, which the tests compare by way of ir_measures; runs are measured
in matrices here, because those take a dictionary of each list. (RR@k of ir_measures 0.4 breaks ties
by docno ascending, unlike trec_eval.)
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import islice, repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..runs import Run
from ..runs.sorting import single
from .base import Definition, Inputs, Linear, ParamInfo, PerQuery, always
from .discount import discounts

GRADE = ParamInfo(int, 1, "The lowest grade of the qrels that counts as relevant.", least=1)

# Takes the grades of the first ranks (Q, T), the grades of all judged documents of each query, a
# cut-off and our parameters.
_OfGrades = Callable[..., NDArray[np.float64]]


def _computing(of_grades: _OfGrades) -> Callable[..., list[PerQuery]]:
    def compute(inputs: Inputs, cutoffs: Sequence[int], **params: Any) -> list[PerQuery]:
        if not inputs.qrels:
            raise InputError("effectiveness needs judgements.", remedy='Give qrels="FILE".')
        qids = inputs.ranked.qids
        judged = [place for place, qid in enumerate(qids) if inputs.qrels.get(qid)]
        if not judged:
            raise InputError(
                f"none of the {len(inputs.qrels):,} judged queries is one that is measured.",
                remedy="Give the qrels of these queries.",
            )
        judgements = [inputs.qrels[qids[place]] for place in judged]
        depth = max(cutoffs)
        grades = inputs.kept(
            ("grades", depth),
            lambda: _grades(
                inputs.ranked.run, [qids[place] for place in judged], judgements, depth
            ),
        )
        results = []
        for cutoff in cutoffs:
            value = np.full(len(qids), np.nan)
            value[judged] = of_grades(grades[:, :cutoff], judgements, cutoff, **params)
            results.append(PerQuery(value))
        return results

    return compute


def _grades(
    run: Run, qids: Sequence[str], judged: Sequence[Mapping[str, int]], depth: int
) -> NDArray[np.int64]:
    """The grades of the first `depth` documents of each query as trec_eval ranks them (Q, T).

    0 for a document that nobody judged, and behind the end of a list.
    """
    positions = trec_eval_positions(run, qids, depth)
    listed = positions >= 0
    docnos = iter(run.docnos.take(positions[listed]).tolist())
    grades = np.zeros(positions.shape, dtype=np.int64)
    grades[listed] = [
        grade
        for grade_of, n in zip(judged, listed.sum(axis=1).tolist(), strict=True)
        for grade in map(grade_of.get, islice(docnos, n), repeat(0))
    ]
    return grades


def trec_eval_positions(run: Run, qids: Sequence[str], depth: int) -> NDArray[np.int64]:
    """The rows of the run's columns that trec_eval ranks first (Q, T), T at most `depth`.

    -1 behind the end of a list.
    """
    places = np.array([run.place_of.get(qid, -1) for qid in qids], dtype=np.int64)
    starts = np.where(places >= 0, run.offsets[places], 0)
    stops = np.where(places >= 0, run.offsets[places + 1], 0)
    depth = min(depth, int((stops - starts).max(initial=1)))
    positions = starts[:, None] + np.arange(depth)
    positions[positions >= stops[:, None]] = -1
    for query in _tied(run, starts, stops, depth):
        best = _trec_eval_order(run, int(starts[query]), int(stops[query]), depth)
        positions[query, : len(best)] = best
    return positions


def _tied(
    run: Run, starts: NDArray[np.int64], stops: NDArray[np.int64], depth: int
) -> NDArray[np.int64]:
    """The queries with equal scores around their first ranks, whose order trec_eval decides.

    It ignores the rank column; only a run that is read in the order of its ranks stays in it.
    """
    if run.order == "rank" or not len(run.scores):
        return np.empty(0, dtype=np.int64)
    rows = starts[:, None] + np.arange(depth + 1)
    scores = single(run.scores).take(rows, mode="clip")
    equal = (scores[:, 1:] == scores[:, :-1]) & (rows[:, 1:] < stops[:, None])
    ambiguous: NDArray[np.int64] = np.flatnonzero(equal.any(axis=1))
    return ambiguous


def _trec_eval_order(run: Run, start: int, stop: int, depth: int) -> list[int]:
    """The rows of the first `depth` documents: by score in single precision, then docno."""
    scores = single(run.scores[start:stop])
    last = scores[min(depth, len(scores)) - 1]
    n = int(np.count_nonzero(scores >= last))  # all that could stand there: scores fall
    docnos = run.docnos[start : start + n].tolist()
    rows = sorted(range(n), key=docnos.__getitem__, reverse=True)
    rows.sort(key=scores[:n].tolist().__getitem__, reverse=True)
    return [start + row for row in rows[:depth]]


def _reciprocal_rank(
    grades: NDArray[np.int64], _judged: object, _cutoff: int, *, relevant: int
) -> NDArray[np.float64]:
    hits = grades >= relevant
    first: NDArray[np.float64] = np.where(hits.any(axis=1), 1.0 / (1 + hits.argmax(axis=1)), 0.0)
    return first


def _recall(
    grades: NDArray[np.int64],
    judged: Sequence[Mapping[str, int]],
    _cutoff: int,
    *,
    relevant: int,
) -> NDArray[np.float64]:
    known = np.array([sum(grade >= relevant for grade in grade_of.values()) for grade_of in judged])
    share: NDArray[np.float64] = (grades >= relevant).sum(axis=1) / np.maximum(known, 1)
    return share


def _precision(
    grades: NDArray[np.int64], _judged: object, cutoff: int, *, relevant: int
) -> NDArray[np.float64]:
    share: NDArray[np.float64] = (grades >= relevant).sum(axis=1) / cutoff
    return share


def _dcg(grades: NDArray[np.int64], _judged: object, _cutoff: int) -> NDArray[np.float64]:
    return _discounted(grades.clip(min=0))


def _ndcg(
    grades: NDArray[np.int64], judged: Sequence[Mapping[str, int]], cutoff: int
) -> NDArray[np.float64]:
    depth = min(cutoff, max(map(len, judged)))
    best = (sorted(grade_of.values(), reverse=True)[:depth] for grade_of in judged)
    ideal = np.array([[*some, *repeat(0, depth - len(some))] for some in best])
    achieved, possible = _discounted(grades.clip(min=0)), _discounted(ideal.clip(min=0))
    return np.divide(achieved, possible, out=np.zeros(len(judged)), where=possible > 0)


def ndcg(run: Run, qrels: Mapping[str, Mapping[str, int]], cutoff: int) -> NDArray[np.float64]:
    """The nDCG of each query of `qrels` in their order (Q,), 0 for one that the run has not."""
    judged = [grades or {"": 0} for grades in qrels.values()]
    return _ndcg(_grades(run, list(qrels), judged, cutoff), judged, cutoff)


def _discounted(gains: NDArray[Any]) -> NDArray[np.float64]:
    """Rank after rank, as trec_eval adds them up."""
    total: NDArray[np.float64] = np.cumsum(gains * discounts(gains.shape[1]), axis=1)[:, -1]
    return total


def _definition(name: str, of_grades: _OfGrades, **described: Any) -> Definition:
    usual: dict[str, Any] = {"range": "[0, 1]", "bounds": always(0.0, 1.0)}
    return Definition(
        name=name,
        example=f"{name}@4",
        source="[MMO22]; conventions of https://github.com/usnistgov/trec_eval",
        direction="more is better",
        compute=_computing(of_grades),
        needs=frozenset({"qrels"}),
        short_list="Missing ranks find nothing.",
        empty_list="0 for a query with judgements, undefined for one without.",
        no_group_words="Does not matter.",
        **(usual | described),
    )


MRR = _definition(
    "MRR",
    _reciprocal_rank,
    summary="One over the rank of the first relevant document, 0 where none is found.",
    equation="RR = 1 / rank of the first relevant document; MRR = the mean over the queries",
    formula="MRR_k = 1 / (rank of the first relevant document, if <= k)",
    position=140,
    working="1/2",
    params={"relevant": GRADE},
)

RECALL = _definition(
    "Recall",
    _recall,
    summary="Share of the relevant documents that the first k ranks hold.",
    equation="recall_k = |relevant and among the first k| / |relevant|",
    formula="Recall_k = relevant documents in the first k ranks / relevant documents",
    position=150,
    working="2/3",
    params={"relevant": GRADE},
)

PRECISION = _definition(
    "P",
    _precision,
    summary="Share of the first k ranks that hold a relevant document.",
    equation="P_k = |relevant and among the first k| / k",
    formula="P_k = relevant documents in the first k ranks / k",
    position=155,
    working="2/4",
    params={"relevant": GRADE},
    linear=Linear(
        weights=lambda length, cutoff: np.full(length, 1 / cutoff),
        gain=lambda grade, relevant: float(grade >= relevant),
    ),
)

DCG = _definition(
    "DCG",
    _dcg,
    summary="Discounted grades of the first k ranks.",
    equation="DCG_k = sum_{r=1..k} grade_r / log2(r+1)",
    formula="DCG_k = sum_{r<=k} grade(d_r) / log2(r+1)",
    position=158,
    working="2/log2(3) + 1/log2(5)",
    range="0 and more",
    bounds=always(0.0, None),
    linear=Linear(
        weights=lambda length, _cutoff: discounts(length),
        gain=lambda grade: float(max(grade, 0)),
    ),
)

NDCG = _definition(
    "nDCG",
    _ndcg,
    summary="Discounted grades of the first k ranks as a share of the best possible.",
    equation="DCG_k = sum_{r=1..k} grade_r / log2(r+1); nDCG_k = DCG_k / DCG_k of the ideal order",
    formula="nDCG_k = sum_{r<=k} grade(d_r) / log2(r+1) / the same of the ideal order",
    position=160,
    working="(2/log2(3) + 1/log2(5)) / (3 + 2/log2(3) + 1/2)",
)
