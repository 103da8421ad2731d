"""What is chosen on a page is what its buttons do: no button keeps the values of a preview."""

from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from bs4 import BeautifulSoup, Tag
from pytest_django import Settings

from tests.measured import storages_in
from tests.site.every_page import empty_pages, full_pages, signed_in

pytestmark = pytest.mark.django_db(databases=["default", "crowd"])

#: The rows that are ticked belong to the question of the list, which the button's label names.
OF_THE_LIST = {("chosen", "question")}
#: The votes are a file of their own: each of its links names a layout, and the page's question.
ANOTHER_FILE = "/votes/"


def forms_by_control(page: BeautifulSoup) -> dict[str, list[Tag]]:
    """The forms in which people type or choose a value, by its name."""
    offered: dict[str, list[Tag]] = {}
    for control in page.select("input[name], select[name], textarea[name]"):
        if control.get("type") in {"hidden", "submit"}:
            continue
        owner = control.get("form")
        form = page.find("form", id=owner) if owner else control.find_parent("form")
        if isinstance(form, Tag):
            offered.setdefault(str(control["name"]), []).append(form)
    return offered


def copies(html: bytes) -> list[tuple[str, str]]:
    """Downloads and forms with a value of their own for what another form of the page offers."""
    page = BeautifulSoup(html, "html.parser")
    offered = forms_by_control(page)
    links = [
        (str(link["href"]), name)
        for link in page.select("main a[download][href]")
        for name in parse_qs(urlsplit(str(link["href"])).query, keep_blank_values=True)
        if name in offered and ANOTHER_FILE not in str(link["href"])
    ]
    forms = [
        (str(form.get("id") or form.get("action")), str(field["name"]))
        for form in page.select("main form")
        for field in form.select("input[type=hidden][name]")
        if any(other is not form for other in offered.get(str(field["name"]), ()))
        # A row of a list has a form of its own for each thing: whose it is, is not a choice.
        and str(form.get("method", "get")).lower() == "post"
    ]
    return links + [copy for copy in forms if copy not in OF_THE_LIST]


@pytest.mark.long
def test_no_button_of_any_page_has_values_of_its_own_for_what_is_chosen(
    tmp_path: Path, settings: Settings
) -> None:
    settings.STORAGES = storages_in(tmp_path / "storage")
    client = signed_in()
    pages = [*empty_pages(), *full_pages(client, tmp_path)]
    found = {path: copies(client.get(path, follow=True).content) for path in pages}
    assert {path: names for path, names in found.items() if names} == {}
