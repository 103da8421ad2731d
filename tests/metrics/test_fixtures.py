"""The fixtures for other programs: what is kept is what the library gives, and what others give."""

import csv
import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

pytest.importorskip("ir_measures", reason="measures of effectiveness need fairpool[ir]")
parquet = pytest.importorskip("pyarrow.parquet", reason="the values come as Parquet too")

from measurements import fixtures  # noqa: E402 - needs what is asked for above
from metrics.measures import available  # noqa: E402

#: The largest difference to a program that computes in single precision, or prints 6 decimals.
ROUNDED = 1e-6


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("fixtures")
    shutil.copy(fixtures.FOLDER / "authors.csv", folder)
    fixtures.write(folder)
    return folder


def test_what_is_kept_is_what_the_library_gives(written: Path) -> None:
    for name in [*fixtures.inputs(), "values.json"]:
        assert (written / name).read_bytes() == (fixtures.FOLDER / name).read_bytes(), name
    rows = json.loads((written / "values.json").read_text(encoding="utf-8"))["values"]
    assert parquet.read_table(fixtures.FOLDER / "values.parquet").to_pylist() == rows


def test_the_programs_of_the_authors_give_the_same() -> None:
    rows = json.loads((fixtures.FOLDER / "values.json").read_text(encoding="utf-8"))["values"]
    compared = [row for row in rows if row["authors_value"] is not None]
    with (fixtures.FOLDER / "authors.csv").open(encoding="utf-8", newline="") as stream:
        assert len(list(csv.DictReader(stream))) == len(compared)
    for row in compared:
        assert row["value"] == pytest.approx(row["authors_value"], abs=ROUNDED), row
    # Each of the programs, and each of the measures that have one.
    assert len({row["authors_program"] for row in compared}) == 4
    measures = Counter(row["measure"].partition("(")[0].partition("@")[0] for row in compared)
    assert set(measures) == {
        *("RaB", "ARaB", "FaiRR", "NFaiRR", "AWRF-TREC", "EE-L", "EE-D", "EE-R"),
        *("P", "Recall", "nDCG"),
    }


def test_every_measure_is_there() -> None:
    """Of LIWC and of LabelRaB the value depends on files of one's own."""
    measured = {name.partition("(")[0] for name in fixtures.MEASURES}
    known = {definition.name for definition in available()}
    assert known - measured == {"LIWC", "LabelRaB"}


def test_the_example_runs_where_nothing_of_ours_is(tmp_path: Path) -> None:
    shutil.copytree(fixtures.FOLDER, tmp_path / "fixtures")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:django", "example_test.py"]
    alone = {name: value for name, value in os.environ.items() if not name.startswith("DJANGO")}
    done = subprocess.run(
        command, cwd=tmp_path / "fixtures", env=alone, capture_output=True, text=True, check=False
    )
    assert "15 passed" in done.stdout, done.stdout + done.stderr
