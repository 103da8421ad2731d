"""The measures inside ir_measures."""

from importlib import import_module
from math import isnan
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from .conftest import PROGRAM, SCORES, TEXTS

ir_measures = pytest.importorskip("ir_measures")
pd = pytest.importorskip("pandas")

QRELS = {"q1": {"d2": 1}, "q2": {"d3": 1}}


@pytest.fixture(scope="module")
def ours(fairpool: ModuleType) -> ModuleType:
    return import_module(f"{fairpool.__name__}.ir_measures")


def parsed(study: Path, *texts: str) -> list[Any]:
    """Measures from their names, with `scores=` put in."""
    where = f"scores='{study / 'm.parquet'}'"
    return [ir_measures.parse_measure(text.replace("SCORES", where)) for text in texts]


def test_evaluate_takes_these_measures_with_what_they_fix(
    fairpool: ModuleType, ours: ModuleType, study: Path
) -> None:
    def values(measures: Any, *texts: Any, **options: Any) -> list[float]:
        found: list[float] = fairpool.evaluate(SCORES, measures, *texts, **options)[
            "value"
        ].tolist()
        return found

    path = str(study / "m.parquet")
    assert values(ours.NFaiRR @ 2, TEXTS) == values("NFaiRR(background=collection)@2", TEXTS)
    assert values(ours.TExFAIR(rbdf=False) @ 2, TEXTS) == values("TExFAIR-noRBDF@2", TEXTS)
    assert values(ours.RaB(scores=path) @ 2) == values("RaB@2", TEXTS)
    by_blanks = values("RaB@2", TEXTS, tokenizer="whitespace")
    assert values([ours.RaB(tokenizer="whitespace") @ 2], TEXTS) == by_blanks
    with pytest.raises(fairpool.InputError, match="scores is given more than once"):
        values(ours.RaB(scores=path) @ 2, TEXTS)
    with pytest.raises(fairpool.InputError, match="RaB has no parameter 'lexicon'"):
        values(ours.RaB(lexicon="no") @ 2, TEXTS)


def test_every_value_is_that_of_score_runs(
    fairpool: ModuleType, ours: ModuleType, study: Path
) -> None:
    pairs = {
        "RaB(SCORES)@2": "RaB@2",
        "ARaB(magnitude='bool',SCORES)@10": "ARaB(magnitude=bool)@10",
        "RaB_adjusted(SCORES)@2": "RaB-adjusted@2",
        "FaiRR(SCORES)@3": "FaiRR@3",
        "NFaiRR(SCORES)@2": "NFaiRR(background=collection)@2",
        "AWRF(distance='js',SCORES)@3": "AWRF(distance=js)@3",
        "TED(SCORES)@3": "TED@3",
        "TED(rbdf=False,SCORES)@3": "TED-noRBDF@3",
        "TExFAIR(SCORES)@3": "TExFAIR@3",
        "TExFAIR(rbdf=False,SCORES)@3": "TExFAIR-noRBDF@3",
    }
    theirs = parsed(study, *pairs)
    expected = fairpool.evaluate(SCORES, list(pairs.values()), study / "m.parquet", per_query=True)

    for name, run in SCORES.items():
        metrics = ir_measures.iter_calc(theirs, QRELS, run)
        values = {(metric.measure, metric.query_id): metric.value for metric in metrics}
        of_run = expected[expected["run"] == name].reset_index(drop=True)
        for measure, (_, part) in zip(
            theirs, of_run.groupby(["measure", "cutoff"], sort=False), strict=True
        ):
            found = [values[measure, qid] for qid in part["qid"]]
            assert found == pytest.approx(part["value"].tolist(), rel=1e-12, abs=1e-12)


def test_they_stand_beside_other_measures(ours: ModuleType, study: Path) -> None:
    measures = [*parsed(study, "RaB(SCORES)@2"), ir_measures.nDCG @ 10]

    values = ir_measures.calc_aggregate(measures, QRELS, SCORES["A"])

    assert set(values) == set(measures)
    assert all(value > 0 for value in values.values())


def test_a_query_that_the_run_lacks_stays_out_of_the_mean_unless_asked(
    ours: ModuleType, study: Path
) -> None:
    qrels = {**QRELS, "q3": {"d1": 1}}
    skipped, as_nan = parsed(study, "RaB(SCORES)@2", "RaB(undefined='nan',SCORES)@2")

    values = ir_measures.calc_aggregate([skipped, as_nan], qrels, SCORES["A"])
    per_query = {m.query_id: m.value for m in ir_measures.iter_calc([skipped], qrels, SCORES["A"])}

    assert values[skipped] == ir_measures.calc_aggregate([skipped], QRELS, SCORES["A"])[skipped]
    assert isnan(values[as_nan])
    assert isnan(per_query["q3"])


def test_texts_may_come_with_the_run(ours: ModuleType, study: Path) -> None:
    rows = [
        {"query_id": qid, "doc_id": docno, "score": score, "text": TEXTS[docno]}
        for qid, scores in SCORES["A"].items()
        for docno, score in scores.items()
    ]
    [with_scores] = parsed(study, "RaB(SCORES)@2")

    value = ir_measures.calc_aggregate([ours.RaB @ 2], QRELS, pd.DataFrame(rows))[ours.RaB @ 2]

    assert value == ir_measures.calc_aggregate([with_scores], QRELS, SCORES["A"])[with_scores]
    assert set(ir_measures.run_inputs([ours.RaB @ 2])) == {"query_id", "doc_id", "score", "text"}


