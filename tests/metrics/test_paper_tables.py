"""The tables of a study of real runs, in every layout of a paper."""

import json
import shutil
from pathlib import Path

import pytest

from config.program import main
from tests.latex import CLASSES, compile_latex

pytestmark = [pytest.mark.shared_data, pytest.mark.long]


@pytest.fixture(scope="module")
def report(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report of seven runs on DL19, with judgements, a baseline, a pair and CRBO."""
    dl19, folder = shared_data / "msmarco_dl19", tmp_path_factory.mktemp("paper")
    scored, queries = folder / "m.parquet", folder / "queries.csv"
    texts = [line.split("\t") for line in (dl19 / "queries.tsv").read_text().splitlines()]
    queries.write_text("".join(f"{qid},{text},n\n" for qid, text in texts))
    main(["score", str(dl19 / "collection.tsv"), "--output", str(scored), "--quiet"])
    runs = sorted((dl19 / "runs").glob("*.run"))
    bm25 = folder / "BM25.run"
    shutil.copy(dl19 / "runs" / "BM25.run", bm25)
    Path(f"{bm25}.meta.json").write_text(
        json.dumps({"n_parameters": 109_481_411, "n_transferred": 109_481_400})
    )
    named = [f"{path.stem}={bm25 if path.stem == 'BM25' else path}" for path in runs]
    named.append(f"VBERT={dl19 / 'runs_messy_bm25_VBERT.res'}")
    options = [part for name in named for part in ("--run", name)]
    options += ["--scores", str(scored), "--queries", str(queries), "--missing", "skip"]
    options += ["--qrels", str(dl19 / "qrels.txt"), "--baseline", "BM25"]
    options += ["--paired", "D_BERT_KD_TASB=BM25_RM3", "--counterfactual", f"BM25={runs[1]}"]
    assert main(["report", *options, "--output", str(folder / "report"), "--quiet"]) == 0
    return folder / "report"


@pytest.mark.parametrize("document_class", CLASSES.values(), ids=CLASSES)
def test_the_tables_of_seven_runs_fit_the_page(
    report: Path, tmp_path: Path, document_class: str
) -> None:
    tables = [path.read_text(encoding="utf-8") for path in sorted(report.glob("*.tex"))]
    compile_latex(tables, tmp_path, document_class)
    assert (tmp_path / "paper.pdf").stat().st_size > 0


def test_table_1_has_the_parameters_that_a_sidecar_names(report: Path) -> None:
    rows = json.loads((report / "table1_effectiveness.json").read_text())["rows"]
    found = {row["run"]: (row["n_parameters"], row["n_transferred"]) for row in rows}
    assert found["BM25"] == (109_481_411, 109_481_400)
    assert found["VBERT"] == (None, None)
    assert "109,481,411 & 109,481,400" in (report / "table1_effectiveness.tex").read_text()


def test_grades_from_2_on_are_relevant_on_dl19(report: Path) -> None:
    table = json.loads((report / "table1_effectiveness.json").read_text())
    assert any("grades from 2 on" in note for note in table["notes"])
    (bm25,) = (row for row in table["rows"] if row["run"] == "BM25")
    assert bm25["MRR"] == pytest.approx(0.7024, abs=5e-5)


def test_table_2_counts_the_queries_of_each_category(report: Path) -> None:
    rows = json.loads((report / "table2_queries.json").read_text())["rows"]
    assert [row["n_queries"] for row in rows] == [43, 0, 0, 0]


def test_percentages_stand_only_beside_values_that_are_not_near_zero(report: Path) -> None:
    rows = json.loads((report / "bias_against.json").read_text())["rows"]
    base = {row["cutoff"]: row for row in rows if row["run"] == "BM25"}
    for name in ("RaB_tf", "ARaB_tf", "RaB_bool", "ARaB_bool"):
        for cutoff, reference in base.items():
            values = [row[name] for row in rows if row["cutoff"] == cutoff]
            near_zero = abs(reference[name]) < 0.1 * max(map(abs, values))
            percents = [
                row[f"{name}_percent"]
                for row in rows
                if row["cutoff"] == cutoff and row["run"] != "BM25"
            ]
            assert all((percent is None) == near_zero for percent in percents)


def test_significance_prints_as_a_matrix_of_every_pair_once(report: Path) -> None:
    text = (report / "significance.tex").read_text()
    assert "& 2 & 3 & 4 & 5 & 6 & 7 " in text
    lines = [line for line in text.splitlines() if line.startswith("RaB (TF) & 1 & BM25 &")]
    assert len(lines) == 1
    assert lines[0].count("0.0") == 6
