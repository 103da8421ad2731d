"""Tasks carried out in this process, against a live crowd service."""

import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db.models.functions import Now
from django.utils import timezone
from pytest_django import Settings

from annotation.core.perform import queue_job
from annotation.core.task_progress import tasks_due
from annotation.jobs.chores import Chore
from annotation.jobs.execution import run_job
from annotation.jobs.worker import work_until
from annotation.models import Batch, Task
from annotation.overview.operations.schedule import collecting_schedule
from annotation.vocabulary import BatchState, HITState, TaskKind, TaskState
from tests.annotation.publishing.conftest import MakeBatch
from tests.annotation.publishing.faults import FaultyProxy, refuse
from tests.commands import failure, run, run_json

pytestmark = [
    pytest.mark.timed,
    pytest.mark.django_db(transaction=True, databases=["default", "crowd"]),
]


def ask(batch: Batch, kind: str = TaskKind.PUBLISH, **arguments: Any) -> Task:
    return queue_job(kind=kind, subject=batch, actor="test", arguments=arguments)[0]


def carried_out(**how: Any) -> Task:
    task = run_job(**how)
    assert task is not None
    return task


def test_a_published_batch_leaves_a_task_that_says_so(make_batch: MakeBatch) -> None:
    batch = make_batch(6)
    ask(batch)
    task = carried_out()
    assert (task.state, task.done, task.total, task.error) == (TaskState.DONE, 3, 3, "")
    assert task.result.items() >= {"published": 3, "refused": {}, "unresolved": {}}.items()
    batch.refresh_from_db()
    assert batch.state == BatchState.PUBLISHED


def test_doing_it_twice_publishes_nothing_twice(make_batch: MakeBatch) -> None:
    batch = make_batch(6)
    for published in (3, 0):
        ask(batch)
        assert carried_out().result["published"] == published


def test_a_worker_that_is_told_to_stop_gives_the_task_back_and_another_goes_on(
    make_batch: MakeBatch,
) -> None:
    batch = make_batch(6)
    ask(batch)
    given_back = carried_out(stopping=lambda: True)
    assert (given_back.state, given_back.attempts) == (TaskState.QUEUED, 0)
    assert batch.hits.filter(state=HITState.PUBLISHED).count() == 1
    assert carried_out().result["published"] == 2


