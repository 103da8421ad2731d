"""A value is about its own queries: neither the other runs of a call nor their order matter."""

import csv
import json
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

from metrics.api import compare, evaluate
from tests.program import run as fairpool

Lists = Mapping[str, Mapping[str, float]]

TEXTS = {
    "d1": "He left his house.",
    "d2": "She saw her mother.",
    "d3": "It rained.",
    "d4": "He saw her.",
    "d5": "His son and his father.",
}
QRELS = {f"q{number}": {"d1": 1, "d4": 2} for number in range(10)}
FULL: Lists = {qid: {"d1": 3.0, "d2": 2.0, "d4": 1.0} for qid in QRELS}
#: Answers one of ten judged queries, with the best order there.
PARTIAL: Lists = {"q3": {"d4": 3.0, "d1": 2.0}}
MEASURES = ["nDCG@5", "MRR@5", "EE-L@5", "RaB@5", "ARaB@5", "AWRF@5"]


def rows_of(runs: Mapping[str, Lists], **options: Any) -> dict[tuple[str, str], dict[str, Any]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        frame = evaluate(runs, MEASURES, TEXTS, **options)
    rows: Any = frame.to_dict("records")
    return {(row["run"], row["measure"]): row for row in rows}


def test_a_judged_query_that_a_run_does_not_answer_counts_0_whoever_stands_beside_it() -> None:
    alone = rows_of({"A": PARTIAL}, qrels=QRELS)
    beside = rows_of({"A": PARTIAL, "B": FULL}, qrels=QRELS)

    assert alone["A", "nDCG"]["value"] == pytest.approx(0.1, abs=1e-15)  # 1 of 10 queries
    assert alone["A", "nDCG"]["n_queries"] == len(QRELS)
    assert alone["A", "nDCG"]["population"] == "judged"
    assert all(repr(beside[key]) == repr(row) for key, row in alone.items())


def test_the_bias_of_a_run_is_about_its_own_queries_or_about_those_asked_for() -> None:
    own = rows_of({"A": PARTIAL, "B": FULL}, qrels=QRELS)["A", "RaB"]
    asked = rows_of({"A": PARTIAL}, qrels=QRELS, queries=["q3", "q4"])["A", "RaB"]

    assert (own["population"], own["n_queries"], own["n_queries_missing"]) == ("run", 1, 0)
    assert (asked["population"], asked["n_queries"], asked["n_queries_missing"]) == ("asked", 1, 1)
    assert own["value"] == asked["value"]


def test_effectiveness_over_queries_asked_for_is_over_the_judged_ones_among_them() -> None:
    row = rows_of({"A": FULL}, qrels=QRELS, queries=["q3", "q4", "nobody"])["A", "nDCG"]

    assert (row["population"], row["n_queries"], row["n_queries_missing"]) == ("judged", 2, 0)


def test_the_rule_of_1_0_is_there_by_its_name() -> None:
    alone = rows_of({"A": PARTIAL}, qrels=QRELS, population="any-run")
    beside = rows_of({"A": PARTIAL, "B": FULL}, qrels=QRELS, population="any-run")

    assert alone["A", "nDCG"]["value"] == pytest.approx(1.0, abs=1e-15)
    assert beside["A", "nDCG"]["value"] == pytest.approx(0.1, abs=1e-15)
    assert beside["A", "RaB"]["n_queries_missing"] == len(QRELS) - 1
    assert beside["A", "RaB"]["population"] == "any run"


def test_runs_with_other_queries_and_queries_without_documents_are_said() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        evaluate({"A": PARTIAL, "B": FULL}, ["nDCG@5", "RaB@5"], TEXTS, qrels=QRELS)

    texts = [str(warning.message) for warning in caught]
    assert any("A 1, B 10" in text for text in texts)
    assert any("A 9 of 10" in text for text in texts)


def test_a_document_that_is_missing_in_a_query_nobody_judged_is_no_error_of_expected_exposure() -> (
    None
):
    run = {"A": {**FULL, "other": {"unknown": 1.0}}}

    frame = evaluate(run, "EE-L@5", TEXTS, qrels=QRELS)

    assert frame["n_queries"].tolist() == [len(QRELS)]


def test_a_measure_of_labels_does_not_depend_on_the_measures_beside_it() -> None:
    run = {"q1": {"d1": 3.0, "d9": 2.0, "d2": 1.0}}
    labels = {"d1": "a", "d9": "b", "d2": "a"}
    options: dict[str, Any] = {"labels": labels, "missing": "skip"}

    alone = evaluate(run, "LabelExposure(group=a)@3", TEXTS, **options)
    beside = evaluate(run, ["RaB@3", "LabelExposure(group=a)@3"], TEXTS, **options)

    assert alone["value"].tolist() == beside["value"].tolist()[1:]


def test_values_per_query_are_those_of_the_population() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        frame = evaluate(
            {"A": PARTIAL, "B": FULL}, ["nDCG@5", "RaB@5"], TEXTS, qrels=QRELS, per_query=True
        )

    counts = frame.groupby(["run", "measure"]).size().to_dict()
    assert counts == {("A", "nDCG"): 10, ("A", "RaB"): 1, ("B", "nDCG"): 10, ("B", "RaB"): 10}
    assert compare(frame)["n"].tolist() == [10, 1]


@pytest.fixture
def files(tmp_path: Path) -> Path:
    for name, run in (("A", PARTIAL), ("B", FULL)):
        lines = [
            f"{qid} Q0 {docno} 1 {score} x\n"
            for qid, of_query in run.items()
            for docno, score in of_query.items()
        ]
        (tmp_path / f"{name}.run").write_text("".join(lines))
    qrels = [f"{qid} 0 {d} {g}\n" for qid, grades in QRELS.items() for d, g in grades.items()]
    (tmp_path / "q.qrels").write_text("".join(qrels))
    (tmp_path / "c.tsv").write_text("".join(f"{d}\t{text}\n" for d, text in TEXTS.items()))
    return tmp_path


def test_the_program_has_the_same_rule(files: Path) -> None:
    common = ["--collection", files / "c.tsv", "--qrels", files / "q.qrels", "-k", 5, "--json"]
    a, b = f"A={files / 'A.run'}", f"B={files / 'B.run'}"

    def rows(*arguments: object) -> list[dict[str, Any]]:
        made = json.loads(fairpool("measure", "-m", "nDCG,RaB", *common, *arguments))
        return [row for row in made["rows"] if row["run"] == "A"]

    alone, beside = rows("-r", a), rows("-r", a, "-r", b)

    assert alone == beside
    assert [row["population"] for row in alone] == ["judged", "run"]
    assert alone[0]["value"] == pytest.approx(0.1, abs=1e-15)
    assert rows("-r", a, "-r", b, "--population", "any-run")[1]["n_queries_missing"] == 9


def test_the_table_of_the_field_has_the_same_rule(files: Path) -> None:
    def row_of_a(*names: str) -> dict[str, Any]:
        runs = [part for name in names for part in ("-r", f"{name}={files / name}.run")]
        fairpool(
            "table", *runs, "--collection", files / "c.tsv", "--qrels", files / "q.qrels",
            "-o", files / "-".join(names),
        )  # fmt: skip
        made = json.loads((files / "-".join(names) / "table.json").read_text())
        return next(row for row in made["rows"] if row["run"] == "A")

    assert row_of_a("A") == row_of_a("A", "B")


@pytest.mark.long
def test_a_report_says_of_each_run_how_many_queries_its_values_are_about(files: Path) -> None:
    def tables(*arguments: object) -> tuple[list[dict[str, str]], list[dict[str, str]]]:
        fairpool(
            "report", "-c", files / "c.tsv", "-r", f"A={files / 'A.run'}", "-k", 5, "--force",
            "-r", f"B={files / 'B.run'}", "--qrels", files / "q.qrels", "-o", files / "r",
            *arguments,
        )  # fmt: skip
        names = ("table1_effectiveness.csv", "table3_bias.csv")
        one, three = (
            [*csv.DictReader((files / "r" / name).read_text().splitlines())] for name in names
        )
        return one, three

    one, three = tables("--population", "default")
    assert [row["n_queries"] for row in one] == ["10", "10"]
    assert [row["n_queries"] for row in three] == ["1", "10"]
    assert tables("--population", "any-run")[1][0]["RaB_tf"] == three[0]["RaB_tf"]

    (files / "three.tsv").write_text("q3\tx\nq4\ty\nq5\tz\n")
    asked = tables("--queries", files / "three.tsv", "--category", "all")
    assert asked[0][0]["nDCG"] == str(1 / 3)
    with pytest.raises(AssertionError, match="say with --population"):
        tables()


_DOCNOS = sorted(TEXTS)
_QIDS = [f"q{number}" for number in range(6)]
_lists = st.dictionaries(
    st.sampled_from(_DOCNOS), st.integers(-3, 3).map(float), min_size=1, max_size=5
)
_runs = st.dictionaries(st.sampled_from(_QIDS), _lists, min_size=1, max_size=6)
_qrels = st.dictionaries(
    st.sampled_from(_QIDS),
    st.dictionaries(st.sampled_from(_DOCNOS), st.integers(0, 3), min_size=1),
    min_size=1,
)


@settings(max_examples=25, deadline=None)
@given(_runs, st.lists(_runs, max_size=2), _qrels, st.data())
def test_a_row_depends_on_nothing_but_its_run_its_judgments_and_its_queries(
    run: Lists, others: list[Lists], qrels: dict[str, dict[str, int]], data: st.DataObject
) -> None:
    asked = data.draw(st.none() | st.lists(st.sampled_from(sorted(run)), min_size=1, unique=True))
    first = min(asked or run)  # judgments of no query that is measured are refused
    options = {"qrels": {first: {"d1": 1}, **qrels}, "queries": asked}
    alone = rows_of({"A": run}, **options)

    order = data.draw(st.permutations(sorted(run)))
    permuted = {
        qid: {docno: run[qid][docno] for docno in data.draw(st.permutations(sorted(run[qid])))}
        for qid in order
    }
    beside = {f"B{place}": other for place, other in enumerate(others)}
    # Documents that no list has, in texts; a query that was not asked for, and is not judged.
    more = {**permuted, "other": {"d1": 1.0}} if asked is not None else permuted
    again = rows_of({**beside, "A": more}, **options)

    assert {key: repr(row) for key, row in alone.items()} == {
        key: repr(row) for key, row in again.items() if key[0] == "A"
    }
