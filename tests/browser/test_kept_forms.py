"""What is typed in the browser is what is done, and is there again after signing in."""

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from playwright.sync_api import Page, expect
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from annotation.models import Label
from annotation.vocabulary import LabelMethod
from tests.browser.conftest import NewContext
from tests.browser.test_every_page import violations
from tests.study import stored_batch, stored_pool, stored_study

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "crowd"])
PASSWORD = "a long one, indeed"


@pytest.fixture
def page(live_server: LiveServer, new_context: NewContext, settings: Settings) -> Page:
    settings.OPEN = False
    User.objects.create_user("ada", password=PASSWORD, is_staff=True, is_superuser=True)
    page = new_context(base_url=live_server.url).new_page()
    page.goto(reverse("sign-in"))
    sign_in(page)
    return page


def sign_in(page: Page) -> None:
    page.get_by_label("Name").fill("ada")
    page.get_by_label("Password").fill(PASSWORD)
    page.locator("main").get_by_role("button", name="Sign in").click()


@pytest.mark.long
def test_a_form_survives_the_end_of_its_session_and_the_loss_of_its_cookie(page: Page) -> None:
    page.goto(reverse("batch-adjudication", args=[stored_study(8).pk]))
    page.get_by_label("Female").check()
    page.get_by_label("Why").fill("typed & kept")
    decide = page.get_by_role("button", name="Decide", exact=True)
    page.context.clear_cookies()
    decide.click()
    assert not violations(page, "the sign-in page")
    sign_in(page)
    expect(page.get_by_label("Why")).to_have_value("typed & kept")
    expect(page.get_by_label("Female")).to_be_checked()
    assert not violations(page, "the form")
    page.context.clear_cookies(name="csrftoken")
    decide.click()
    page.get_by_role("link", name="Back to the form").click()
    expect(page.get_by_label("Why")).to_have_value("typed & kept")
    assert not Label.objects.filter(method=LabelMethod.ADJUDICATED).exists()
    decide.click()
    expect(page.get_by_text("typed & kept")).to_be_visible()
    assert Label.objects.get(method=LabelMethod.ADJUDICATED).reason == "typed & kept"


@pytest.mark.long
def test_a_scheme_that_was_not_saved_survives_the_end_of_its_session(page: Page) -> None:
    batch = stored_batch(stored_pool(4))
    page.goto(reverse("batch-scheme", args=[batch.pk]))
    page.get_by_role("button", name="Add a question").click()
    expect(page.locator("[name$=-text]")).to_have_count(2)
    text = page.locator("[name$=-text]").last
    text.fill("A second question?")
    page.context.clear_cookies(name="sessionid")
    page.get_by_role("button", name="Save scheme").click()
    sign_in(page)
    expect(page.locator("[name$=-text]").last).to_have_value("A second question?")
    assert batch.scheme_versions.count() == 1


@pytest.mark.long
def test_a_download_is_what_is_chosen_without_a_preview(page: Page) -> None:
    page.goto(reverse("batch-labels", args=[stored_study(8).pk]))
    page.get_by_text("Other formats", exact=True).click()
    page.get_by_label("Format").select_option("tsv")
    with page.expect_download() as download:
        page.get_by_role("button", name="Download", exact=True).click()
    assert "\t" in download.value.path().read_text()
