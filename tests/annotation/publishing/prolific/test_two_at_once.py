"""Two people at once on one study: nothing is paid twice, nothing is held twice."""

from decimal import Decimal
from typing import Any

import pytest

from annotation.batches.operations.prolific.add_places import ADD_PLACES
from annotation.batches.operations.prolific.draft import DRAFT_STUDY
from annotation.batches.operations.prolific.pay_bonuses import PAY_BONUSES
from annotation.batches.operations.prolific.publish_study import PUBLISH_STUDY
from annotation.batches.operations.prolific.read_study import READ_STUDY
from annotation.batches.operations.prolific.set_up_bonuses import SET_UP_BONUSES
from annotation.batches.operations.prolific.study import (
    claim,
    hold_fees,
    study_row,
    update_study_row,
)
from annotation.core.operations import Actor, Result
from annotation.core.perform import perform_here
from annotation.models import Batch, ProlificBonusSet
from annotation.overview.queries.invariants import broken_invariants
from annotation.prolific.tokens import workspace_prolific
from metrics.errors import InputError
from tests.annotation.publishing.at_once import Meeting, at_once
from tests.annotation.publishing.prolific.conftest import (
    COST,
    FaultyMarket,
    books,
    pay,
    study_of,
)
from tests.performing import do

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "crowd"])
#: Of one bonus of 0.50 USD, with a fee of a third.
BONUS = Decimal("0.67")
#: Of the tenth place, as of each of the nine: 0.25 USD and 8 cents.
PLACE = Decimal("0.33")


@pytest.fixture
def submission(recruiting: Batch, market: FaultyMarket) -> str:
    """Of one participant who has answered."""
    (study,) = market.studies
    visit = market.arrive(study, f"{1:024x}")
    assert visit is not None
    market.come_back(visit.submission.submission_id, study_of(recruiting).codes["completed"])
    do(READ_STUDY, recruiting)
    return visit.submission.submission_id


def set_up(batch: Batch, reason: str) -> int:
    parameters = {"reason": reason, "amount": "0.50"}
    done = perform_here(SET_UP_BONUSES, Batch.objects.get(pk=batch.pk), parameters, Actor("test"))
    number: int = done.values["bonuses"]
    return number


def pay_set(batch: Batch, number: int) -> Result:
    parameters = {"bonuses": number}
    return perform_here(
        PAY_BONUSES, Batch.objects.get(pk=batch.pk), parameters, Actor("test"), BONUS
    )


def pay_while_set_up_anew(batch: Batch, reason: str) -> list[Any]:
    """One pays a set; another sets the same reason up again and pays, which meets it half-way."""
    first, meeting = set_up(batch, reason), Meeting(2)

    def payer() -> Any:
        try:
            return pay_set(batch, first)
        finally:
            meeting.come()

    def another() -> Any:
        with meeting.before('DELETE FROM "annotation_prolificbonus'):
            return pay_set(batch, set_up(batch, reason))

    return at_once([payer, another])


def paid(market: FaultyMarket) -> int:
    """Cents that the market took for bonuses, beside the nine places."""
    return 1_000_00 - market.balance - int(COST * 100)


@pytest.mark.parametrize(
    "trials",
    [
        3,
        pytest.param(100, marks=[pytest.mark.faults, pytest.mark.timeout(1200)]),
        pytest.param(1_000, marks=[pytest.mark.soak, pytest.mark.timeout(0)]),
    ],
)
@pytest.mark.usefixtures("submission")
def test_bonuses_that_are_set_up_anew_while_they_are_paid_are_paid_once(
    recruiting: Batch, market: FaultyMarket, trials: int
) -> None:
    for n in range(1, trials + 1):
        done = pay_while_set_up_anew(recruiting, f"reason {n}")
        assert sum(isinstance(one, Result) for one in done) == 1, done
        assert paid(market) == n * 67
        assert ProlificBonusSet.objects.exclude(committed=0).count() == n
        assert broken_invariants() == {}
        do(READ_STUDY, recruiting)
        do(READ_STUDY, recruiting)


def test_a_reading_that_somebody_overtook_changes_nothing(
    recruiting: Batch, market: FaultyMarket
) -> None:
    """Its answer is of before the place was added: what the row says since then stays."""
    row = study_row(recruiting)
    late = workspace_prolific(row.workspace).study(str(row.study_id))
    pay(ADD_PLACES, recruiting, PLACE, places=1)
    held = books(recruiting)

    assert not update_study_row(row, late)

    assert study_of(recruiting).places == 10
    assert books(recruiting) == held == (Decimal("0.30"), 30)
    assert broken_invariants() == {}


def test_of_six_who_add_a_place_at_once_each_gets_it_or_is_refused(
    recruiting: Batch, market: FaultyMarket
) -> None:
    def add() -> Any:
        batch = Batch.objects.get(pk=recruiting.pk)
        return perform_here(ADD_PLACES, batch, {"places": 1}, Actor("test"), PLACE)

    done = at_once([add] * 6)

    (study,) = market.studies.values()
    added = [one for one in done if isinstance(one, Result)]
    assert study.places == study_of(recruiting).places == 9 + len(added)
    assert sorted(one.values["places"] for one in added) == list(range(10, 10 + len(added)))
    assert len(added) >= 1
    assert all(isinstance(one, InputError) for one in done if one not in added)
    assert broken_invariants() == {}
    # As much as Prolific took beyond the 30 cents of an answer that the HITs hold.
    assert books(recruiting)[1] == study.cost - 30 * study.places


def test_two_who_publish_a_study_at_once_hold_its_fees_once(
    batch: Batch, market: FaultyMarket
) -> None:
    do(DRAFT_STUDY, batch, minutes=2)

    def publish() -> Any:
        mine = Batch.objects.get(pk=batch.pk)
        return perform_here(PUBLISH_STUDY, mine, {}, Actor("test"), COST)

    done = at_once([publish] * 6)

    assert any(isinstance(one, Result) for one in done)
    assert market.balance == 1_000_00 - int(COST * 100)
    assert books(batch) == (COST - 9 * Decimal("0.30"), 27)
    assert broken_invariants() == {}


def test_while_somebody_adds_places_a_reading_leaves_them_alone(
    recruiting: Batch, market: FaultyMarket
) -> None:
    """The call may be on its way: what was held for it is not given back by an early answer."""
    row = study_row(recruiting)
    with claim(row, "changing_since", "changing the study"):
        hold_fees(recruiting, row, 60)
        do(READ_STUDY, recruiting)
        assert study_of(recruiting).fees_committed == 60
        with pytest.raises(InputError, match="somebody else"):
            pay(ADD_PLACES, recruiting, PLACE, places=1)
    do(READ_STUDY, recruiting)
    assert books(recruiting) == (COST - 9 * Decimal("0.30"), 27)
    assert broken_invariants() == {}
