"""The first command on an empty data folder makes what it needs."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.mark.long
@pytest.mark.parametrize(
    "command", [["study", "list"], ["crowd", "key"]], ids=["platform", "crowd service"]
)
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
    command = [sys.executable, "manage.py", "study", "list", "--help"]
    subprocess.run(command, cwd=ROOT, env=site, capture_output=True, timeout=300, check=True)
    assert not (tmp_path / "fairpool.sqlite3").exists()
