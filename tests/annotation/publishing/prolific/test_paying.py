"""Approving, rejecting and bonuses on Prolific: nobody is paid twice, whatever answer is lost."""

from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.utils import timezone

from annotation.batches.operations.prolific.approve_submissions import APPROVE_SUBMISSIONS
from annotation.batches.operations.prolific.decide_bonuses import DECIDE_BONUSES
from annotation.batches.operations.prolific.pay_bonuses import PAY_BONUSES
from annotation.batches.operations.prolific.read_study import READ_STUDY
from annotation.batches.operations.prolific.reject_submission import (
    REJECT_SUBMISSION,
    REQUEST_RETURN,
)
from annotation.batches.operations.prolific.set_up_bonuses import SET_UP_BONUSES
from annotation.batches.queries.prolific import batch_recruitment
from annotation.core.consent import ConsentError
from annotation.core.money import BudgetError
from annotation.core.parameters import fields_of
from annotation.core.spent import MarketSpent, batch_spent
from annotation.models import Batch, ProlificBonusSet, ProlificSubmission
from annotation.overview.queries.invariants import broken_invariants
from annotation.prolific.client import OutcomeUnknownError, RefusedError
from annotation.vocabulary import BonusSetState
from metrics.errors import InputError
from tests.annotation.publishing.prolific.conftest import FaultyMarket, books, pay, study_of

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "crowd"])
#: Two bonuses of 0.50 with a fee of a third.
COST = Decimal("1.33")
Answer = Callable[[int], list[str]]


@pytest.fixture
def answered(recruiting: Batch, market: FaultyMarket) -> list[str]:
    """Two submissions that wait for a review."""
    ids = [arrive(market, number) for number in range(2)]
    for one in ids:
        market.come_back(one, study_of(recruiting).codes["completed"])
    do_read(recruiting)
    return ids


def arrive(market: FaultyMarket, number: int) -> str:
    (study,) = market.studies
    visit = market.arrive(study, f"{number:024x}")
    assert visit is not None
    return visit.submission.submission_id


def do_read(batch: Batch) -> None:
    pay(READ_STUDY, batch, Decimal(0))


def act(operation: Any, batch: Batch, **parameters: Any) -> Any:
    return pay(operation, batch, Decimal(0), **parameters)


def set_up(batch: Batch, reason: str = "careful", **parameters: Any) -> int:
    values = {"reason": reason, "amount": "0.50", **parameters}
    number: int = act(SET_UP_BONUSES, batch, **values).values["bonuses"]
    return number


def market_spent(batch: Batch) -> MarketSpent:
    found = batch_spent(batch=Batch.objects.get(pk=batch.pk)).market
    assert found is not None
    return found


def state(number: int) -> str:
    return ProlificBonusSet.objects.get(pk=number).state


def test_all_who_answered_are_approved_which_shows_later(
    recruiting: Batch, market: FaultyMarket, answered: list[str]
) -> None:
    elsewhere = arrive(market, 7)
    market.come_back(elsewhere, "NOCODE")
    done = act(APPROVE_SUBMISSIONS, recruiting)
    assert done.values == {"asked": 2, "later": 0}
    for _ in range(3):
        do_read(recruiting)
    statuses = dict(ProlificSubmission.objects.values_list("submission_id", "status"))
    assert [statuses[one] for one in answered] == ["APPROVED", "APPROVED"]
    assert statuses[elsewhere] == "AWAITING REVIEW"
    market.submissions[elsewhere].code = study_of(recruiting).codes["no place"]
    assert act(APPROVE_SUBMISSIONS, recruiting, code="no place").values == {"asked": 1, "later": 0}


def test_the_page_looks_again_after_an_approval_and_says_when_all_are_paid(
    recruiting: Batch, market: FaultyMarket, answered: list[str]
) -> None:
    act(APPROVE_SUBMISSIONS, recruiting)
    before = batch_recruitment(batch=recruiting)
    assert before is not None
    assert (before.is_approval_awaited, before.is_awaited, before.is_paid) == (True, True, False)

    for _ in range(3):
        do_read(recruiting)
    after = batch_recruitment(batch=recruiting)
    assert after is not None
    assert (after.is_approval_awaited, after.is_paid, after.n_paid) == (False, True, 2)
    assert after.paid == 2 * after.reward


def test_who_is_still_at_work_is_approved_once_handed_in(
    recruiting: Batch, market: FaultyMarket
) -> None:
    one = arrive(market, 1)
    do_read(recruiting)
    assert act(APPROVE_SUBMISSIONS, recruiting, submission=one).values == {"asked": 0, "later": 1}
    market.come_back(one, study_of(recruiting).codes["completed"])
    for _ in range(4):
        do_read(recruiting)
    assert market.submissions[one].status == "APPROVED"


