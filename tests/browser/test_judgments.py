"""Judgments in a real browser: labels of pairs with their qrels, and a report by them."""

from pathlib import Path
from typing import Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.urls import reverse
from playwright.sync_api import expect
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from tests.annotation.test_report_by_judgments import judged_batch, judged_by_model
from tests.annotation.test_report_by_judgments import report_of as judged_report_of
from tests.browser.conftest import NewContext
from tests.measured import measured_study, storages_in


@pytest.mark.long
def test_pages_of_judgments_are_accessible_and_take_qrels(
    live_server: LiveServer,
    transactional_db: None,
    tmp_path: Path,
    settings: Settings,
    new_context: NewContext,
) -> None:
    settings.STORAGES = storages_in(tmp_path / "storage")
    study = measured_study(tmp_path)
    batch = judged_batch(study, "relevance", "0123")
    model = judged_by_model(batch, tmp_path, "2")
    report = judged_report_of(study, judgments=[batch.pk], judges=[model.pk])
    labels = reverse("batch-labels", args=[batch.pk])
    addresses = (
        f"{labels}?layout=qrels-median",
        reverse("study-reports", args=[study.pk]),
        reverse("study-report", args=[study.pk, report.pk]),
    )
    schemes: tuple[Literal["light", "dark"], ...] = ("light", "dark")
    for scheme, width in zip(schemes, (320, 1200), strict=True):
        page = new_context(viewport={"width": width, "height": 900}, color_scheme=scheme).new_page()
        for address in addresses:
            page.goto(live_server.url + address)
            page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true })")
            assert Axe().run(page).response["violations"] == [], address
            assert page.locator("html").evaluate("html => html.scrollWidth") <= width, address
    qrels = tmp_path / "nist.qrels"
    qrels.write_text("q1 0 d1 3\nq9 0 d1 1\n")
    page.goto(live_server.url + labels)
    page.get_by_text("Import qrels").click()
    page.get_by_label("File of judgments").set_input_files(qrels)
    page.get_by_role("button", name="Import").click()
    expect(page.get_by_text("1 grade imported, 15 pairs without one")).to_be_visible()
    expect(page.get_by_text("Decided by imported decision")).to_be_visible()
