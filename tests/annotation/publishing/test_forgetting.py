"""Whoever asks to be forgotten is: nothing leads back to them, and the study stays what it was."""

import io
from collections.abc import Callable
from datetime import time, timedelta
from decimal import Decimal
from pathlib import Path
from shutil import copy2
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.utils import timezone
from pytest_django.live_server_helper import LiveServer

from annotation.batches.operations.approve import APPROVE
from annotation.batches.operations.bonus import BONUS, bonus_pay
from annotation.batches.operations.collect import collect_batch
from annotation.batches.operations.planning import WorkerConditions
from annotation.batches.operations.publish import publish_batch
from annotation.batches.operations.reconciling import reconcile
from annotation.batches.operations.reviewing import assignment_reject, assignment_restore
from annotation.batches.queries.pay import answer_seconds
from annotation.core.audit import log_answer_event
from annotation.core.perform import queue_job
from annotation.core.task_queue import MAX_DEATHS, task_claim
from annotation.crowd.gateway import Gateway
from annotation.labels.operations.decide import batch_label
from annotation.labels.queries.labels import exported_labels
from annotation.labels.queries.questions import closed_question
from annotation.labels.queries.votes_export import plain_votes, result_rows
from annotation.models import (
    Assignment,
    AuditEvent,
    Batch,
    Bonus,
    DiscardedVotes,
    Task,
    Vote,
    Worker,
)
from annotation.overview.queries.invariants import broken_invariants
from annotation.reports.operations.make_bundle import make_bundle
from annotation.reports.queries.bundles import bundle_folder
from annotation.vocabulary import AuditAction
from annotation.workers.operations.discard_votes import votes_discard
from annotation.workers.operations.erase_person import ERASE_PERSON
from annotation.workers.operations.erasure import Erasure, erase_worker, erase_workers
from annotation.workers.operations.exclude import send_exclusions, worker_exclude
from metrics.errors import InputError
from mturk_local import models as crowd_tables
from mturk_local.invariants import broken_invariants as broken_in_the_crowd
from tests.annotation.publishing.at_once import Meeting, at_once
from tests.annotation.publishing.conftest import MakeBatch
from tests.commands import failure, run, run_json
from tests.mturk_local.conftest import Annotator
from tests.performing import do
from tests.tables import everything

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "crowd"])


@pytest.fixture
def answered(make_batch: MakeBatch, live_server: LiveServer) -> Callable[..., Batch]:
    """A batch with room for one more answer each, in a study of its own; both voters are paid."""
    people: dict[str, Annotator] = {}

    def make(name: str) -> Batch:
        batch = make_batch(4, name=name, assignments_per_hit=3)
        publish_batch(batch_id=batch.pk, actor="test")
        for person, votes in (("ada", "fn"), ("bob", "mn")):
            if person not in people:
                people[person] = Annotator(live_server.url, person)
            annotator = people[person]
            for hit in batch.hits.all():
                annotator.accept(str(hit.hit_id))
                annotator.answer(**{"q-0-gender": votes[0], "q-1-gender": votes[1]})
        collect_batch(batch_id=batch.pk, actor="test")
        do(APPROVE, batch)
        batch_label(batch=batch, actor="test")
        batch.refresh_from_db()
        return batch

    return make


def id_of(name: str) -> str:
    return crowd_tables.Worker.objects.get(username=name).worker_id


def results(batch: Batch) -> Any:
    """What the study says, without the names of workers."""
    batch.refresh_from_db()
    votes = sorted(
        (vote.query_id, vote.label, vote.seconds or 0) for vote in plain_votes(batch=batch)
    )
    stored = exported_labels(batch=batch, question=closed_question(batch=batch))
    labels = [(one.qid, one.label, one.n_votes, one.n_for) for one in stored]
    return votes, labels, batch.committed, sorted(answer_seconds(batch=batch))


