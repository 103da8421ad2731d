"""A batch recruits on Prolific: one study, whatever answer is lost, and books to the cent."""

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import timedelta
from decimal import Decimal
from typing import Any
from urllib.parse import urlsplit

import jsonschema
import pytest
from django.contrib.auth.models import User
from django.db import connections
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from annotation.accounts.operations.permits import set_permits
from annotation.batches.operations.collect import collect_batch
from annotation.batches.operations.prolific.add_places import ADD_PLACES
from annotation.batches.operations.prolific.connect import CONNECT_PROLIFIC
from annotation.batches.operations.prolific.draft import DRAFT_STUDY
from annotation.batches.operations.prolific.moving import PAUSE_STUDY, RESUME_STUDY, STOP_STUDY
from annotation.batches.operations.prolific.publish_study import PUBLISH_STUDY
from annotation.batches.operations.prolific.read_study import READ_STUDY
from annotation.batches.operations.stop import STOP
from annotation.core.consent import ConsentError
from annotation.core.money import BudgetError
from annotation.core.operations import Actor, Run
from annotation.core.parameters import NoParameters
from annotation.core.perform import perform_here
from annotation.models import (
    AuditEvent,
    Batch,
    Membership,
    ProlificStudy,
    ProlificSubmission,
    ProlificWorkspace,
    Worker,
)
from annotation.prolific.client import OutcomeUnknownError, RefusedError
from annotation.prolific.double.market import Market
from annotation.prolific.double.server import serving
from annotation.vocabulary import Permit, Role, Verification
from metrics.errors import InputError
from mturk_local.models import Assignment, AssignmentState, Panel
from tests.annotation.prolific.conftest import CONTRACT, TOKEN
from tests.annotation.publishing.prolific.conftest import COST, FaultyMarket, books, pay, study_of
from tests.mturk_local.conftest import Guest
from tests.performing import do

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "crowd"])

FILTERS = "fluent-languages: English, 27\n\napproval_rate: 95..100\n"


def test_the_token_is_stored_encrypted_and_in_no_entry_of_the_log(batch: Batch) -> None:
    workspace = ProlificWorkspace.objects.get()
    assert TOKEN not in workspace.token
    assert TOKEN not in str(list(AuditEvent.objects.values_list("detail", flat=True)))


def test_a_wrong_token_is_not_stored(batch: Batch) -> None:
    ProlificWorkspace.objects.all().delete()
    with pytest.raises(RefusedError):
        do(CONNECT_PROLIFIC, batch, token="another")
    assert not ProlificWorkspace.objects.exists()


def test_a_workspace_of_another_currency_is_refused(batch: Batch, market: Market) -> None:
    market.currency = "GBP"
    with pytest.raises(InputError, match="GBP"):
        do(CONNECT_PROLIFIC, batch, token=TOKEN)


def test_the_draft_asks_for_what_is_missing(batch: Batch, market: Market) -> None:
    do(DRAFT_STUDY, batch, minutes=2)
    (study,) = market.studies.values()
    row = study_of(batch)
    assert (study.places, study.terms["reward"], study.status) == (9, 25, "UNPUBLISHED")
    assert (row.study_id, row.total_cost, row.fees_committed) == (study.study_id, 297, 0)
    codes = {one["code"] for one in study.terms["completion_codes"]}
    assert codes == set(row.codes.values())


def test_the_draft_is_asked_for_as_prolific_describes_it(batch: Batch, market: Market) -> None:
    if not CONTRACT.is_file():
        pytest.skip("Prolific's contract (../shared/facts) is not beside this checkout")
    do(DRAFT_STUDY, batch, minutes=2, filters=FILTERS)
    (study,) = market.studies.values()
    # Its alternatives overlap, so that "exactly one of" would hold for none.
    known = json.loads(CONTRACT.read_text().replace('"oneOf"', '"anyOf"'))["operations"]
    (schema,) = (
        one["body"]["schema"]
        for one in known
        if (one["method"], one["path"]) == ("POST", "/api/v1/studies/")
    )
    jsonschema.validate(study.terms, schema)


