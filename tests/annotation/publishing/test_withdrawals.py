"""What annotators withdraw at our own crowd service does not count here any more."""

import pytest
from pytest_django.live_server_helper import LiveServer

from annotation.batches.operations.approve import APPROVE
from annotation.batches.operations.collect import collect_batch
from annotation.batches.operations.publish import publish_batch
from annotation.batches.operations.reconciling import reconcile
from annotation.batches.queries.places import places_by_batch
from annotation.labels.operations.decide import batch_label
from annotation.models import Assignment, Batch, Label, Vote, Worker
from annotation.overview.operations.retention import retention_apply
from annotation.overview.queries.invariants import broken_invariants
from annotation.vocabulary import PlaceState, VoteState
from annotation.workers.operations.own_wish import erase_withdrawn_workers
from tests.annotation.publishing.conftest import MakeBatch
from tests.mturk_local.conftest import Annotator
from tests.performing import do
from tests.tables import everything

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "crowd"])


@pytest.fixture
def ada(live_server: LiveServer) -> Annotator:
    return Annotator(live_server.url, "ada")


@pytest.fixture
def batch(make_batch: MakeBatch, ada: Annotator, live_server: LiveServer) -> Batch:
    """Two HITs of two queries; ada answered both and ben the first, and labels are decided."""
    batch = make_batch(4, assignments_per_hit=2)
    publish_batch(batch_id=batch.pk, actor="test")
    ben = Annotator(live_server.url, "ben")
    first, second = (str(hit.hit_id) for hit in batch.hits.all())
    for person, hit_id in ((ada, first), (ada, second), (ben, first)):
        person.accept(hit_id)
        person.answer(**{"q-0-gender": "f" if person is ada else "m", "q-1-gender": "n"})
    collect_batch(batch_id=batch.pk, actor="test")
    batch_label(batch=batch, actor="test")
    return batch


def press(person: Annotator, path: str) -> None:
    person.browser.open(person.site + path)
    person.browser.select_form("main form[method=post]")
    person.browser.submit_selected()


def labels(batch: Batch) -> dict[str, str]:
    return dict(Label.objects.filter(query__batch=batch).values_list("query__qid", "value"))


@pytest.mark.long
def test_a_withdrawn_answer_does_not_count_and_its_place_is_open_again(
    batch: Batch, ada: Annotator
) -> None:
    before, counts = labels(batch), places_by_batch([batch.pk])[batch.pk]
    assert (counts.places[PlaceState.SUBMITTED], counts.votes[VoteState.COUNTED]) == (3, 6)
    withdrawn = Assignment.objects.get(
        hit=batch.hits.earliest("index"), worker__worker_id=ada.worker_id
    )
    press(ada, f"assignments/{withdrawn.assignment_id}/withdraw/")
    for _ in range(2):
        assert erase_withdrawn_workers() == 0
        counts = places_by_batch([batch.pk])[batch.pk]
        assert (counts.places[PlaceState.SUBMITTED], counts.places[PlaceState.OPEN]) == (2, 2)
        assert (counts.votes[VoteState.COUNTED], counts.votes[VoteState.TO_COME]) == (4, 4)
        assert counts.n_places == 4
    changed = {qid for qid, label in labels(batch).items() if before.get(qid) != label}
    assert len(changed) == 1  # the query on which ada and ben differed
    assert batch.events.filter(action="answers withdrawn").count() == 1
    collect_batch(batch_id=batch.pk, actor="test")
    assert reconcile(batch) == {batch.name: []}
    assert broken_invariants() == {}


def test_collecting_takes_withdrawals_over(batch: Batch, ada: Annotator) -> None:
    press(ada, "work/withdraw/")
    collect_batch(batch_id=batch.pk, actor="test")
    assert not Vote.objects.filter(worker__worker_id=ada.worker_id).exists()
    assert do(APPROVE, batch).values["approved"] == 1


@pytest.mark.long
def test_who_is_erased_at_their_wish_is_erased_here_and_paid_votes_stay(
    batch: Batch, ada: Annotator
) -> None:
    do(APPROVE, batch)
    press(ada, "work/erase/")
    assert retention_apply(days=0).workers == 1
    assert erase_withdrawn_workers() == 0
    assert ada.worker_id not in everything()
    assert Worker.objects.filter(is_erased=True).count() == 1
    assert places_by_batch([batch.pk])[batch.pk].votes[VoteState.COUNTED] == 6
    assert reconcile(batch) == {batch.name: []}
    assert broken_invariants() == {}
