"""Answers "I cannot tell": paid and counted, but no vote for a category."""

import csv
from collections.abc import Callable

import pytest
from django.core.management import call_command

from annotation.batches.operations.publish import publish_batch
from annotation.batches.operations.top_up import TopUp
from annotation.core.operations import Actor
from annotation.core.perform import estimate
from annotation.labels.operations.decide import batch_label
from annotation.labels.queries.agreement import batch_agreement
from annotation.labels.queries.votes_export import VotesParameters, vote_lines
from annotation.models import Assignment, Batch, Label, Vote
from annotation.vocabulary import VoteState
from tests.annotation.publishing.conftest import MakeBatch
from tests.annotation.publishing.faults import FaultyProxy
from tests.annotation.publishing.test_faults_of_collecting import LIST, handed, listing, xml

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "crowd"])

CANNOT = xml(
    ("v", "2"),
    ("q-0-gender", "?"),
    ("c-0-gender", "two readings"),
    ("q-1-gender", "n"),
    ("comment", "Nice."),
)
VOTED = xml(("v", "2"), ("q-0-gender", "f"), ("q-1-gender", "n"))


@pytest.fixture
def batch(proxy: FaultyProxy, make_batch: MakeBatch) -> Batch:
    """One HIT of two queries, of which somebody cannot tell the first."""
    batch = make_batch(2)
    publish_batch(batch_id=batch.pk, actor="test")
    return batch


@pytest.fixture
def collect(proxy: FaultyProxy, batch: Batch) -> Callable[..., None]:
    def run(*answers: str) -> None:
        items = [handed(number, answer=answer) for number, answer in enumerate(answers)]
        proxy.order(LIST, lambda _n: listing(*items))
        call_command("batch", "collect", batch.name, "--quiet")

    return run


def test_it_is_stored_with_its_comment_and_makes_no_vote(
    batch: Batch, collect: Callable[..., None]
) -> None:
    collect(CANNOT)
    [undecided] = Vote.objects.with_state().filter(state=VoteState.CANNOT_TELL)
    assert undecided.choices.get().text == "two readings"
    assert Assignment.objects.get().comment == "Nice."
    [told] = Vote.objects.told()
    assert told.choices.get().option == "n"


def test_it_is_missing_in_the_agreement_and_has_a_code_of_its_own_in_the_export(
    batch: Batch, collect: Callable[..., None]
) -> None:
    collect(CANNOT, VOTED, VOTED)
    assert batch_agreement(batch=batch).questions[0].n_votes == 5
    rows = list(csv.DictReader(vote_lines(batch=batch, parameters=VotesParameters())))
    assert sorted(row["label"] for row in rows) == ["f", "f", "n", "n", "n", "u"]


@pytest.mark.long
def test_with_fewer_than_two_votes_for_categories_there_is_no_label_but_a_top_up(
    batch: Batch, collect: Callable[..., None]
) -> None:
    collect(CANNOT, CANNOT, VOTED)
    report = batch_label(batch=batch, actor="test")
    assert report.without_votes == 1
    assert list(Label.objects.values_list("value", flat=True)) == ["n"]
    asked = estimate(TopUp(), batch, {}, Actor("test"))
    assert (asked.n_hits, asked.n_answers) == (1, 1)


def test_with_two_votes_for_categories_it_has_a_label(
    batch: Batch, collect: Callable[..., None]
) -> None:
    collect(CANNOT, VOTED, VOTED)
    batch_label(batch=batch, actor="test")
    assert sorted(Label.objects.values_list("value", flat=True)) == ["f", "n"]
    assert estimate(TopUp(), batch, {}, Actor("test")).n_answers == 0
