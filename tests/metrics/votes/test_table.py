import numpy as np
import pytest

from metrics.errors import InputError
from metrics.votes.table import Kind, Votes


def test_votes_may_be_missing_and_vocabularies_may_be_larger_than_the_votes() -> None:
    table = Votes.of(
        ["q1", "q1", "q3"], ["w1", "w2", "w1"], ["f", "n", "n"],
        options=["n", "f", "m"], items=["q1", "q2", "q3"],
    )  # fmt: skip
    assert table.counts().tolist() == [[1, 1, 0], [0, 0, 0], [1, 0, 0]]
    assert table.workers == ("w1", "w2")
    assert len(table) == 3


def test_who_cannot_tell_is_in_the_table_and_counts_for_nothing() -> None:
    table = Votes.of("qqr", "abc", "n?n")
    assert table.options == ("n",)
    assert table.counts().tolist() == [[1], [1]]
    assert table.untold().tolist() == [1, 0]
    assert len(table.told()) == 2


def test_several_options_of_an_answer_are_one_value() -> None:
    sets = [frozenset("xy"), frozenset("x"), frozenset("?"), frozenset("yx")]
    table = Votes.of("qqqr", "abca", sets, options=["x", "y", "z"], kind=Kind.SEVERAL)
    assert table.labels == ("x", "x;y")
    assert table.counts().tolist() == [[1, 1], [0, 1]]
    assert table.counts_of_options().tolist() == [[2, 1, 0], [1, 1, 0]]
    with pytest.raises(InputError, match="'w' is not one of the known: x, y"):
        Votes.of("q", "a", [frozenset("w")], options=["x", "y"], kind=Kind.SEVERAL)


def test_votes_that_are_excluded_do_not_count() -> None:
    table = Votes.of("qq", "ab", "nf", excluded=np.array([True, False]))
    assert table.counted().counts().tolist() == [[1, 0]]


def test_a_worker_votes_once_on_a_query() -> None:
    with pytest.raises(InputError, match=r"'w' .*'q'"):
        Votes.of(["q", "q"], ["w", "w"], ["n", "f"])


@pytest.mark.parametrize("missing", [None, float("nan")])
def test_a_missing_label_is_an_error_at_the_door(missing: object) -> None:
    with pytest.raises(InputError, match=r"\b2\b"):
        Votes.of(["q", "r"], ["w", "w"], ["n", missing])


def test_an_unknown_label_is_named() -> None:
    with pytest.raises(InputError, match=r"'x' .*: n, f"):
        Votes.of(["q"], ["w"], ["x"], options=["n", "f"])


def test_columns_of_different_length_are_refused() -> None:
    with pytest.raises(InputError):
        Votes.of(["q", "r"], ["w"], ["n"])
