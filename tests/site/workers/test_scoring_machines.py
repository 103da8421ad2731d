"""A collection scored by several worker processes, one killed in the middle, on each broker.

The result is the file of a single machine.
"""

import os
import signal
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.ports import free_port
from tests.project import ROOT
from tests.servers import RABBITMQ, REDIS
from tests.site.workers.profiles import Server, kill_group, need, wait_until

pytestmark = [pytest.mark.faults, pytest.mark.services]

BROKERS = {"redis": REDIS, "rabbitmq": RABBITMQ}
N_PASSAGES = 60_000
#: Of a shard that a stopped worker holds, while the others go on.
RUNNING = "SELECT worker FROM annotation_task WHERE kind = 'shard' AND state = 'running' LIMIT 1"
N_DONE = "SELECT COUNT(*) FROM annotation_task WHERE kind = 'shard' AND state = 'done'"
LOST = "SELECT SUM(crash_count) FROM annotation_task"
SHARD_MB = "0.1"


@pytest.fixture
def collection() -> bytes:
    return b"".join(
        b"%d\tHe said that she, her mother and %d\n" % (i, i) for i in range(N_PASSAGES)
    )


def make_project(tmp_path: Path, broker: str, monkeypatch: pytest.MonkeyPatch) -> Server:
    need(BROKERS[broker])
    monkeypatch.setenv("TASK_LEASE_SECONDS", "2")
    project = Server(data_dir=tmp_path / "var", port=free_port(), broker=BROKERS[broker])
    project.data_dir.mkdir()
    return project


def scoring(project: Server, *arguments: object) -> subprocess.Popen[str]:
    command = [sys.executable, "manage.py", "collection", "score-shards", *map(str, arguments)]
    return subprocess.Popen(
        [*command, "--shard-size", SHARD_MB],
        cwd=ROOT,
        env=project.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.parametrize("broker", BROKERS)
def test_of_three_workers_one_is_killed_and_the_file_is_that_of_a_single_machine(
    broker: str, collection: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = make_project(tmp_path, broker, monkeypatch)
    path = tmp_path / "collection.tsv"
    path.write_bytes(collection)
    project.fairpool("score", path, "--output", tmp_path / "at-once.parquet")
    with project.databases(), ExitStack() as stack:
        project.prepare()
        command = scoring(project, path, "--output", tmp_path / "m.parquet")
        workers = [stack.enter_context(project.celery()) for _ in range(3)]
        hold_a_shard_and_kill_its_worker(project, workers)
        _said, errors = command.communicate(timeout=300)
        assert command.returncode == 0, errors

        assert "A worker was lost; another one scores its shard again." in errors
    assert (tmp_path / "m.parquet").read_bytes() == (tmp_path / "at-once.parquet").read_bytes()
    assert not list(tmp_path.glob("fairpool-parts-*"))


def hold_a_shard_and_kill_its_worker(
    project: Server, workers: list[subprocess.Popen[bytes]]
) -> None:
    """Stop a process in the middle of a shard, see that it is, then kill its worker."""
    wait_until(lambda: held(project), seconds=180, what="a worker is stopped in a shard")
    pid = int(str(project.first(RUNNING)).rpartition(":")[2])
    [worker] = [one for one in workers if os.getpgid(pid) == one.pid]
    kill_group(worker)


def held(project: Server) -> bool:
    worker = project.first(RUNNING)
    if worker is None:
        return False
    pid = int(str(worker).rpartition(":")[2])
    os.kill(pid, signal.SIGSTOP)
    if project.first(RUNNING) == worker:
        return True
    os.kill(pid, signal.SIGCONT)
    return False
