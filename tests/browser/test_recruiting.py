"""From Invite to all who answered paid, with a bonus, against the market of a rehearsal."""

import os
from decimal import Decimal
from pathlib import Path
from typing import Literal

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from playwright.sync_api import Page
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from annotation.batches.operations.batches import create_batch
from annotation.batches.operations.collect import collect_batch
from annotation.batches.operations.planning import BatchPlan, PlannedQuery
from annotation.batches.operations.prolific.read_study import READ_STUDY
from annotation.batches.operations.publish import publish_batch
from annotation.models import Assignment, Batch, ProlificStudy, ProlificSubmission, Worker
from annotation.overview.queries.invariants import broken_invariants
from annotation.prolific.double.market import Market
from annotation.prolific.double.server import serving
from annotation.vocabulary import Verification
from mturk_local.keys import key_file_ensure
from tests.browser.conftest import NewContext
from tests.browser.test_every_page import _sign_in, problems_of
from tests.mturk_local.conftest import Guest
from tests.performing import do
from tests.study import a_study

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "crowd"])

PARTICIPANTS, MOST_CLICKS = 12, 6
#: Of each who answered, and of all nine with the fee.
BONUS_CENTS, BONUSES_CENTS = 10, 120
#: The numbers of participants who do not answer, and what becomes of their submissions.
LEAVING, NO_CODE = {0: "RETURNED", 1: "TIMED-OUT"}, 2
ACTS = ("publish-study", "add-places")
SIZES: tuple[tuple[int, Literal["light", "dark"]], ...] = ((1280, "light"), (390, "dark"))


@pytest.mark.long
def test_twelve_participants_come_and_answer(
    live_server: LiveServer, new_context: NewContext, settings: Settings, tmp_path: Path
) -> None:
    settings.MTURK_LOCAL_ENDPOINT = f"{live_server.url}/mturk/"
    settings.MTURK_LOCAL_KEY_FILE = tmp_path / "crowd-key.json"
    key_file_ensure(settings.MTURK_LOCAL_KEY_FILE, requester_name="lab")
    batch = published_batch()
    client, context = Client(), new_context()
    client.force_login(User.objects.create_user("lab", is_staff=True))
    _sign_in(context, client, live_server.url)
    page, market = context.new_page(), Market()
    settings.SITE_ADDRESS = "http://fairpool.invalid"  # nobody is told of events
    with serving(market, token="token") as address:
        settings.PROLIFIC_ADDRESS, settings.PROLIFIC_TOKEN = address, "token"
        page.goto(live_server.url + reverse("batch-invite", args=[batch.pk]))
        assert recruit(page) <= MOST_CLICKS
        for number in range(PARTICIPANTS):
            take_part(market, batch, live_server.url, number)
        approve_whoever_answered(page, batch, live_server.url)
        pay_a_bonus(page, batch, live_server.url)
        places = [
            reverse("batch-prolific", args=[batch.pk]),
            *(reverse("batch-act", args=[batch.pk, act]) for act in ACTS),
        ]
        found = [one for path in places for one in problems_of(page, live_server.url + path)]
        take_pictures(page, live_server.url + places[0])
    assert not found, "\n".join(found)
    assert Assignment.objects.count() == 9
    assert ProlificSubmission.objects.filter(status="APPROVED").count() == 9
    assert Worker.objects.filter(verification=Verification.VERIFIED).count() == 9
    answered = [one for one in market.submissions.values() if one.status == "APPROVED"]
    assert [one.bonuses for one in answered] == [[BONUS_CENTS]] * 9
    assert set(market.paid.values()) == {1}
    assert market.balance == 100_000 - 396 - BONUSES_CENTS
    assert not broken_invariants()


def published_batch() -> Batch:
    """Four HITs of two queries, three answers each."""
    queries = [PlannedQuery(f"q{number}", f"query {number}") for number in range(8)]
    plan = BatchPlan(name="b", queries=queries, queries_per_hit=2, reward=Decimal("0.25"))
    batch = create_batch(plan=plan, environment="local", actor="test", study=a_study("b"))
    publish_batch(batch_id=batch.pk, actor="test")
    batch.refresh_from_db()
    return batch


