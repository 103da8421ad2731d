"""The program of the service on its own, in processes of its own."""

import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from tests.ports import free_port

ROOT = Path(__file__).resolve().parents[2]


def environment(data: Path) -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "MTURK_LOCAL_DATA_DIR": str(data)}


def run(data: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "mturk_local.program", *arguments],
        cwd=ROOT,
        env=environment(data),
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )


@pytest.mark.parametrize("migration", ["0002_panels", "0099_of_the_future"])
def test_a_database_of_another_version_is_refused_and_stays_as_it_is(
    tmp_path: Path, migration: str
) -> None:
    with sqlite3.connect(tmp_path / "crowd.sqlite3") as database:
        database.execute("CREATE TABLE django_migrations (id INTEGER, app, name, applied)")
        row = ("mturk_local", migration, "2026-01-01")
        database.execute("INSERT INTO django_migrations VALUES (1, ?, ?, ?)", row)
    database.close()
    done = run(tmp_path, "key")
    assert done.returncode == 1
    assert migration in done.stderr
    assert "MTURK_LOCAL_DATA_DIR" in done.stderr
    with sqlite3.connect(tmp_path / "crowd.sqlite3") as database:
        tables = database.execute("SELECT name FROM sqlite_master").fetchall()
    database.close()
    assert tables == [("django_migrations",)]


@pytest.mark.long
def test_a_folder_without_a_database_gets_one_which_is_accepted(tmp_path: Path) -> None:
    for _ in range(2):
        assert run(tmp_path, "key", "--json").returncode == 0


@pytest.mark.long
def test_links_and_keys_name_the_port_at_which_the_service_listens(tmp_path: Path) -> None:
    port = free_port()
    server = subprocess.Popen(
        [sys.executable, "-m", "mturk_local.program", "serve", "--port", str(port)],
        cwd=ROOT,
        env=environment(tmp_path),
        stdout=subprocess.PIPE,
        text=True,
    )
    assert server.stdout is not None
    try:
        assert any(line.startswith("Key pair") for line in server.stdout)
        key = json.loads(run(tmp_path, "key", "--json").stdout)
        assert key["endpoint"] == f"http://127.0.0.1:{port}/mturk/"
        invite = run(tmp_path, "channel", "invite").stdout
        assert invite.startswith(f"http://127.0.0.1:{port}/annotate/")
    finally:
        server.terminate()
        server.communicate(timeout=120)