@pytest.mark.parametrize("fault", ["", "before"])
def test_filters_are_those_of_prolifics_list(
    batch: Batch, market: FaultyMarket, fault: str
) -> None:
    """Also where the answer was lost: what was agreed to is asked for again."""
    market.faults["create"] = fault
    with suppress(OutcomeUnknownError):
        do(DRAFT_STUDY, batch, minutes=2, filters=FILTERS)
    do(DRAFT_STUDY, batch, minutes=2)
    (study,) = market.studies.values()
    assert study.terms["filters"] == [
        {"filter_id": "fluent-languages", "selected_values": ["19", "27"]},
        {"filter_id": "approval_rate", "selected_range": {"lower": 95, "upper": 100}},
    ]


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("fluent-language: English", "Near it are: fluent-languages"),
        ("fluent-languages: Englisch", "Choices are: English"),
        ("fluent-languages", "is not a filter"),
        ("approval_rate: 95", "Write it as 95..100"),
        ("approval_rate: 95..101", "not within 0..100"),
        ("approval_rate: 99..95", "lower number first"),
        ("approval_rate: 1..2\napproval_rate: 1..2", "twice"),
    ],
)
def test_a_filter_that_is_not_on_the_list_drafts_nothing(
    batch: Batch, market: Market, wrong: str, said: str
) -> None:
    with pytest.raises(InputError) as refused:
        do(DRAFT_STUDY, batch, minutes=2, filters=wrong)
    assert said in f"{refused.value.message} {refused.value.remedy}"
    assert not market.studies
    assert not ProlificStudy.objects.exists()


def test_the_draft_is_for_the_devices_of_the_task_page(batch: Batch, market: Market) -> None:
    do(DRAFT_STUDY, batch, minutes=2)
    (study,) = market.studies.values()
    assert study.terms["device_compatibility"] == ["desktop", "tablet", "mobile"]


def test_a_requester_may_choose_fewer_devices(batch: Batch, market: Market) -> None:
    do(DRAFT_STUDY, batch, minutes=2, devices=["desktop"])
    (study,) = market.studies.values()
    assert study.terms["device_compatibility"] == study_of(batch).devices == ["desktop"]


def test_devices_that_there_are_not_draft_nothing(batch: Batch, market: Market) -> None:
    with pytest.raises(InputError, match="watch"):
        do(DRAFT_STUDY, batch, minutes=2, devices=["watch"])
    assert not market.studies


def test_pay_below_the_markets_minimum_is_refused_before_anything_is_asked_for(
    batch: Batch, market: Market
) -> None:
    with pytest.raises(InputError, match="6"):
        do(DRAFT_STUDY, batch, minutes=60)
    assert not market.studies
    assert not ProlificStudy.objects.exists()


def test_calculators_that_differ_stop_everything(
    batch: Batch, market: Market, settings: Settings
) -> None:
    settings.PROLIFIC_FEE_PERCENT = Decimal("42.8")
    with pytest.raises(InputError, match="differ"):
        do(DRAFT_STUDY, batch, minutes=2)
    assert not market.studies


@pytest.mark.parametrize("fault", ["before", "after"])
def test_after_a_lost_answer_there_is_one_draft(
    batch: Batch, market: FaultyMarket, fault: str
) -> None:
    market.faults["create"] = fault
    with pytest.raises(OutcomeUnknownError):
        do(DRAFT_STUDY, batch, minutes=2)
    do(DRAFT_STUDY, batch, minutes=2)
    do(DRAFT_STUDY, batch, minutes=5)
    assert list(market.studies) == [study_of(batch).study_id]


@pytest.mark.parametrize("agreed", [None, Decimal("2.96"), Decimal("NaN")])
def test_nothing_is_published_without_agreement_to_the_exact_amount(
    batch: Batch, market: Market, agreed: Any
) -> None:
    do(DRAFT_STUDY, batch, minutes=2)
    with pytest.raises(ConsentError):
        pay(PUBLISH_STUDY, batch, agreed)
    assert {one.status for one in market.studies.values()} == {"UNPUBLISHED"}


def test_publishing_holds_what_the_hits_do_not(recruiting: Batch, market: Market) -> None:
    """A HIT's assignment holds 0.25 and a fee of 0.05, Prolific's place costs 0.33."""
    assert books(recruiting) == (Decimal("0.27"), 27)
    assert (study_of(recruiting).status, market.balance) == ("ACTIVE", 100_000 - 297)


@pytest.mark.parametrize("fault", ["before", "after"])
def test_after_a_lost_answer_it_is_published_and_paid_once(
    batch: Batch, market: FaultyMarket, fault: str
) -> None:
    do(DRAFT_STUDY, batch, minutes=2)
    market.faults["move"] = fault
    with pytest.raises(OutcomeUnknownError):
        pay(PUBLISH_STUDY, batch, COST)
    assert books(batch) == (Decimal("0.27"), 27)
    pay(PUBLISH_STUDY, batch, COST)
    assert (study_of(batch).status, market.balance) == ("ACTIVE", 100_000 - 297)
    assert books(batch) == (Decimal("0.27"), 27)