def recruit(page: Page) -> int:
    """From the page *Invite annotators* to a study that people see; the clicks that it takes."""
    clicks = ("Recruit on Prolific", "Store the token", "Make a draft", "Make the draft")
    last = ("Publish", "Publish on Prolific for 3.96 USD")
    main = page.locator("main")
    for name in (*clicks, *last):
        if name == last[-1]:
            page.locator("input[name=agreed]").fill("3.96")
        button = main.get_by_role("button", name=name, exact=True)
        button.or_(main.get_by_role("link", name=name, exact=True)).first.click()
    page.get_by_text("The study is active on Prolific.").wait_for()
    return len((*clicks, *last))


def take_part(market: Market, batch: Batch, site: str, number: int) -> None:
    """Of twelve, nine answer, one returns the place, one times out, one submits NOCODE."""
    (study,) = market.studies.values()
    visit = market.arrive(study.study_id, f"{number:024x}")
    assert visit is not None
    submission_id = visit.submission.submission_id
    hits = list(batch.hits.order_by("index"))
    guest = Guest(site)
    guest.browser.open(visit.url)
    guest.accept(str(hits[number % len(hits)].hit_id))
    if number in LEAVING:
        market.leave(submission_id, LEAVING[number])
    elif number == NO_CODE:
        market.come_back(submission_id, "NOCODE")
    else:
        guest.answer(**{"q-0-gender": "f", "q-1-gender": "m"})
        code = ProlificStudy.objects.get().codes["completed"]
        market.come_back(submission_id, code)


def approve_whoever_answered(page: Page, batch: Batch, site: str) -> None:
    """By our buttons; Prolific does it a little later, which reading shows."""
    at = site + reverse("batch-prolific", args=[batch.pk])
    do(READ_STUDY, batch)
    page.goto(at)
    page.get_by_role("link", name="Approve 9 who answered").click()
    page.locator("main").get_by_role("button", name="Approve", exact=True).click()
    page.get_by_text("Prolific is approving 9 submissions").wait_for()
    for _ in range(3):
        do(READ_STUDY, batch)
    collect_batch(batch_id=batch.pk, actor="test")
    do(READ_STUDY, batch)


def pay_a_bonus(page: Page, batch: Batch, site: str) -> None:
    """Set it up, agree to its cost, and see it paid."""
    at, main = site + reverse("batch-prolific", args=[batch.pk]), page.locator("main")
    page.goto(at)
    main.get_by_role("link", name="Set up bonuses", exact=True).click()
    page.locator("input[name=reason]").fill("It took longer")
    page.locator("input[name=amount]").fill("0.10")
    main.get_by_role("button", name="Show what it costs", exact=True).click()
    main.get_by_role("button", name="Set up the bonuses", exact=True).click()
    page.get_by_text("9 bonuses are set up for 1.20 USD").wait_for()
    page.goto(at)
    main.get_by_role("link", name="Pay It took longer").click()
    page.locator("input[name=agreed]").fill("1.20")
    main.get_by_role("button", name="Pay the bonuses for 1.20 USD", exact=True).click()
    page.get_by_text("Prolific has accepted bonuses for 1.20 USD").wait_for()
    for _ in range(3):
        do(READ_STUDY, batch)
    page.goto(at)
    assert "confirmed" in main.inner_text() or "paid" in main.inner_text()


def take_pictures(page: Page, address: str) -> None:
    """For people to look at, where `PICTURES_OF_RECRUITING` names a folder."""
    if folder := os.environ.get("PICTURES_OF_RECRUITING"):
        for width, scheme in SIZES:
            page.set_viewport_size({"width": width, "height": 900})
            page.emulate_media(color_scheme=scheme)
            page.goto(address)
            page.screenshot(path=f"{folder}/recruiting-{width}.png", full_page=True)
