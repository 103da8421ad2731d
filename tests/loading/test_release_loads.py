"""Other programs load a release: run by `.ci/loading` where they are installed, on one it made."""

import csv
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

mlcroissant = pytest.importorskip("mlcroissant", reason="run by .ci/loading")
datasets = pytest.importorskip("datasets", reason="run by .ci/loading")

RELEASE = Path(os.environ.get("FAIRPOOL_RELEASE", ""))


def rows(name: str) -> list[dict[str, str]]:
    with (RELEASE / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_mlcroissant_has_nothing_to_say_about_it() -> None:
    program = Path(sys.executable).with_name("mlcroissant")
    done = subprocess.run(
        [program, "validate", "--jsonld", RELEASE / "croissant.json"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr
    assert "ERROR" not in done.stderr


@pytest.mark.parametrize("table", ["votes", "labels", "agreement"])
def test_mlcroissant_reads_the_records(table: str) -> None:
    """Every text as it is, but for "null" and the like, which pandas takes for missing."""
    dataset = mlcroissant.Dataset(jsonld=str(RELEASE / "croissant.json"))
    found = [_texts(table, record) for record in dataset.records(record_set=table)]
    expected = rows(f"{table}.csv")
    assert len(found) == len(expected) > 0
    for record, row in zip(found, expected, strict=True):
        assert {name: row[name] for name in record} == record


def _texts(table: str, record: dict[str, Any]) -> dict[str, str]:
    return {
        name.removeprefix(f"{table}/"): value.decode()
        for name, value in record.items()
        if isinstance(value, bytes)
    }


@pytest.mark.parametrize("table", ["votes", "labels", "agreement"])
def test_datasets_loads_every_table_offline(table: str) -> None:
    loaded = datasets.load_dataset(str(RELEASE), table)["train"]
    expected = rows(f"{table}.csv")
    assert loaded.column_names == list(expected[0])
    texts = [name for name, one in loaded.features.items() if one.dtype == "string"]
    for found, row in zip(loaded, expected, strict=True):
        assert {name: found[name] or "" for name in texts} == {name: row[name] for name in texts}


def test_datasets_loads_the_votes_without_being_told() -> None:
    loaded = datasets.load_dataset(str(RELEASE))["train"]
    assert loaded.num_rows == len(rows("votes.csv"))
    assert {"1048585", "2", "3"} == set(loaded["qid"])
    assert "null" in loaded["query"]