def note_things_about(batch: Batch, worker: Worker) -> None:
    """Decisions, money and messages that name the worker in every place that can."""
    answer = Assignment.objects.filter(hit__batch=batch, worker=worker).earliest("pk")
    bonus_pay(assignment=answer, amount=Decimal("0.10"), reason="For Ada", actor="test")
    worker_exclude(batch=batch, worker=worker, reason="Ada is tired", actor="test")
    send_exclusions(batch_id=batch.pk, actor="test")
    votes_discard(batch=batch, worker_id=worker.worker_id, reason="Ada guessed", actor="test")
    task, _new = queue_job(kind="approve", subject=batch, actor="test")
    task.error = f"no pay for {worker.worker_id}, answer {answer.assignment_id}."
    task.save()


@pytest.mark.long
def test_nothing_leads_back_and_the_study_stays_what_it_was(
    answered: Callable[..., Batch], gateway: Gateway, tmp_path: Path
) -> None:
    batch, other = answered("ours"), answered("theirs")
    ada = Worker.objects.get(worker_id=id_of("ada"))
    note_things_about(batch, ada)
    answer_ids = {one.assignment_id for one in ada.assignments.filter(hit__batch=batch)}
    before, untouched = results(batch), list(plain_votes(batch=other))
    old_names = {vote.worker for vote in plain_votes(batch=batch)}
    agreed = run_json("batch", "agreement", batch.name)
    study = batch.study
    folder = bundle_folder(study_id=study.pk)
    earlier = copy2(folder / make_bundle(study=study).name, tmp_path)

    done = erase_worker(worker=ada, batches=Batch.objects.filter(pk=batch.pk), actor="owner")
    assert (done.batches, done.answers, done.votes) == (1, 2, 4)

    # The other study still has what it had, and knows the worker.
    assert list(plain_votes(batch=other)) == untouched
    assert ada.worker_id in everything()
    kept = everything()
    for private in answer_ids | {"For Ada", "Ada is tired", "Ada guessed"}:
        assert private not in kept
    # Here it is another one, set aside as before, with no mark at the crowd.
    stand_in = DiscardedVotes.objects.get(restored_at=None).worker
    assert stand_in.is_erased
    assert stand_in.pk != ada.pk
    moments = {one.submitted_at.time() for one in stand_in.assignments.all() if one.submitted_at}
    assert moments == {time(0)}
    new_names = {vote.worker for vote in plain_votes(batch=batch)}
    assert len(new_names - old_names) == 1
    batch.refresh_from_db()
    (mark,) = crowd_tables.Qualification.objects.filter(worker__worker_id=ada.worker_id)
    assert not mark.granted

    assert results(batch) == before
    assert broken_invariants() == {}
    assert broken_in_the_crowd() == {}
    assert reconcile(batch) == {batch.name: []}
    # The crowd still lists the answers: they do not come back.
    assert collect_batch(batch_id=batch.pk, actor="test").new == 0
    assert results(batch) == before
    assert run_json("batch", "agreement", batch.name) == agreed
    assert run_json("study", "verify-bundle", earlier)["ok"]
    assert not folder.exists()
    assert run_json("study", "verify-bundle", folder / make_bundle(study=study).name)["ok"]
    rows = result_rows(batch=batch)
    assert not answer_ids & {row.about["AssignmentId"] for row in rows}

    # And now everywhere.
    told = run_json("worker", "erase", ada.worker_id)
    assert [one["batches"] for one in told["forgotten"]] == [1]
    assert ada.worker_id not in everything()
    assert broken_invariants() == {}
    stand_ins = set(Worker.objects.filter(is_erased=True).values_list("worker_id", flat=True))
    assert len(stand_ins) == 2
    assert "there is no worker" in failure("worker", "erase", ada.worker_id)


