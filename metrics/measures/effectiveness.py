"""MRR, recall and nDCG, computed by ir_measures with the conventions of trec_eval."""

from collections.abc import Callable, Sequence
from typing import Any

import ir_measures
import numpy as np
from numpy.typing import NDArray

from metrics.errors import InputError
from metrics.measures.base import Definition, Inputs, ParamInfo, PerQuery, Qrels
from metrics.runs import Run

CITATION = (
    "Sean MacAvaney, Craig Macdonald and Iadh Ounis. Streamlining Evaluation with ir-measures. "
    "ECIR 2022 (the program); https://github.com/usnistgov/trec_eval (the conventions)."
)
_GRADE = ParamInfo(int, 1, "The lowest grade of the qrels that counts as relevant.")

# Builds the measure of ir_measures from the cut-off and our parameters.
_Build = Callable[..., Any]


def _computing(build: _Build) -> Callable[..., list[PerQuery]]:
    def compute(inputs: Inputs, cutoffs: Sequence[int], **params: Any) -> list[PerQuery]:
        if not inputs.qrels:
            raise InputError("effectiveness needs judgements.", remedy="Give --qrels FILE.")
        asked = {cutoff: build(cutoff, **params) for cutoff in cutoffs}
        judged = [qid for qid in inputs.ranked.qids if inputs.qrels.get(qid)]
        values = _values(asked, inputs.ranked.run, judged, inputs.qrels)
        return [PerQuery(_column(values[c], inputs.ranked.qids)) for c in cutoffs]

    return compute


def _values(
    asked: dict[int, Any], run: Run, judged: Sequence[str], qrels: Qrels
) -> dict[int, dict[str, float]]:
    kept = {qid: dict(qrels[qid]) for qid in judged}
    places = {qid: place for place, qid in enumerate(run.qids)}
    scores = {qid: _scores_of(run, places[qid]) if qid in places else {} for qid in judged}
    found: dict[int, dict[str, float]] = {cutoff: {} for cutoff in asked}
    cutoff_of = {measure: cutoff for cutoff, measure in asked.items()}
    for result in ir_measures.iter_calc(list(asked.values()), kept, scores):
        found[cutoff_of[result.measure]][result.query_id] = result.value
    return found


def _scores_of(run: Run, query: int) -> dict[str, float]:
    """Documents of a query with the scores that trec_eval sorts by.

    It ignores the rank column; only a run that is read in the order of its ranks is handed over
    with scores that say the same.
    """
    start, stop = int(run.offsets[query]), int(run.offsets[query + 1])
    docnos = run.docnos.slice(start, stop - start).to_pylist()
    scores = -np.arange(stop - start) if run.order == "rank" else run.scores[start:stop]
    return dict(zip(docnos, map(float, scores), strict=True))


def _column(values: dict[str, float], qids: Sequence[str]) -> NDArray[np.float64]:
    return np.array([values.get(qid, np.nan) for qid in qids], dtype=np.float64)


def _definition(name: str, build: _Build, **described: Any) -> Definition:
    return Definition(
        name=name,
        citation=CITATION,
        range="[0, 1]",
        direction="more is better",
        compute=_computing(build),
        needs=frozenset({"qrels"}),
        short_list="Missing ranks find nothing.",
        empty_list="0 for a query with judgements; undefined, left out and counted without.",
        no_group_words="Does not matter. Ranked by score, equal scores by docno descending, as "
        "trec_eval does.",
        **described,
    )


MRR = _definition(
    "MRR",
    lambda cutoff, relevant: ir_measures.RR(rel=relevant) @ cutoff,
    summary="One over the rank of the first relevant document, 0 where none is found.",
    formula="MRR_k = 1 / (rank of the first relevant document, if <= k)",
    params={"relevant": _GRADE},
)

RECALL = _definition(
    "Recall",
    lambda cutoff, relevant: ir_measures.R(rel=relevant) @ cutoff,
    summary="Share of the relevant documents that the first k ranks hold.",
    formula="Recall_k = relevant documents in the first k ranks / relevant documents",
    params={"relevant": _GRADE},
)

NDCG = _definition(
    "nDCG",
    lambda cutoff: ir_measures.nDCG @ cutoff,
    summary="Discounted grades of the first k ranks as a share of the best possible.",
    formula="nDCG_k = sum_{r<=k} grade(d_r) / log2(r+1) / the same of the ideal order",
)
