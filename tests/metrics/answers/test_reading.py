"""Answers of the tracks and of people's own programs, and what is odd in them."""

import gzip
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import metrics
from metrics.errors import InputError, InputTypeError

TEXT = "He left. She stayed."
SENTENCES = [("He left.", ("d1",)), ("She stayed.", ("d2", "d1"))]
LAYOUTS: dict[str, dict[str, Any]] = {
    "RAG 2024": {
        "run_id": "r", "topic_id": "7", "topic": "who left", "references": ["d1", "d2"],
        "response_length": 4,
        "answer": [
            {"text": "He left.", "citations": [0]}, {"text": "She stayed.", "citations": [1, 0]},
        ],
    },
    "RAG 2025": {
        "team_id": "t", "run_id": "r", "narrative_id": 7, "references": ["d1", "d2"],
        "answer": [
            {"text": "He left.", "citations": ["d1"]},
            {"text": "She stayed.", "citations": ["d2", "d1"]},
        ],
    },
    "RAG 2026": {
        "metadata": {"team_id": "t", "narrative_id": "7", "narrative": "x", "run_id": "r"},
        "references": ["d1", "d2"],
        "answer": [
            {"text": "He left.", "citations": [0]},
            {"text": "She stayed.", "citations": ["d2", 0]},
        ],
    },
    "RAGTIME": {
        "metadata": {"team_id": "t", "topic_id": "7", "run_id": "r", "run_desc": "x"},
        "responses": [
            {"text": "He left.", "citations": {"d1": 0.5}},
            {"text": "She stayed.", "citations": {"d2": 0.5, "d1": 0.1}},
        ],
        "references": ["d1", "d2"],
    },
    "marks": {
        "qid": "7", "run": "r", "references": ["d1", "d2"],
        "answer": "He left [1]. She stayed. [2, 1]",
    },
}  # fmt: skip


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("packed", [False, True], ids=["plain", "packed"])
def test_a_track_is_told_by_its_content(layout: str, packed: bool, tmp_path: Path) -> None:
    content = (json.dumps(LAYOUTS[layout]) + "\n").encode()
    path = tmp_path / "answers.jsonl"
    path.write_bytes(gzip.compress(content) if packed else content)
    (answers,) = metrics.read_answers(path)
    assert (answers.name, list(answers)) == ("r", ["7"])
    read = [(s.text.replace(" .", "."), s.citations) for s in answers["7"].sentences]
    assert read == SENTENCES
    assert answers["7"].references == ("d1", "d2")
    assert not answers.oddities


def test_a_plain_answer_cites_as_a_whole(tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    path.write_text(json.dumps({"qid": "7", "answer": TEXT, "citations": ["d2", "d1"]}))
    (answers,) = metrics.read_answers(path)
    assert answers.name == "mine"
    assert [s.citations for s in answers["7"].sentences] == [("d2", "d1")]
    path.write_text(json.dumps([{"qid": "7", "answer": TEXT}, {"qid": "8", "answer": TEXT}]))
    assert list(metrics.read_answers(path)[0]) == ["7", "8"]


def test_what_is_odd_is_counted_by_its_name() -> None:
    records = [
        {"qid": "1", "references": ["d1", "d1"], "answer": [{"text": "A.", "citations": [0, 5]}]},
        {"qid": "2", "references": ["d1"], "answer": [{"text": "B.", "citations": ["x"]}]},
        {"qid": "3", "references": ["d1"], "answer": [{"text": "<p>C.</p>"}]},
        {"qid": "4", "references": [f"d{n}" for n in range(101)], "answer": ""},
        {"qid": "1", "answer": [{"text": "again"}]},
    ]
    (answers,) = metrics.read_answers(records)
    assert answers.oddities == {
        "out_of_range": 1, "twice": 1, "outside": 1, "tags": 1, "long": 1, "uncited": 2,
        "empty": 1, "repeated": 1,
    }  # fmt: skip
    assert answers["1"].sentences[0].text == "A."
    assert answers["2"].sentences[0].citations == ("x",)


@pytest.mark.parametrize(
    "wrong",
    [
        {"answer": "No query."},
        {"qid": "1"},
        {"qid": "1", "answer": [{"citations": [0]}]},
        {"qid": "1", "references": ["d1"], "answer": [{"text": "A.", "citations": [0.0]}]},
        {"qid": "1", "references": ["d1"], "answer": [{"text": "A.", "citations": "d1"}]},
        {"qid": "1", "references": "d1", "answer": "A."},
        {"qid": "1", "references": [None], "answer": "A."},
        {"qid": "1", "answer": "A [1]."},
        {"qid": "1", "references": ["d1"], "answer": "A [0]."},
        ["qid", "1"],
    ],
)
def test_what_is_no_answer_is_refused_with_its_line(wrong: Any, tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_text(json.dumps(LAYOUTS["RAGTIME"]) + "\n\n" + json.dumps(wrong) + "\n")
    with pytest.raises(InputError) as error:
        metrics.read_answers(path)
    assert (error.value.path, error.value.line) == (str(path), 3)
    assert error.value.remedy


def test_marks_may_begin_with_zero_where_somebody_says_so() -> None:
    record = {"qid": "1", "references": ["d1", "d2"], "answer": "A [0]. B [1][0]!"}
    (answers,) = metrics.read_answers([record], first_mark=0)
    assert [s.citations for s in answers["1"].sentences] == [("d1",), ("d2", "d1")]


def test_damaged_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    for content in ("", '{"qid": ', "not json"):
        path.write_text(content)
        with pytest.raises(InputError):
            metrics.read_answers(path)


@dataclass
class Document:
    """As LangChain has one."""

    page_content: str
    metadata: dict[str, Any]


def test_answers_of_other_programs_need_the_names_of_their_columns_alone() -> None:
    documents = [Document("...", {"docno": "d1"}), Document("...", {"id": "d2"})]
    records = [{"id": "7", "result": "A.", "source_documents": documents, "used": documents[:1]}]
    (answers,) = metrics.read_answers(records, qid="id", answer="result", citations="used")
    assert answers["7"].references == ("d1", "d2")
    assert answers["7"].sentences[0].citations == ("d1",)
    frame = pd.DataFrame({"qid": ["7"], "qanswer": ["A."], "docs": [["d1"]]})
    (answers,) = metrics.read_answers(frame, citations="docs")
    assert answers["7"].sentences[0].citations == ("d1",)


def test_arrays_and_missing_values_of_a_frame_are_lists_and_nothing() -> None:
    columns = {"qid": [7, 8], "qanswer": ["A.", "B."], "citations": [np.array([0]), np.nan]}
    frame = pd.DataFrame({**columns, "references": [np.array(["d1"]), None]})
    (answers,) = metrics.read_answers(frame)
    assert answers["7"].sentences[0].citations == ("d1",)
    assert answers["8"].sentences[0].citations == ()
    assert answers.oddities == {"uncited": 1}


def test_a_member_that_is_named_and_not_there_is_an_error() -> None:
    with pytest.raises(InputTypeError, match="used"):
        metrics.read_answers([{"qid": "1", "answer": "A."}], citations="used")