@pytest.mark.parametrize("everywhere", [True, False])
def test_the_account_that_a_person_came_by_goes_where_they_are_erased_everywhere(
    answered: Callable[..., Batch], everywhere: bool
) -> None:
    batch = answered("ours")
    account = User.objects.create_user("ada-of-this-site")
    requester = crowd_tables.Requester.objects.get(
        hit_types__hits__hit_id=batch.hits.earliest("pk").hit_id
    )
    came = crowd_tables.Worker.objects.filter(username="ada")
    came.update(person=f"member:{requester.pk}:{account.pk}")
    ada = Worker.objects.get(worker_id=id_of("ada"))
    do(ERASE_PERSON, batch, worker=ada.pk, everywhere=everywhere)
    account.refresh_from_db()
    assert account.is_active is not everywhere
    assert account.username.startswith("erased-") is everywhere


@pytest.mark.long
def test_a_job_of_erasing_that_was_given_up_says_how_to_finish_it(
    answered: Callable[..., Batch],
) -> None:
    batch = answered("ours")
    ada = Worker.objects.get(worker_id=id_of("ada"))
    arguments = {"worker": ada.pk, "everywhere": True}
    task, _new = queue_job(kind="erase", subject=batch, actor="test", arguments=arguments)
    # As far as it comes where the crowd service kills whoever calls it.
    erase_workers(batches_by_worker={ada: [batch]}, gone=[], actor="test")
    Task.objects.filter(pk=task.pk).update(crash_count=MAX_DEATHS)
    assert task_claim(worker="host:1", lease=timedelta(minutes=1), task_id=task.pk) is None
    task.refresh_from_db()
    assert "manage.py worker erase" in task.error
    assert ada.worker_id not in task.error
    run("worker", "erase", ada.worker_id)
    assert not Worker.objects.filter(pk=ada.pk).exists()
    assert not crowd_tables.Worker.objects.filter(username="ada").exists()


def test_whoever_waits_for_pay_is_not_forgotten(
    make_batch: MakeBatch, live_server: LiveServer
) -> None:
    batch = make_batch(2)
    publish_batch(batch_id=batch.pk, actor="test")
    ada = Annotator(live_server.url, "ada")
    ada.accept(str(batch.hits.get().hit_id))
    ada.answer(**{"q-0-gender": "f", "q-1-gender": "n"})
    collect_batch(batch_id=batch.pk, actor="test")
    before = everything()
    assert "1 answers and 0 bonuses" in failure("worker", "erase", ada.worker_id)
    assert everything() == before
    answer = Assignment.objects.get()
    assignment_reject(assignment=answer, reason="Not read.", actor="test")
    run("worker", "erase", ada.worker_id)
    assert not Vote.objects.filter(counts=True).exists()
    assert broken_invariants() == {}


def test_what_is_logged_about_an_answer_does_not_name_who_was_erased_meanwhile(
    answered: Callable[..., Batch],
) -> None:
    answered("ours")
    ada = id_of("ada")
    read_before = Assignment.objects.filter(worker__worker_id=ada).earliest("pk")
    answer_id = read_before.assignment_id
    run("worker", "erase", ada)
    log_answer_event(read_before, "test", AuditAction.APPROVED)
    assert answer_id not in everything()
    assert AuditEvent.objects.filter(detail__assignment=read_before.assignment_id).exists()


def test_the_crowd_is_not_asked_about_the_forgotten(
    answered: Callable[..., Batch], make_batch: MakeBatch, gateway: Gateway
) -> None:
    batch = answered("ours")
    read_before = Assignment.objects.earliest("pk")
    run("worker", "erase", id_of("ada"), "--study", "ours")
    paid = do(BONUS, batch, amount="0.10", reason="Thanks").values["paid"]
    assert paid == 1
    theirs = Assignment.objects.filter(worker__is_erased=True).earliest("pk")
    for act in (
        lambda: bonus_pay(assignment=theirs, amount=Decimal(1), reason="x", actor="test"),
        lambda: bonus_pay(assignment=read_before, amount=Decimal(1), reason="x", actor="test"),
        lambda: assignment_restore(assignment=read_before, reason="x", actor="test"),
        lambda: worker_exclude(batch=batch, worker=theirs.worker, reason="x", actor="test"),
    ):
        with pytest.raises(InputError):
            act()
    assert Bonus.objects.count() == 1
    later = make_batch(2, name="later", conditions=WorkerConditions(not_from=("ours",)))
    publish_batch(batch_id=later.pk, actor="test")
    marked = crowd_tables.Qualification.objects.filter(granted=True)
    assert [one.worker.worker_id for one in marked] == [id_of("bob")]