def test_a_rejection_needs_a_category_and_a_hundred_characters(
    recruiting: Batch, market: FaultyMarket, answered: list[str]
) -> None:
    for wrong in ({"category": "LOW_EFFORT", "message": "No."}, {"message": "No answers. " * 10}):
        with pytest.raises(InputError):
            act(REJECT_SUBMISSION, recruiting, submission=answered[0], **wrong)
    assert {one.status for one in market.submissions.values()} == {"AWAITING REVIEW"}
    for category in fields_of(REJECT_SUBMISSION.parameters)["category"].choices:
        market.submissions[answered[0]].status = "AWAITING REVIEW"
        do_read(recruiting)
        terms = {"category": category, "message": "No answers arrived. " * 6}
        act(REJECT_SUBMISSION, recruiting, submission=answered[0], **terms)
    assert [market.submissions[one].status for one in answered] == ["REJECTED", "AWAITING REVIEW"]
    act(REQUEST_RETURN, recruiting, submission=answered[1], reason="Half of them are missing.")
    assert market.submissions[answered[1]].return_requested


def test_a_bonus_is_set_up_paid_once_and_seen(
    recruiting: Batch, market: FaultyMarket, answered: list[str]
) -> None:
    number = set_up(recruiting)
    assert (state(number), market.paid) == (BonusSetState.SET_UP, {})
    before = books(recruiting)[0]
    with pytest.raises(ConsentError):
        pay(PAY_BONUSES, recruiting, Decimal("1.32"), bonuses=number)
    pay(PAY_BONUSES, recruiting, COST, bonuses=number)
    assert state(number) == BonusSetState.ACCEPTED
    assert books(recruiting)[0] - before == COST
    for _ in range(2):
        do_read(recruiting)
    assert state(number) == BonusSetState.CONFIRMED
    assert [market.submissions[one].bonuses for one in answered] == [[50], [50]]
    spent = market_spent(recruiting)
    assert (spent.n_approved, spent.bonuses, spent.places) == (0, COST, Decimal("2.97"))
    for one in answered:
        market.submissions[one].status = "APPROVED"
    do_read(recruiting)
    spent = market_spent(recruiting)
    assert (spent.approved, spent.spent) == (Decimal("0.66"), Decimal("0.66") + COST)
    with pytest.raises(InputError):
        pay(PAY_BONUSES, recruiting, COST, bonuses=number)
    with pytest.raises(InputError, match="another reason"):
        set_up(recruiting)
    assert set(market.paid.values()) == {1}
    assert not broken_invariants()


@pytest.mark.parametrize("fault", ["before", "after"])
def test_setting_up_again_with_a_call_that_fails_leaves_what_was_set_up(
    recruiting: Batch, market: FaultyMarket, answered: list[str], fault: str
) -> None:
    number = set_up(recruiting)
    market.faults["set up"] = fault
    with pytest.raises(InputError):
        set_up(recruiting, amount="0.60")
    assert state(number) == BonusSetState.SET_UP
    pay(PAY_BONUSES, recruiting, COST, bonuses=number)
    assert set(market.paid.values()) == {1}
    assert broken_invariants() == {}


@pytest.mark.parametrize("fault", ["before", "after"])
def test_after_a_lost_answer_nothing_is_paid_again(
    recruiting: Batch, market: FaultyMarket, answered: list[str], fault: str
) -> None:
    number = set_up(recruiting)
    market.faults["pay"] = fault
    held = books(recruiting)[0]
    with pytest.raises(OutcomeUnknownError, match="not known whether"):
        pay(PAY_BONUSES, recruiting, COST, bonuses=number)
    assert state(number) == BonusSetState.UNCERTAIN
    assert books(recruiting)[0] - held == COST
    with pytest.raises(InputError, match="uncertain"):
        pay(PAY_BONUSES, recruiting, COST, bonuses=number)
    with pytest.raises(InputError, match="read until"):
        act(DECIDE_BONUSES, recruiting, bonuses=number, decision="not paid")
    for _ in range(3):
        do_read(recruiting)
    if fault == "after":
        assert state(number) == BonusSetState.CONFIRMED
        assert set(market.paid.values()) == {1}
        return
    day_before = timezone.now() - timedelta(hours=25)
    ProlificBonusSet.objects.update(paying_at=day_before)
    act(DECIDE_BONUSES, recruiting, bonuses=number, decision="not paid")
    assert (state(number), books(recruiting)[0]) == (BonusSetState.NOT_PAID, held)
    again = set_up(recruiting)
    pay(PAY_BONUSES, recruiting, COST, bonuses=again)
    assert [one.total() for one in (market.paid,)] == [1]
    assert not broken_invariants()


