"""A study without a server: from a draft to labels, Prolific's market on this machine asking."""

from decimal import Decimal
from pathlib import Path

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
from annotation.jobs.execution import run_job
from annotation.models import Assignment, Batch, Label, Vote
from annotation.overview.queries.invariants import broken_invariants
from annotation.prolific.double.market import Market
from annotation.prolific.double.server import serving
from mturk_local.keys import key_file_ensure
from tests.browser.conftest import NewContext
from tests.browser.test_every_page import _sign_in, problems_of
from tests.performing import do
from tests.study import a_study

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "crowd"])

#: Six answers of 0.25 USD, each with a fee of a third.
COST = "1.98"
ACTS = ("draft-study", "publish-study", "set-up-bonuses")


@pytest.mark.long
def test_a_draft_is_asked_at_prolific_up_to_labels(
    live_server: LiveServer, new_context: NewContext, settings: Settings, tmp_path: Path
) -> None:
    settings.MTURK_LOCAL_ENDPOINT = f"{live_server.url}/mturk/"
    settings.MTURK_LOCAL_KEY_FILE = tmp_path / "crowd-key.json"
    key_file_ensure(settings.MTURK_LOCAL_KEY_FILE, requester_name="lab")
    settings.SITE_ADDRESS = "http://fairpool.invalid"  # nobody is told of events
    queries = [PlannedQuery(f"q{number}", f"query {number}") for number in range(4)]
    plan = BatchPlan(name="b", queries=queries, queries_per_hit=2, reward=Decimal("0.25"))
    batch = create_batch(plan=plan, environment="local", actor="test", study=a_study("b"))
    client, context, market = Client(), new_context(), Market()
    client.force_login(User.objects.create_user("lab", is_staff=True))
    _sign_in(context, client, live_server.url)
    page = context.new_page()
    with serving(market, token="token") as address:
        settings.PROLIFIC_ADDRESS, settings.PROLIFIC_TOKEN = address, "token"
        choose(page, live_server.url + reverse("batch-detail", args=[batch.pk]))
        at = live_server.url + reverse("batch-prolific", args=[batch.pk])
        recruit(page, at)
        (study,) = market.studies.values()
        for _ in range(6):
            answer(new_context().new_page(), f"{address}/rehearsal/{study.study_id}/")
        do(READ_STUDY, batch)
        collect_batch(batch_id=batch.pk, actor="test")
        approve(page, at, batch)
        found = [
            problem
            for path in (at, *(acts(live_server.url, batch)))
            for problem in problems_of(page, path)
        ]
        assert not found, "\n".join(found)
        assert set(Assignment.objects.values_list("state", flat=True)) == {"Approved"}
        assert Vote.objects.filter(counts=True).count() == 12
        page.goto(live_server.url + reverse("batch-detail", args=[batch.pk]))
        page.get_by_role("button", name="Decide labels").first.click()
        page.get_by_text("Deciding labels.").first.wait_for()
        while run_job() is not None:  # before that, what was read is collected
            pass
    assert Label.objects.filter(query__batch=batch, value="n").count() == 4
    assert market.balance == 100_000 - 198
    assert not [said for said, rows in broken_invariants().items() if list(rows)]


def acts(site: str, batch: Batch) -> list[str]:
    return [site + reverse("batch-act", args=[batch.pk, act]) for act in ACTS]


def choose(page: Page, at: str) -> None:
    """Choose where the draft runs, and publish it, which calls nobody."""
    page.goto(at)
    page.get_by_label("Where it runs").select_option("prolific")
    page.get_by_role("button", name="Choose", exact=True).click()
    page.get_by_text("Prolific asks the questions of 4 tasks in 2 groups").wait_for()
    page.get_by_role("button", name="Publish batch").click()
    page.get_by_text("Publishing. Progress updates live.").wait_for()
    run_job()
    # The page follows by itself.
    page.get_by_role("heading", name="Next: people of Prolific").wait_for()


def recruit(page: Page, at: str) -> None:
    """Upload the questions, and publish the study with consent to the exact amount."""
    main = page.locator("main")
    page.goto(at)
    main.get_by_role("button", name="Store the token", exact=True).click()
    main.get_by_role("button", name="Upload the questions", exact=True).click()
    page.get_by_text("The questions are being uploaded to Prolific.").wait_for()
    run_job()
    # The page follows by itself.
    main.get_by_role("link", name="Make a draft", exact=True).wait_for()
    main.get_by_role("link", name="Make a draft", exact=True).click()
    main.get_by_role("button", name="Make the draft", exact=True).click()
    main.get_by_role("link", name="Publish", exact=True).click()
    page.locator("input[name=agreed]").fill(COST)
    main.get_by_role("button", name=f"Publish on Prolific for {COST} USD", exact=True).click()
    page.get_by_text("The study is active on Prolific.").wait_for()


def answer(page: Page, at: str) -> None:
    """Come as a participant, choose the first option everywhere, and submit."""
    page.goto(at)
    for question in page.locator("fieldset").all():
        question.get_by_role("radio").first.check()
    page.get_by_role("button", name="Submit").click()
    page.get_by_text("Submitted: awaiting review.").wait_for()


def approve(page: Page, at: str, batch: Batch) -> None:
    page.goto(at)
    page.get_by_role("link", name="Approve 6 who answered").click()
    page.locator("main").get_by_role("button", name="Approve", exact=True).click()
    page.get_by_text("Prolific is approving 6 submissions").wait_for()
    for _ in range(3):
        do(READ_STUDY, batch)
    collect_batch(batch_id=batch.pk, actor="test")