def test_a_cancelled_task_ends_at_its_next_step_and_what_is_done_stays(
    make_batch: MakeBatch, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    batch = make_batch(6)
    asked = ask(batch)
    monkeypatch.setattr(
        "annotation.jobs.execution.Watch.__enter__", _beat_after(lambda: _cancel(asked.pk))
    )
    task = carried_out()
    assert (task.state, task.done) == (TaskState.CANCELLED, 1)
    assert task.error == "Cancelled; what is done stays."
    assert batch.hits.filter(state=HITState.PUBLISHED).count() == 1


def _cancel(task_id: int) -> None:
    run("job", "cancel", task_id)


def _beat_after(act: Callable[[], object]) -> Callable[[Any], Any]:
    """In place of the thread: one heartbeat, right after `act`."""

    def enter(watch: Any) -> Any:
        act()
        watch._beat()
        watch._thread.start()
        return watch

    return enter


@pytest.mark.long
def test_a_crowd_that_is_away_is_asked_again_later(
    make_batch: MakeBatch, proxy: FaultyProxy, settings: Settings
) -> None:
    proxy.stop()
    asked = ask(make_batch(2))
    task = carried_out()
    assert (task.state, task.attempts) == (TaskState.QUEUED, 1)
    assert "nobody answers" in task.error
    assert task.run_after >= asked.run_after + timedelta(seconds=30)
    # However slow this machine: before the delay is over nobody takes it up.
    Task.objects.filter(pk=asked.pk).update(run_after=timezone.now() + timedelta(hours=1))
    assert tasks_due() == []
    Task.objects.filter(pk=asked.pk).update(run_after=Now())
    settings.MTURK_LOCAL_ENDPOINT = proxy.upstream
    assert tasks_due() == [asked.pk]
    assert carried_out().state == TaskState.DONE


def test_an_error_that_needs_a_person_fails_at_once_in_plain_words(
    make_batch: MakeBatch, proxy: FaultyProxy
) -> None:
    proxy.order("CreateHITWithHITType", {1: refuse("AccessDeniedException", "not authorized")})
    ask(make_batch(2))
    task = carried_out()
    assert task.state == TaskState.FAILED
    assert "not authorized" in task.error
    assert run_job() is None


def test_a_part_that_could_not_be_done_is_told(make_batch: MakeBatch, proxy: FaultyProxy) -> None:
    proxy.order("CreateHITWithHITType", {2: refuse("RequestError", "the page is not good")})
    ask(make_batch(6))
    task = carried_out()
    assert (task.state, task.result["published"]) == (TaskState.FAILED, 2)
    assert task.error.startswith("1 HITs could not be published; HIT 2: ")
    assert "the page is not good" in task.error


def test_a_task_that_takes_too_long_is_stopped(make_batch: MakeBatch, settings: Settings) -> None:
    settings.TASK_TIME_LIMIT_SECONDS = 0
    ask(make_batch(6))
    task = carried_out()
    assert task.state == TaskState.FAILED
    assert "took more than 0 s" in task.error


def test_an_unforeseen_error_is_stored_for_a_person_to_see(
    make_batch: MakeBatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask(make_batch(2), TaskKind.LABEL)
    monkeypatch.setattr("annotation.jobs.execution.JOBS", {})
    task = carried_out()
    assert task.state == TaskState.FAILED
    assert task.error.startswith("Unexpected KeyError")


def test_labels_need_votes_and_the_task_says_so(make_batch: MakeBatch) -> None:
    ask(make_batch(2), TaskKind.LABEL, method="majority")
    assert "has no votes yet" in carried_out().error


@pytest.mark.long
def test_the_schedule_asks_once_per_interval_for_batches_that_may_have_answers(
    make_batch: MakeBatch,
) -> None:
    published, draft = make_batch(2, name="published"), make_batch(2, name="draft")
    ask(published)
    carried_out()
    assert len(collecting_schedule()) == 1
    task = carried_out()
    assert (task.kind, task.batch_id, task.state) == (
        TaskKind.COLLECT,
        published.pk,
        TaskState.DONE,
    )
    assert collecting_schedule() == []
    assert not draft.tasks.exists()


@pytest.mark.long
def test_the_schedule_stops_asking_once_nothing_can_come_any_more(make_batch: MakeBatch) -> None:
    batch = make_batch(2)
    ask(batch)
    carried_out()
    past = timezone.now() - timedelta(days=30)
    batch.hits.update(expires_at=past)
    # Never asked since it expired: once more, for what came in to the last moment.
    assert len(collecting_schedule()) == 1
    carried_out()
    batch.tasks.update(created_at=timezone.now() - timedelta(hours=2))
    assert collecting_schedule() == []
    # It is offered again.
    batch.hits.update(expires_at=timezone.now())
    assert len(collecting_schedule()) == 1


def test_the_commands_ask_show_and_cancel(make_batch: MakeBatch) -> None:
    make_batch(4, name="first")
    assert run("job", "list").strip() == "No jobs."
    asked = run_json("batch", "publish", "first", "--yes", "--background")
    assert run_json("job", "work", "--once") == {"tasks": 1}
    [row] = run_json("job", "list", "--batch", "first")["tasks"]
    assert (row["id"], row["state"], row["done"], row["total"]) == (asked["task"], "done", 2, 2)
    assert "Publish batch, first: done, 2 of 2 done" in run("job", "list")
    assert "no task 999" in failure("job", "cancel", "999")


def test_production_is_never_published_in_the_background(make_batch: MakeBatch) -> None:
    batch = make_batch(2, name="real")
    Batch.objects.filter(pk=batch.pk).update(environment="production")
    assert "--agreed 0.90" in failure("batch", "publish", "real", "--yes", "--background")
    assert not Task.objects.exists()


def test_a_worker_ends_when_nothing_is_due() -> None:
    assert work_until(threading.Event(), only_what_is_due=True) == 0


def test_a_worker_that_does_what_is_due_plans_nothing_however_long_it_takes(
    make_batch: MakeBatch,
) -> None:
    ask(make_batch(2))
    planned: list[None] = []
    chores = [Chore("plan", 0, lambda: planned.append(None))]
    assert work_until(threading.Event(), only_what_is_due=True, chores=chores) == 1
    assert not planned
