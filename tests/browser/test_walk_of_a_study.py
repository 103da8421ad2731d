"""The walk through a study in whatever order, with its pages read in a real browser."""

from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from pytest_django.live_server_helper import LiveServer

from tests.annotation.publishing.conftest import crowd
from tests.annotation.publishing.test_walk_of_a_study import FEW
from tests.annotation.publishing.walk import Walk
from tests.annotation.publishing.walk_pages import check_pages
from tests.browser.conftest import NewContext

__all__ = ["crowd"]

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "crowd"])


@pytest.mark.long
def test_a_browser_shows_what_the_rows_have_after_every_act(
    live_server: LiveServer, new_context: NewContext, tmp_path: Path
) -> None:
    page = new_context().new_page()

    def read(path: str) -> BeautifulSoup:
        answer = page.goto(live_server.url + path)
        assert answer is not None
        assert answer.ok
        return BeautifulSoup(page.content(), "html.parser")

    walk = Walk(0, tmp_path)
    for _ in range(FEW):
        walk.step()
        check_pages(read, walk)