@pytest.mark.parametrize("name", ["RaB", "NFaiRR", "RaB_adjusted"])
def test_what_texts_of_a_run_cannot_give_is_an_input_error(
    fairpool: ModuleType, ours: ModuleType, name: str
) -> None:
    run: Any = SCORES["A"]
    if name != "RaB":
        run = pd.DataFrame([{"query_id": "q1", "doc_id": "d1", "score": 1.0, "text": "He."}])

    with pytest.raises(fairpool.InputError):
        ir_measures.calc_aggregate([getattr(ours, name) @ 2], QRELS, run)


def test_a_name_reads_back(ours: ModuleType) -> None:
    measure = ours.TExFAIR(rbdf=False, scores="m.parquet") @ 5

    assert str(measure) == "TExFAIR(rbdf=False,scores='m.parquet')@5"
    assert ir_measures.parse_measure(str(measure)) == measure


def test_their_command_line_prints_them_beside_ndcg(
    fairpool: ModuleType, study: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main = import_module(PROGRAM).main
    arab = f"ARaB(scores='{study / 'm.parquet'}')@2"

    status = main(
        ["ir-measures", str(study / "qrels.txt"), str(study / "A.run"), "nDCG@10", arab, "-p", "6"]
    )

    ndcg_line, arab_line = capsys.readouterr().out.splitlines()
    assert status == 0
    assert ndcg_line.startswith("nDCG@10\t")
    name, _, value = arab_line.rpartition("\t")
    frame = fairpool.evaluate({"A": study / "A.run"}, ["ARaB@2"], study / "m.parquet")
    assert name == arab
    assert float(value) == pytest.approx(frame["value"][0], abs=1e-6)


def test_fairness_of_the_tracks_takes_grades_labels_and_targets(
    ours: ModuleType, tmp_path: Path
) -> None:
    run = pd.DataFrame(
        {
            "query_id": ["q"] * 4,
            "doc_id": ["d1", "d2", "d3", "d4"],
            "score": [4.0, 3.0, 2.0, 1.0],
        }
    )
    qrels = pd.DataFrame(
        {"query_id": ["q"] * 3, "doc_id": ["d1", "d2", "d4"], "relevance": [1, 1, 2]}
    )
    labels = tmp_path / "labels.csv"
    labels.write_text(
        "docno,attribute,group,weight\nd1,geo,europe,1\nd2,geo,europe,.5\nd2,geo,asia,.5\n"
        "d4,geo,asia,1\n"
    )
    terms = {"labels": str(labels), "attributes": "geo", "target": "asia:0.6/europe:0.4"}
    loss, fairness = ours.EE_L(**terms) @ 4, ours.AWRF_TREC(**terms) @ 4
    values = ir_measures.calc_aggregate([loss, fairness], qrels, run)
    # The worked example of docs/metrics.md's source, by hand.
    assert round(values[loss], 6) == 0.833184
    assert round(values[fairness], 6) == 0.979864


def test_a_measure_without_a_cutoff_is_of_the_whole_list(ours: ModuleType, study: Path) -> None:
    whole, ten, thirteen = parsed(study, "RaB(SCORES)", "RaB(SCORES)@10", "RaB(SCORES)@13")
    run = {"q1": {**dict.fromkeys(TEXTS, 0.0), "d1": 5.0}}
    skipping = [type(m)(**m.params, missing="skip") for m in (whole, ten, thirteen)]
    run["q1"] |= {f"x{place}": 9.0 - place for place in range(9)}  # nobody scored these

    values = ir_measures.calc_aggregate(skipping, {"q1": {"d1": 1}}, run)

    assert values[skipping[0]] == values[skipping[2]] != values[skipping[1]]
    with pytest.raises(ours.InputError, match="EE_L"):
        ir_measures.calc_aggregate(parsed(study, "EE_L(SCORES)"), {"q1": {"d1": 1}}, run)


def test_queries_that_are_numbers_are_the_same_queries(ours: ModuleType, study: Path) -> None:
    [measure] = parsed(study, "RaB(SCORES)@2")
    texts = ir_measures.calc_aggregate([measure], QRELS, SCORES["A"])
    numbers = {"q1": 1, "q2": 2, "q3": 3}
    frame = pd.DataFrame(
        [
            {"query_id": numbers[qid], "doc_id": docno, "score": score}
            for qid, scores in SCORES["A"].items()
            for docno, score in scores.items()
            if qid in numbers
        ]
    )
    qrels = pd.DataFrame(
        [
            {"query_id": numbers[qid], "doc_id": docno, "relevance": grade}
            for qid, grades in QRELS.items()
            for docno, grade in grades.items()
        ]
    )

    assert ir_measures.calc_aggregate([measure], qrels, frame) == texts
    qids = {metric.query_id for metric in ir_measures.iter_calc([measure], qrels, frame)}
    assert qids == {1, 2}
