"""`rank` as a person calls it, in a process of its own."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import sample
from metrics.runs import read_run
from rankers.registry import DEFAULT, RANKERS

ROOT = Path(sample.__file__).parent.parent
COLLECTION, QUERIES = ROOT / "sample" / "collection.tsv", ROOT / "sample" / "queries.tsv"


def rank(*arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "config.program", "rank", *map(str, arguments)],
        cwd=ROOT,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )


def on_sample(output: Path, *more: str, **environment: str) -> subprocess.CompletedProcess[str]:
    arguments = ("--collection", COLLECTION, "--queries", QUERIES, "--output", output)
    return rank(*arguments, *more, **environment)


@pytest.mark.long
def test_two_processes_write_the_same_bytes_whatever_hash_seed_and_threads(tmp_path: Path) -> None:
    names = ",".join(RANKERS)
    first = on_sample(
        tmp_path / "a", "--rankers", names, PYTHONHASHSEED="1", OPENBLAS_NUM_THREADS="1"
    )
    again = on_sample(
        tmp_path / "b", "--rankers", names, PYTHONHASHSEED="2", OPENBLAS_NUM_THREADS="2"
    )
    assert (first.returncode, again.returncode) == (0, 0), first.stderr + again.stderr
    for name in RANKERS:
        one, other = (tmp_path / folder / f"{name}.run" for folder in "ab")
        assert one.read_bytes() == other.read_bytes(), name


@pytest.mark.long
def test_the_seven_default_runs_of_the_sample_are_readable(tmp_path: Path) -> None:
    done = on_sample(tmp_path, "--json", "--quiet")
    assert done.stderr == ""
    summary = json.loads(done.stdout)
    assert list(summary["runs"]) == [ranker.name for ranker in DEFAULT]
    for path in summary["runs"].values():
        run = read_run(path)
        assert len(run) == summary["n_queries"]
        assert not run.notices


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--rankers", "bert"), "there is no ranker BERT"),
        (("--queries", "missing.tsv"), "missing.tsv: no such file"),
        (("--collection", "missing.tsv"), "missing.tsv: no such file"),
    ],
)
def test_a_mistake_is_one_plain_line_and_writes_nothing(
    tmp_path: Path, arguments: tuple[str, str], message: str
) -> None:
    done = on_sample(tmp_path / "runs", *arguments)
    assert done.returncode == 1
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not list(tmp_path.rglob("*.run"))


def test_a_depth_out_of_range_is_a_usage_error_and_writes_nothing(tmp_path: Path) -> None:
    done = on_sample(tmp_path / "runs", "--depth", "0")
    assert done.returncode == 2
    assert "--depth: 0" in done.stderr.splitlines()[-1]
    assert not list(tmp_path.rglob("*.run"))


def test_queries_without_texts_cannot_be_ranked(tmp_path: Path) -> None:
    ids = tmp_path / "ids.txt"
    ids.write_text("1001\n1002\n")
    done = on_sample(tmp_path / "runs", "--queries", str(ids))
    assert done.returncode == 1
    assert "has ids without texts" in done.stderr
