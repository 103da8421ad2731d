"""Short jobs and long ones: neither lane takes the other's, so that no short job waits."""

import threading
from datetime import timedelta

import pytest

from annotation.core.perform import queue_job
from annotation.core.task_progress import has_due
from annotation.core.task_queue import task_claim
from annotation.jobs.chores import Chore
from annotation.jobs.worker import work_until
from annotation.models import Study, Task
from annotation.vocabulary import LONG_KINDS, Lane, TaskKind, TaskState
from tests.annotation.publishing.conftest import MakeBatch
from tests.commands import run_json

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "crowd"])


@pytest.fixture
def short(make_batch: MakeBatch) -> Task:
    """A short job, queued after a long one."""
    batch = make_batch()
    assert isinstance(batch.study, Study)
    long = Task.objects.create(kind=TaskKind.BUNDLE, study=batch.study, actor="test")
    task = queue_job(kind=TaskKind.LABEL, subject=batch, actor="test")[0]
    assert long.pk < task.pk
    return task


def claimed(lane: str) -> str | None:
    task = task_claim(worker="host:1", lease=timedelta(minutes=1), lane=lane)
    return None if task is None else task.kind


def test_a_lane_takes_its_own_jobs_only(short: Task) -> None:
    assert [claimed(Lane.SHORT), claimed(Lane.SHORT)] == [short.kind, None]
    assert [claimed(Lane.LONG), claimed(Lane.LONG)] == [TaskKind.BUNDLE, None]


def test_without_a_lane_the_first_comes_first(short: Task) -> None:
    assert [claimed(""), claimed("")] == [TaskKind.BUNDLE, short.kind]


def test_a_worker_of_short_jobs_leaves_the_long_one_to_the_other(short: Task) -> None:
    assert run_json("job", "work", "--once", "--lane", "short") == {"tasks": 1}
    short.refresh_from_db()
    assert short.state in {TaskState.DONE, TaskState.FAILED}
    assert list(Task.objects.filter(state=TaskState.QUEUED).values_list("kind", flat=True)) == [
        TaskKind.BUNDLE
    ]


def test_the_worker_of_long_jobs_does_nothing_by_the_clock() -> None:
    done: list[str] = []
    chores = [
        Chore("in turn", 0, lambda: done.append("in turn")),
        Chore("apart", 0, lambda: done.append("apart"), is_apart=True),
    ]
    stop = threading.Event()
    threading.Timer(0.5, stop.set).start()
    work_until(stop, lane=Lane.LONG, chores=chores)
    assert not done


def test_a_lane_is_said_to_have_work_while_one_of_its_jobs_is_due(short: Task) -> None:
    assert [has_due(lane) for lane in Lane] == [True, True]
    claimed(Lane.LONG)
    assert {lane: has_due(lane) for lane in Lane} == {Lane.SHORT: True, Lane.LONG: False}


def test_what_reads_whole_files_is_long() -> None:
    assert {TaskKind.SCORE, TaskKind.RANK, TaskKind.REPORT} <= LONG_KINDS
    assert not {TaskKind.PUBLISH, TaskKind.COLLECT, TaskKind.BONUS, TaskKind.LABEL} & LONG_KINDS
