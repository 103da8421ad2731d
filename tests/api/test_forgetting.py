"""Forgetting a worker from a page and through the API: owners only, and only in their study."""

from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from annotation.jobs.execution import run_job
from annotation.models import Assignment, Task, Worker
from annotation.vocabulary import Environment, TaskKind, TaskState
from tests.api.world import World, ok, refused


def known_to_no_crowd_of_ours(world: World) -> Worker:
    """A worker of the study; no crowd service runs here that could be asked who it is."""
    worker = Worker.objects.get(pk=world.numbers()["worker"])
    worker.environment = Environment.SANDBOX
    worker.save()
    return worker


def done(number: int) -> None:
    """Have the task done, as a worker would."""
    task = run_job(task_id=number)
    assert task is not None
    stays = {"batches": 1, "answers": 4, "votes": 8, "crowd_forgot": True}
    assert (task.state, task.result) == (TaskState.DONE, stays), task.error


def test_a_call_forgets_a_worker_who_is_paid(world: World) -> None:
    path = world.address("batches/{batch}/workers/{worker}/erase/")
    worker = known_to_no_crowd_of_ours(world)
    told = refused(world.client().post(path), 422)
    assert "wait for their pay" in told["detail"]
    Assignment.objects.update(state="Approved")
    refused(world.client("viewer").post(path), 403)
    done(ok(world.client().post(path), 202)["number"])
    refused(world.client().post(path), 404)
    assert not Worker.objects.filter(worker_id=worker.worker_id).exists()
    events = ok(world.client().get(world.address("batches/{batch}/events/")))["results"]
    assert (events[0]["action"], events[0]["actor"]) == (
        "personal data deleted",
        "study owner (API)",
    )


def test_a_simulated_worker_is_nobody_to_forget(world: World) -> None:
    simulated = Worker.objects.get(kind="simulated")
    told = refused(
        world.client().post(f"/api/v1/batches/{world.batch.pk}/workers/{simulated.pk}/erase/"), 422
    )
    assert "no personal data" in told["detail"]


def test_a_page_forgets_only_who_says_so(world: World, settings: Settings) -> None:
    settings.OPEN = False
    Assignment.objects.update(state="Approved")
    worker = known_to_no_crowd_of_ours(world).pk
    page = reverse("batch-worker", args=[world.batch.pk, worker])
    client = Client()
    client.force_login(world.people["viewer"])
    assert reverse("worker-erase", args=[world.batch.pk]) not in client.get(page).content.decode()
    client.force_login(world.people["owner"])
    assert "cannot be undone" in client.get(page).content.decode()
    act, asked = reverse("worker-erase", args=[world.batch.pk]), {"worker": worker}
    assert "Say that you know" in client.post(act, asked, follow=True).content.decode()
    assert Worker.objects.filter(pk=worker).exists()
    client.post(act, asked | {"asked": "on", "then": "batch-workers"}, follow=True)
    done(Task.objects.get(kind=TaskKind.ERASE).pk)
    assert not Worker.objects.filter(pk=worker).exists()
    assert client.get(page).status_code == 404
