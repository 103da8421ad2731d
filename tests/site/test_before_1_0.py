"""Databases that were made before version 1.0 are refused by commands and servers."""

import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from tests.ports import free_port
from tests.project import ROOT, Project, new_project


@pytest.fixture
def old(tmp_path: Path) -> Project:
    """A project whose tables another first migration made."""
    project = new_project(tmp_path)
    with sqlite3.connect(tmp_path / "fairpool.sqlite3") as database:
        database.execute(
            "UPDATE django_migrations SET name = '0001_initial' WHERE app = 'annotation'"
        )
    database.close()
    return project


@pytest.mark.long
def test_commands_refuse_an_old_data_folder_and_name_the_way_out(old: Project) -> None:
    for words in (("study", "list"), ("migrate",)):
        said = old.run(*words, status=1).stderr
        assert "before version 1.0" in said
        assert "label import-votes" in said
    old.run("study", "--help")


@pytest.mark.long
def test_the_web_server_does_not_start_with_an_old_data_folder(old: Project) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "gunicorn", "config.wsgi", "--config", "config/web_server.py",
         "--bind", f"127.0.0.1:{free_port()}"],
        cwd=ROOT, env=old.environment, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert "before version 1.0" in done.stderr
