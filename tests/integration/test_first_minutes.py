"""The first command on an empty data folder makes what it needs."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.mark.parametrize("command", [["studies"], ["crowd_key"]], ids=["platform", "crowd service"])
def test_a_command_prepares_an_empty_data_folder(tmp_path: Path, command: list[str]) -> None:
    site = {"FAIRPOOL_DATA_DIR": str(tmp_path / "data"), "PATH": os.defpath}
    done = subprocess.run(
        [sys.executable, "manage.py", *command],
        cwd=ROOT,
        env=site,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "no such table" not in done.stderr
    assert (tmp_path / "data" / "fairpool.sqlite3").stat().st_size > 0


def test_help_makes_nothing(tmp_path: Path) -> None:
    site = {"FAIRPOOL_DATA_DIR": str(tmp_path), "PATH": os.defpath}
    command = [sys.executable, "manage.py", "studies", "--help"]
    subprocess.run(command, cwd=ROOT, env=site, capture_output=True, timeout=300, check=True)
    assert not (tmp_path / "fairpool.sqlite3").exists()


def test_what_only_measures_makes_no_database(tmp_path: Path) -> None:
    site = {"FAIRPOOL_DATA_DIR": str(tmp_path / "data"), "PATH": os.defpath}
    texts = tmp_path / "c.tsv"
    texts.write_bytes(b"D1\tHe said she\n")
    command = ["manage.py", "score_collection", str(texts), "--output", str(tmp_path / "m.parquet")]
    subprocess.run([sys.executable, *command], cwd=ROOT, env=site, timeout=300, check=True)
    assert (tmp_path / "m.parquet").exists()
    assert not (tmp_path / "data" / "fairpool.sqlite3").exists()
