"""A data folder of version 0.1, with a job of every kind in its queue, goes on here."""

import json
import shutil
import sqlite3
import time
from pathlib import Path

import pytest

from tests.integration.ports import free_port
from tests.integration.project import Project

pytestmark = [pytest.mark.timed, pytest.mark.long]

BEFORE = Path(__file__).with_name("before.tar.gz")
KINDS = {"publish", "collect", "expire", "label", "extend", "top up", "ask", "approve", "bonus"} | {
    *("keep out", "bundle", "score", "pool", "report", "shard", "checksum")
}


@pytest.fixture
def project(tmp_path: Path) -> Project:
    shutil.unpack_archive(BEFORE, tmp_path, filter="data")
    with sqlite3.connect(tmp_path / "fairpool.sqlite3") as site:
        # The shards' collection has moved with the folder.
        [plan] = site.execute("SELECT plan FROM annotation_scoring").fetchone()
        plan = json.loads(plan)
        alone = tmp_path / "alone.tsv"
        plan["files"][0].update(path=str(alone), modified=alone.stat().st_mtime_ns)
        parts = tmp_path / "parts"
        parts.mkdir()
        site.execute(
            "UPDATE annotation_scoring SET plan = ?, parts = ?", [json.dumps(plan), str(parts)]
        )
    site.close()
    return Project(data_dir=tmp_path, port=free_port())


def tasks_of(project: Project) -> list[dict[str, str]]:
    tasks: list[dict[str, str]] = project.json("tasks", "--limit", "100")["tasks"]
    return tasks


@pytest.mark.parametrize("interrupted_at", [None, "0021"])
def test_jobs_that_waited_are_done_after_the_upgrade(
    project: Project, interrupted_at: str | None
) -> None:
    if interrupted_at:
        project.run("migrate", "annotation", interrupted_at, "--verbosity", "0")
    project.migrate()
    with project.site():
        deadline = time.monotonic() + 300
        while any(task["state"] in {"queued", "running"} for task in tasks_of(project)):
            assert time.monotonic() < deadline
            time.sleep(1)
    tasks = tasks_of(project)
    assert {task["kind"] for task in tasks} >= KINDS
    assert {task["kind"]: task["error"] for task in tasks if task["state"] != "done"} == {}
    assert project.json("check_invariants")["broken"] == {}
