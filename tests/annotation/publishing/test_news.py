"""What our own crowd service tells of HITs is stored at once; pages ask it nothing."""

import threading
import time

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from annotation.batches.operations.collect import COLLECT
from annotation.batches.operations.news import collect_news
from annotation.batches.operations.publish import publish_batch
from annotation.batches.operations.stop import STOP
from annotation.batches.queries.batches import batch_progress
from annotation.jobs.chores import CHORES
from annotation.jobs.worker import repeat
from annotation.models import Batch, CrowdSnapshot, Vote
from tests.annotation.publishing.conftest import MakeBatch
from tests.annotation.publishing.panels import answer
from tests.mturk_local.conftest import Annotator
from tests.mturk_local.time_passing import let_time_pass
from tests.performing import do

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "crowd"])


@pytest.fixture
def batch(make_batch: MakeBatch) -> Batch:
    """One HIT of two queries for three workers."""
    batch = make_batch(2, assignments_per_hit=3)
    publish_batch(batch_id=batch.pk, actor="test")
    return batch


def test_an_answer_is_stored_with_its_votes_once_the_service_tells_of_it(
    batch: Batch, live_server: LiveServer, admin_client: Client
) -> None:
    collect_news()
    assert not CrowdSnapshot.objects.exists()
    answer(Annotator(live_server.url, "ada"), batch, "n")
    for _again in range(2):
        collect_news()
        assert Vote.objects.filter(query__batch=batch).count() == 2
    assert CrowdSnapshot.objects.filter(batch=batch).exists()
    batch.refresh_from_db()
    assert batch.collected_at is not None
    as_of = batch.collected_at.isoformat(timespec="seconds").replace("+00:00", "Z")
    for name in ("batch-detail", "batch-labels", "batch-agreement", "batch-workers"):
        page = admin_client.get(reverse(name, args=[batch.pk])).content.decode()
        assert f'as of <time datetime="{as_of}"' in page


def test_a_service_that_is_away_is_asked_again_and_has_kept_the_news(
    batch: Batch, live_server: LiveServer, settings: Settings
) -> None:
    answer(Annotator(live_server.url, "ada"), batch, "n")
    here, settings.MTURK_LOCAL_ENDPOINT = settings.MTURK_LOCAL_ENDPOINT, "http://127.0.0.1:1/mturk/"
    collect_news()
    assert not Vote.objects.exists()
    settings.MTURK_LOCAL_ENDPOINT = here
    collect_news()
    assert Vote.objects.count() == 2


def test_a_place_is_held_until_its_holder_leaves_also_once_the_batch_is_stopped(
    batch: Batch, live_server: LiveServer
) -> None:
    ada, bob = (Annotator(live_server.url, name) for name in ("ada", "bob"))
    for guest in (ada, bob):
        guest.accept(batch.hits.get().hit_id or "")
    collect_news()
    assert places(batch) == {"open": 1, "held": 2}
    ada.give_back()
    collect_news()
    assert places(batch) == {"open": 2, "held": 1}
    do(STOP, batch)
    assert places(batch) == {"withdrawn": 2, "held": 1}
    let_time_pass(batch.duration_seconds + 1)
    do(COLLECT, batch)
    assert places(batch) == {"withdrawn": 3}


def places(batch: Batch) -> dict[str, int]:
    return {state: n for state, n in batch_progress(batch=batch).places.items() if n}


@pytest.mark.timed
def test_a_worker_stores_an_answer_within_two_seconds(
    batch: Batch, live_server: LiveServer
) -> None:
    ada = Annotator(live_server.url, "ada")
    stop = threading.Event()
    [news] = [chore for chore in CHORES if chore.work is collect_news]
    worker = threading.Thread(target=repeat, args=[stop, news])
    worker.start()
    try:
        answer(ada, batch, "n")
        deadline = time.monotonic() + 2
        while not Vote.objects.exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        assert Vote.objects.count() == 2
    finally:
        stop.set()
        worker.join()
