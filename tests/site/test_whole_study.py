"""One study from run files to the bias table, typed command by command, on real retrieval runs."""

import csv
import hashlib
from pathlib import Path

import pytest

from tests.project import Project, new_project

SYSTEMS = (
    "BM25",
    "BM25_RM3",
    "D_BERT_KD_TASB",
    "OPEN_AI_ADA2",
    "REP_LLAMA_100",
    "SPLADE_P_P_ENSEMBLE_DISTIL",
)
CATEGORIES = "nnnfmo"


def invented_category(qid: str) -> str:
    """These queries have no human labels; any fixed truth shows whether it arrives unchanged."""
    return CATEGORIES[hashlib.sha256(qid.encode()).digest()[0] % len(CATEGORIES)]


def write_truth(queries: Path, path: Path) -> dict[str, tuple[str, str]]:
    lines = [line.split("\t") for line in queries.read_text(encoding="utf-8").splitlines()]
    truth = {qid: (text, invented_category(qid)) for qid, text in lines}
    path.write_text("".join(f"{qid}\t{label}\n" for qid, (_, label) in truth.items()))
    return truth


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return new_project(tmp_path / "var")


@pytest.mark.long
def test_a_study_with_perfect_workers_ends_with_the_truth_and_its_bias_table(
    project: Project, shared_data: Path, tmp_path: Path
) -> None:
    collection = shared_data / "msmarco_dl19"
    magnitudes = tmp_path / "magnitudes.parquet"
    runs = [
        argument
        for name in SYSTEMS
        for argument in ("--run", f"{name}={collection / 'runs' / name}.run")
    ]
    truth = write_truth(collection / "queries.tsv", tmp_path / "truth.tsv")
    project.fairpool("score", collection / "collection.tsv", "--output", magnitudes)
    pool = project.json(
        *("pool", "build", "--name", "dl19", "--scores", magnitudes),
        *runs,
        *("--queries", collection / "queries.tsv", "--cutoff", "4"),
        *("--output", tmp_path / "pool.csv"),
    )
    pooled = {row["qid"] for row in rows(tmp_path / "pool.csv")}
    assert len(pooled) == pool["n_pooled"] < len(truth)

    project.run("batch", "create", "--name", "dl19", "--pool", "dl19", "--queries-per-hit", "5")
    with project.site():
        project.run("batch", "publish", "dl19", "--yes")
        project.run(
            *("batch", "simulate", "dl19", "--truth", tmp_path / "truth.tsv"),
            *("--seed", "7", "--accuracy", "1.0"),
        )
        project.run("batch", "collect", "dl19")
    status = project.json("batch", "show", "dl19")
    agreement = project.json("batch", "agreement", "dl19")
    project.run("label", "decide", "dl19")
    project.run("label", "export", "dl19", "--category", "all", "--output", tmp_path / "all.csv")
    project.run("label", "export", "dl19", "--category", "n", "--output", tmp_path / "n.csv")

    assert status["n_votes"] == 3 * len(pooled)
    assert status["n_votes_simulated"] == status["n_votes"]
    assert agreement["raw_agreement"]["value"] == 1.0
    assert agreement["ties"] == 0
    expected = {f"{qid},{text},{label}" for qid, (text, label) in truth.items() if qid in pooled}
    exported = (tmp_path / "all.csv").read_text(encoding="utf-8").splitlines()
    assert set(exported) == expected
    assert len(exported) == len(expected)
    non_gendered = (tmp_path / "n.csv").read_text(encoding="utf-8").splitlines()
    assert non_gendered == [line for line in exported if line.endswith(",n")]

    project.run(
        *("report", "make", "dl19", "--scores", magnitudes, "--output", tmp_path / "report"),
        *runs,
    )
    wanted = tmp_path / "wanted.txt"
    wanted.write_text("".join(f"{qid}\n" for qid in pooled if truth[qid][1] == "n"))
    project.fairpool(
        *("measure", "--scores", magnitudes, "--queries", wanted),
        *runs,
        *("--output", tmp_path / "expected.csv", "--magnitude", "tf,bool"),
    )
    assert_same_table(tmp_path / "report", tmp_path / "expected.csv")


def assert_same_table(report: Path, expected: Path) -> None:
    """Every cell of `score_runs` on the true non-gendered queries stands in the report."""
    wanted = {
        (row["run"], row["cutoff"], f"{row['measure']}_{row['magnitude']}"): row["value"]
        for row in rows(expected)
    }
    reported = {
        (row["run"], row["cutoff"], measure): row[measure]
        for row in rows(report / "table3_bias.csv")
        for measure in ("RaB_tf", "ARaB_tf", "RaB_bool", "ARaB_bool")
    }
    assert len(wanted) == len(SYSTEMS) * 2 * 2 * 4
    assert reported == wanted
