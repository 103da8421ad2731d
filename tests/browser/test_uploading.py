"""Files of a study in a real browser: one after another, some left out, or several in a zip."""

from pathlib import Path

import pytest
from django.urls import reverse
from playwright.sync_api import Route, expect
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from annotation.models import Study
from annotation.studies.queries.files_looked_at import BEGINNING
from tests.annotation.studies.material import a_run, collection, queries
from tests.annotation.studies.test_zips import zipped
from tests.browser.conftest import NewContext
from tests.measured import storages_in


@pytest.fixture
def study(transactional_db: None, settings: Settings, tmp_path: Path) -> Study:
    """A study without files."""
    settings.STORAGES = storages_in(tmp_path / "storage")
    return Study.objects.create(name="files")


@pytest.mark.long
def test_files_are_chosen_one_after_another_and_what_is_left_out_is_said(
    live_server: LiveServer,
    study: Study,
    new_context: NewContext,
    tmp_path: Path,
) -> None:
    (tmp_path / "queries.tsv").write_text("q1\twhat is rain\n")
    (tmp_path / "a.run").write_text("q1 Q0 d1 1 9 a\n")
    page = new_context().new_page()
    page.goto(live_server.url + reverse("study-detail", args=[study.pk]))

    for name in ("queries.tsv", "a.run"):
        page.locator("input[type=file]").set_input_files(tmp_path / name)
        expect(page.get_by_label(f"{name} holds")).to_be_visible()
    page.get_by_label("queries.tsv holds").select_option("")
    page.get_by_role("button", name="Store 2 files").click()
    expect(page.get_by_role("row", name="queries.tsv")).to_contain_text("left out, not stored")
    expect(page.get_by_role("status").filter(has_text="1 stored, 1 left out.")).to_be_visible()
    assert list(study.files.values_list("name", flat=True)) == ["a"]

    page.get_by_role("link", name="Show the study's files").click()
    expect(page.get_by_role("row", name="a Run 1")).to_be_visible()


@pytest.mark.long
def test_files_that_were_chosen_before_the_script_arrived_are_looked_at(
    live_server: LiveServer,
    study: Study,
    new_context: NewContext,
    tmp_path: Path,
) -> None:
    (tmp_path / "queries.tsv").write_text("q1\twhat is rain\n")
    page = new_context().new_page()
    scripts: list[Route] = []
    page.route("**/uploads*.js", lambda script: scripts.insert(0, script))
    with page.expect_request("**/uploads*.js"):
        page.goto(live_server.url + reverse("study-detail", args=[study.pk]), wait_until="commit")
    page.locator("input[type=file]").set_input_files(tmp_path / "queries.tsv")
    scripts[0].continue_()
    expect(page.get_by_label("queries.tsv holds")).to_have_value("queries")


@pytest.mark.long
def test_a_zip_says_what_is_in_it_and_each_of_its_files_is_stored(
    live_server: LiveServer,
    study: Study,
    new_context: NewContext,
    tmp_path: Path,
) -> None:
    files = {"dl/c.tsv": collection(100_000), "dl/q.tsv": queries(), "dl/A.run": a_run(0)}
    (tmp_path / "dl.zip").write_bytes(zipped(files | {"dl/.DS_Store": b"\0", "dl/note.md": b"# x"}))
    assert (tmp_path / "dl.zip").stat().st_size > BEGINNING
    page = new_context().new_page()
    page.goto(live_server.url + reverse("study-detail", args=[study.pk]))
    page.locator("input[type=file]").set_input_files(tmp_path / "dl.zip")
    expect(page.get_by_label("dl.zip holds")).to_have_value("auto")
    expect(page.get_by_role("row", name="dl.zip")).to_contain_text("a zip with A.run, c.tsv")
    with page.expect_navigation():
        page.get_by_role("button", name="Store 1 file").click()
    expect(page.get_by_text("note.md: its type is not recognised")).to_be_visible()
    assert set(study.files.values_list("name", flat=True)) == {"A", "c.tsv", "q.tsv"}
