"""The program `fairpool`, as a process of its own."""

import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from .conftest import HEAVY, PROGRAM

pytestmark = pytest.mark.filterwarnings("default")


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", PROGRAM, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_a_run_is_measured(fairpool: ModuleType, study: Path) -> None:
    collection, path = study / "collection.tsv", study / "A.run"

    done = run("measure", "--collection", collection, "--run", f"A={path}", "--measure", "RaB@2")

    assert done.stderr == ""
    header, row = done.stdout.splitlines()
    assert header.startswith("run,measure,magnitude,cutoff,value")
    assert row.startswith("A,RaB,tf,2,0.3465735902")


@pytest.mark.parametrize("verb", ["pool", "rank", "debias", "grepbias"])
def test_the_commands_of_other_houses_are_there(verb: str) -> None:
    assert run(verb, "--help").stdout.startswith(f"usage: fairpool {verb}")


def test_a_finished_run_is_balanced_without_any_extra(fairpool: ModuleType, study: Path) -> None:
    options = ("--collection", study / "collection.tsv", "--method", "mmr", "--strength", "1")

    done = run("balance", "--run", study / "A.run", *options, "--output", study / "fair.run")

    assert (done.returncode, done.stderr) == (0, "")
    assert fairpool.read_run(study / "fair.run").documents("q2") == ["d4", "d3"]


def test_a_pool_needs_no_site(study: Path) -> None:
    pytest.importorskip("pyarrow")
    (study / "queries.tsv").write_text("q1\tone\nq2\ttwo\n")

    done = run(
        *("pool", "--scores", study / "m.parquet", "--run", f"A={study / 'A.run'}"),
        *("--queries", study / "queries.tsv", "-o", study / "pool.csv"),
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert (study / "pool.csv").read_text().startswith("qid,query,n_lists,best_rank,lists\nq1,one,")


def test_the_version_is_that_of_the_package(fairpool: ModuleType) -> None:
    assert run("--version").stdout == f"fairpool {fairpool.__version__}\n"


@pytest.mark.long
def test_a_report_needs_no_django(fairpool: ModuleType, study: Path) -> None:
    for package in ("jinja2", "matplotlib", "ir_measures", "pyarrow"):
        pytest.importorskip(package)
    (study / "queries.tsv").write_text("q1\tone\nq2\ttwo\n")
    runs: list[str | Path] = [
        part for name in "AB" for part in ("--run", f"{name}={study / name}.run")
    ]

    done = run(
        "report", "--scores", study / "m.parquet", *runs,
        "--queries", study / "queries.tsv", "--output", study / "report",
    )  # fmt: skip

    assert (done.returncode, done.stderr) == (0, "")
    assert "<h1>" in (study / "report" / "index.html").read_text()


@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["measure", "--help"]])
def test_it_answers_without_what_takes_long_to_import(arguments: list[str]) -> None:
    command = [sys.executable, "-X", "importtime", "-m", PROGRAM, *arguments]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stderr
    loaded = {line.rpartition("|")[2].strip().partition(".")[0] for line in told.splitlines()}
    assert "argparse" in loaded
    assert not loaded & {"numpy", *HEAVY}
