"""Votes leave the API while they are read."""

import csv
import io
import tracemalloc
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse

from annotation.labels.export.pseudonyms import person
from annotation.models import Assignment, Batch, Vote, Worker
from tests.study import stored_batch, stored_pool
from tests.votes import store_votes

pytestmark = pytest.mark.django_db

QUERIES, PEOPLE = 300, 40


@pytest.fixture
def batch() -> Batch:
    """Everybody votes on everything, in HITs of two queries."""
    batch = stored_batch(stored_pool(QUERIES))
    people = Worker.objects.bulk_create(
        Worker(environment=batch.environment, worker_id=f"A{number}") for number in range(PEOPLE)
    )
    hits = batch.hits.prefetch_related("places")
    answers = Assignment.objects.bulk_create(
        Assignment(hit=hit, worker=one, assignment_id=f"{hit.index}-{one.pk}", state="Submitted")
        for hit in hits
        for one in people
    )
    store_votes(
        (
            Vote(query_id=place.query_id, worker=one.worker, assignment=one),
            _category_of(one.worker),
        )
        for one in answers
        for place in one.hit.places.all()
    )
    return batch


def _category_of(worker: Worker) -> str:
    return "nfmo"[int(worker.worker_id[1:]) % 4]


def ask(client: Client, batch: Batch, layout: str) -> Any:
    response = client.get(reverse("api-batch-votes", args=[batch.pk]), {"layout": layout})
    assert response["Content-Type"] == "text/csv; charset=utf-8"
    return response


@pytest.mark.long
def test_plain_votes_are_never_in_memory_at_once(admin_client: Client, batch: Batch) -> None:
    said = {
        person(one.worker_id, key=settings.SECRET_KEY): _category_of(one)
        for one in Worker.objects.all()
    }
    expected = "query_id,worker,label,query,gold,seconds\n" + "".join(
        f"{query.qid},{name},{said[name]},{query.text},,\n"
        for query in batch.queries.order_by("position")
        for name in sorted(said)
    )
    assert b"".join(ask(admin_client, batch, "plain")).decode() == expected
    response = ask(admin_client, batch, "plain")
    tracemalloc.start()
    peaks = [tracemalloc.get_traced_memory()[1] for _ in response]
    tracemalloc.stop()
    assert len(peaks) > 5
    # What the first parts take, a chunk in hand and the next one read, is enough for all.
    assert peaks[-1] < 1.3 * peaks[2]


@pytest.mark.long
def test_results_are_sent_in_parts_that_make_the_whole(admin_client: Client, batch: Batch) -> None:
    parts = list(ask(admin_client, batch, "mturk"))
    assert len(parts) > 5
    rows = list(csv.DictReader(io.StringIO(b"".join(parts).decode(), newline="")))
    assert len(rows) == QUERIES // 2 * PEOPLE
    given = {
        (row[f"Input.qid_{place}"], row["WorkerId"], row[f"Answer.label_{place}"])
        for row in rows
        for place in (1, 2)
    }
    votes = Vote.objects.select_related("query", "worker")
    assert given == {
        (
            vote.query.qid,
            person(vote.worker.worker_id, key=settings.SECRET_KEY),
            vote.choices.get().option,
        )
        for vote in votes
    }
