"""Labels before and after a panel's list says whose votes count."""

from collections import Counter
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse
from django.utils.html import escape
from pytest_django.live_server_helper import LiveServer

from annotation.batches.operations.collect import COLLECT, collect_batch
from annotation.batches.operations.publish import publish_batch
from annotation.batches.operations.reject_answer import REJECT_ANSWER
from annotation.crowd.connection import environment_participants
from annotation.labels.operations.decide import LABEL, batch_label
from annotation.labels.operations.decide_again import LabelChanges
from annotation.labels.queries.questions import closed_question
from annotation.labels.queries.votes_out import VotesOut, votes_out
from annotation.models import Assignment, Batch, Label, Worker
from annotation.workers.operations.approvals import import_approvals
from annotation.workers.operations.discard_votes import DISCARD_VOTES, RESTORE_VOTES
from tests.annotation.publishing.conftest import MakeBatch
from tests.annotation.publishing.panels import Come, answer, the_list
from tests.mturk_local.conftest import Annotator
from tests.page_parts import next_step
from tests.performing import do

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "crowd"])


@pytest.fixture
def batch(make_batch: MakeBatch) -> Batch:
    """One HIT of two queries for three workers."""
    batch = make_batch(2, assignments_per_hit=3)
    publish_batch(batch_id=batch.pk, actor="test")
    return batch


def test_labels_that_were_decided_are_decided_again(
    batch: Batch, come: Come, live_server: LiveServer, tmp_path: Path
) -> None:
    answer(Annotator(live_server.url, "ada"), batch, "n")
    come(batch, "p1", "f")
    come(batch, "p2", "f")
    collect_batch(batch_id=batch.pk, actor="test")
    batch_label(batch=batch, actor="test")
    standing = Label.objects.standing().filter(query__batch=batch)
    assert {label.value for label in standing.all()} == {"n"}

    path = the_list(tmp_path, "p1-session,p1,APPROVED,x", "p2-session,p2,APPROVED,x")
    import_approvals(batch=batch, path=path, actor="test")
    assert {label.value for label in standing.all()} == {"f"}


def test_labels_follow_votes_that_are_collected_and_rejected_later(
    batch: Batch, live_server: LiveServer
) -> None:
    answer(Annotator(live_server.url, "ada"), batch, "n")
    do(COLLECT, batch)
    do(LABEL, batch)
    for name in ("ben", "cem"):
        answer(Annotator(live_server.url, name), batch, "f")
    done = do(COLLECT, batch)
    changes = LabelChanges(is_decided=True, counts=Counter({("non-gendered", "female"): 2}))
    assert changes.in_words in done.message
    standing = Label.objects.standing().filter(query__batch=batch)
    assert set(standing.values_list("value", flat=True)) == {"f"}
    # As many of them as say otherwise: the log tells what was decided, and what became of it.
    last = batch.events.filter(action="labels decided").latest("pk")
    assert last.detail["changed"] == 2
    for one in Assignment.objects.filter(votes__choices__option="f").distinct():
        do(REJECT_ANSWER, one, reason="Not read.")
    assert set(standing.values_list("value", flat=True)) == {"n"}


def test_who_decides_before_the_panels_list_is_told_what_it_could_change(
    batch: Batch,
    come: Come,
    live_server: LiveServer,
    admin_client: Client,
    tmp_path: Path,
) -> None:
    """One vote counts on each of two queries, and two votes of participants wait."""
    answer(Annotator(live_server.url, "ada"), batch, "n")
    come(batch, "p1", "f")
    question = closed_question(batch=batch)
    assert votes_out(batch=batch, question=question) == VotesOut(
        n_unverified=0, n_to_come=6, n_labels=0
    )
    collect_batch(batch_id=batch.pk, actor="test")
    waiting = VotesOut(n_unverified=2, n_to_come=2, n_labels=2)
    assert votes_out(batch=batch, question=question) == waiting
    come(batch, "p2", "f")
    collect_batch(batch_id=batch.pk, actor="test")

    page = admin_client.get(reverse("batch-detail", args=[batch.pk])).content.decode()
    assert f"{reverse('batch-workers', args=[batch.pk])}#approvals" in next_step(page)
    assert reverse("labels-decide", args=[batch.pk]) not in page
    out = VotesOut(n_unverified=4, n_to_come=0, n_labels=2)
    labels = admin_client.get(reverse("batch-labels", args=[batch.pk])).content.decode()
    assert escape(out.warning) in labels
    assert do(LABEL, batch).note == out.warning

    path = the_list(tmp_path, "p1-session,p1,APPROVED,x", "p2-session,p2,APPROVED,x")
    done = import_approvals(batch=batch, path=path, actor="test")
    assert done.changes.counts == {("non-gendered", "female"): 2}
    assert votes_out(batch=batch, question=question).warning == ""


@pytest.mark.long
def test_a_verdict_that_collecting_brings_says_which_labels_it_changed(
    batch: Batch, come: Come, live_server: LiveServer
) -> None:
    """The panel's list was imported at the service itself, so that nobody was told here."""
    answer(Annotator(live_server.url, "ada"), batch, "n")
    for participant in ("p1", "p2"):
        come(batch, participant, "f")
    do(COLLECT, batch)
    batch_label(batch=batch, actor="test")
    service = environment_participants(batch.environment)
    assert service is not None
    service.import_submissions([(f"p{n}", f"p{n}-session", "approved") for n in (1, 2)])

    done = do(COLLECT, batch)
    changes = LabelChanges(is_decided=True, counts=Counter({("non-gendered", "female"): 2}))
    assert done.values["labels_changed"] == 2
    assert changes.in_words in done.message
    assert batch.events.filter(detail__labels_changed=2).count() == 1
    assert do(COLLECT, batch).values["labels_changed"] == 0


def test_discarding_and_restoring_say_how_many_labels_changed(
    batch: Batch, live_server: LiveServer
) -> None:
    answer(Annotator(live_server.url, "ada"), batch, "n")
    do(COLLECT, batch)
    batch_label(batch=batch, actor="test")
    ada = Worker.objects.get(votes__query__batch=batch, votes__query__position=0)
    gone = LabelChanges(is_decided=True, counts=Counter({("non-gendered", "no label"): 2}))
    back = LabelChanges(is_decided=True, counts=Counter({("no label", "non-gendered"): 2}))
    for operation, changes in ((DISCARD_VOTES, gone), (RESTORE_VOTES, back)):
        done = do(operation, batch, worker=ada.pk, reason="Why not.")
        assert done.values == {"labels_changed": 2}
        assert changes.in_words in done.message
