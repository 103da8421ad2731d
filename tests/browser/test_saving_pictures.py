"""Pictures as files of their own and on paper: light whatever the page is, with all their marks."""

import re
import zlib
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from defusedxml.ElementTree import fromstring
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import BrowserContext, Page, expect
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from annotation.models import Assignment
from metrics.reports.plots.looks import COLOURS
from tests.browser.conftest import NewContext
from tests.browser.test_every_page import _sign_in
from tests.measured import measured_study, report_of, storages_in
from tests.site.every_page import signed_in
from tests.study import stored_study

pytestmark = [
    pytest.mark.long,
    pytest.mark.django_db(transaction=True, databases=["default", "crowd"]),
]

#: The first colour of pictures.
FIRST = tuple(bytes.fromhex(COLOURS[0].removeprefix("#")))
DRAWN = {f"{{http://www.w3.org/2000/svg}}{name}" for name in ("path", "line", "polyline", "text")}


@pytest.fixture
def context(live_server: LiveServer, new_context: NewContext) -> BrowserContext:
    context = new_context(color_scheme="dark", viewport={"width": 390, "height": 844})
    _sign_in(context, signed_in(), live_server.url)
    return context


@pytest.fixture
def addresses(live_server: LiveServer, tmp_path: Path, settings: Settings) -> dict[str, str]:
    """Of a page with each kind of picture."""
    settings.STORAGES = storages_in(tmp_path / "storage")
    study = measured_study(tmp_path)
    report, batch = report_of(study), stored_study(8)
    end = timezone.now()
    Assignment.objects.update(accepted_at=end - timedelta(minutes=1), submitted_at=end)
    # A single bar would be no picture.
    early = Assignment.objects.filter(hit__batch=batch).order_by("pk")[:1]
    Assignment.objects.filter(pk__in=early).update(submitted_at=end - timedelta(hours=1))
    paths = {
        "report": reverse("study-report", args=[study.pk, report.pk]),
        "comparison": reverse("study-report-compare", args=[study.pk]),
        "pool": reverse("pool-detail", args=[study.pools.get().pool_id]),
        "workers": reverse("batch-workers", args=[batch.pk]),
        "votes": reverse("batch-detail", args=[batch.pk]),
    }
    return {name: live_server.url + path for name, path in paths.items()}


def saved(page: Page, folder: Path) -> Iterator[Path]:
    """The files of all pictures of a page."""
    for button in page.get_by_role("button", name=re.compile("^Save as SVG")).all():
        with page.expect_download() as download:
            button.click()
        path = folder / download.value.suggested_filename
        download.value.save_as(path)
        yield path


def test_every_picture_is_saved_as_a_file_that_stands_alone(
    addresses: dict[str, str], context: BrowserContext, tmp_path: Path
) -> None:
    for name, address in addresses.items():
        page = context.new_page()
        page.goto(address)
        page.evaluate("document.querySelectorAll('details').forEach(part => { part.open = true })")
        n_pictures = page.locator("svg:is([role=group], [role=img])").count()
        files = list(saved(page, tmp_path))
        assert len(files) == n_pictures > 0, name
        for file in files:
            assert_stands_alone(file)
            picture = context.new_page()
            picture.goto(file.as_uri())
            expect(picture.locator("svg")).to_be_visible()
            picture.close()


def assert_stands_alone(file: Path) -> None:
    text = file.read_text()
    picture = fromstring(text)
    assert picture[0].text, file
    drawn = [one for one in picture.iter() if one.tag in DRAWN]
    assert drawn
    assert all({"fill", "stroke"} <= set(one.attrib) for one in drawn), file
    assert not re.search(r"class=|href=|var\(|light-dark|color\(|style=", text), file
    # Words are dark: the scheme is light.
    for one in drawn:
        if one.tag.endswith("text"):
            assert sum(map(int, re.findall(r"\d+", one.attrib["fill"]))) < 3 * 0x80, file


def test_a_picture_is_printed_with_its_marks_in_light_colours(
    addresses: dict[str, str], context: BrowserContext
) -> None:
    page = context.new_page()
    page.goto(addresses["votes"])
    streams = re.findall(rb"stream\r?\n(.*?)endstream", page.pdf(), re.DOTALL)
    drawn = b" ".join(map(_unpacked, streams))
    colours = re.findall(rb"([\d.]+) ([\d.]+) ([\d.]+) rg\b", drawn)
    assert FIRST in {tuple(round(255 * float(part)) for part in colour) for colour in colours}


def _unpacked(stream: bytes) -> bytes:
    try:
        return zlib.decompress(stream)
    except zlib.error:
        return b""