def test_no_bonus_is_begun_while_its_worker_is_erased(answered: Callable[..., Batch]) -> None:
    """Its reason would stay, and name somebody who is gone."""
    answered("ours")
    meeting = Meeting(2)
    ada = Worker.objects.get(worker_id=id_of("ada"))
    answer = Assignment.objects.filter(worker=ada).earliest("pk")

    def erase() -> Erasure:
        # What is known of the worker's bonuses has been deleted by then.
        with meeting.before('DELETE FROM "annotation_excludedworker"'):
            return erase_worker(worker=ada, batches=Batch.objects.all(), actor="test")

    def pay() -> bool:
        meeting.come()
        return bonus_pay(assignment=answer, amount=Decimal(1), reason="Ada", actor="test")

    erased, refused = at_once([erase, pay])
    assert isinstance(erased, Erasure)
    assert "personal data were deleted" in str(refused)
    assert not Bonus.objects.exists()
    assert broken_invariants() == {}


def test_our_own_crowd_service_forgets_who_it_was(
    answered: Callable[..., Batch], live_server: LiveServer
) -> None:
    batch = answered("ours")
    worker = crowd_tables.Worker.objects.get(username="ada")
    call_command("crowd", "erase", "ada", stdout=io.StringIO())
    kept = everything("crowd")
    assert "'ada'" not in kept
    assert worker.password not in kept
    assert broken_in_the_crowd() == {}
    assert collect_batch(batch_id=batch.pk, actor="test").new == 0
    assert reconcile(batch) == {batch.name: []}
    with pytest.raises(CommandError):
        call_command("crowd", "erase", "ada")
    bob = crowd_tables.Worker.objects.get(username="bob")
    crowd_tables.Assignment.objects.filter(worker=bob).update(state="Submitted")
    with pytest.raises(CommandError):
        call_command("crowd", "erase", "bob")


def forget_idle() -> str:
    """What `crowd erase --idle-days 30` says."""
    said = io.StringIO()
    call_command("crowd", "erase", "--idle-days", "30", stdout=said)
    return said.getvalue()


def test_our_own_crowd_service_forgets_who_has_not_worked_for_long(
    answered: Callable[..., Batch], live_server: LiveServer
) -> None:
    answered("ours")
    longer_ago = timezone.now() - timedelta(days=31)
    workers, work = crowd_tables.Worker.objects, crowd_tables.Assignment.objects
    workers.update(created_at=longer_ago)
    assert forget_idle().startswith("0 erased; 0 still")
    ada, bob = workers.get(username="ada"), workers.get(username="bob")
    for one in (ada, bob):
        work.filter(worker=one).update(accepted_at=longer_ago, approved_at=None)
    work.filter(worker=ada).update(state="Approved")
    work.filter(worker=bob).update(state="Submitted")
    assert forget_idle().startswith("1 erased; 1 still")
    assert "'ada'" not in everything("crowd")
    assert workers.get(pk=bob.pk).username == "bob"
    assert forget_idle().startswith("0 erased; 1 still")
    with pytest.raises(CommandError, match="1"):
        call_command("crowd", "erase", "--idle-days", "0")


def test_voters_of_a_file_are_forgotten_too(tmp_path: Path) -> None:
    votes = tmp_path / "votes.csv"
    votes.write_text("query_id,worker,label\nq1,1,f\nq1,A2PERSON22,f\nq2,1,n\nq2,A2PERSON22,n\n")
    run("label", "import-votes", votes, "--name", "old")
    batch = Batch.objects.get()
    batch_label(batch=batch, actor="test")
    before = results(batch)
    for worker in ("1", "A2PERSON22"):
        run("worker", "erase", worker, "--environment", "imported")
    assert results(batch) == before
    assert "A2PERSON22" not in everything()
    assert broken_invariants() == {}
