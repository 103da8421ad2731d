"""Runs that are repetitions of one system: one figure over queries and seeds."""

import math
import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from metrics import InputError, compare, evaluate
from metrics.statistics.repetitions import components, repeated_difference, repeated_mean, student
from metrics.statistics.significance import mean_interval
from tests.program import failure, run_json

PATTERN = r"bert_(?P<system>.+)_seed\d+"
DOCNOS = [f"d{number}" for number in range(20)]
QIDS = [f"q{number:02}" for number in range(40)]
#: Queries by seeds, worked by hand in a note on repetitions: mean squares, variance, intervals.
WORKED = [
    [0.30, 0.36, 0.27],
    [0.10, 0.16, 0.10],
    [0.52, 0.55, 0.46],
    [0.00, 0.02, 0.06],
    [0.21, 0.30, 0.24],
]


def _study() -> tuple[dict[str, Any], dict[str, dict[str, int]]]:
    """Three methods with five, five and two seeds, and grades."""
    random = np.random.default_rng(66)
    qrels = {qid: {docno: int(random.integers(3)) for docno in DOCNOS} for qid in QIDS}
    runs = {}
    for method, strength, seeds in (("plain", 0.5, 5), ("loss", 2.0, 5), ("few", 1.0, 2)):
        for seed in range(seeds):
            drawn = strength + random.normal(0, 0.3)
            runs[f"bert_{method}_seed{seed}"] = {
                qid: {docno: drawn * grade + random.normal() for docno, grade in grades.items()}
                for qid, grades in qrels.items()
            }
    return runs, qrels


RUNS, QRELS = _study()


def measured(**given: Any) -> pd.DataFrame:
    """The figures of nDCG at 10; any warning is an error."""
    given = {"qrels": QRELS, "repeats": PATTERN, "runs": RUNS, **given}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return evaluate(given.pop("runs"), "nDCG@10", **given)


def test_the_components_and_variances_are_those_worked_by_hand() -> None:
    parts = components(WORKED)
    squares = (parts.of_queries, parts.of_repetitions, parts.of_rest)
    assert parts.mean == pytest.approx(0.243333, abs=5e-7)
    assert squares == pytest.approx((0.10331667, 0.00450667, 0.00098167), abs=5e-9)
    assert parts.variance == pytest.approx(0.00712278, abs=5e-9)
    assert math.sqrt(parts.variance) == pytest.approx(0.084397, abs=5e-7)
    assert parts.degrees == pytest.approx(4.261, abs=5e-4)
    assert math.sqrt(parts.fixed_variance) == pytest.approx(0.082993, abs=5e-7)
    assert parts.share == pytest.approx((0.00450667 - 0.00098167) / 15 / 0.00712278, abs=1e-6)


def test_the_intervals_are_those_worked_by_hand() -> None:
    # By the formula alone: five queries are fewer than any interval of the library has.
    parts = components(WORKED)
    low, high, _ = student(parts.mean, parts.variance, parts.degrees)
    assert (low, high) == pytest.approx((0.014568, 0.472098), abs=5e-7)
    low, high, _ = student(parts.mean, parts.fixed_variance, 4)
    assert (low, high) == pytest.approx((0.012909, 0.473758), abs=5e-7)


def test_few_queries_have_no_interval_and_say_so() -> None:
    figure = repeated_mean(WORKED)
    assert (figure.low, figure.fixed_low) == (None, None)
    assert "30 queries" in figure.withheld
    assert figure.value == pytest.approx(0.243333, abs=5e-7)


def test_seeds_that_decide_bound_the_degrees_of_freedom() -> None:
    random = np.random.default_rng(1)
    parts = components(random.normal(0, 0.01, (50, 3)) + np.array([0.1, 0.5, 0.9]))
    assert parts.share > 0.5
    assert parts.degrees <= 2


def test_seeds_fixed_is_the_interval_over_queries_of_the_means() -> None:
    values = np.random.default_rng(2).random((60, 5))
    figure, plain = repeated_mean(values), mean_interval(values.mean(axis=1))
    assert (figure.fixed_low, figure.fixed_high) == pytest.approx((plain.low, plain.high))
    assert figure.fixed_p == pytest.approx(plain.p)


