"""New databases are made from files of statements, which say what the migrations do.

`RECORD=1 python -m pytest tests/site/test_new_databases.py -m long` writes the files anew.
"""

import os
import re
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from subprocess import run

import pytest

from config.new_databases import TABLES, create_tables, migrations_digest, statements_of
from tests.ports import free_port
from tests.project import ROOT, Project

FILES = {"default": "fairpool.sqlite3", "crowd": "crowd.sqlite3"}
_MIGRATE = """
import django
from django.core.management import call_command
django.setup()
for alias in ("default", "crowd"):
    call_command("migrate", database=alias, verbosity=0)
"""


def content(database: Path) -> list[str]:
    """Its tables and rows, without the time at which each migration ran."""
    with closing(sqlite3.connect(database)) as connection:
        lines = list(connection.iterdump())
    return [re.sub(r"'\d{4}-\d\d-\d\d [\d:.]+'", "NOW", line) for line in lines]


@pytest.mark.parametrize("alias", FILES)
def test_the_files_are_those_of_the_present_migrations(alias: str) -> None:
    first = (TABLES / f"{alias}.sql").read_text().partition("\n")[0]
    assert first.endswith(migrations_digest()), __doc__


@pytest.mark.long
def test_a_new_database_is_a_migrated_one(tmp_path: Path) -> None:
    migrated = Project(data_dir=tmp_path / "migrated", port=free_port())
    migrated.data_dir.mkdir()
    run([sys.executable, "-c", _MIGRATE], cwd=ROOT, env=migrated.environment, check=True)
    if os.environ.get("RECORD"):
        for alias, name in FILES.items():
            (TABLES / f"{alias}.sql").write_text(statements_of(migrated.data_dir / name))
    made = Project(data_dir=tmp_path / "made", port=free_port())
    made.data_dir.mkdir()
    made.run("job", "list")
    for name in FILES.values():
        assert content(made.data_dir / name) == content(migrated.data_dir / name)
    assert "No migrations to apply" in made.run("migrate").stdout


def test_after_other_migrations_these_are_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[dict[str, object]] = []
    monkeypatch.setattr("config.new_databases.call_command", lambda _name, **kw: asked.append(kw))
    (tmp_path / "default.sql").write_text("-- migrations: of another version\nCREATE TABLE a (b);")
    create_tables("default", tmp_path)
    assert [each["database"] for each in asked] == ["default"]