def test_an_empty_wallet_publishes_nothing_and_holds_nothing(batch: Batch, market: Market) -> None:
    do(DRAFT_STUDY, batch, minutes=2)
    market.balance = 296
    with pytest.raises(InputError, match=r"2\.96"):
        pay(PUBLISH_STUDY, batch, COST)
    assert (books(batch), market.balance) == ((Decimal(0), 0), 296)


def test_a_budget_without_room_publishes_nothing(batch: Batch, market: Market) -> None:
    do(DRAFT_STUDY, batch, minutes=2)
    batch.refresh_from_db()
    Batch.objects.filter(pk=batch.pk).update(budget=batch.committed + Decimal("0.26"))
    with pytest.raises(BudgetError):
        pay(PUBLISH_STUDY, batch, COST)
    assert market.balance == 100_000


def test_a_draft_that_was_changed_over_there_is_not_published(batch: Batch, market: Market) -> None:
    do(DRAFT_STUDY, batch, minutes=2)
    (study,) = market.studies.values()
    study.terms["total_available_places"] = 90
    with pytest.raises(InputError, match="90 places"):
        pay(PUBLISH_STUDY, batch, COST)
    assert market.balance == 100_000


def test_pausing_resuming_and_stopping_twice_is_no_error(recruiting: Batch, market: Market) -> None:
    (study,) = market.studies.values()
    for operation, status in (
        *((PAUSE_STUDY, "PAUSED"), (PAUSE_STUDY, "PAUSED"), (RESUME_STUDY, "ACTIVE")),
        *((STOP_STUDY, "COMPLETED"), (STOP_STUDY, "COMPLETED")),
    ):
        do(operation, recruiting)
        assert study.status == study_of(recruiting).status == status
    with pytest.raises(InputError, match="completed"):
        do(PAUSE_STUDY, recruiting)


@pytest.mark.parametrize("fault", ["", "before", "after"])
def test_places_are_added_and_paid_once(
    recruiting: Batch, market: FaultyMarket, fault: str
) -> None:
    market.faults["change"] = fault
    if fault:
        with pytest.raises(OutcomeUnknownError):
            pay(ADD_PLACES, recruiting, Decimal("0.66"), places=2)
        do(READ_STUDY, recruiting)
    else:
        pay(ADD_PLACES, recruiting, Decimal("0.66"), places=2)
    places = 9 if fault == "before" else 11
    assert (study_of(recruiting).places, study_of(recruiting).total_cost) == (places, 33 * places)
    assert market.balance == 100_000 - 33 * places
    assert books(recruiting) == (3 * places / Decimal(100), 3 * places)


def test_what_somebody_does_over_there_by_hand_is_followed(
    recruiting: Batch, market: Market
) -> None:
    (study,) = market.studies.values()
    market.change_study(study.study_id, {"total_available_places": 12})
    market.move_study(study.study_id, "STOP")
    do(READ_STUDY, recruiting)
    row = study_of(recruiting)
    assert (row.status, row.places, row.total_cost, row.fees_committed) == (
        "COMPLETED", 12, 396, 36,
    )  # fmt: skip


def test_whom_prolific_approved_counts_without_a_list_made_by_hand(
    recruiting: Batch, market: Market, crowd: str
) -> None:
    """Also where links prove nothing, since nobody signs them."""
    Panel.objects.update(keys_url="")
    (study,) = market.studies.values()
    visit = market.arrive(study.study_id, "7" * 24)
    assert visit is not None
    guest = Guest(crowd.removesuffix("/mturk/"))
    guest.browser.open(visit.url)
    hit = recruiting.hits.order_by("index").first()
    assert hit is not None
    guest.accept(str(hit.hit_id))
    guest.answer(**{"q-0-gender": "f", "q-1-gender": "f"})
    market.come_back(visit.submission.submission_id, study_of(recruiting).codes["completed"])
    do(READ_STUDY, recruiting)
    collect_batch(batch_id=recruiting.pk, actor="test")
    assert Worker.objects.get().verification == Verification.WAITING

    visit.submission.status = "APPROVED"
    do(READ_STUDY, recruiting)
    do(READ_STUDY, recruiting)
    assert Worker.objects.get().verification == Verification.VERIFIED
    stored = ProlificSubmission.objects.get()
    assert (stored.status, stored.submission_id) == ("APPROVED", visit.submission.submission_id)
    assert "7" * 24 not in stored.participant


