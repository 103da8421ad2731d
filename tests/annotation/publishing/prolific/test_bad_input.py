"""What goes wrong at Prolific ends in a sentence and a remedy, and nothing is half done.

Pay below the minimum, a draft changed over there, an empty wallet at publishing and another
currency are tried in `test_recruiting`; lines of CSV in `test_paying`.
"""

from decimal import Decimal

import pytest

from annotation.batches.operations.prolific.add_places import ADD_PLACES
from annotation.batches.operations.prolific.connect import CONNECT_PROLIFIC
from annotation.batches.operations.prolific.draft import DRAFT_STUDY
from annotation.batches.operations.prolific.moving import PAUSE_STUDY
from annotation.batches.operations.prolific.publish_study import PUBLISH_STUDY
from annotation.batches.operations.prolific.read_study import READ_STUDY
from annotation.batches.operations.publish import publish_batch
from annotation.models import Batch, ProlificSubmission, ProlificWorkspace
from annotation.overview.queries.invariants import broken_invariants
from annotation.prolific.client import RefusedError
from annotation.prolific.double.market import Market
from annotation.prolific.tokens import seal
from metrics.errors import InputError
from tests.annotation.prolific.conftest import TOKEN
from tests.annotation.publishing.conftest import MakeBatch
from tests.annotation.publishing.prolific.conftest import COST, books, pay, study_of
from tests.performing import do

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "crowd"])


def test_a_token_that_was_revoked_later_is_stored_anew(recruiting: Batch, market: Market) -> None:
    ProlificWorkspace.objects.update(token=seal("revoked"))
    held, balance = books(recruiting), market.balance
    for operation, terms in ((READ_STUDY, {}), (PAUSE_STUDY, {}), (ADD_PLACES, {"places": 1})):
        with pytest.raises(RefusedError) as refused:
            do(operation, recruiting, **terms)
        assert "new token" in refused.value.remedy
        assert "revoked" not in str(refused.value)
    assert (books(recruiting), market.balance) == (held, balance)
    do(CONNECT_PROLIFIC, recruiting, token=TOKEN)
    do(READ_STUDY, recruiting)


def test_places_that_are_reduced_over_there_are_followed(recruiting: Batch, market: Market) -> None:
    (study,) = market.studies.values()
    study.terms["total_available_places"] = 5
    with pytest.raises(InputError, match="5 places, not 9") as refused:
        pay(ADD_PLACES, recruiting, Decimal("0.33"), places=1)
    assert "again" in refused.value.remedy
    assert (study_of(recruiting).places, study_of(recruiting).total_cost) == (5, 165)
    assert books(recruiting) == (Decimal("0.15"), 15)
    assert not broken_invariants()


def test_an_empty_wallet_adds_no_place(recruiting: Batch, market: Market) -> None:
    market.balance, held = 32, books(recruiting)
    with pytest.raises(InputError, match=r"has 0\.32 USD, and this takes 0\.33 USD") as refused:
        pay(ADD_PLACES, recruiting, Decimal("0.33"), places=1)
    assert "Finances" in refused.value.remedy
    assert (books(recruiting), study_of(recruiting).places, market.balance) == (held, 9, 32)


def test_a_study_that_was_stopped_by_hand_says_so(recruiting: Batch, market: Market) -> None:
    (study,) = market.studies.values()
    market.move_study(study.study_id, "STOP")
    with pytest.raises(InputError, match="completed") as refused:
        do(PAUSE_STUDY, recruiting)
    assert "active" in refused.value.remedy
    assert study_of(recruiting).status == "COMPLETED"


def test_who_takes_part_in_two_studies_is_one_person_with_two_submissions(
    recruiting: Batch, market: Market, make_batch: MakeBatch
) -> None:
    second = make_batch(name="second", reward=Decimal("0.25"))
    publish_batch(batch_id=second.pk, actor="test")
    do(DRAFT_STUDY, second, minutes=2)
    pay(PUBLISH_STUDY, second, COST)
    for study in list(market.studies):
        assert market.arrive(study, "7" * 24) is not None
    for one in (recruiting, second):
        do(READ_STUDY, one)
    rows = list(ProlificSubmission.objects.all())
    assert {row.study.batch_id for row in rows} == {recruiting.pk, second.pk}
    assert len({row.participant for row in rows}) == 1
    assert len(rows) == 2
    assert not broken_invariants()
