"""The life of a task, step by step."""

import uuid
from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction
from django.db.models.functions import Now
from django.utils import timezone
from pytest_django import Settings

from annotation.core.perform import queue_job
from annotation.core.task_progress import LONGEST_DELAY, tasks_due
from annotation.core.task_queue import (
    MAX_DEATHS,
    MAX_FAILURES,
    TaskLostError,
    release_task,
    task_cancel,
    task_claim,
    task_finish,
    task_heartbeat,
    task_postpone,
)
from annotation.models import Batch, Task
from annotation.vocabulary import TaskKind, TaskState
from metrics.errors import InputError
from tests.annotation.publishing.conftest import MakeBatch

pytestmark = [
    pytest.mark.timed,
    pytest.mark.django_db(transaction=True, databases=["default", "crowd"]),
]

LEASE = timedelta(minutes=10)
PAST = timedelta(seconds=-1)


def queued(batch: Batch, kind: str = TaskKind.LABEL, actor: str = "test") -> Task:
    return queue_job(kind=kind, subject=batch, actor=actor)[0]


@pytest.fixture
def waiting(make_batch: MakeBatch) -> Task:
    return queued(make_batch())


def claim(worker: str = "host:1", lease: timedelta = LEASE) -> Task | None:
    return task_claim(worker=worker, lease=lease)


def claimed(worker: str = "host:1", lease: timedelta = LEASE) -> Task:
    task = claim(worker, lease)
    assert task is not None
    return task


def test_what_is_asked_for_twice_is_one_task_until_it_is_done(waiting: Task) -> None:
    assert waiting.batch
    again = queued(waiting.batch, actor="somebody else")
    other = queued(waiting.batch, TaskKind.COLLECT)
    assert again.pk == waiting.pk != other.pk
    task_finish(task=claimed(), state=TaskState.DONE, done=1)
    later = queued(waiting.batch)
    assert later.pk not in {waiting.pk, other.pk}


def test_the_database_refuses_a_second_live_task_for_the_same_work(waiting: Task) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        Task.objects.create(kind=waiting.kind, batch_id=waiting.batch_id, actor="x")


def test_the_database_refuses_a_running_task_that_nobody_has_claimed(waiting: Task) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        Task.objects.filter(pk=waiting.pk).update(state=TaskState.RUNNING)


def test_the_database_refuses_an_end_without_its_time(waiting: Task) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        Task.objects.filter(pk=waiting.pk).update(state=TaskState.DONE)


def test_of_two_workers_one_gets_the_task(waiting: Task) -> None:
    assert claimed().pk == waiting.pk
    assert claim("host:2") is None


def test_a_worker_that_stays_silent_loses_its_task_to_another(waiting: Task) -> None:
    silent = claimed(lease=PAST)
    taken = claimed("host:2")
    assert (taken.pk, taken.worker, taken.attempts) == (waiting.pk, "host:2", 2)
    with pytest.raises(TaskLostError):
        task_heartbeat(task=silent, done=1, lease=LEASE)
    assert not task_finish(task=silent, state=TaskState.DONE, done=1)
    taken.refresh_from_db()
    assert taken.state == TaskState.RUNNING


def test_a_heartbeat_stores_the_progress_and_prolongs_the_lease(waiting: Task) -> None:
    task = claimed()
    before = task.lease_until
    assert before is not None
    assert not task_heartbeat(task=task, done=7, lease=2 * LEASE)
    task.refresh_from_db()
    assert task.done == 7
    assert task.lease_until is not None
    assert task.lease_until >= before + LEASE


def test_a_task_that_kills_its_workers_is_given_up_in_the_end(waiting: Task) -> None:
    for _ in range(MAX_DEATHS):
        claimed(lease=PAST)
    assert claim() is None
    waiting.refresh_from_db()
    assert waiting.state == TaskState.FAILED
    assert waiting.error.startswith(f"Given up: {MAX_DEATHS} workers died while doing it")


def test_a_task_whose_needs_are_away_waits_ever_longer_and_is_given_up_in_the_end(
    waiting: Task,
) -> None:
    delays = []
    for _ in range(MAX_FAILURES):
        due_now(waiting)
        delays.append(task_postpone(task=claimed(), error="the crowd is away."))
    assert delays[:3] == [timedelta(seconds=30), timedelta(minutes=1), timedelta(minutes=2)]
    assert delays[-2:] == [LONGEST_DELAY, None]


