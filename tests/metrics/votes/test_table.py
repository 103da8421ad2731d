import pandas as pd
import pytest

from metrics.errors import InputError
from metrics.votes.table import VoteTable


def test_votes_may_be_missing_and_vocabularies_may_be_larger_than_the_votes() -> None:
    table = VoteTable.of(
        ["q1", "q1", "q3"], ["w1", "w2", "w1"], ["f", "n", "n"],
        labels=["n", "f", "m"], queries=["q1", "q2", "q3"],
    )  # fmt: skip
    assert table.counts().tolist() == [[1, 1, 0], [0, 0, 0], [1, 0, 0]]
    assert table.workers == ("w1", "w2")
    assert len(table) == 3


def test_a_data_frame_gives_the_same_table() -> None:
    frame = pd.DataFrame({"query": [7, 7], "worker": ["a", "b"], "label": [0, 1]})
    table = VoteTable.from_frame(frame)
    assert table.queries == ("7",)
    assert table.labels == ("0", "1")


def test_a_worker_votes_once_on_a_query() -> None:
    with pytest.raises(InputError, match=r"'w' .*'q'"):
        VoteTable.of(["q", "q"], ["w", "w"], ["n", "f"])


@pytest.mark.parametrize("missing", [None, float("nan")])
def test_a_missing_label_is_an_error_at_the_door(missing: object) -> None:
    with pytest.raises(InputError, match=r"\b2\b"):
        VoteTable.of(["q", "r"], ["w", "w"], ["n", missing])


def test_an_unknown_label_is_named() -> None:
    with pytest.raises(InputError, match=r"'x' .*: n, f"):
        VoteTable.of(["q"], ["w"], ["x"], labels=["n", "f"])


def test_columns_of_different_length_are_refused() -> None:
    with pytest.raises(InputError):
        VoteTable.of(["q", "r"], ["w"], ["n"])


@pytest.mark.parametrize("column", ["query", "worker", "label"])
def test_each_column_of_a_frame_is_needed(column: str) -> None:
    frame = pd.DataFrame({"query": ["q"], "worker": ["w"], "label": ["n"]}).drop(columns=column)
    with pytest.raises(InputError, match=column):
        VoteTable.from_frame(frame)