def test_a_process_that_died_while_paying_leaves_it_uncertain(
    recruiting: Batch, answered: list[str]
) -> None:
    number = set_up(recruiting)
    ProlificBonusSet.objects.filter(pk=number).update(
        state=BonusSetState.PAYING, paying_at=timezone.now(), committed=133
    )
    do_read(recruiting)
    assert state(number) == BonusSetState.PAYING
    ProlificBonusSet.objects.update(paying_at=timezone.now() - timedelta(minutes=3))
    do_read(recruiting)
    assert state(number) == BonusSetState.UNCERTAIN


def test_a_person_can_say_that_uncertain_bonuses_were_paid(
    recruiting: Batch, market: FaultyMarket, answered: list[str]
) -> None:
    number = set_up(recruiting)
    market.faults["pay"] = "before"
    with pytest.raises(OutcomeUnknownError):
        pay(PAY_BONUSES, recruiting, COST, bonuses=number)
    ProlificBonusSet.objects.update(paying_at=timezone.now() - timedelta(hours=25))
    act(DECIDE_BONUSES, recruiting, bonuses=number, decision="paid")
    found = ProlificBonusSet.objects.get()
    assert (found.state, found.committed) == (BonusSetState.CONFIRMED, 133)
    assert found.decided_by == "test"


def test_what_prolific_refuses_in_its_own_words_is_not_paid_and_not_held(
    recruiting: Batch, market: FaultyMarket, answered: list[str]
) -> None:
    number = set_up(recruiting)
    held = books(recruiting)[0]
    market.busy = 1
    with pytest.raises(RefusedError) as refused:
        pay(PAY_BONUSES, recruiting, COST, bonuses=number)
    assert (refused.value.message, refused.value.remedy) == (
        "Prolific refused: Another payment of the workspace is under way.",
        "Nothing happened. Try again in a minute.",
    )
    assert (state(number), books(recruiting)[0]) == (BonusSetState.SET_UP, held)
    market.balance = 132
    with pytest.raises(InputError, match=r"1\.32"):
        pay(PAY_BONUSES, recruiting, COST, bonuses=number)
    market.balance = 133
    pay(PAY_BONUSES, recruiting, COST, bonuses=number)
    assert (market.balance, market.paid.total()) == (0, 1)


def test_a_budget_without_room_pays_no_bonus(
    recruiting: Batch, market: FaultyMarket, answered: list[str]
) -> None:
    number = set_up(recruiting)
    recruiting.refresh_from_db()
    Batch.objects.filter(pk=recruiting.pk).update(budget=recruiting.committed + COST / 2)
    with pytest.raises(BudgetError):
        pay(PAY_BONUSES, recruiting, COST, bonuses=number)
    assert (state(number), market.paid.total()) == (BonusSetState.SET_UP, 0)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ("{0},1,50", "one comma"),
        ("{0},1.505", "one comma"),
        ("{0},-1", "one comma"),
        ("{0},0.00", "above zero"),
        ("{0},0.50\n{0},0.50", "twice"),
        ("{1},0.50", "not a submission"),
        ("\n".join(f"{number:024x},1" for number in range(201)), "201 bonuses"),
    ],
)
def test_lines_that_are_no_bonuses_are_refused_before_anything_is_set_up(
    recruiting: Batch, market: FaultyMarket, answered: list[str], rows: str, said: str
) -> None:
    with pytest.raises(InputError) as refused:
        set_up(recruiting, rows=rows.format(answered[0], "5" * 24))
    assert said in f"{refused.value.message} {refused.value.remedy}"
    assert not market.bonus_sets
    assert not ProlificBonusSet.objects.exists()


def test_amounts_one_by_one_are_decimals_there_and_cents_here(
    recruiting: Batch, market: FaultyMarket, answered: list[str]
) -> None:
    set_up(recruiting, rows=f"{answered[0]},30\n\n{answered[1]}, 0.05\n", amount="0")
    (made,) = market.bonus_sets.values()
    assert dict(made.amounts) == {answered[0]: 3_000, answered[1]: 5}
    # Not paid yet: the set of this reason is replaced.
    number = set_up(recruiting, rows=f"{answered[0]},0.30", amount="0")
    assert ProlificBonusSet.objects.get().amount == 30
    assert state(number) == BonusSetState.SET_UP
