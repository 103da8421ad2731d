"""What annotators typed before their session ended is back in its form, by whatever way they come.

What is too long for a cookie, or of somebody who comes back as another, is shown to be copied.
"""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
from django.test import Client
from django.urls import clear_url_caches
from pytest_django import Settings

from mturk_local.lifecycle.channels import channel_token
from mturk_local.models import Channel, Inquiry, QualificationRequest, Requester, Worker
from tests.mturk_local.conftest import Annotator, Guest, make_hit
from tests.mturk_local.test_channels import COMING, invited, panel
from tests.mturk_local.test_qualifications import TEST, make_type, press

if TYPE_CHECKING:
    from mypy_boto3_mturk import MTurkClient

pytestmark = pytest.mark.django_db(transaction=True, databases=["crowd"])
People = Callable[[str], Annotator]
TYPED = 'What does <b> mean, & "so"?'
COOKIE, TOKEN = "annotator", "csrftoken"


def drop(guest: Guest, *names: str) -> None:
    jar = guest.browser.session.cookies
    for cookie in [one for one in jar if one.name in names]:
        jar.clear(cookie.domain, cookie.path, cookie.name)


def typing(guest: Guest, **typed: str) -> None:
    guest.browser.select_form("main form")
    for name, value in typed.items():
        guest.browser[name] = value


def writing(guest: Guest, text: str = TYPED) -> None:
    """Type a message about the task in hand, and do not send it yet."""
    guest.browser.open_relative(guest.browser.page.select_one("a[href$='/write/']")["href"])
    typing(guest, text=text)


def shown(guest: Guest, selector: str = "main textarea[name=text]") -> str:
    [found] = guest.browser.page.select(selector)
    return str(found.get_text()).removeprefix("\n")


def offering(hit_id: str, mturk: "MTurkClient") -> str:
    """A link with places for the HIT's group."""
    channel = Channel.objects.create(
        requester=Requester.objects.get(),
        kind="link",
        created_at=datetime.now(UTC),
        hit_group_id=mturk.get_hit(HITId=hit_id)["HIT"]["HITGroupId"],
        places=5,
        expires_at=datetime.now(UTC) + timedelta(days=1),
    )
    return f"join/link/{channel_token(channel)}/"


@pytest.mark.parametrize("ended", ["here", "everywhere"])
@pytest.mark.parametrize("by", ["panel", "invitation"])
def test_a_message_is_back_in_its_form_after_the_same_link(
    crowd: str, mturk: "MTurkClient", by: str, ended: str
) -> None:
    hit_id = make_hit(mturk)
    panel()
    guest, way = (Guest(crowd), COMING) if by == "panel" else invited(crowd)
    guest.text(way)
    guest.accept(hit_id)
    writing(guest)
    if ended == "here":
        drop(guest, COOKIE)
    Worker.objects.update(session=99)
    reply = guest.browser.submit_selected()
    assert reply.status_code == 403
    assert shown(guest, "textarea[readonly]") == TYPED
    assert "it is back in its form" in reply.text
    guest.text(way)
    assert guest.browser.url.endswith("/write/")
    assert shown(guest) == TYPED
    assert not Inquiry.objects.exists()
    # Shown once: after it was sent its page is empty.
    typing(guest)
    guest.browser.submit_selected()
    assert [one.text for one in Inquiry.objects.all()] == [TYPED]
    assert shown(guest) == ""


def test_without_the_cookie_of_the_form_one_goes_back_to_it(
    crowd: str, mturk: "MTurkClient"
) -> None:
    hit_id = make_hit(mturk)
    guest = Guest(crowd)
    guest.text(offering(hit_id, mturk))
    press(guest, "main form")
    guest.accept(hit_id)
    writing(guest)
    drop(guest, TOKEN)
    assert guest.browser.submit_selected().status_code == 403
    assert shown(guest, "textarea[readonly]") == TYPED
    guest.browser.follow_link(link_text="Back to the page")
    assert shown(guest) == TYPED