def test_a_worker_that_dies_uses_up_no_attempt_of_those_that_errors_have(waiting: Task) -> None:
    claimed(lease=PAST)
    task = claimed()
    assert (task.attempts, task.crash_count, task.failures) == (2, 1, 1)
    assert task_postpone(task=task, error="the crowd is away.") == timedelta(seconds=30)


@pytest.mark.parametrize("ahead", [timedelta(minutes=30), timedelta(days=365)])
def test_a_clock_that_was_set_back_lets_no_dead_worker_keep_its_task(
    waiting: Task, ahead: timedelta
) -> None:
    claimed()
    # What the database holds then lies so far ahead of its clock.
    Task.objects.update(lease_until=timezone.now() + LEASE + ahead)
    assert tasks_due() == [waiting.pk]
    assert claimed("host:2").crash_count == 1


def test_a_reader_with_a_shorter_lease_of_its_own_leaves_a_living_worker_its_task(
    waiting: Task, settings: Settings
) -> None:
    alive = claimed(lease=LEASE)
    settings.TASK_LEASE_SECONDS = LEASE.total_seconds() / 10
    assert tasks_due() == []
    assert claim("host:2", LEASE / 10) is None
    assert not task_heartbeat(task=alive, done=1, lease=LEASE)
    assert tasks_due() == []


def test_a_reader_with_a_longer_lease_of_its_own_takes_a_task_of_before_the_clock_was_set_back(
    waiting: Task, settings: Settings
) -> None:
    claimed(lease=LEASE)
    settings.TASK_LEASE_SECONDS = LEASE.total_seconds() * 10
    Task.objects.update(lease_until=timezone.now() + 3 * LEASE)
    assert claimed("host:2", LEASE * 10).crash_count == 1


def test_of_a_claim_of_an_earlier_version_the_readers_lease_decides(
    waiting: Task, settings: Settings
) -> None:
    claimed(lease=LEASE)
    Task.objects.update(lease=None)
    settings.TASK_LEASE_SECONDS = LEASE.total_seconds()
    assert tasks_due() == []
    settings.TASK_LEASE_SECONDS = LEASE.total_seconds() / 10
    assert tasks_due() == [waiting.pk]


def test_a_clock_that_was_set_back_lets_no_task_wait_longer_than_the_longest_delay(
    waiting: Task,
) -> None:
    Task.objects.update(run_after=timezone.now() + timedelta(days=365))
    assert claimed().pk == waiting.pk


def test_a_worker_whose_lease_a_clock_ended_too_early_stores_nothing(waiting: Task) -> None:
    alive = claimed()
    Task.objects.update(lease_until=timezone.now() - timedelta(days=365))
    assert claimed("host:2").pk == alive.pk
    with pytest.raises(TaskLostError):
        task_heartbeat(task=alive, done=1, lease=LEASE)


def due_now(task: Task) -> None:
    Task.objects.filter(pk=task.pk).update(run_after=Now())


def test_a_postponed_task_waits_and_says_why(waiting: Task) -> None:
    task_postpone(task=claimed(), error="the crowd is away.")
    assert claim() is None
    waiting.refresh_from_db()
    assert (waiting.state, waiting.error) == (TaskState.QUEUED, "the crowd is away.")


def test_a_released_task_is_due_at_once_and_has_not_failed(waiting: Task) -> None:
    release_task(task=claimed())
    assert claimed().attempts == 1


def test_a_waiting_task_is_cancelled_at_once_and_a_running_one_is_asked_to_end(
    make_batch: MakeBatch,
) -> None:
    first, second = (queued(make_batch(name=name)) for name in ("one", "two"))
    running = claimed()
    assert running.pk == first.pk
    assert task_cancel(task_id=second.pk).state == TaskState.CANCELLED
    assert task_cancel(task_id=first.pk).state == TaskState.RUNNING
    assert task_heartbeat(task=running, done=0, lease=LEASE)


def test_a_cancelled_task_whose_worker_died_is_not_taken_up_again(waiting: Task) -> None:
    claimed(lease=PAST)
    task_cancel(task_id=waiting.pk)
    assert claim() is None
    waiting.refresh_from_db()
    assert waiting.state == TaskState.CANCELLED


def test_cancelling_what_does_not_exist_says_so() -> None:
    with pytest.raises(InputError, match="404"):
        task_cancel(task_id=404)


def test_a_foreign_claim_ends_nothing(waiting: Task) -> None:
    task = claimed()
    task.claim = uuid.uuid4()
    assert not task_finish(task=task, state=TaskState.DONE, done=1)
