"""Frames that hold several systems, and whose ranks contradict their scores."""

import warnings
from typing import Any

import pandas as pd
import pytest

from metrics.api import evaluate
from metrics.errors import InputError
from metrics.runs import Run

TEXTS = {"d1": "he", "d2": "she", "d3": "rain", "d4": "he he"}
ROWS: dict[str, list[Any]] = {
    "qid": ["q1", "q1", "q1", "q1"],
    "docno": ["d1", "d2", "d1", "d3"],
    "score": [2.0, 1.0, 2.0, 1.0],
}


@pytest.mark.parametrize("column", ["name", "run", "system", "tag"])
def test_the_systems_of_a_frame_are_measured_each_by_itself(column: str) -> None:
    frame = pd.DataFrame({**ROWS, column: ["A", "A", "B", "B"]})

    table = evaluate(frame, "RaB@2", TEXTS, magnitude="tc")

    assert table[["run", "value"]].to_numpy().tolist() == [["A", 0.0], ["B", 0.5]]


def test_a_frame_of_one_system_and_names_of_documents_are_one_run() -> None:
    rows = {name: values[:2] for name, values in ROWS.items()}
    for names in (["bm25", "bm25"], ["first title", "second title"]):
        table = evaluate(pd.DataFrame({**rows, "name": names}), "RaB@2", TEXTS)
        assert table["run"].tolist() == ["run"]


def test_a_frame_that_was_named_holds_one_system() -> None:
    frame = pd.DataFrame({**ROWS, "tag": ["A", "A", "B", "B"]})

    with pytest.raises(InputError, match="'A', 'B'"):
        evaluate({"mine": frame}, "RaB@2", TEXTS)


def test_two_columns_that_name_systems_otherwise_are_an_error() -> None:
    frame = pd.DataFrame({**ROWS, "tag": ["A", "A", "B", "B"], "run": ["x", "y", "x", "y"]})

    with pytest.raises(InputError, match="run and tag"):
        evaluate(frame, "RaB@2", TEXTS)


@pytest.mark.parametrize("order", ["default", "rank"])
def test_ranks_that_contradict_scores_are_said_of_frames(order: Any) -> None:
    rows = {"qid": ["q1", "q1"], "docno": ["d1", "d2"], "rank": [1, 2], "score": [1.0, 2.0]}

    for source in (pd.DataFrame(rows), Run.from_frame(pd.DataFrame(rows), "A", order)):
        with pytest.warns(UserWarning, match="contradict each other in 1 query"):
            table = evaluate(source, "RaB@1", TEXTS, order=order, magnitude="tc")
        assert table["value"].tolist() == [1.0 if order == "rank" else -1.0]


def test_ranks_that_follow_scores_are_not_said() -> None:
    rows = {
        "qid": ["q2", "q1", "q1", "q2"],
        "docno": ["d1", "d1", "d2", "d2"],
        "rank": [0, 0, 1, 1],
        "score": [9.0, 2.0, 2.0, 1.0],
    }
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        evaluate(pd.DataFrame(rows), "RaB@1", TEXTS)


def test_runs_are_equal_by_their_content() -> None:
    run = Run.from_dict({"q1": {"d1": 2.0, "d2": 1.0}}, "A")

    assert run == Run.from_dict({"q1": {"d2": 1.0, "d1": 2.0}}, "B")
    assert len({run, Run.from_frame(run.to_frame(), "C")}) == 1
    for other in ({"q1": {"d1": 2.0}}, {"q1": {"d1": 2.0, "d2": 0.5}}, {"q2": run["q1"]}):
        assert run != Run.from_dict(other, "A")
    assert run != run.to_dict()


def test_words_with_a_star_are_refused() -> None:
    with pytest.raises(InputError, match="sh\\*"):
        evaluate({"q1": {"d1": 1.0}}, "RaB@1", TEXTS, lexicon={"f": ["sh*"], "m": ["he"]})
