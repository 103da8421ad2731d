"""The sign of a bias does not depend on what somebody called the groups of a word list."""

import csv
import warnings
from pathlib import Path

import pytest

from metrics.api import evaluate
from metrics.measures.sides import known_sides, sides_of
from metrics.texts.lexicon import read_lexicon
from pooling.rankings import groups_to_pool
from tests.program import run as fairpool

TEXTS = {"d1": "he he", "d2": "she"}
RUN = {"q1": {"d1": 2.0, "d2": 1.0}}  # RaB(tc)@2: (2 - 1) / 2, towards the words of men


def lexicon(female: str, male: str) -> dict[str, list[str]]:
    return {female: ["she", "her"], male: ["he", "his"]}


@pytest.mark.parametrize(
    ("female", "male"),
    [
        ("f", "m"),
        ("women", "men"),
        ("she", "he"),
        ("girl", "boy"),
        ("weiblich", "maennlich"),
        ("femme", "homme"),
        ("mujer", "hombre"),
        ("vrouw", "man"),
        ("female_words", "male_words"),
    ],
)
def test_positive_values_lean_male_whatever_the_groups_are_called(female: str, male: str) -> None:
    frame = evaluate(
        RUN, ["RaB@2", "FaiRR@2"], TEXTS, magnitude="tc", lexicon=lexicon(female, male)
    )

    assert frame["value"].tolist()[0] == 0.5
    assert frame["positive"].tolist() == ["male" if male == "m" else male, ""]


def test_other_names_keep_their_order_and_are_said() -> None:
    with pytest.warns(UserWarning, match=r"RaB\(female=old,male=new\)"):
        frame = evaluate(RUN, "RaB@2", TEXTS, magnitude="tc", lexicon=lexicon("old", "new"))

    # "new" stands before "old": old minus new.
    assert frame[["value", "positive"]].values.tolist() == [[-0.5, "old"]]


def test_sides_that_are_named_are_taken_and_not_said() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        frame = evaluate(
            RUN, "RaB(female=old,male=new)@2", TEXTS, magnitude="tc", lexicon=lexicon("old", "new")
        )

    assert frame[["value", "positive"]].values.tolist() == [[0.5, "new"]]


def test_names_that_tell_nothing_or_the_same_are_no_known_sides() -> None:
    assert known_sides(("old", "young")) is None
    assert known_sides(("women", "girls")) is None
    assert sides_of(("men", "neutral", "women")) is None


def test_values_per_query_name_the_sides_by_the_groups(tmp_path: Path) -> None:
    (tmp_path / "words.csv").write_text("she,women\nhe,men\n")
    (tmp_path / "c.tsv").write_text("d1\the he\nd2\tshe\n")
    (tmp_path / "a.run").write_text("q1 Q0 d1 1 2 x\nq1 Q0 d2 2 1 x\n")
    fairpool(
        *("measure", "-m", "RaB", "--magnitude", "tc", "-k", 2, "-r", tmp_path / "a.run"),
        *("--collection", tmp_path / "c.tsv", "--lexicon", tmp_path / "words.csv"),
        *("-o", tmp_path / "out.csv", "--per-query", tmp_path / "q.csv"),
    )

    [row] = csv.DictReader((tmp_path / "q.csv").read_text().splitlines())
    assert (row["value"], row["women"], row["men"]) == ("0.5", "0.5", "1.0")
    [row] = csv.DictReader((tmp_path / "out.csv").read_text().splitlines())
    assert (row["value"], row["positive"], list(row)[-1]) == ("0.5", "men", "positive")


def test_a_pool_of_two_groups_has_the_same_order() -> None:
    assert groups_to_pool((), read_lexicon(lexicon("women", "men")).groups) == ("women", "men")
