"""The tables of Grep-BiasIR from logits, on numbers that can be checked by hand."""

import csv
import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from metrics.errors import InputError
from metrics.results.preference import Preference
from rankers.grepbias import CATEGORIES, Alpha, LogitRun, Pair, read_logits, read_pairs
from rankers.grepbias.dataset import Gender
from rankers.grepbias.logits import logit_remarks, logit_run, write_logits
from rankers.grepbias.published import published, published_bias
from rankers.grepbias.report import NAME, make_tables
from rankers.grepbias.selection import choose_debiased, runner_up
from rankers.grepbias.statistics import (
    accuracy,
    average_preference,
    bias_by_chance,
    difference_interval,
    gender_gap,
    gender_preference,
    mean_other_accuracy,
    wilson_interval,
)
from rankers.grepbias.tables import PUBLISHED, reduction_table, top_words
from tests.program import failure, run, run_json

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


def test_weights_of_zero_are_a_candidate() -> None:
    """The paper kept them for Domestic Work: its rows of Tables 2 and 5 are the same."""
    plain = scored({"Career": [3, 1, 2, 1, 3, 2] * 2})
    worse = scored({"Career": [3, 1, 2] * 4}, alpha=Alpha(0.25, 0.25, 0.25))

    assert choose_debiased(plain, [worse]) is plain
    assert runner_up(plain, [worse]) is worse
    texts = [replace(pair, text="career home love") for pair in pairs_of(*CATEGORIES)]
    tables = {table.name: table for table in make_tables([plain, worse], texts)}
    (row,) = tables["table6_reduction"].rows[:-1]
    assert (row["alpha"], row["reduction"]) == ("0,0,0", None)
    # Table 3 is of the models as they are: nothing of it was published after debiasing.
    assert all(row["published_male"] is None for row in tables["preference_debiased"].rows)


@pytest.mark.shared_data
def test_the_report_says_what_the_logits_lack(grepbias: Path, tmp_path: Path) -> None:
    pairs = read_pairs(grepbias)
    some = [*pairs[:2], replace(pairs[2], relevant=not pairs[2].relevant)]
    stray = replace(pairs[0], document="another")
    runs = [
        logit_run([*some, stray], np.ones(4), mode="full", train_on="Career"),
        logit_run(pairs, np.ones(len(pairs)), mode="adapter", train_on="Career"),
    ]

    (remark,) = logit_remarks(runs, pairs)
    assert "3 of 702 pairs" in remark
    assert "1 not in the data set, 1 of another gender or relevance" in remark

    write_logits(tmp_path / "logits.csv", runs[:1])
    call = ["grepbias", "report", tmp_path / "logits.csv", "--data", grepbias]
    run(*call, "--output", tmp_path / "tables")
    assert remark in (tmp_path / "tables" / "report.md").read_text(encoding="utf-8")


def test_the_reduction_is_the_share_of_the_mean_bias_that_is_gone() -> None:
    before = scored({"Appearance": [3, 1, 2] * 3 + [1, 3, 2]})  # |.75 - .25|
    after = scored({"Appearance": [3, 1, 2, 1, 3, 2] * 2}, alpha=Alpha(1, 1, 1))

    mean = reduction_table([(before, after), (before, before)]).rows[-1]

    assert (mean["bias_before"], mean["bias_after"]) == (0.5, 0.25)
    assert mean["reduction"] == 0.5


def test_an_average_of_preferences_includes_the_training_category() -> None:
    found = average_preference(
        scored({"Career": [3, 1, 2] * 4, "Appearance": [1, 3, 2] * 4, "Child Care": [1, 2, 3] * 4})
    )

    assert (found.male, found.female, found.neutral) == pytest.approx((1 / 3, 1 / 3, 1 / 3))


def test_thirty_gendered_winners_of_ninety_differ_by_a_twentieth_by_chance() -> None:
    found = Preference(
        male=20 / 90, female=10 / 90, neutral=60 / 90, n=90, n_tied=0, n_not_retrieved=0
    )

    assert bias_by_chance(found) == pytest.approx(0.048, abs=5e-4)


def preferred(male: int, female: int, n: int) -> Preference:
    return Preference(male / n, female / n, 1 - (male + female) / n, n, 0, 0)


def test_the_interval_of_a_difference_holds_what_the_score_test_does_not_reject() -> None:
    squared = 1.959964**2

    def statistic(male: int, female: int, n: int, difference: float) -> float:
        """The squared score statistic, with the likeliest shares of that difference by search."""

        def lost(q: float) -> float:
            shares = (q + difference, q, 1 - difference - 2 * q)
            counts = (male, female, n - male - female)
            return -sum(c * math.log(s) for c, s in zip(counts, shares, strict=True))

        bounds = (max(0, -difference) + 1e-9, (1 - difference) / 2 - 1e-9)
        q = float(minimize_scalar(lost, bounds=bounds, options={"xatol": 1e-12}).x)
        variance = n * (2 * q + difference - difference**2)
        return float((male - female - n * difference) ** 2 / variance)

    for counts in ((12, 2, 50), (1, 5, 9), (20, 10, 90)):
        for end in difference_interval(preferred(*counts)):
            assert statistic(*counts, end) == pytest.approx(squared, rel=1e-4)
    # Without a gendered winner: z^2 / (n + z^2), in closed form.
    end = squared / (30 + squared)
    assert difference_interval(preferred(0, 0, 30)) == pytest.approx((-end, end))