def test_who_comes_back_as_another_is_led_to_work_and_what_was_typed_stays_to_be_copied(
    crowd: str, mturk: "MTurkClient"
) -> None:
    """A link knows a device by its session alone: without it somebody new comes in."""
    hit_id = make_hit(mturk, MaxAssignments=2)
    guest, way = Guest(crowd), offering(hit_id, mturk)
    guest.text(way)
    press(guest, "main form")
    guest.accept(hit_id)
    writing(guest)
    drop(guest, COOKIE)
    guest.browser.submit_selected()
    assert shown(guest, "textarea[readonly]") == TYPED
    guest.text(way)
    press(guest, "main form")
    assert Worker.objects.count() == 2
    assert guest.browser.get(guest.browser.url).status_code == 200
    assert TYPED not in guest.browser.page.get_text()


def test_nobody_else_at_the_same_browser_gets_it(
    crowd: str, mturk: "MTurkClient", annotator: People
) -> None:
    hit_id = make_hit(mturk)
    ada = annotator("ada")
    ada.accept(hit_id)
    page = f"{ada.browser.url}write/"
    writing(ada)
    Worker.objects.update(session=99)
    ada.browser.submit_selected()
    guest, way = invited(crowd)
    guest.browser = ada.browser
    assert TYPED not in guest.text(way)
    assert guest.browser.get(page).status_code == 404


def test_signing_out_leaves_nothing_typed_in_the_browser(
    crowd: str, mturk: "MTurkClient", annotator: People
) -> None:
    ada = annotator("ada")
    ada.accept(make_hit(mturk))
    writing(ada)
    drop(ada, TOKEN)
    ada.browser.submit_selected()
    assert "annotator-form" in ada.browser.session.cookies
    press(ada, "form[action$='/sign-out/']")
    assert "annotator-form" not in ada.browser.session.cookies


def test_answers_of_a_test_are_back_whatever_their_questions_are_called(
    crowd: str, mturk: "MTurkClient"
) -> None:
    """A question may have the name of a field that others never keep."""
    test = TEST.replace("Identifier>why", "Identifier>code")
    type_id = make_type(mturk, Test=test, TestDurationInSeconds=600)
    panel()
    guest = Guest(crowd)
    guest.text(COMING)
    guest.browser.open(f"{guest.site}qualifications/{type_id}/")
    press(guest, 'form[action$="/ask/"]')
    typing(guest, sum="three", code="because")
    drop(guest, COOKIE)
    guest.browser.submit_selected()
    assert "because" in shown(guest, "textarea[readonly]")
    guest.text(COMING)
    assert guest.browser.page.select_one("[name=code]")["value"] == "because"
    assert [one["value"] for one in guest.browser.page.select("[name=sum][checked]")] == ["three"]
    assert QualificationRequest.objects.get().answer == ""


def test_what_is_too_long_for_a_cookie_is_shown_to_be_copied(
    crowd: str, mturk: "MTurkClient", annotator: People
) -> None:
    ada = annotator("ada")
    ada.accept(make_hit(mturk))
    long = "".join(chr(0x4E00 + number * 7 % 20_000) for number in range(2_000))
    writing(ada, long)
    drop(ada, TOKEN)
    reply: Any = ada.browser.submit_selected()
    assert shown(ada, "textarea[readonly]") == long
    assert "too long to be kept" in reply.text


def test_a_form_that_is_sent_to_no_page_of_annotators_is_refused(
    client: Client, settings: Settings
) -> None:
    settings.ROOT_URLCONF = "mturk_local.urls"
    settings.CSRF_FAILURE_VIEW = "mturk_local.site.faults.not_trusted"
    clear_url_caches()
    client.handler.enforce_csrf_checks = True
    assert client.post("/", {"text": TYPED}).status_code == 403
    assert client.post("/annotate/nowhere/", {"text": TYPED}).status_code in (403, 404)
