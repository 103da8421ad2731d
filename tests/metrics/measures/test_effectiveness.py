"""MRR, Recall, P and nDCG are those of ir_measures, ties and single precision included."""

from pathlib import Path
from typing import Any

import ir_measures
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.errors import InputError
from metrics.measures import Inputs, get
from metrics.runs import Run, read_run
from metrics.runs.qrels import read_qrels
from metrics.runs.ranked import join

QIDS = ["q1", "q2", "q3"]
DOCNOS = [f"d{number}" for number in range(8)]
# 1.00000001 is 1 in single precision, and 1e39 is beyond it.
SCORES = st.sampled_from([0.0, 1.0, 1.00000001, 1.0000002, 2.5, -3.0, 1e39, 2e39])
rankings = st.dictionaries(
    st.sampled_from(QIDS), st.dictionaries(st.sampled_from(DOCNOS), SCORES, min_size=1), min_size=1
)
judgements = st.dictionaries(
    st.sampled_from(QIDS),
    st.dictionaries(st.sampled_from(DOCNOS), st.integers(-1, 3), min_size=1),
    min_size=1,
)


def ours(run: Run, qrels: dict[str, dict[str, int]], name: str) -> dict[str, float]:
    qids = sorted(qrels)
    inputs = Inputs(join(run, None, 1, queries=qids), qrels=qrels)
    return dict(zip(qids, get(name).compute(inputs).value.tolist(), strict=True))


def theirs(scores: Any, qrels: Any, measure: Any) -> dict[str, float]:
    known = {qid: scores.get(qid, {}) for qid in qrels}
    # RR@k breaks ties by docno ascending there, unlike all else: take trec_eval's and cut it.
    cutoff = measure["cutoff"] if measure.NAME == "RR" else None
    if cutoff:
        measure = ir_measures.RR(rel=measure["rel"])
    found = {one.query_id: one.value for one in ir_measures.iter_calc([measure], qrels, known)}
    return {
        qid: 0.0 if cutoff and 0 < value < 1 / cutoff - 1e-9 else value
        for qid, value in found.items()
    }


def pairs(cutoff: int) -> list[tuple[str, Any]]:
    return [
        (f"MRR@{cutoff}", ir_measures.RR @ cutoff),
        (f"MRR(relevant=2)@{cutoff}", ir_measures.RR(rel=2) @ cutoff),
        (f"Recall(relevant=2)@{cutoff}", ir_measures.R(rel=2) @ cutoff),
        (f"Recall@{cutoff}", ir_measures.R @ cutoff),
        (f"P@{cutoff}", ir_measures.P @ cutoff),
        (f"P(relevant=2)@{cutoff}", ir_measures.P(rel=2) @ cutoff),
        (f"nDCG@{cutoff}", ir_measures.nDCG @ cutoff),
    ]


@pytest.mark.long
@given(rankings, judgements, st.integers(1, 9), st.sampled_from(["default", "trec_eval"]))
def test_any_run_has_the_values_of_ir_measures(
    scores: dict[str, dict[str, float]], qrels: dict[str, dict[str, int]], cutoff: int, order: Any
) -> None:
    run = Run.from_dict(scores, "A", order)
    for name, measure in pairs(cutoff):
        assert ours(run, qrels, name) == pytest.approx(theirs(scores, qrels, measure), abs=1e-12)


@pytest.mark.shared_data
@pytest.mark.parametrize("order", ["default", "trec_eval", "rank"])
def test_real_runs_have_the_values_of_ir_measures(shared_data: Path, order: Any) -> None:
    dl19 = shared_data / "msmarco_dl19"
    qrels = read_qrels(dl19 / "qrels.txt")
    for path in sorted((dl19 / "runs").glob("*.run")):
        run = read_run(path, order=order)
        scores = {}
        for place, qid in enumerate(run.qids):
            rows = slice(int(run.offsets[place]), int(run.offsets[place + 1]))
            values = -np.arange(len(run.scores[rows])) if order == "rank" else run.scores[rows]
            scores[qid] = dict(zip(run.documents(qid), map(float, values), strict=True))
        for name, measure in pairs(10):
            expected = theirs(scores, qrels, measure)
            assert ours(run, qrels, name) == pytest.approx(expected, abs=1e-12), (path, name)


def test_a_measure_that_only_ir_measures_has_is_computed_by_it() -> None:
    run = Run.from_dict({"q1": {"d1": 3.0, "d2": 2.0, "d3": 1.0}, "q3": {"d1": 1.0}}, "run")
    qrels = {"q1": {"d2": 2, "d9": 1}, "q2": {"d1": 1}}
    inputs = Inputs(join(run, None, 10, queries=["q1", "q2", "q3"]), qrels=qrels)
    for name in ("AP@2", "nDCG(judged_only=True)@10", "Success@2", "Bpref"):
        values = get(name).compute(inputs).value
        expected = {
            one.query_id: one.value
            for one in ir_measures.iter_calc(
                [ir_measures.parse_measure(name)], qrels, {"q1": run["q1"]}
            )
        }
        assert values[:2] == pytest.approx([expected["q1"], expected["q2"]])
        assert np.isnan(values[2])
    with pytest.raises(InputError, match="RBP"):  # it needs a package that is not there
        get("RBP(p=0.5)@10").compute(inputs)
    assert get("AP@2").needs == {"qrels"}
    assert get("RR@10").definition is get("MRR").definition  # ours go before
    by_rank = Run.from_dict({"q1": ["d2", "d1"]}, "run", "rank")
    assert get("AP@2").compute(Inputs(join(by_rank, None, 2), qrels=qrels)).value == 0.5


def test_dcg_adds_up_grades_without_their_ideal() -> None:
    run = Run.from_dict({"q": ["a", "b", "c"]}, "run", "rank")
    inputs = Inputs(join(run, None, 3), qrels={"q": {"a": 3, "c": 2, "b": -1}})
    assert get("DCG@3").compute(inputs).value == pytest.approx([3 + 2 / 2])