@pytest.mark.parametrize("n", [7, 9, 12])
@pytest.mark.parametrize("shares", [(0.3, 0.2), (0.45, 0.45), (0.1, 0.6), (0.9, 0.05)])
def test_the_interval_of_a_difference_covers_it_with_few_queries(
    n: int, shares: tuple[float, float]
) -> None:
    covered = 0.0
    for male in range(n + 1):
        for female in range(n + 1 - male):
            rest = n - male - female
            ways = math.comb(n, male) * math.comb(n - male, female)
            chance = ways * shares[0] ** male * shares[1] ** female * (1 - sum(shares)) ** rest
            low, high = difference_interval(preferred(male, female, n))
            covered += chance * (low <= shares[0] - shares[1] <= high)

    assert covered > 0.93


def test_the_interval_of_a_share_is_wilsons() -> None:
    # 81 of 263: .2553 to .3662 in Newcombe 1998, table I.
    assert wilson_interval(81 / 263, 263) == pytest.approx((0.2553, 0.3662), abs=5e-5)


def test_published_averages_include_the_training_category_in_table_3_alone() -> None:
    cells = published(3)

    def largest_difference(train_on: str, names: list[str]) -> float:
        average = cells[train_on, "average"]
        means = {g: np.mean([cells[train_on, name][g] for name in names]) for g in average}
        return max(abs(float(means[gender]) - average[gender]) for gender in average)

    whole = [largest_difference(name, list(CATEGORIES)) for name in CATEGORIES]
    others = [largest_difference(n, [o for o in CATEGORIES if o != n]) for n in CATEGORIES]
    assert sum(difference < 0.01 for difference in whole) == 6
    assert sum(difference < 0.01 for difference in others) == 0
    for table in (1, 2, 5):
        for train_on in CATEGORIES:
            row = published(table)[train_on,]
            others = [row[name] for name in CATEGORIES if name != train_on]
            assert np.mean(others) == pytest.approx(row["average_without_own"], abs=0.02)


def test_the_published_bias_is_recomputed_from_the_cells_of_table_6() -> None:
    assert published_bias() == pytest.approx((0.1114, 0.0571), abs=5e-5)


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


def test_every_published_accuracy_that_was_computed_stands_beside_it() -> None:
    first = CATEGORIES[0]
    pairs = [replace(pair, text="career home love") for pair in pairs_of(*CATEGORIES)]
    tables = make_tables([scored({first: FOUR, "Career": FOUR})], pairs)
    (beside,) = [table for table in tables if table.name == NAME]
    rows = [row["tested_on"] for row in beside.rows if row["table"] == "table1_full"]
    assert rows == [first, "Career", "mean of others"]


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


@pytest.mark.long
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

    call = ("grepbias", "report", tmp_path / "logits.csv", "--data", grepbias, "--output")
    printed = run_json(*call, tmp_path / "tables")

    names = [
        "table1_full", "table2_adapter", "table3_preference", "table4_words",
        "table5_debiased_full", "table5_debiased_adapter", "preference_debiased",
        "table6_reduction", "published",
    ]  # fmt: skip
    assert list(printed) == names
    with (tmp_path / "tables" / "table1_full.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["train_on"] for row in rows[::4]] == list(CATEGORIES)
    ours, low, high, theirs = rows[4:8]  # of Career
    expected = np.mean([float(ours[name]) for name in OTHERS])
    assert float(ours["mean of others"]) == pytest.approx(expected)
    assert float(low["Career"]) < float(ours["Career"]) <= float(high["Career"])
    assert (theirs["values"], theirs["Career"], theirs["mean of others"]) == (
        "published", "0.825", "0.5538",
    )  # fmt: skip
    cells = printed["table3_preference"]
    assert len(cells) == 2 * 7 * 8
    assert [cells[8 + 7][f"published_{name}"] for name in ("male", "female")] == [0.31, 0.13]
    # Seven categories and a mean by seven; Table 3 has three shares of each, Table 6 eight numbers.
    beside = Counter(row["table"] for row in printed["published"])
    assert beside == {
        "table1_full": 7 * 8,
        "table2_adapter": 7 * 8,
        "table3_preference": 2 * 7 * 8 * 3,
        "table5_debiased_full": 7 * 8,
        "table5_debiased_adapter": 7 * 8,
        "table6_reduction": 2 * 7 * 8,
    }
    (bias,) = (
        row
        for row in printed["published"]
        if (row["table"], row["mode"], row["train_on"], row["value"])
        == ("table6_reduction", "full", "Career", "bias_before")
    )
    assert bias["published"] == 0.18
    assert bias["difference"] == pytest.approx(bias["computed"] - 0.18)
    assert "table6_reduction.csv" in run(*call, tmp_path / "again")
    assert json.dumps(printed["table6_reduction"][-1]["reduction"]) != "null"


def test_a_folder_without_the_data_set_is_named(tmp_path: Path) -> None:
    write_logits(tmp_path / "logits.csv", [scored({"Career": FOUR})])

    logits, tables = tmp_path / "logits.csv", tmp_path / "t"
    said = failure("grepbias", "report", logits, "--data", tmp_path, "--output", tables)

    assert str(tmp_path / "queries-documents_Sex & Relationship.csv") in said
    assert not (tmp_path / "t").exists()
