"""Where a page is missing or a session has ended, annotators read pages of theirs."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from mturk_local.models import Assignment
from tests.mturk_local.conftest import Annotator, make_hit

if TYPE_CHECKING:
    from mypy_boto3_mturk import MTurkClient

pytestmark = pytest.mark.django_db(transaction=True, databases=["crowd"])
People = Callable[[str], Annotator]


@pytest.mark.parametrize("path", ["nothing/here/", "assignments/3NONE/submitted/"])
def test_a_missing_page_is_the_annotators(annotator: People, path: str) -> None:
    ada = annotator("ada")
    ada.browser.session.headers["Accept-Language"] = "de"
    reply = ada.browser.open(ada.site + path)
    assert reply.status_code == 404
    assert ada.browser.page.h1.text == "Diese Seite gibt es nicht"
    assert ada.browser.page.select_one("main a")["href"] == "/annotate/"


def test_whose_session_ended_in_mid_task_reads_that_the_answer_is_stored(
    mturk: "MTurkClient", annotator: People
) -> None:
    hit_id = make_hit(mturk)
    ada = annotator("ada")
    ada.accept(hit_id)
    task = ada.browser.url
    form = ada.browser.select_form("#next")
    ada.answer(label="cat")
    ada.browser.session.cookies.set("annotator", None)

    reply = ada.browser.submit(form, task)
    assert reply.status_code == 403
    assert "You are not signed in any more" in reply.text
    assert "Your answer to this task is stored." in reply.text
    assert Assignment.objects.get().state == "Submitted"


def test_without_any_cookie_the_page_is_still_the_annotators(
    mturk: "MTurkClient", annotator: People
) -> None:
    hit_id = make_hit(mturk)
    ada = annotator("ada")
    ada.accept(hit_id)
    task = ada.browser.url
    form = ada.browser.select_form("#next")
    ada.browser.session.cookies.clear()

    reply = ada.browser.submit(form, task)
    assert reply.status_code == 403
    assert "You are not signed in any more" in reply.text
    assert "is stored" not in reply.text
    assert ada.browser.page is not None
    assert "sign-in/" in reply.text


def test_a_page_that_was_open_for_too_long_says_so(mturk: "MTurkClient", annotator: People) -> None:
    hit_id = make_hit(mturk)
    ada = annotator("ada")
    ada.accept(hit_id)
    task = ada.browser.url
    form = ada.browser.select_form("#next")
    form.set("csrfmiddlewaretoken", "x" * 64)

    reply = ada.browser.submit(form, task)
    assert reply.status_code == 403
    assert "This page had been open for too long." in reply.text
