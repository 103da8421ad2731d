"""Pages that come anew by themselves, while somebody uses them."""

import pytest
from django.urls import reverse
from playwright.sync_api import Response, expect
from pytest_django.live_server_helper import LiveServer

from annotation.models import Batch
from annotation.vocabulary import BatchState
from tests.browser.conftest import NewContext
from tests.study import stored_batch, stored_pool


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
