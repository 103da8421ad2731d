"""Pages that come anew by themselves, while somebody uses them."""

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Response, expect
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from annotation.core.perform import queue_job
from annotation.models import Batch, Task
from annotation.vocabulary import BatchState, TaskKind, TaskState
from tests.browser.conftest import NewContext
from tests.study import stored_batch, stored_pool, stored_study


def _asks_to_reload(response: Response) -> bool:
    return "hx-refresh" in response.headers


@pytest.mark.long
def test_an_open_menu_stays_open_when_the_state_of_the_batch_changes(
    live_server: LiveServer, transactional_db: None, new_context: NewContext
) -> None:
    batch = stored_batch(stored_pool(2))
    page = new_context(base_url=live_server.url).new_page()
    page.goto(reverse("batch-detail", args=[batch.pk]))
    page.get_by_role("button", name="More").click()
    scheme = page.locator("#batch-menu").get_by_role("link", name="Scheme", exact=True)
    expect(scheme).to_be_visible()
    for _ in range(2):  # a page that had come anew would know the state, and not be told again
        with page.expect_response(_asks_to_reload):
            Batch.objects.filter(pk=batch.pk).update(state=BatchState.PUBLISHED)
    expect(scheme).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Collect answers")).to_be_visible()


@pytest.mark.long
def test_what_is_chosen_stays_when_work_ends_or_the_session_does(
    live_server: LiveServer,
    transactional_db: None,
    new_context: NewContext,
    settings: Settings,
) -> None:
    settings.OPEN = False
    User.objects.create_superuser("ada", password="a long one, indeed")
    batch = stored_study(8)
    queue_job(kind=TaskKind.COLLECT, subject=batch, actor="test")
    page = new_context(base_url=live_server.url).new_page()
    page.goto(f"{reverse('sign-in')}?next={reverse('batch-labels', args=[batch.pk])}")
    page.get_by_label("Name").fill("ada")
    page.get_by_label("Password").fill("a long one, indeed")
    page.locator("main").get_by_role("button", name="Sign in").click()
    page.get_by_text("Other formats", exact=True).click()
    layout = page.get_by_label("Format", exact=True)
    layout.select_option("tsv")
    for _ in range(2):
        with page.expect_response(_asks_to_reload):
            Task.objects.update(state=TaskState.DONE, finished_at=timezone.now())
    expect(layout).to_have_value("tsv")
    page.context.clear_cookies(name="sessionid")
    for _ in range(2):
        with page.expect_response(lambda reply: reverse("sign-in") in reply.url):
            pass
    expect(layout).to_have_value("tsv")
    expect(page.get_by_label("Password")).to_have_count(0)
