"""The language of the annotators' pages: the browser's, the task's, or the one that they chose."""

from typing import TYPE_CHECKING

import pytest

from tests.mturk_local.conftest import Guest, make_hit
from tests.mturk_local.test_channels import invited

if TYPE_CHECKING:
    from mypy_boto3_mturk import MTurkClient

pytestmark = pytest.mark.django_db(transaction=True, databases=["crowd"])


def choose(guest: Guest, language: str) -> None:
    """Press the button of the language at the foot of the open page."""
    form = guest.browser.select_form('form[action$="/language/"]')
    form.choose_submit(form.form.select_one(f"[value={language}]"))
    guest.browser.submit_selected()


def spoken(guest: Guest) -> str:
    return str(guest.browser.page.html["lang"])


def test_a_chosen_language_holds_on_every_page_also_about_a_task_in_another(
    crowd: str, mturk: "MTurkClient"
) -> None:
    hit_id = make_hit(mturk)  # its page is in English
    guest, way = invited(crowd)
    guest.browser.session.headers["Accept-Language"] = "fr, de"
    guest.text("sign-in/")
    assert spoken(guest) == "de"
    choose(guest, "en")
    assert guest.browser.url == f"{guest.site}sign-in/"
    assert spoken(guest) == "en"
    chosen = guest.browser.page.select("[aria-current]")
    assert [one["lang"] for one in chosen] == ["en"]
    guest.text(way)
    choose(guest, "de")
    guest.text(f"hits/{hit_id}/")
    assert spoken(guest) == "de"
    assert guest.browser.page.find("button", string="Annehmen")


def test_without_a_choice_pages_about_a_task_have_its_language(
    crowd: str, mturk: "MTurkClient"
) -> None:
    hit_id = make_hit(mturk)
    guest, way = invited(crowd)
    guest.browser.session.headers["Accept-Language"] = "de"
    guest.text(way)
    assert spoken(guest) == "de"
    guest.text(f"hits/{hit_id}/")
    assert spoken(guest) == "en"