def test_whoever_returns_the_submission_gives_the_place_back(
    recruiting: Batch, market: Market, crowd: str
) -> None:
    (study,) = market.studies.values()
    visit = market.arrive(study.study_id, "7" * 24)
    assert visit is not None
    guest = Guest(crowd.removesuffix("/mturk/"))
    guest.browser.open(visit.url)
    hit = recruiting.hits.order_by("index").first()
    assert hit is not None
    guest.accept(str(hit.hit_id))
    do(READ_STUDY, recruiting)
    assert Assignment.objects.get().state == AssignmentState.ACCEPTED
    market.leave(visit.submission.submission_id, "RETURNED")
    do(READ_STUDY, recruiting)
    assert Assignment.objects.get().state == AssignmentState.RETURNED


def test_people_who_make_the_draft_at_once_make_one(batch: Batch, market: Market) -> None:
    """The second is asked to wait, or finds it made."""
    start = threading.Barrier(4)

    def press() -> str:
        start.wait(60)
        try:
            return str(do(DRAFT_STUDY, batch, minutes=2).values["study"])
        except InputError as error:
            return error.message
        finally:
            connections.close_all()

    with ThreadPoolExecutor(4) as pool:
        presses = [pool.submit(press) for _ in range(4)]
    (study,) = market.studies
    assert {one.result() for one in presses} <= {
        study,
        f"somebody else is making the draft of {batch.name}.",
    }
    assert study_of(batch).study_id == study
    assert study_of(batch).draft_asked_at is None
    assert Panel.objects.count() == 1


@pytest.mark.parametrize("minutes", [0, 6])
def test_a_draft_that_a_dead_process_was_making_is_made_later(
    batch: Batch, market: FaultyMarket, minutes: int
) -> None:
    market.faults["create"] = "before"
    with pytest.raises(OutcomeUnknownError):
        do(DRAFT_STUDY, batch, minutes=2)
    since = timezone.now() - timedelta(minutes=minutes)
    ProlificStudy.objects.update(draft_asked_at=since)
    if minutes:
        do(DRAFT_STUDY, batch, minutes=2)
    else:
        with pytest.raises(InputError, match="somebody else"):
            do(DRAFT_STUDY, batch, minutes=2)
    assert len(market.studies) == (1 if minutes else 0)


@pytest.mark.parametrize("has_answered", [False, True])
def test_whoever_leaves_goes_back_with_the_code_that_says_so_and_frees_the_place(
    recruiting: Batch, market: Market, crowd: str, address: str, has_answered: bool
) -> None:
    """Here at once, and over there when they return the submission, as Prolific then asks."""
    (study,) = market.studies.values()
    study.terms["total_available_places"] = 1
    Panel.objects.update(tasks_per_visit=2)
    guest = Guest(crowd.removesuffix("/mturk/"))
    guest.browser.open(f"{address}/rehearsal/{study.study_id}/")
    first, second = recruiting.hits.order_by("index")[:2]
    if has_answered:
        guest.accept(str(first.hit_id))
        guest.answer(**{"q-0-gender": "f", "q-1-gender": "f"})
    guest.accept(str(second.hit_id))
    assert study.status == "AWAITING REVIEW"  # nobody else finds a place

    guest.browser.follow_link("visits/leave/")
    assert "What you have in hand is returned." in guest.browser.page.text
    guest.browser.select_form("main form[method=post]")
    guest.browser.submit_selected()
    states = [AssignmentState.WITHDRAWN] * has_answered + [AssignmentState.RETURNED]
    assert list(Assignment.objects.order_by("pk").values_list("state", flat=True)) == states
    code = study_of(recruiting).codes["withdrawal" if has_answered else "no consent"]
    assert guest.browser.page.select_one("[role=group] code").text == code
    assert not guest.browser.page.select("main a[href*='/groups/']")

    guest.browser.follow_link(f"complete.cc={code}")
    (submission,) = market.submissions.values()
    assert (submission.code, submission.status, study.status) == (code, "RETURNED", "ACTIVE")


def test_signed_links_let_their_participant_in_and_nobody_else(
    recruiting: Batch, market: Market, crowd: str
) -> None:
    """Signed for the study's address and for the site: Prolific's documents have both."""
    (study,) = market.studies.values()
    site = crowd.removesuffix("/mturk/")
    visits = [market.arrive(study.study_id, f"{number:024x}") for number in range(2)]
    links = [visit.url for visit in visits if visit]
    for link in links:
        guest = Guest(site)
        guest.browser.open(link)
        assert "/visits/" in guest.browser.url
    plain = links[0].partition("&prolific_token")[0]
    for wrong in (plain, links[0][:-8] + "AAAAAAAA"):
        assert Guest(site).browser.get(wrong).status_code == 403
    Panel.objects.update(audience="elsewhere.example.org")
    assert Guest(site).browser.get(links[1]).status_code == 403