def test_a_query_without_a_value_in_one_repetition_is_left_out_of_all() -> None:
    values = np.random.default_rng(3).random((60, 3))
    values[7, 1] = np.nan
    assert repeated_mean(values) == repeated_mean(np.delete(values, 7, axis=0))
    assert repeated_difference(values, values[:, :2] / 2).n == 59


def test_a_system_has_one_row_with_both_intervals_and_the_part_of_its_seeds() -> None:
    frame = measured().set_index("run")
    single = measured(repeats=None).set_index("run")["value"]
    assert list(frame.index) == ["plain", "loss", "few"]
    seeds = [single[f"bert_loss_seed{seed}"] for seed in range(5)]
    row = frame.loc["loss"]
    assert row["value"] == pytest.approx(np.mean(seeds))
    assert row["deviation"] == pytest.approx(np.std(seeds, ddof=1))
    assert (row["n_repetitions"], row["n_queries"], row["population"]) == (5, 40, "judged")
    assert row["low"] < row["fixed_low"] < row["value"] < row["fixed_high"] < row["high"]
    assert 0 < row["share"] < 1


def test_below_three_repetitions_the_interval_over_them_is_withheld_and_said() -> None:
    row = measured().set_index("run").loc["few"]
    assert np.isnan(row[["low", "high", "share"]].astype(float)).all()
    assert row["fixed_low"] < row["value"] < row["fixed_high"]
    assert row["withheld"].startswith("2 repetitions")


def test_differences_are_paired_over_queries_with_seeds_of_their_own() -> None:
    frame = measured(baseline="plain", correction="bonferroni")
    rows = frame[frame["baseline"] == "plain"].set_index("run")
    per_query = measured(per_query=True)
    table = per_query.pivot_table(index="qid", columns="run", values="value")
    first, second = (
        table[[f"bert_{name}_seed{seed}" for seed in range(5)]] for name in ("loss", "plain")
    )
    figure = repeated_difference(first.to_numpy(), second.to_numpy())
    row = rows.loc["loss"]
    assert (row["value"], row["low"], row["p"]) == pytest.approx(
        (figure.value, figure.low, figure.p)
    )
    # The system of two seeds has no p, and is not a member of the family.
    assert row["p_corrected"] == pytest.approx(row["p"])
    assert row["simultaneous_low"] < row["low"]
    assert rows.loc["few"]["withheld"].startswith("2 repetitions")


def test_compare_takes_the_values_of_systems_or_says_itself_which_runs_are_one() -> None:
    by_column = compare(measured(per_query=True), baseline="plain")
    plain = measured(per_query=True, repeats=None)
    by_argument = compare(plain, baseline="plain", repeats=PATTERN)
    pd.testing.assert_frame_equal(by_column, by_argument)
    row = by_column.set_index("first").loc["loss"]
    figure = measured(baseline="plain").query("baseline == 'plain'").set_index("run").loc["loss"]
    assert (row["low"], row["t_p"]) == pytest.approx((figure["low"], figure["p"]))
    assert np.isnan(row["permutation_p"])


@pytest.mark.parametrize(
    "repeats",
    [
        {name: [run for run in RUNS if f"_{name}_" in run] for name in ("plain", "loss", "few")},
        {run: run.split("_")[1] for run in RUNS},
        pd.DataFrame([(run, run.split("_")[1]) for run in RUNS], columns=["run", "system"]),
    ],
)
def test_every_way_to_name_repetitions_gives_the_same(repeats: object) -> None:
    pd.testing.assert_frame_equal(measured(repeats=repeats), measured())


@pytest.mark.parametrize("column", ["seed", "method"])
def test_a_column_of_the_frame_tells_repetitions_apart(column: str) -> None:
    rows = [
        (run if column == "method" else run.split("_")[1], run[-1], run.split("_")[1], qid, *pair)
        for run, by_query in RUNS.items()
        for qid, scores in by_query.items()
        for pair in scores.items()
    ]
    frame = pd.DataFrame(rows, columns=["system", "seed", "method", "qid", "docno", "score"])
    found = measured(runs=frame, repeats=column)
    pd.testing.assert_frame_equal(found, measured())


