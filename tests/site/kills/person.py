"""One person whom both databases know by three channels, and whatever there is of them."""

from typing import Any

from django.contrib.auth.models import User

from annotation.accounts.operations.members import add_member
from annotation.accounts.operations.tokens import create_token
from annotation.batches.operations.approve import APPROVE
from annotation.batches.operations.collect import collect_batch
from annotation.core.operations import Actor
from annotation.core.perform import perform
from annotation.crowd.connection import people_at_local_crowd
from annotation.jobs.execution import run_job
from annotation.labels.operations.decide import batch_label
from annotation.labels.queries.labels import exported_labels
from annotation.labels.queries.questions import closed_question
from annotation.labels.queries.votes_export import plain_votes
from annotation.models import Batch, Study, Task, Worker
from annotation.models.tasks import LIVE_STATES
from annotation.workers.operations.erase_person import ERASE_PERSON
from annotation.workers.operations.exclude import send_exclusions, worker_exclude
from mturk_local import models as crowd_tables
from tests.mturk_local.conftest import Annotator, Guest
from tests.performing import do
from tests.tables import everything

NAMES = ("ada-member", "ada@example.org", "Lovelace", "ada-account", "ada-panel", "ada-session")


def work(name: str, site: str) -> list[str]:
    """The person answers a HIT by each channel, and is paid; the ids of their workers."""
    batch = Batch.objects.get(name=name)
    study = Study.objects.create(name="study")
    Batch.objects.filter(pk=batch.pk).update(study=study)
    user = User.objects.create_user(NAMES[0], NAMES[1], last_name=NAMES[2])
    add_member(study=study, user=user, role="adjudicator", actor="ada-member (web page)")
    create_token(user=user)
    crowd_tables.Panel.objects.create(slug="p", provider="prolific", completion_code="C1")
    panel = f"{site}/annotate/panel/p/?PROLIFIC_PID={NAMES[4]}&STUDY_ID=s&SESSION_ID={NAMES[5]}"
    guests = [Annotator(site, NAMES[3]), Guest(site), Guest(site)]
    guests[1].browser.open(panel)
    guests[2].browser.open(people_at_local_crowd().ticket(str(user.pk), annotations=[""]))
    for guest, hit in zip(guests, batch.hits.all(), strict=True):
        guest.accept(str(hit.hit_id))
        guest.answer(**{"q-0-gender": "f", "q-1-gender": "n"})
        guest.browser.close()
    # As where somebody has found out that the three are one.
    member = crowd_tables.Worker.objects.get(entry_channel="member")
    crowd_tables.Worker.objects.update(person=member.person)
    collect_batch(batch_id=batch.pk, actor="test")
    do(APPROVE, batch)
    batch_label(batch=batch, actor="ada-member")
    account = crowd_tables.Worker.objects.get(entry_channel="account")
    worker = Worker.objects.get(worker_id=account.worker_id)
    worker_exclude(batch=batch, worker=worker, reason="ada-account is tired", actor="ada-member")
    send_exclusions(batch_id=batch.pk, actor="test")
    return [
        account.worker_id,
        *Worker.objects.exclude(pk=worker.pk).values_list("worker_id", flat=True),
    ]


def results(name: str) -> Any:
    """What the study says, without the names of workers."""
    batch = Batch.objects.get(name=name)
    votes = sorted((vote.query_id, vote.label) for vote in plain_votes(batch=batch))
    stored = exported_labels(batch=batch, question=closed_question(batch=batch))
    labels = [[one.qid, one.label, one.n_votes, one.n_for] for one in stored]
    return {"votes": votes, "labels": labels, "committed": str(batch.committed)}


def ask_to_erase(worker_id: str) -> int:
    """The number of the task."""
    worker = Worker.objects.get(worker_id=worker_id)
    sent = {"worker": worker.pk, "everywhere": True}
    task = perform(ERASE_PERSON, Batch.objects.get(), sent, Actor("owner"))
    assert isinstance(task, Task)
    return task.pk


def erase() -> None:
    """Work like a worker until nothing waits; what was cut short is due once its lease is over."""
    while Task.objects.filter(state__in=LIVE_STATES).exists():
        run_job()


def tasks(_: str) -> list[list[str]]:
    return [[one.state, one.error] for one in Task.objects.order_by("pk")]


def traces(*worker_ids: str) -> list[str]:
    """What of the person is left; at the crowd service an id that leads to nobody may stay."""
    here, there = everything(), everything("crowd")
    found = [name for name in (*NAMES, *worker_ids) if name in here]
    found += [f"{name} at the crowd service" for name in NAMES if name in there]
    active = crowd_tables.Worker.objects.filter(worker_id__in=worker_ids, active=True)
    return found + [f"{one} gets in" for one in active]
