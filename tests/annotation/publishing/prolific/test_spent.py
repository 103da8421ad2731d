"""What a batch has cost here and on Prolific is one figure on every page, call and command."""

from dataclasses import replace
from decimal import Decimal
from io import StringIO

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from annotation.batches.operations.approve import APPROVE
from annotation.batches.operations.collect import collect_batch
from annotation.batches.operations.prolific.pay_bonuses import PAY_BONUSES
from annotation.batches.operations.prolific.read_study import READ_STUDY
from annotation.batches.operations.prolific.set_up_bonuses import SET_UP_BONUSES
from annotation.batches.queries.batches import batch_progress
from annotation.batches.queries.costs import batch_costs
from annotation.batches.queries.next_action import NextStep, next_action
from annotation.core.spent import batch_spent
from annotation.models import Batch, ProlificWorkspace
from annotation.overview.queries.study_log import study_sums
from annotation.prolific.double.market import Market
from annotation.vocabulary import Action, VoteState
from tests.annotation.publishing.prolific.conftest import pay, study_of
from tests.commands import run_json
from tests.mturk_local.conftest import Annotator, Guest
from tests.performing import do

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "crowd"])

#: One answer of an annotator here, with the crowd service's fee of a fifth.
HERE = Decimal("0.30")
#: A reward and a bonus of 0.50 there, with a fee of a third.
REWARD, BONUS = Decimal("0.33"), Decimal("0.67")


@pytest.fixture
def paid(recruiting: Batch, market: Market, crowd: str) -> Batch:
    """One answer came from Prolific and one from an account here; both are approved everywhere."""
    site = crowd.removesuffix("/mturk/")
    first, second = recruiting.hits.order_by("index")[:2]
    visit = market.arrive(str(study_of(recruiting).study_id), "7" * 24)
    assert visit is not None
    guest, ada = Guest(site), Annotator(site, "ada")
    guest.browser.open(visit.url)
    for person, hit in ((guest, first), (ada, second)):
        person.accept(str(hit.hit_id))
        person.answer(**{"q-0-gender": "f", "q-1-gender": "f"})
    submission = visit.submission.submission_id
    market.come_back(submission, study_of(recruiting).codes["completed"])
    collect_batch(batch_id=recruiting.pk, actor="test")
    do(APPROVE, recruiting)
    do(READ_STUDY, recruiting)
    bonuses = do(SET_UP_BONUSES, recruiting, reason="slow", amount="0.50").values["bonuses"]
    pay(PAY_BONUSES, recruiting, BONUS, bonuses=bonuses)
    market.submissions[submission].status = "APPROVED"
    do(READ_STUDY, recruiting)
    return Batch.objects.get(pk=recruiting.pk)


def test_every_page_call_and_command_has_the_same_figures(
    paid: Batch, admin_client: Client
) -> None:
    there, total = REWARD + BONUS, REWARD + BONUS + HERE
    spent = batch_spent(batch=paid)
    assert spent.market is not None
    assert (spent.here, spent.market.spent, spent.usd) == (HERE, there, total)
    costs = batch_costs(batch=paid)
    assert (costs.paid, costs.n_approved, costs.waiting) == (total, 1, Decimal(0))
    assert study_sums(study=paid.study)["paid"] == total

    overview = admin_client.get(reverse("batch-detail", args=[paid.pk])).content.decode()
    assert "Prolific sends participants while" in overview
    assert "Annotators need an invitation" not in overview

    words = f"{HERE} USD here, {there} USD on Prolific"
    for name in ("batch-detail", "batch-costs", "batch-prolific"):
        page = admin_client.get(reverse(name, args=[paid.pk])).content.decode()
        assert f"{total} USD<small>{words}</small>" in page
    assert (
        f"{there} USD</td>"
        in admin_client.get(reverse("batch-costs", args=[paid.pk])).content.decode()
    )
    study = admin_client.get(reverse("study-detail", args=[paid.study_id])).content.decode()
    assert f"{total} USD" in study
    assert words in study

    progress = admin_client.get(f"/api/v1/batches/{paid.pk}/").json()["progress"]
    assert (progress["spent"], progress["spent_here"]) == (str(total), str(HERE))
    assert progress["spent_on_prolific"] == str(there)
    costs_there = admin_client.get(f"/api/v1/batches/{paid.pk}/costs/").json()["costs"]
    assert (costs_there["paid"], costs_there["market"]["spent"]) == (str(total), str(there))
    out = StringIO()
    call_command("batch", "show", paid.name, stdout=out)
    assert f"{total} USD spent" in out.getvalue()
    assert f"Paid:    {words}" in out.getvalue()
    assert run_json("batch", "show", paid.name)["spent"] == str(total)


def test_another_currency_is_shown_and_not_added(paid: Batch, admin_client: Client) -> None:
    ProlificWorkspace.objects.update(currency="GBP")
    assert batch_costs(batch=Batch.objects.get(pk=paid.pk)).paid == HERE
    there = REWARD + BONUS
    for name, number in (("batch-costs", paid.pk), ("study-detail", paid.study_id)):
        page = admin_client.get(reverse(name, args=[number])).content.decode()
        assert f"{HERE} USD here, {there} GBP on Prolific (other currencies are not added)" in page
        assert f" {HERE + there} " not in page


def test_once_all_answers_are_in_the_next_step_is_to_approve_there(paid: Batch) -> None:
    progress = batch_progress(batch=paid)
    complete = replace(
        progress,
        places=dict.fromkeys(progress.places, 0),
        votes=progress.votes | {VoteState.UNVERIFIED: 2},
    )
    step = next_action(batch=paid, progress=complete, may={Action.MANAGE}).step
    assert step == NextStep.APPROVE_ON_PROLIFIC
