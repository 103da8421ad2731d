"""Agreement and decisions of data frames."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest

import metrics
from metrics.errors import InputError, InputTypeError
from metrics.votes.agreeing import agree
from metrics.votes.table import Votes

# What agreement has to say of a few votes is not what these tests are about.
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def drawn(n_items: int = 80) -> pd.DataFrame:
    """Three of six workers answer each item, right in three of four."""
    rng = np.random.default_rng(2)

    def rows() -> Iterator[tuple[int, str, str]]:
        for item in range(n_items):
            truth = rng.choice(list("abc"))
            for worker in rng.choice(6, 3, replace=False):
                yield item, f"w{worker}", truth if rng.random() < 0.75 else rng.choice(list("abc"))

    return pd.DataFrame(rows(), columns=["task", "worker", "label"])


def value(frame: pd.DataFrame, coefficient: str = "alpha", option: str = "") -> float:
    [row] = frame[(frame.coefficient == coefficient) & (frame.option == option)].to_dict("records")
    return float(row["value"])


def test_a_frame_of_crowd_kit_goes_in_as_it_stands() -> None:
    frame = drawn()
    found = metrics.agreement(frame)
    ours = agree(Votes.of(frame.task, frame.worker, frame.label))
    assert ours.krippendorff_alpha.low is not None
    alpha = found.iloc[0]
    assert (alpha.value, alpha.low, alpha.high) == (
        *(ours.krippendorff_alpha.value, ours.krippendorff_alpha.low),
        ours.krippendorff_alpha.high,
    )
    assert set(found.coefficient) == {"alpha", "ac1", "kappa", "raw"}
    assert set(found.option) == {"", "a", "b", "c"}
    assert (alpha.holds_for, alpha.n_items, alpha.n_options) == ("other workers", 80, 3)
    these = metrics.agreement(frame, holds_for="these workers", resamples=200).iloc[0]
    assert these.high - these.low < alpha.high - alpha.low


def test_a_wide_table_says_the_same() -> None:
    frame = drawn()
    wide = frame.pivot_table(index="task", columns="worker", values="label", aggfunc="first")
    found = metrics.agreement(wide.reset_index(), wide=True)
    assert value(found) == pytest.approx(value(metrics.agreement(frame)))


def test_several_questions_are_told_apart_by_a_column() -> None:
    frame = pd.concat([drawn().assign(q="x"), drawn(60).assign(q="y")])
    found = metrics.agreement(frame, question="q")
    assert [*dict.fromkeys(found.question)] == ["x", "y"]
    assert found[found.question == "y"].n_items.iloc[0] == 60
    assert set(metrics.decide(frame, question="q").question) == {"x", "y"}


@pytest.mark.parametrize(("kind", "distance"), [("ordinal", "ordinal"), ("interval", "interval")])
def test_numbers_are_options_in_their_order(kind: str, distance: str) -> None:
    frame = pd.DataFrame(
        {"item": [1, 1, 2, 2, 3, 3], "rater": list("ababab"), "value": [9, 10, 2.0, 2, 10, 10]}
    )
    found = metrics.agreement(frame, kind=kind)
    assert found.distance.iloc[0] == distance
    assert value(found) > value(metrics.agreement(frame))
    assert list(metrics.decide(frame, kind=kind).decided) == ["9", "2", "10"]
    with pytest.raises(InputError, match="are not numbers"):
        metrics.agreement(frame.assign(value=list("abcabc")), kind=kind)


def test_sets_of_options_are_compared_as_sets() -> None:
    frame = pd.DataFrame(
        {"item": [1, 1, 2, 2], "worker": list("abab"), "value": ["x;y", "x", "y", "y"]}
    )
    found = metrics.agreement(frame, kind="several")
    assert found.distance.iloc[0] == "MASI"
    assert list(metrics.decide(frame, kind="several").decided) == ["x", "y"]
    cells: list[Any] = ["x", "y", ["x"], None]
    with pytest.raises(InputError, match="None is not a set"):
        metrics.agreement(frame.assign(value=cells), kind="several")


def test_sets_of_options_are_asked_for_their_kind() -> None:
    frame = pd.DataFrame({"item": [1, 1], "worker": ["a", "b"], "value": [["x"], ["x", "y"]]})
    with pytest.raises(InputTypeError) as wrong:
        metrics.decide(frame)
    assert 'kind="several"' in str(wrong.value)


def test_the_same_id_as_a_number_and_as_text_is_one() -> None:
    frame = pd.DataFrame({"item": [1, "1", 1.0], "worker": [1, "2", 3.0], "value": ["x", "x", "y"]})
    [row] = metrics.decide(frame).to_dict("records")
    assert (row["item"], row["decided"], row["n_votes"], row["n_for"]) == ("1", "x", 3, 2)


def test_a_tie_is_missing_and_never_drawn() -> None:
    frame = pd.DataFrame({"item": [1, 1, 2], "worker": list("aba"), "value": ["x", "y", "x"]})
    found = metrics.decide(frame)
    assert found.decided.isna().tolist() == [True, False]
    assert found.state.tolist() == ["tie", "decided"]
    sure = metrics.decide(drawn(), "dawid_skene")
    assert sure.confidence.between(0, 1).all()


def test_what_is_no_table_of_votes_is_refused() -> None:
    frame = drawn()
    with pytest.raises(InputError, match="may both be the column of the worker"):
        metrics.agreement(frame.assign(annotator="x"))
    with pytest.raises(InputError, match="the column of the item"):
        metrics.agreement(frame.rename(columns={"task": "thing"}))
    assert len(metrics.agreement(frame.rename(columns={"task": "thing"}), item="thing"))
    with pytest.raises(InputError, match="data frame"):
        metrics.agreement([1, 2])
    with pytest.raises(InputError, match="median"):
        metrics.decide(frame.assign(label=1), "mace", kind="ordinal")
    with pytest.raises(InputError, match="not a kind"):
        metrics.decide(frame, kind="loud")
