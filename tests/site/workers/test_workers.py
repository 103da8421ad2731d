"""Workers in processes of their own, killed in the middle: nothing is lost, nothing is doubled."""

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.annotation.publishing.faults import FaultyProxy, delay
from tests.ports import free_port
from tests.servers import RABBITMQ, REDIS
from tests.site.workers.profiles import (
    Embedded,
    Server,
    kill_group,
    need,
    wait_until,
    write_queries,
)

pytestmark = pytest.mark.timed


BROKERS = [REDIS, RABBITMQ]
PUBLISHED = "SELECT COUNT(*) FROM annotation_hit WHERE state = 'published'"
STATE = "SELECT state FROM annotation_task ORDER BY id LIMIT 1"
N_HITS = 120
HELD_UP_AFTER, SECONDS_HELD_UP = 10, 10


@pytest.fixture(autouse=True)
def _short_leases(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TASK_LEASE_SECONDS", "2")


def start_publishing(project: Embedded | Server, tmp_path: Path) -> None:
    project.prepare()
    queries = write_queries(tmp_path / "queries.tsv", N_HITS)
    project.run("batch", "create", "--name", "b", "--queries", queries, "--queries-per-hit", "1")


@pytest.fixture
def proxy() -> Iterator[FaultyProxy]:
    """Stands before the crowd service of a site that is still to be started, on a port of its own.

    The reply to one call is so late that whoever waits for it can be killed.
    """
    proxy = FaultyProxy(f"http://127.0.0.1:{free_port()}/mturk/")
    proxy.order("CreateHITWithHITType", {HELD_UP_AFTER + 1: delay(SECONDS_HELD_UP)})
    yield proxy
    proxy.stop()


def before_the_site(proxy: FaultyProxy) -> dict[str, Any]:
    """The port of the site, and the address under which all processes reach its crowd service."""
    return {"port": urlsplit(proxy.upstream).port, "endpoint": proxy.start()}


def publish_until_it_is_held_up(project: Embedded | Server) -> None:
    """Ask for publishing; on return the worker waits for a reply in the middle of it."""
    project.run("batch", "publish", "b", "--yes", "--background")
    wait_until(
        lambda: project.first(PUBLISHED) == HELD_UP_AFTER, seconds=180, what="publishing begins"
    )


def expect_a_whole_batch(project: Embedded | Server) -> None:
    wait_until(lambda: project.first(STATE) == "done", seconds=300, what="the task is done")
    # On a busy machine the schedule has asked for the answers by then, too.
    tasks = project.json("job", "list", "--batch", "b")["tasks"]
    [task] = [task for task in tasks if task["kind"] == "publish"]
    assert task["attempts"] >= 2
    assert project.json("batch", "show", "b")["n_hits_published"] == N_HITS
    assert project.json("site", "check", "--reconcile", "b")["broken"] == {}


@pytest.mark.long
def test_the_embedded_worker_is_replaced_when_it_is_killed_and_its_task_goes_on(
    tmp_path: Path, proxy: FaultyProxy
) -> None:
    project = Embedded(data_dir=tmp_path / "var", **before_the_site(proxy))
    project.data_dir.mkdir()
    start_publishing(project, tmp_path)
    with project.site("--port", str(project.port)):
        publish_until_it_is_held_up(project)
        worker = str(project.first("SELECT worker FROM annotation_task"))
        os.kill(int(worker.rpartition(":")[2]), signal.SIGKILL)
        expect_a_whole_batch(project)
        assert project.first("SELECT worker FROM annotation_task") != worker


@pytest.mark.faults
def test_the_embedded_worker_stops_with_the_site_and_the_next_one_goes_on(
    tmp_path: Path, proxy: FaultyProxy
) -> None:
    project = Embedded(data_dir=tmp_path / "var", **before_the_site(proxy))
    project.data_dir.mkdir()
    start_publishing(project, tmp_path)
    with project.site("--port", str(project.port)):
        publish_until_it_is_held_up(project)
        worker = int(str(project.first("SELECT worker FROM annotation_task")).rpartition(":")[2])
    assert not Path(f"/proc/{worker}").exists()
    assert project.first(STATE) == "queued"
    with project.site("--port", str(project.port)):
        # The web server may have gone first: then the task waits for the crowd to come back.
        project.run("shell", "--command", _DUE_NOW)
        wait_until(lambda: project.first(STATE) == "done", seconds=300, what="the task is done")
        assert project.json("site", "check", "--reconcile", "b")["broken"] == {}


_DUE_NOW = (
    "from annotation.models import Task; from django.db.models.functions import Now; "
    "Task.objects.update(run_after=Now())"
)


@pytest.mark.faults
@pytest.mark.services
@pytest.mark.parametrize("broker", BROKERS, ids=lambda address: address.partition(":")[0])
def test_a_celery_worker_that_is_killed_in_the_middle_is_followed_by_another(
    broker: str, tmp_path: Path, proxy: FaultyProxy
) -> None:
    need(broker)
    project = Server(data_dir=tmp_path / "var", broker=broker, **before_the_site(proxy))
    project.data_dir.mkdir()
    with project.databases():
        start_publishing(project, tmp_path)
        with project.site("--port", str(project.port)):
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
    # Chores may end before it.
    assert any({"task=1", "kind=publish", "batch=1"} <= set(line.split()) for line in told)


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
        asked = away.run("batch", "publish", "b", "--yes", "--background")
        assert "the broker is away; the task waits" in asked.stderr
        with project.site(), project.celery():
            wait_until(lambda: project.first(STATE) == "done", seconds=300, what="the task is done")
        assert project.first(PUBLISHED) == N_HITS