def test_a_rehearsal_that_is_over_makes_room_for_the_study(
    recruiting: Batch, settings: Settings
) -> None:
    """Nothing stays held for it, and the batch can recruit at the market in force."""
    market = Market()
    with serving(market, token=TOKEN) as address:
        settings.PROLIFIC_ADDRESS = address
        do(CONNECT_PROLIFIC, recruiting, token=TOKEN)
        do(DRAFT_STUDY, recruiting, minutes=2)
        assert books(recruiting) == (Decimal(0), 0)
        assert list(market.studies) == [study_of(recruiting).study_id]


def test_somebody_who_tries_the_rehearsal_comes_and_comes_back(
    recruiting: Batch, market: Market, address: str, crowd: str
) -> None:
    (study,) = market.studies.values()
    guest = Guest(crowd.removesuffix("/mturk/"))
    guest.browser.open(f"{address}/rehearsal/{study.study_id}/")
    assert guest.browser.url.startswith(guest.site)
    back = f"{address}/submissions/complete?cc={study_of(recruiting).codes['completed']}"
    guest.browser.open(back)
    assert "awaiting review" in guest.browser.page.get_text()
    assert [one.status for one in market.submissions.values()] == ["AWAITING REVIEW"]
    assert "cannot be submitted" in str(guest.browser.get(back).text)


def test_from_inviting_to_recruiting_by_the_pages(batch: Batch, market: Market) -> None:
    """Recruit on Prolific, Make a draft, Make the draft, Publish, Publish on Prolific: five."""
    person = User.objects.create_user("ada", password="a long one", is_staff=True)
    client = Client()
    client.force_login(person)
    at = reverse("batch-prolific", args=[batch.pk])
    assert at in client.get(reverse("batch-invite", args=[batch.pk])).content.decode()
    assert "Rehearsal" in client.get(at).content.decode()
    draft = reverse("batch-act", args=[batch.pk, "draft-study"])
    shown = client.get(draft, {"minutes": "2", "hits": "1", "places": "0"})
    assert "Cost by our calculation" in shown.content.decode()
    version = shown.context["plan"].version
    terms = {"minutes": "2", "hits": "1", "places": "0", "cost": "0.00", "version": version}
    assert urlsplit(client.post(draft, terms).headers["Location"]).path == at
    publish = reverse("batch-act", args=[batch.pk, "publish-study"])
    shown = client.get(publish)
    assert "this is real money" in shown.content.decode()
    client.post(publish, {"agreed": str(COST), "version": shown.context["plan"].version})
    assert study_of(batch).status == "ACTIVE"
    assert "Add places" in client.get(at).content.decode()


def test_whoever_lacks_the_permission_recruits_nobody(batch: Batch, market: Market) -> None:
    person = User.objects.create_user("ada", password="a long one")
    Membership.objects.create(study=batch.study, user=person, role=Role.OWNER)
    set_permits(user=person, permits=set(Permit.values) - {Permit.RECRUIT}, actor="test")
    person = User.objects.get(pk=person.pk)
    with pytest.raises(InputError, match="recruit"):
        perform_here(DRAFT_STUDY, batch, {"minutes": 2}, Actor("ada", person))
    assert not market.studies


def test_stopping_a_batch_pauses_its_study(recruiting: Batch, market: FaultyMarket) -> None:
    (study,) = market.studies.values()
    for _ in range(2):
        done = do(STOP, recruiting)
        assert (study.status, done.values["study"]) == ("PAUSED", "PAUSED")
        assert done.values["expired"] == 3
    assert market.arrive(study.study_id, f"{1:024x}") is None


def test_a_batch_that_is_stopped_while_people_are_let_in_has_a_paused_study(
    batch: Batch, market: FaultyMarket
) -> None:
    """Both operations have looked at the state of the batch before it was stopped."""
    do(DRAFT_STUDY, batch, minutes=2)
    Batch.objects.filter(pk=batch.pk).update(state="stopped")
    (study,) = market.studies.values()
    for operation in (PUBLISH_STUDY, RESUME_STUDY):
        done = operation.run(batch, NoParameters(), Run(Actor("test")))
        assert (study.status, done.values["status"]) == ("PAUSED", "PAUSED")
