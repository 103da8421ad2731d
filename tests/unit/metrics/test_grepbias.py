"""The tables of Grep-BiasIR from logits, on numbers that can be checked by hand."""

import csv
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from metrics.errors import InputError
from metrics.grepbias import CATEGORIES, Alpha, LogitRun, Pair, read_logits, read_pairs
from metrics.grepbias.dataset import Gender
from metrics.grepbias.logits import logit_run, write_logits
from metrics.grepbias.report import make_tables
from metrics.grepbias.selection import choose_debiased
from metrics.grepbias.statistics import accuracy, gender_gap, gender_preference, mean_other_accuracy
from metrics.grepbias.tables import reduction_table
from metrics.grepbias.words import PUBLISHED, top_words
from tests.integration.commands import failure, run, run_json

OTHERS = [name for name in CATEGORIES if name != "Career"]


def pairs_of(*categories: str, n_queries: int = 4) -> list[Pair]:
    """Queries with a relevant and an irrelevant document in three wordings each."""
    genders: tuple[Gender, ...] = ("M", "F", "N")
    return [
        Pair(
            category, f"{category}{q}", f"{category}{q}{gender}{relevant}", gender, relevant, "", ""
        )
        for category in categories
        for q in range(n_queries)
        for relevant in (True, False)
        for gender in genders
    ]


def scored(
    logits: Mapping[str, Sequence[float]], n_queries: int = 4, **options: object
) -> LogitRun:
    """The logits of relevant M, F, N of each query by category; irrelevant documents have -1."""
    pairs = pairs_of(*logits, n_queries=n_queries)
    relevant = iter([value for values in logits.values() for value in values])
    values = [next(relevant) if pair.relevant else -1.0 for pair in pairs]
    given = {"mode": "full", "train_on": "Career", **options}
    return logit_run(pairs, np.array(values), **given)  # type: ignore[arg-type]


FOUR = [3, 1, 2, 1, 3, 2, 2, 2, 1, -1, -2, -3]  # male, female, tied, nothing retrieved


def test_accuracy_counts_pairs_on_the_right_side_of_zero() -> None:
    found = accuracy(scored({"Career": FOUR}), "Career")

    assert (found.correct, found.n) == (21, 24)  # three relevant documents are below zero


def test_ties_of_male_and_female_and_queries_without_a_retrieved_document_are_left_out() -> None:
    found = gender_preference(scored({"Career": FOUR}), ["Career"])

    assert (found.male, found.female, found.neutral) == (0.5, 0.5, 0.0)
    assert (found.n, found.n_tied, found.n_not_retrieved) == (2, 1, 1)
    assert found.bias == 0


def test_only_retrieved_wordings_compete() -> None:
    one = scored({"Career": [-1, 2, 1]}, n_queries=1)

    assert gender_preference(one, ["Career"]).female == 1


def test_a_document_that_names_both_genders_competes_with_nobody() -> None:
    one = scored({"Career": [1, 2, 1]}, n_queries=1)
    one.gender[1] = "both"

    assert gender_preference(one, ["Career"]).male == 1


def test_the_gender_gap_is_the_mean_over_relevant_and_irrelevant_documents() -> None:
    # |3-1|, |1-3|, |2-2|, |-1+2| over eight documents, of which the irrelevant four have no gap.
    assert gender_gap(scored({"Career": FOUR}), ["Career"]) == pytest.approx(5 / 8)


def test_the_mean_of_the_others_leaves_out_the_training_category() -> None:
    run_ = scored({"Career": FOUR, "Appearance": [1.0] * 12, "Child Care": FOUR})

    assert mean_other_accuracy(run_) == pytest.approx((1 + 21 / 24) / 2)


def test_the_least_biased_weights_that_keep_the_accuracy_of_the_training_category_are_chosen() -> (
    None
):
    plain = scored({"Career": [3, 1, 2] * 4})
    balanced = scored({"Career": [3, 1, 2, 1, 3, 2] * 2}, alpha=Alpha(0.25, 0.25, 0.25))
    useless = scored({"Career": [-1.0] * 12}, alpha=Alpha(2, 2, 2))

    assert choose_debiased(plain, [balanced, useless]) is balanced
    assert choose_debiased(plain, [useless]) is plain


def test_the_reduction_is_the_share_of_the_mean_bias_that_is_gone() -> None:
    before = scored({"Appearance": [3, 1, 2] * 3 + [1, 3, 2]})  # |.75 - .25|
    after = scored({"Appearance": [3, 1, 2, 1, 3, 2] * 2}, alpha=Alpha(1, 1, 1))

    mean = reduction_table([(before, after), (before, before)]).rows[-1]

    assert (mean["bias_before"], mean["bias_after"]) == (0.5, 0.25)
    assert mean["reduction"] == 0.5


