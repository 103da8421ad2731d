"""Workers in processes of their own, killed in the middle: nothing is lost, nothing is doubled."""

import json
import os
import signal
import time
from pathlib import Path

import pytest

from tests.integration.crowd.control import CrowdControl
from tests.integration.ports import free_port
from tests.integration.workers.profiles import (
    Embedded,
    Server,
    kill_group,
    need,
    wait_until,
    write_queries,
)
from tests.servers import RABBITMQ, REDIS

pytestmark = pytest.mark.timed


BROKERS = [REDIS, RABBITMQ]
PUBLISHED = "SELECT COUNT(*) FROM annotation_hit WHERE state = 'published'"
STATE = "SELECT state FROM annotation_task ORDER BY id LIMIT 1"
N_HITS = 120
#: The crowd's reply to the call after so many is so late that whoever waits for it can be killed.
HELD_UP_AFTER, SECONDS_HELD_UP = 10, 10


@pytest.fixture(autouse=True)
def _short_leases(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TASK_LEASE_SECONDS", "2")
    monkeypatch.setenv("MTURK_LOCAL_CONTROL", "1")


def start_publishing(project: Embedded | Server, tmp_path: Path) -> None:
    project.prepare()
    queries = write_queries(tmp_path / "queries.tsv", N_HITS)
    project.run("create_batch", "--name", "b", "--queries", queries, "--queries-per-hit", "1")


def publish_until_it_is_held_up(project: Embedded | Server) -> None:
    """Ask for publishing; on return the worker waits for a reply in the middle of it."""
    key = json.loads((project.data_dir / "crowd-key.json").read_text())
    control = CrowdControl(
        f"http://127.0.0.1:{project.port}/mturk/", key["access_key_id"], key["secret_access_key"]
    )
    late = {"Skip": HELD_UP_AFTER, "Detail": {"Seconds": SECONDS_HELD_UP}}
    control.fault("delay", "CreateHITWithHITType", **late)
    project.run("enqueue", "publish", "b")
    wait_until(
        lambda: project.first(PUBLISHED) == HELD_UP_AFTER, seconds=180, what="publishing begins"
    )


def expect_a_whole_batch(project: Embedded | Server) -> None:
    wait_until(lambda: project.first(STATE) == "done", seconds=300, what="the task is done")
    [task] = project.json("tasks", "--batch", "b")["tasks"]
    assert task["attempts"] >= 2
    assert project.json("batch_status", "b")["n_hits_published"] == N_HITS
    assert project.json("check_invariants", "--reconcile", "b")["broken"] == {}


@pytest.mark.long
@pytest.mark.slow
def test_the_embedded_worker_is_replaced_when_it_is_killed_and_its_task_goes_on(
    tmp_path: Path,
) -> None:
    project = Embedded(data_dir=tmp_path / "var", port=free_port())
    project.data_dir.mkdir()
    start_publishing(project, tmp_path)
    with project.site():
        publish_until_it_is_held_up(project)
        worker = str(project.first("SELECT worker FROM annotation_task"))
        os.kill(int(worker.rpartition(":")[2]), signal.SIGKILL)
        expect_a_whole_batch(project)
        assert project.first("SELECT worker FROM annotation_task") != worker


@pytest.mark.slow
@pytest.mark.faults
def test_the_embedded_worker_stops_with_the_site_and_the_next_one_goes_on(tmp_path: Path) -> None:
    project = Embedded(data_dir=tmp_path / "var", port=free_port())
    project.data_dir.mkdir()
    start_publishing(project, tmp_path)
    with project.site():
        publish_until_it_is_held_up(project)
        worker = int(str(project.first("SELECT worker FROM annotation_task")).rpartition(":")[2])
    assert not Path(f"/proc/{worker}").exists()
    assert project.first(STATE) == "queued"
    with project.site():
        # The web server may have gone first: then the task waits for the crowd to come back.
        project.run("shell", "--command", _DUE_NOW)
        wait_until(lambda: project.first(STATE) == "done", seconds=300, what="the task is done")
        assert project.json("check_invariants", "--reconcile", "b")["broken"] == {}


_DUE_NOW = (
    "from annotation.models import Task; from django.db.models.functions import Now; "
    "Task.objects.update(run_after=Now())"
)


@pytest.mark.faults
@pytest.mark.services
@pytest.mark.parametrize("broker", BROKERS, ids=lambda address: address.partition(":")[0])
def test_a_celery_worker_that_is_killed_in_the_middle_is_followed_by_another(
    broker: str, tmp_path: Path
) -> None:
    need(broker)
    project = Server(data_dir=tmp_path / "var", port=free_port(), broker=broker)
    project.data_dir.mkdir()
    with project.databases():
        start_publishing(project, tmp_path)
        with project.site():
            with project.celery() as first:
                publish_until_it_is_held_up(project)
                kill_group(first)
            before = project.first(PUBLISHED)
            time.sleep(1)
            assert project.first(PUBLISHED) == before
            with project.celery():
                expect_a_whole_batch(project)
    log = (project.data_dir / "celery.log").read_text()
    told = [line for line in log.splitlines() if 'event="task ended"' in line]
    assert told
    assert {"task=1", "kind=publish", "batch=1"} <= set(told[0].split())


@pytest.mark.slow
@pytest.mark.services
@pytest.mark.faults
def test_a_task_that_was_asked_for_while_the_broker_was_away_is_done_in_the_end(
    tmp_path: Path,
) -> None:
    need(REDIS)
    project = Server(data_dir=tmp_path / "var", port=free_port(), broker=REDIS)
    project.data_dir.mkdir()
    with project.databases():
        start_publishing(project, tmp_path)
        away = Server(
            data_dir=project.data_dir,
            port=project.port,
            broker="redis://127.0.0.1:1/0",
            name=project.name,
        )
        asked = away.run("enqueue", "publish", "b")
        assert "the broker is away; the task waits" in asked.stderr
        with project.site(), project.celery():
            wait_until(lambda: project.first(STATE) == "done", seconds=300, what="the task is done")
        assert project.first(PUBLISHED) == N_HITS
