"""Three channels for annotators: an account, an invite link, an external panel."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
import requests
from django.db import IntegrityError
from pytest_django import Settings

from mturk_local.lifecycle.channels import channel_token
from mturk_local.lifecycle.visits import invite_create, invite_revoke, invite_token
from mturk_local.models import (
    Assignment,
    Channel,
    EntryChannel,
    Panel,
    Requester,
    SignInFailures,
    Worker,
)
from mturk_local.workers import worker_create
from tests.mturk_local.conftest import Annotator, Guest, assignments, make_hit

if TYPE_CHECKING:
    from mypy_boto3_mturk import MTurkClient

pytestmark = pytest.mark.django_db(transaction=True, databases=["crowd"])
People = Callable[[str], Annotator]


def invited(crowd: str, person: str = "", days: int = 1) -> tuple[Guest, str]:
    """A guest who has not yet come in, and the way in."""
    invite = invite_create(
        note="Anna", person=person, lasts=timedelta(days=days), now=datetime.now(UTC)
    )
    return Guest(crowd), f"join/invited/{invite_token(invite)}/"


def panel(**other: object) -> Panel:
    values: dict[str, object] = {
        "slug": "gender",
        "provider": "prolific",
        "completion_code": "DONE-1",
        "completion_url": "https://panel.example/complete?cc=DONE-1",
        "screen_out_code": "OUT-1",
        **other,
    }
    return Panel.objects.create(**values)


COMING = "panel/gender/?PROLIFIC_PID=p1&STUDY_ID=s1&SESSION_ID=x1"


def test_nobody_works_without_coming_in_by_a_door(crowd: str, mturk: "MTurkClient") -> None:
    hit_id = make_hit(mturk)

    assert "Sign in" in Guest(crowd).text(f"hits/{hit_id}/")


def test_a_wrong_password_opens_nothing(crowd: str, annotator: People) -> None:
    annotator("ada")
    guest = Guest(crowd)
    guest.browser.open(f"{guest.site}sign-in/")
    guest.browser.select_form("form.fields")
    guest.browser["username"], guest.browser["password"] = "ada", "wrong"
    reply = guest.browser.submit_selected()

    assert reply.status_code == 403
    assert "Sign in" in guest.text()


def test_passwords_cannot_be_tried_out(crowd: str, annotator: People) -> None:
    annotator("ada")
    guest = Guest(crowd)
    for password in ["wrong"] * 10 + ["correct horse"]:
        guest.browser.open(f"{guest.site}sign-in/")
        guest.browser.select_form("form.fields")
        guest.browser["username"], guest.browser["password"] = "ada", password
        guest.browser.submit_selected()

    assert "Sign in" in guest.text()
    Worker.objects.update(last_failed_at=datetime.now(UTC) - timedelta(minutes=16))
    guest.browser.select_form("form.fields")
    guest.browser["username"], guest.browser["password"] = "ada", "correct horse"
    guest.browser.submit_selected()
    assert "Sign in" not in guest.text()


def test_one_password_cannot_be_tried_on_many_names(crowd: str, annotator: People) -> None:
    annotator("ada")
    guest = Guest(crowd)

    def attempt(name: str, password: str) -> int:
        guest.browser.open(f"{guest.site}sign-in/")
        guest.browser.select_form("form.fields")
        guest.browser["username"], guest.browser["password"] = name, password
        return int(guest.browser.submit_selected().status_code)

    assert {attempt(f"name{number}", "correct horse") for number in range(50)} == {403}
    assert attempt("ada", "correct horse") == 429
    SignInFailures.objects.update(started_at=datetime.now(UTC) - timedelta(minutes=16))
    assert attempt("ada", "correct horse") == 200
    assert attempt("name1", "correct horse") == 403
    assert SignInFailures.objects.get().count == 1


def test_an_invite_link_lets_one_person_in_without_an_account(
    crowd: str, mturk: "MTurkClient"
) -> None:
    hit_id = make_hit(mturk)
    guest, way = invited(crowd)
    guest.text(way)
    guest.accept(hit_id)
    guest.answer(label="cat")

    (assignment,) = assignments(mturk, hit_id)
    assert assignment["WorkerId"] == Worker.objects.get(entry_channel=EntryChannel.INVITE).worker_id


def test_a_revoked_invite_closes_also_behind_who_is_in(crowd: str, mturk: "MTurkClient") -> None:
    make_hit(mturk)
    guest, way = invited(crowd)
    assert "Label queries" in guest.text(way)
    invite_revoke(
        invite=Worker.objects.get(entry_channel=EntryChannel.INVITE).invite, now=datetime.now(UTC)
    )

    assert "Sign in" in guest.text()
    assert "not valid any more" in guest.text(way)


def test_an_expired_or_forged_invite_is_refused(crowd: str) -> None:
    guest, way = invited(crowd, days=-1)

    assert "not valid any more" in guest.text(way)
    assert "not valid any more" in guest.text("join/invited/3ABC:forged/")


def test_a_participant_gets_the_completion_code_at_the_end(
    crowd: str, mturk: "MTurkClient"
) -> None:
    hit_id = make_hit(mturk)
    panel()
    guest = Guest(crowd)
    assert "1 task to do" in guest.text(COMING)
    guest.accept(hit_id)
    guest.answer(label="cat")
    said = guest.text("visits/")

    assert "DONE-1" in said
    assert guest.browser.page.select_one('a[href="https://panel.example/complete?cc=DONE-1"]')
    assert "DONE-1" in guest.text(COMING)


def test_a_participant_without_anything_to_do_is_screened_out(crowd: str) -> None:
    panel()

    assert "OUT-1" in Guest(crowd).text(COMING)


def test_a_link_without_a_participant_is_refused(crowd: str) -> None:
    panel()

    assert "incomplete" in Guest(crowd).text("panel/gender/?STUDY_ID=s1")
    assert "incomplete" in Guest(crowd).text("panel/gender/?PROLIFIC_PID=%00")


def test_one_person_has_one_assignment_per_hit_through_two_doors(
    crowd: str, mturk: "MTurkClient"
) -> None:
    hit_id = make_hit(mturk, MaxAssignments=3)
    panel()
    participant, (guest, way) = Guest(crowd), invited(crowd, person="prolific:p1")
    participant.text(COMING)
    participant.accept(hit_id)
    participant.answer(label="cat")
    guest.text(way)

    assert "cannot be done by you" in guest.text(f"hits/{hit_id}/")
    assert Assignment.objects.count() == 1


def test_a_participant_is_one_worker_in_all_studies_of_a_provider(
    crowd: str, mturk: "MTurkClient"
) -> None:
    make_hit(mturk)
    panel()
    panel(slug="second")
    Guest(crowd).text(COMING)
    Guest(crowd).text("panel/second/?PROLIFIC_PID=p1&STUDY_ID=s2&SESSION_ID=x2")

    assert Worker.objects.filter(entry_channel=EntryChannel.PANEL).count() == 1


def test_a_link_says_who_asks_for_what_before_a_place_is_taken(
    crowd: str, mturk: "MTurkClient"
) -> None:
    hit_type = mturk.get_hit(HITId=make_hit(mturk, Reward="0.25"))["HIT"]["HITGroupId"]
    channel = Channel.objects.create(
        requester=Requester.objects.get(name="lab"),
        kind="link",
        reference="b",
        hit_group_id=hit_type,
        places=1,
        created_at=datetime.now(UTC),
    )
    guest = Guest(crowd)
    guest.text(f"join/link/{channel_token(channel)}/")
    asker, purpose, length, pay, stored = (one.text for one in guest.browser.page.select("dd"))
    assert asker == "lab"
    assert "Say which gender a query names." in purpose
    assert "10 minutes" in length
    assert "0.25 USD" in pay
    assert "cookie" in stored
    assert Worker.objects.count() == 0


def test_an_unsigned_link_makes_no_simulated_worker(crowd: str) -> None:
    link = "join/simulated/?key=AKIAX&worker=ASIM1&expires=99999999999&signature=00"

    assert "not valid" in Guest(crowd).text(link)
    assert Worker.objects.count() == 0


def test_the_frame_of_a_task_is_sandboxed_and_has_a_policy(
    mturk: "MTurkClient", annotator: People
) -> None:
    hit_id = make_hit(mturk)
    ada = annotator("ada")
    ada.accept(hit_id)
    frame = ada.browser.page.select_one("iframe")
    ada.open_task()
    # Without any cookie: the address alone says whose task it is.
    reply = requests.get(ada.browser.url, timeout=120)

    assert "allow-same-origin" not in frame["sandbox"]
    policy = reply.headers["Content-Security-Policy"]
    assert "sandbox allow-forms" in policy
    assert f"form-action {ada.site.removesuffix('/annotate/')}" in policy
    assert "X-Frame-Options" not in reply.headers
    assert "workerId=" in ada.browser.url


def test_a_task_origin_of_its_own_shows_tasks_and_nothing_else(
    crowd: str, mturk: "MTurkClient", annotator: People, settings: Settings
) -> None:
    # The live server is one program under two names.
    settings.MTURK_LOCAL_TASK_ORIGIN = crowd.replace("localhost", "127.0.0.1")
    settings.ALLOWED_HOSTS = ["localhost", "127.0.0.1"]
    hit_id = make_hit(mturk)
    ada = annotator("ada")
    ada.accept(hit_id)
    ada.answer(label="cat")

    assert ada.browser.url.startswith(crowd)
    assert len(assignments(mturk, hit_id)) == 1
    other = f"{settings.MTURK_LOCAL_TASK_ORIGIN}/annotate/"
    assert requests.get(other, timeout=120).status_code == 404


def test_an_account_needs_its_own_name() -> None:
    worker_create(entry_channel=EntryChannel.ACCOUNT, username="ada", password="x")
    with pytest.raises(IntegrityError, match="ada"):
        worker_create(entry_channel=EntryChannel.ACCOUNT, username="ada", password="x")