@pytest.mark.parametrize(
    ("repeats", "said"),
    [
        (r"roberta_(?P<system>.+)", "matches no run's name"),
        (r"bert_.+_seed\d", "does not say which part"),
        ("bert_(", "is not a regular expression"),
        ({"plain": ["nobody"]}, "there is no run 'nobody'"),
        ({"a": ["bert_few_seed0"], "b": ["bert_few_seed0"]}, "named twice, for a and b"),
        ({"bert_few_seed1": ["bert_few_seed0"]}, "of a run outside it"),
        ({}, "names no run"),
        (7, "repeats is int"),
    ],
)
def test_repetitions_that_cannot_be_are_refused(repeats: object, said: str) -> None:
    with pytest.raises(InputError, match=said):
        measured(repeats=repeats)


def test_a_repetition_given_twice_is_refused() -> None:
    runs = {**RUNS, "bert_few_seed2": RUNS["bert_few_seed0"]}
    with pytest.raises(InputError, match=r"bert_few_seed2 and bert_few_seed0.*one and the same"):
        measured(runs=runs)


@pytest.mark.parametrize(
    ("kept", "depth", "said"),
    [
        (QIDS[1:], 20, "bert_few_seed1 has no documents for 1 queries .*'q00'"),
        (QIDS, 5, "different depths .bert_few_seed0 10, bert_few_seed1 5.: beyond 5"),
    ],
)
def test_a_missing_query_and_another_depth_in_one_repetition_are_said(
    kept: list[str], depth: int, said: str
) -> None:
    own = RUNS["bert_few_seed1"]
    changed = {qid: dict(list(own[qid].items())[:depth]) for qid in kept}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        evaluate({**RUNS, "bert_few_seed1": changed}, "nDCG@10", qrels=QRELS, repeats=PATTERN)
    assert any(re.search(said, str(warning.message)) for warning in caught)


@pytest.mark.parametrize("given", [{"scale": True}, {"inclusion": dict.fromkeys(QIDS, 0.5)}])
def test_what_does_not_go_with_repetitions_is_refused(given: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=next(iter(given))):
        measured(**given)


def test_the_command_gives_the_same_as_the_library(tmp_path: Path) -> None:
    qrels = tmp_path / "qrels"
    qrels.write_text(
        "".join(f"{q} 0 {d} {grade}\n" for q, of in QRELS.items() for d, grade in of.items())
    )
    for name, by_query in RUNS.items():
        lines = [f"{q} Q0 {d} 0 {s!r} x\n" for q, of in by_query.items() for d, s in of.items()]
        (tmp_path / f"{name}.run").write_text("".join(lines))
    (tmp_path / "names.csv").write_text("".join(f"{r},{r.split('_')[1]}\n" for r in RUNS))
    call = ["measure", "--run", tmp_path / "*.run", "--qrels", qrels, "--measure", "nDCG@10"]
    expected = measured(baseline="plain").set_index(["run", "baseline"])
    named = "plain=" + ",".join(run for run in RUNS if "_plain_" in run)
    for ways in (["--repeats", PATTERN], ["--repeats", tmp_path / "names.csv"]):
        made = run_json(*call, *ways, "--baseline", "plain")
        assert made["systems"]["few"] == ["bert_few_seed0", "bert_few_seed1"]
        for row in made["rows"]:
            one = expected.loc[row["run"], row["baseline"]]
            assert row["value"] == pytest.approx(one["value"])
            assert row["low"] is None or row["low"] == pytest.approx(one["low"])
    (row, *others) = run_json(*call, "--repeats", named)["rows"][-1:]
    assert (row["run"], row["n_repetitions"], others) == ("plain", 5, [])
    assert "no pattern" in failure(*call, "--repeats", "bert")
    assert "names the run" in failure(*call, "--repeats", "a=x,x")
    assert "takes only one pattern" in failure(*call, "--repeats", PATTERN, "--repeats", PATTERN)
    assert "cannot be combined with scale" in failure(*call, "--repeats", PATTERN, "--scale")
