"""The measures of answers inside ir_measures and PyTerrier."""

from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ir_measures = pytest.importorskip("ir_measures")
pd = pytest.importorskip("pandas")

QRELS = {"q1": {"d1": 1}, "q2": {"d1": 1}, "q3": {"d1": 1}, "q4": {"d1": 1}}
#: Two men's words and one woman's; none; a woman's. Nobody answered q4.
ANSWERS: dict[str, list[Any]] = {
    "qid": ["q1", "q2", "q3"],
    "qanswer": ["He saw his sister.", "The road is wet.", "She left."],
    "citations": [["d1", "d2"], [], [0]],
    "references": [["d1", "d2"], [], ["d3"]],
}


@pytest.fixture
def ours(fairpool: ModuleType) -> ModuleType:
    return import_module(f"{fairpool.__name__}.ir_measures")


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "labels.csv").write_text("d1,m\nd2,f\nd3,f\nd4,m\n")
    lists = {"q1": ["d1", "d4"], "q2": ["d1"], "q3": ["d3", "d4"]}
    rows = [(qid, docno, n) for qid, docnos in lists.items() for n, docno in enumerate(docnos)]
    (tmp_path / "bm25.run").write_text("".join(f"{q} Q0 {d} {n} {-n} x\n" for q, d, n in rows))
    return {name: str(tmp_path / path) for name, path in FILES.items()}


FILES = {"labels": "labels.csv", "run": "bm25.run"}
#: Of q1, q2, q3: log 3 - log 2, nothing on both sides, -log 2; and so on.
BY_HAND = {
    "bias": (0.405465, 0.0, -0.693147),
    "words": (1 / 3, None, 1),
    "cited": (0.5, None, 1),
    "change": (0.5, None, 0.5),
}


def measures(ours: Any, files: dict[str, str]) -> dict[str, Any]:
    return {
        "bias": ours.AnswerBias(),
        "words": ours.AnswerShare(group="f"),
        "cited": ours.CitedShare(group="f", labels=files["labels"]),
        "change": ours.CitedChange(group="f", labels=files["labels"], run=files["run"]),
    }


def test_measures_of_answers_are_those_worked_by_hand(
    ours: ModuleType, files: dict[str, str]
) -> None:
    chosen = measures(ours, files)
    frame = pd.DataFrame(ANSWERS).rename(columns={"qid": "query_id"})
    found = {
        (str(metric.measure), metric.query_id): metric.value
        for metric in ir_measures.iter_calc(chosen.values(), QRELS, frame)
    }
    means = ir_measures.calc_aggregate(chosen.values(), QRELS, frame)
    for name, by_hand in BY_HAND.items():
        values = [found[str(chosen[name]), qid] for qid in ANSWERS["qid"]]
        known = [value for value in by_hand if value is not None]
        expected = [float("nan") if value is None else value for value in by_hand]
        assert values == pytest.approx(expected, abs=1e-6, nan_ok=True)
        # Queries without a value or an answer stay out of the mean.
        assert means[chosen[name]] == pytest.approx(sum(known) / len(known), abs=1e-6)
    parsed = ir_measures.parse_measure(f"CitedShare(group='f',labels='{files['labels']}')")
    assert parsed == chosen["cited"]


def test_what_a_measure_of_answers_lacks_is_said(
    fairpool: ModuleType, ours: ModuleType, files: dict[str, str]
) -> None:
    frame = pd.DataFrame(ANSWERS).rename(columns={"qid": "query_id"})
    for measure, run, words in (
        (ours.CitedShare(group="f"), frame, "needs labels"),
        (ours.CitedChange(group="f", labels=files["labels"]), frame, "needs run"),
        (ours.CitedShare(group="x", labels=files["labels"]), frame, "no group 'x'"),
        (ours.AnswerShare(), frame, "no group ''"),
        (ours.AnswerBias(), {"q1": {"d1": 1.0}}, "qanswer"),
        (ours.AnswerBias(), frame.drop(columns="qanswer"), "qanswer"),
    ):
        with pytest.raises(fairpool.InputError, match=words):
            ir_measures.calc_aggregate([measure], QRELS, run)
    twice = pd.concat([frame, frame])
    with pytest.warns(UserWarning, match="answered before"):
        ir_measures.calc_aggregate([ours.AnswerBias()], QRELS, twice)


def test_an_experiment_takes_them(files: dict[str, str]) -> None:
    pt = pytest.importorskip("pyterrier")
    topics = pd.DataFrame({"qid": [*QRELS], "query": [*QRELS]})
    qrels = pd.DataFrame({"qid": [*QRELS], "docno": "d1", "label": 1})
    reader = pt.Transformer.from_df(pd.DataFrame(ANSWERS))
    chosen = measures(pt.fairpool, files)
    table = pt.Experiment([reader], topics, qrels, [*chosen.values()], names=["A"])
    for name, by_hand in BY_HAND.items():
        known = [value for value in by_hand if value is not None]
        value = table[str(chosen[name])].item()
        assert value == pytest.approx(sum(known) / len(known), abs=1e-6)
