"""SIGKILL amid erasing a person: going on leaves nothing of them, and the study whole."""

import os
import signal
from concurrent.futures import Future

import pytest

from tests.annotation.publishing.faults import Exchange, Fault, FaultyProxy
from tests.conversation import Conversation
from tests.project import Project

pytestmark = [pytest.mark.timed, pytest.mark.long]

#: Before anything has happened; the marks are taken back; our rows have changed and the crowd
#: service's have not; both have.
MOMENTS = [
    ("FindPerson", "before"),
    ("DisassociateQualificationFromWorker", "after"),
    ("ForgetPerson", "before"),
    ("ForgetPerson", "after"),
]


def killing(moment: str, victim: Future[int]) -> Fault:
    def fault(call: Exchange) -> None:
        if moment == "after":
            call.forward()
        os.kill(victim.result(60), signal.SIGKILL)

    return fault


def test_a_person_is_erased_from_both_databases_whenever_the_job_is_killed(
    project: Project,
) -> None:
    proxy = FaultyProxy(upstream=f"http://127.0.0.1:{project.port}/mturk/")
    environment = {"MTURK_LOCAL_ENDPOINT": proxy.start(), "TASK_LEASE_SECONDS": "1"}
    worker = Conversation("tests.site.kills.forking", project.environment | environment)
    try:
        name = worker("create", 0, 3, 1)
        assert worker("join", worker("fork", "publish", name)) == 0
        ids = worker("work", name, f"http://127.0.0.1:{project.port}")
        assert len(ids) == 3
        assert len(worker("traces", *ids)) > len(ids)
        before = worker("results", name)
        worker("ask_to_erase", ids[0])
        for operation, moment in MOMENTS:
            victim: Future[int] = Future()
            proxy.order(operation, {1: killing(moment, victim)})
            child = worker("fork", "erase", name)
            victim.set_result(child)
            assert worker("join", child) == -signal.SIGKILL
        assert worker("join", worker("fork", "erase", name)) == 0
        assert worker("tasks", "") == [["done", ""]]
        assert worker("traces", *ids) == []
        assert worker("results", name) == before
    finally:
        worker.close()
        proxy.stop()
    project.run("site", "check", "--reconcile", name)
    project.run("crowd", "invariants")
