"""Files of nuggets and support, and CAB and CAS, in the table of a chain."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import metrics
from metrics.answers.judgments import judgments_of
from metrics.errors import InputError
from tests.metrics.answers.worked import ANSWERS, LABELS, LISTS
from tests.program import failure, run

#: As nuggetizer writes an assignment, and as the RAG track writes the support of sentences.
NUGGETS: dict[str, Any] = {
    "query": "who", "qid": "q1", "answer_text": "He ...", "response_length": 15, "run_id": "A",
    "nuggets": [
        {"text": "a", "importance": "vital", "assignment": "support"},
        {"text": "b", "importance": "vital", "assignment": "partial_support"},
        {"text": "c", "importance": "okay", "assignment": "support"},
        {"text": "d", "importance": "okay", "assignment": "not_support"},
    ],
}  # fmt: skip
SUPPORT: dict[str, Any] = {
    **ANSWERS[0],
    "support_eval": [
        {"answer": "He ...", "citations": [0, 1], "count": 2, "eval_scores": ["FS", "NS"]},
        {"answer": "Nothing ...", "citations": [], "count": 0, "eval_scores": []},
        {"answer": "His ...", "citations": [2], "count": 1, "eval_scores": ["PS"]},
    ],
}
BY_HAND = {"strict vital": 0.5, "vital": 0.75, "strict all": 0.5, "all": 0.625}


def test_nuggets_and_support_of_files_are_those_worked_by_hand(tmp_path: Path) -> None:
    files: dict[str, Any] = {
        "nuggets": tmp_path / "nuggets.jsonl",
        "support": tmp_path / "support.jsonl",
    }
    # A query that nobody answered, too.
    other = {**NUGGETS, "qid": "q9", "nuggets": NUGGETS["nuggets"][:1]}
    files["nuggets"].write_text(json.dumps(NUGGETS) + "\n" + json.dumps(other) + "\n")
    files["support"].write_text(json.dumps(SUPPORT) + "\n")
    table = metrics.chain(LISTS, ANSWERS, labels=LABELS, **files)
    values = _values(table)
    for step, value in BY_HAND.items():
        assert values["nuggets", step] == value
    assert values["support", "weighted precision"] == 0.75
    assert values["support", "weighted recall"] == 0.5
    assert values["count", "answers judged by nuggets and not measured"] == 1
    assert values["count", "answers judged by support and not measured"] == 0
    (row,) = table[table["step"] == "vital"].to_dict("records")
    assert (row["run"], row["n_queries"], row["withheld"]) == ("A", 1, "fewer than 30 queries")


@pytest.mark.parametrize(
    "support", [["FS", None, "PS"], [1, None, 0.5], ["full_support", None, "Partial Support"]]
)
def test_support_may_be_a_score_for_each_sentence(support: list[Any]) -> None:
    records = [{"qid": "q1", "support": support}]
    for source in (records, pd.DataFrame(records)):
        values = judgments_of(source, "support")[""]["q1"]
        assert values == {"weighted precision": 0.75, "weighted recall": 0.5}


@pytest.mark.parametrize(
    ("kind", "wrong"),
    [
        ("nuggets", {"qid": "q2"}),
        ("nuggets", {"nuggets": []}),
        ("nuggets", {"qid": "q2", "nuggets": ["text"]}),
        ("nuggets", {"qid": "q2", "nuggets": [{"importance": "vital", "assignment": "failed"}]}),
        ("nuggets", {"qid": "q2", "nuggets": [{"importance": "high", "assignment": "support"}]}),
        ("nuggets", NUGGETS),
        ("support", {"qid": "q2"}),
        ("support", {"qid": "q2", "support": []}),
        ("support", {"qid": "q2", "support": [0.7]}),
        ("support", {"qid": "q2", "support": [True]}),
        ("support", {**SUPPORT, "topic_id": "q2", "support_eval": SUPPORT["support_eval"][:2]}),
        ("support", {"qid": "q2", "support_eval": [{"citations": [0], "eval_scores": [None]}]}),
    ],
)
def test_what_is_no_judgment_is_refused_with_its_line(
    kind: Any, wrong: dict[str, Any], tmp_path: Path
) -> None:
    path = tmp_path / "judged.jsonl"
    first = {"nuggets": NUGGETS, "support": SUPPORT}[kind]
    path.write_text(json.dumps(first) + "\n" + json.dumps(wrong) + "\n")
    with pytest.raises(InputError) as error:
        judgments_of(path, kind)
    assert (error.value.path, error.value.line) == (str(path), 2)
    assert error.value.remedy


def test_judgments_of_other_systems_or_queries_are_refused_with_names_of_both_sides() -> None:
    for nuggets, named in (
        ({**NUGGETS, "run_id": "B"}, {"'B'", "A"}),
        ({**NUGGETS, "qid": "t9"}, {"t9", "q1"}),
    ):
        with pytest.raises(InputError) as error:
            metrics.chain(LISTS, ANSWERS, labels=LABELS, nuggets=[nuggets])
        text = f"{error.value} {error.value.remedy}".replace(",", " ").replace(".", " ")
        assert named <= set(text.split())
    answers = {"A": ANSWERS, "B": ANSWERS}
    nameless = {name: value for name, value in NUGGETS.items() if name != "run_id"}
    with pytest.raises(InputError, match="several"):
        metrics.chain(LISTS, answers, labels=LABELS, nuggets=[nameless])


#: Documents that are relevant (r) or not, and whom the answers with each label cite.
DOCUMENTS = {"1": "1001", "2": "0100", "3": "1000"}
CITED = {"human": {"1": [0, 3], "2": [1, 2], "3": [0]}, "model": {"1": [0], "2": [1], "3": [2]}}


def _labelled() -> tuple[dict[str, list[str]], dict[str, list[dict[str, Any]]], dict[str, Any]]:
    lists = {qid: [f"d{qid}{n}" for n in range(4)] for qid in DOCUMENTS}
    answers = {
        system: [
            {"qid": qid, "answer": [{"text": "A.", "citations": [lists[qid][n] for n in places]}]}
            for qid, places in cited.items()
        ]
        for system, cited in CITED.items()
    }
    qrels = {
        qid: {lists[qid][n]: int(relevant) for n, relevant in enumerate(row)}
        for qid, row in DOCUMENTS.items()
    }
    return lists, answers, qrels


def test_cab_and_cas_stand_in_the_table_of_a_chain() -> None:
    lists, answers, qrels = _labelled()
    labels = {docno: "fm"[n % 2] for docnos in lists.values() for n, docno in enumerate(docnos)}
    pair = ("human", "model")
    table = metrics.chain(lists, answers, labels=labels, qrels=qrels, attribution=pair)
    values = _values(table[table["group"] == "human - model"])
    assert values["attribution bias (CAB)", "precision"] == pytest.approx(16.6667, abs=1e-4)
    assert values["attribution bias (CAB)", "recall"] == pytest.approx(50)
    assert values["attribution sensitivity (CAS)", "precision"] == pytest.approx(50)
    assert values["attribution sensitivity (CAS)", "recall"] == pytest.approx(50)
    with pytest.raises(InputError, match="relevant documents"):
        metrics.chain(lists, answers, labels=labels, attribution=pair)
    with pytest.raises(InputError, match="two systems"):
        metrics.chain(lists, answers, labels=labels, qrels=qrels, attribution=["human", "other"])
    with pytest.raises(InputError, match="relevant document"):
        metrics.chain(lists, answers, labels=labels, qrels={"1": {"x": 0}}, attribution=pair)


def test_the_command_takes_the_same_judgments(tmp_path: Path) -> None:
    lists, answers, qrels = _labelled()
    (tmp_path / "lists.run").write_text(
        "".join(f"{q} Q0 {d} {r} {-r} x\n" for q, of in lists.items() for r, d in enumerate(of, 1))
    )
    (tmp_path / "labels.csv").write_text("".join(f"d1{n},{'fm'[n % 2]}\n" for n in range(4)))
    (tmp_path / "qrels.txt").write_text(
        "".join(f"{q} 0 {d} {g}\n" for q, of in qrels.items() for d, g in of.items())
    )
    call: list[Any] = ["chain", "--run", f"lists={tmp_path / 'lists.run'}"]
    for system, records in answers.items():
        path = tmp_path / f"{system}.jsonl"
        path.write_text("".join(json.dumps(record) + "\n" for record in records))
        call += ["--answers", f"{system}={path}"]
    (tmp_path / "nuggets.jsonl").write_text(json.dumps({**NUGGETS, "qid": "1", "run_id": "human"}))
    (tmp_path / "support.jsonl").write_text(
        json.dumps({"qid": "1", "run_id": "model", "support": ["FS"]})
    )
    call += ["--labels", tmp_path / "labels.csv", "--qrels", tmp_path / "qrels.txt"]
    call += ["--nuggets", tmp_path / "nuggets.jsonl", "--support", tmp_path / "support.jsonl"]
    out = tmp_path / "chain.csv"
    run(*call, "--attribution", "human,model", "-o", out)
    values = _values(pd.read_csv(out))
    assert values["attribution bias (CAB)", "recall"] == pytest.approx(50)
    assert values["nuggets", "vital"] == 0.75
    assert values["support", "weighted recall"] == 1
    assert "human" in failure(*call, "--attribution", "human")


def _values(table: Any) -> Mapping[tuple[str, str], float]:
    keys = zip(table["figure"], table["step"], strict=True)
    return dict(zip(keys, table["value"], strict=True))
