"""The field's table of a folder of real runs."""

import csv
import json
import re
import shutil
from pathlib import Path

import numpy as np
import pytest

from config.program import main
from metrics.errors import InputError
from metrics.measures import Inputs, get
from metrics.reports.plots.pareto import ParetoPoint, pareto_front
from metrics.results.overlap import run_overlap
from metrics.runs import read_run
from metrics.runs.queries import read_queries
from metrics.runs.ranked import join
from metrics.texts.lexicon import read_lexicon
from metrics.texts.magnitude_store import open_magnitudes
from metrics.texts.scoring import score_collection
from tests.latex import CLASSES, compile_latex


@pytest.fixture(scope="module")
def table(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The table of three runs on DL19, one with a counterfactual run beside it."""
    dl19, folder = shared_data / "msmarco_dl19", tmp_path_factory.mktemp("field")
    (folder / "runs").mkdir()
    for name in ("BM25", "D_BERT_KD_TASB", "REP_LLAMA_100"):
        shutil.copy(dl19 / "runs" / f"{name}.run", folder / "runs")
    shutil.copy(dl19 / "runs" / "BM25_RM3.run", folder / "runs" / "BM25.counterfactual.run")
    (folder / "names.tsv").write_text("D_BERT_KD_TASB.run\tTAS-B\n")
    scored = folder / "m.parquet"
    score_collection(dl19 / "collection.tsv", scored, lexicon=read_lexicon(), tokenizer="word")
    options = ["--run", str(folder / "runs" / "*.run"), "--rename", str(folder / "names.tsv")]
    options += ["--scores", str(scored), "--queries", str(dl19 / "queries.tsv")]
    options += ["--qrels", str(dl19 / "qrels.txt"), "--baseline", "BM25"]
    assert main(["table", *options, "--output", str(folder / "table"), "--quiet"]) == 0
    return folder


@pytest.mark.shared_data
def test_signed_and_absolute_means_stand_beside_each_other(table: Path) -> None:
    with (table / "table" / "table.csv").open(newline="") as file:
        rows = {row["run"]: row for row in csv.DictReader(file)}
    assert list(rows) == ["BM25", "TAS-B", "REP_LLAMA_100"]
    run = read_run(table / "runs" / "BM25.run")
    magnitudes = open_magnitudes(table / "m.parquet")
    values = get("ARaB@10").compute(Inputs(join(run, magnitudes, 20))).value
    assert float(rows["BM25"]["ARaB_tf@10"]) == pytest.approx(values.mean())
    assert float(rows["BM25"]["ARaB_tf@10_abs"]) == pytest.approx(np.abs(values).mean())
    assert float(rows["BM25"]["nDCG@10"]) == pytest.approx(0.5058, abs=5e-5)


@pytest.mark.long
@pytest.mark.shared_data
def test_the_tables_for_print_have_tests_and_marks_and_compile(table: Path, tmp_path: Path) -> None:
    names = ("fairness", "table3_bias", "distributions", "significance", "correlations")
    texts = [(table / "table" / f"{name}.tex").read_text() for name in names]
    # The difference from BM25 is significant, and both measures of effectiveness are there.
    assert "0.7210 & ***" in texts[0]
    assert "MRR & nDCG" in re.sub(r"\\multicolumn\{2\}\{c\}\{(\w+)\}", r"\1", texts[0])
    assert "of the difference from BM25" in texts[1]
    assert r"95 \% interval" in texts[2]
    compile_latex(texts, tmp_path, CLASSES["acmart"])


@pytest.mark.shared_data
def test_crbo_is_that_of_the_counterfactual_run_beside(table: Path) -> None:
    rows = json.loads((table / "table" / "table.json").read_text())["rows"]
    runs = [read_run(table / "runs" / name) for name in ("BM25.run", "BM25.counterfactual.run")]
    assert rows[0]["CRBO"] == pytest.approx(run_overlap(*runs).value)
    assert rows[1]["CRBO"] is None


@pytest.mark.long
@pytest.mark.shared_data
def test_queries_without_judgements_are_told_apart(shared_data: Path, table: Path) -> None:
    dl19 = shared_data / "msmarco_dl19"
    qrels = (dl19 / "qrels.txt").read_text().splitlines(keepends=True)
    judged = sorted({line.split()[0] for line in qrels})[:7]
    some = table / "some.qrels"
    some.write_text("".join(line for line in qrels if line.split()[0] in judged))
    options = ["--run", str(table / "runs" / "BM25.run"), "--output", str(table / "some")]
    options += ["--scores", str(table / "m.parquet"), "--queries", str(dl19 / "queries.tsv")]
    assert main(["table", *options, "--qrels", str(some), "--quiet"]) == 0
    (row,) = json.loads((table / "some" / "table.json").read_text())["rows"]
    assert (row["n_queries"], row["n_judged"]) == (43, 7)


@pytest.mark.shared_data
def test_the_front_is_marked(table: Path) -> None:
    with (table / "table" / "pareto.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    best = max(rows, key=lambda row: float(row["effectiveness"]))
    assert best["front"] == "1"
    assert (table / "table" / "pareto.svg").stat().st_size > 0


def test_a_run_that_another_dominates_is_not_on_the_front() -> None:
    points = [ParetoPoint("A", 0.5, 0.1), ParetoPoint("B", 0.5, 0.1), ParetoPoint("C", 0.4, 0.1)]
    assert pareto_front([*points, ParetoPoint("D", 0.1, 0.0)]) == [True, True, False, True]


@pytest.mark.parametrize(
    ("name", "size"), [("preset:nongendered-1765", 1_765), ("preset:fair-215", 215)]
)
def test_query_sets_come_with_the_package(name: str, size: int) -> None:
    queries = read_queries(name)
    assert len(queries) == size
    assert all(queries.texts.values())


def test_an_unknown_query_set_is_an_error() -> None:
    with pytest.raises(InputError):
        read_queries("preset:fair-216")