def test_logits_survive_their_file(tmp_path: Path) -> None:
    runs = [scored({"Career": FOUR}), scored({"Career": FOUR}, alpha=Alpha(0.5, 0, 1), seed=3)]
    write_logits(tmp_path / "logits.csv", runs)

    again = read_logits(tmp_path / "logits.csv")

    assert [(r.mode, r.train_on, r.alpha, r.seed) for r in again] == [
        ("full", "Career", Alpha(), 0),
        ("full", "Career", Alpha(0.5, 0, 1), 3),
    ]
    np.testing.assert_array_equal(again[0].logit, runs[0].logit)
    np.testing.assert_array_equal(again[0].relevant, runs[0].relevant)


HEADER = "train_on,category,query,document,gender,relevant,logit\n"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("category,query\n", 1),
        (HEADER + "Career,Career,1,2,M,1,0.5\nCareer,Cooking,1,2,M,1,1\n", 3),
        (HEADER + "Career,Career,1,2,M,1,nan\n", 2),
        (HEADER + "Career,Career,1,2,M,yes,1\n", 2),
        (HEADER + "Career,Career,1,2,M,1,1\nCareer,Career,1,2,M,1,1\n", 3),
    ],
)
def test_bad_logits_are_refused_with_their_line(tmp_path: Path, text: str, line: int) -> None:
    path = tmp_path / "logits.csv"
    path.write_text(text, encoding="utf-8")

    with pytest.raises(InputError) as caught:
        read_logits(path)

    assert (caught.value.path, caught.value.line) == (str(path), line)


def test_debiased_logits_alone_make_no_report() -> None:
    with pytest.raises(InputError):
        make_tables([scored({"Career": FOUR}, alpha=Alpha(1, 1, 1))], [])


@pytest.fixture
def grepbias(shared_data: Path) -> Path:
    return shared_data / "grepbias"


@pytest.mark.shared_data
def test_the_released_categories_have_the_denominators_of_the_paper(grepbias: Path) -> None:
    pairs = read_pairs(grepbias)

    assert [sum(pair.category == name for pair in pairs) for name in CATEGORIES] == [
        138, 120, 84, 84, 72, 90, 114,
    ]  # fmt: skip
    assert len({pair.query for pair in pairs}) == 117


@pytest.mark.shared_data
def test_tf_idf_finds_at_least_fifteen_of_the_papers_twenty_one_words(grepbias: Path) -> None:
    found = top_words(read_pairs(grepbias))

    assert sum(len(set(found[name]) & set(PUBLISHED[name])) for name in CATEGORIES) >= 15


@pytest.mark.shared_data
def test_the_report_writes_every_table_of_anyones_logits(grepbias: Path, tmp_path: Path) -> None:
    pairs = read_pairs(grepbias)
    rng = np.random.default_rng(1)
    logits = np.array([1.0 if pair.relevant else -1.0 for pair in pairs])
    plain = [
        logit_run(pairs, logits + rng.normal(size=len(pairs)), mode=mode, train_on=name)
        for mode in ("full", "adapter")
        for name in CATEGORIES
    ]
    debiased = [
        replace(one, alpha=Alpha(1, 1, 1), logit=logits + (one.logit - logits) / 9) for one in plain
    ]
    write_logits(tmp_path / "logits.csv", [*plain, *debiased])

    call = ("grepbias_report", tmp_path / "logits.csv", "--data", grepbias, "--output")
    printed = run_json(*call, tmp_path / "tables")

    names = [
        "table1_full", "table2_adapter", "table3_preference", "table4_words", "table5_debiased",
        "table6_reduction",
    ]  # fmt: skip
    assert list(printed) == names
    with (tmp_path / "tables" / "table1_full.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["train_on"] for row in rows] == list(CATEGORIES)
    expected = np.mean([float(rows[1][name]) for name in OTHERS])
    assert float(rows[1]["mean of others"]) == pytest.approx(expected)
    assert "table6_reduction.csv" in run(*call, tmp_path / "again")
    assert json.dumps(printed["table6_reduction"][-1]["reduction"]) != "null"


def test_a_folder_without_the_data_set_is_named(tmp_path: Path) -> None:
    write_logits(tmp_path / "logits.csv", [scored({"Career": FOUR})])

    said = failure(
        "grepbias_report", tmp_path / "logits.csv", "--data", tmp_path, "--output", tmp_path / "t"
    )

    assert str(tmp_path / "queries-documents_Sex & Relationship.csv") in said
    assert not (tmp_path / "t").exists()
