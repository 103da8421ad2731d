"""Annotators are invited from the page of a batch: links, accounts, panels, and who came."""

import math
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import cast

import html5lib
import pytest
import requests
from bs4 import BeautifulSoup, Tag
from django.contrib.auth.models import User
from django.template.loader import get_template
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from annotation.batches.operations.channels import batch_channels
from annotation.batches.operations.inviting.account import INVITE_ACCOUNT
from annotation.batches.operations.inviting.link import INVITE_LINK
from annotation.batches.operations.inviting.panel import INVITE_PANEL
from annotation.batches.operations.inviting.registry import INVITATIONS
from annotation.batches.operations.publish import publish_batch
from annotation.batches.operations.refresh import REFRESH
from annotation.batches.operations.revoke_channel import REVOKE_CHANNEL
from annotation.batches.pages.inviting import Shown
from annotation.batches.queries.pay import pay_forecast
from annotation.core.parameters import ParametersError
from annotation.crowd.client import KeyPair
from annotation.crowd.connection import people_at_local_crowd
from annotation.crowd.errors import CrowdRefusedError
from annotation.crowd.people import Channel, People
from annotation.models import AuditEvent, Batch
from metrics.errors import InputError
from mturk_local.channels.registry import CHANNEL_KINDS
from mturk_local.keys import key_pair_issue
from mturk_local.models import HIT, Assignment, Worker
from mturk_local.models import Channel as Row
from tests.annotation.publishing.conftest import MakeBatch
from tests.mturk_local.conftest import Guest
from tests.performing import do
from tests.tables import everything

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "crowd"])


Invite = Callable[..., Channel]
SECRET = "a long pass phrase"


@pytest.fixture
def batch(make_batch: MakeBatch) -> Batch:
    """Three HITs of two queries, three answers each, 0.25 USD; published."""
    batch = make_batch()
    publish_batch(batch_id=batch.pk, actor="test")
    batch.refresh_from_db()
    return batch


@pytest.fixture
def link(batch: Batch) -> Callable[..., Channel]:
    return lambda **terms: do(INVITE_LINK, batch, **terms).made


def come(url: str, *, stay: bool = False) -> Guest:
    """Somebody who opens the link and presses Start."""
    guest = Guest(url.partition("/annotate/")[0])
    guest.browser.open(url)
    guest.browser.select_form("main form")
    guest.browser.submit_selected()
    return guest


def answer_one(guest: Guest) -> None:
    """Accept the HIT that is shown and answer it."""
    guest.browser.select_form('form[action$="/accept/"]')
    guest.browser.submit_selected()
    guest.open_task()
    form = guest.browser.select_form("form")
    for name in {one["name"] for one in form.form.select("input[type=radio]")}:
        guest.browser[name] = "n"
    guest.browser.submit_selected()


def test_a_link_leads_to_the_hits_of_the_batch_and_counts_who_came(
    batch: Batch, link: Invite
) -> None:
    url = link(places=5).url
    one, _two, three = come(url), come(url), come(url)
    answer_one(one)
    three.browser.select_form('form[action$="/accept/"]')
    three.browser.submit_selected()
    three.give_back()

    (channel,) = batch_channels(batch)
    assert (channel.taken, channel.n_came, channel.n_started) == (3, 3, 2)
    assert (channel.n_submitted, channel.n_left, channel.n_hits_submitted) == (1, 1, 1)
    assert Assignment.objects.filter(state="Submitted").count() == 1


def test_a_link_shows_the_hits_of_its_own_batch_alone(make_batch: MakeBatch) -> None:
    """Batches on equal terms have one HIT type, so that one group holds the HITs of both."""
    first, second = make_batch(name="first"), make_batch(name="second")
    for batch in (first, second):
        publish_batch(batch_id=batch.pk, actor="test")
        batch.refresh_from_db()
    assert first.hit_type_id == second.hit_type_id
    (group,) = set(HIT.objects.values_list("hit_type__hit_group_id", flat=True))
    guest = come(do(INVITE_LINK, second).made.url)
    for _hit in range(second.hits.count()):
        answer_one(guest)
        guest.text(f"groups/{group}/")
    answered = Assignment.objects.values_list("hit__requester_annotation", flat=True)
    assert {annotation.split(":")[1] for annotation in answered} == {second.uid.hex}
    assert "nothing to do" in guest.text()

    guest.browser.open(do(INVITE_LINK, first).made.url)
    guest.browser.select_form("main form").choose_submit("stay")
    guest.browser.submit_selected()
    answer_one(guest)
    newest = Assignment.objects.latest("pk")
    assert newest.hit.requester_annotation.split(":")[1] == first.uid.hex
    assert Worker.objects.count() == 1


def test_returning_by_the_link_leads_to_the_task_in_hand(link: Invite) -> None:
    url = link(places=5, asked_by="Ada Lovelace, University").url
    assert "Ada Lovelace, University" in requests.get(url, timeout=30).text
    guest = come(url)
    guest.browser.select_form('form[action$="/accept/"]')
    guest.browser.submit_selected()
    held = guest.browser.url
    guest.browser.open(url)
    assert guest.browser.url == held
    assert Assignment.objects.count() == 1


def test_an_invitation_says_the_time_that_pay_was_reckoned_with(batch: Batch, link: Invite) -> None:
    seconds = math.ceil(pay_forecast(batch=batch).seconds_per_query * batch.queries_per_hit)
    url = link(places=1).url
    page = requests.get(url, timeout=30).text
    assert f"About {seconds} seconds for each task." in page
    assert "Up to" not in page
    Row.objects.update(seconds=150)
    assert "About 2 minutes for each task." in requests.get(url, timeout=30).text
    Row.objects.update(seconds=None)  # as channels of version 1.0 are
    assert "Up to 30 minutes for each task." in requests.get(url, timeout=30).text


def test_looking_at_a_link_takes_no_place_and_coming_again_takes_no_second(
    batch: Batch, link: Invite
) -> None:
    url = link(places=1).url
    assert requests.get(url, timeout=30).status_code == 200
    guest = come(url)
    guest.browser.open(url)
    assert "/groups/" in guest.browser.url
    assert Worker.objects.count() == 1
    assert requests.get(url, timeout=30).status_code == 403
    assert batch_channels(batch)[0].taken == 1


def test_whoever_is_in_already_may_stay_the_same_person(batch: Batch, link: Invite) -> None:
    guest = come(link().url)
    guest.browser.open(link().url)
    form = guest.browser.select_form("main form")
    form.choose_submit("stay")
    guest.browser.submit_selected()
    assert Worker.objects.count() == 1
    assert [one.n_came for one in batch_channels(batch)] == [1, 1]


def test_a_revoked_link_lets_nobody_else_in_and_whoever_came_may_finish(
    batch: Batch, link: Invite
) -> None:
    channel = link()
    guest = come(channel.url)
    do(REVOKE_CHANNEL, batch, channel=channel.channel_id)
    assert requests.get(channel.url, timeout=30).status_code == 403
    answer_one(guest)
    (after,) = batch_channels(batch)
    assert not after.is_open
    assert after.revoked_at is not None
    assert after.n_hits_submitted == 1


def test_a_link_ends_on_its_day(link: Invite, batch: Batch) -> None:
    url = link(days=1).url
    assert requests.get(url, timeout=30).status_code == 200
    Row.objects.update(expires_at=datetime.now(UTC) - timedelta(seconds=1))
    assert requests.get(url, timeout=30).status_code == 403
    assert not batch_channels(batch)[0].is_open


def test_a_changed_link_opens_nothing(link: Invite) -> None:
    url = link().url
    for wrong in (f"{url[:-2]}/", url.replace("/link/", "/link/x"), f"{url}x/"):
        assert requests.get(wrong, timeout=30).status_code in {403, 404}


def test_an_account_signs_in_and_is_counted(batch: Batch) -> None:
    url = do(INVITE_ACCOUNT, batch, username="ada", password=SECRET).made.url
    assert batch_channels(batch)[0].n_came == 0
    guest = Guest(url.partition("/annotate/")[0])
    guest.browser.open(url)
    guest.browser.select_form("form.fields")
    guest.browser["username"], guest.browser["password"] = "ada", SECRET
    guest.browser.submit_selected()
    assert batch_channels(batch)[0].n_came == 1
    assert SECRET not in everything() + everything("crowd")


@pytest.mark.parametrize("password", ["short", "12345678901"])
def test_a_weak_password_is_refused_and_makes_nobody(batch: Batch, password: str) -> None:
    with pytest.raises(CrowdRefusedError):
        do(INVITE_ACCOUNT, batch, username="ada", password=password)
    assert not Worker.objects.exists()
    assert batch_channels(batch) == []


@pytest.mark.parametrize("name", ["ada\u202e", "a\u0007da", "a\u200bda", "a\u0085da"])
def test_a_name_with_what_cannot_be_seen_is_refused(batch: Batch, name: str) -> None:
    with pytest.raises((CrowdRefusedError, ParametersError)):
        do(INVITE_ACCOUNT, batch, username=name, password=SECRET)
    assert not Worker.objects.exists()


@pytest.mark.parametrize("name", ["ada", "ADA"])
def test_a_name_that_is_taken_is_refused(batch: Batch, name: str) -> None:
    do(INVITE_ACCOUNT, batch, username="ada", password=SECRET)
    with pytest.raises(CrowdRefusedError) as refused:
        do(INVITE_ACCOUNT, batch, username=name, password=SECRET)
    assert refused.value.code == "NameTaken"


@pytest.mark.long
def test_a_panel_ends_a_visit_with_the_code(batch: Batch) -> None:
    channel = do(INVITE_PANEL, batch, provider="prolific", hits=1, completion_code="C0DE").made
    guest = Guest(channel.url.partition("/annotate/")[0])
    guest.browser.open(f"{channel.url}?PROLIFIC_PID=p1&STUDY_ID=s&SESSION_ID=x")
    guest.browser.follow_link("groups/")
    answer_one(guest)
    assert "C0DE" in guest.text("visits/")
    (after,) = batch_channels(batch)
    assert (after.n_came, after.n_submitted) == (1, 1)
    do(REVOKE_CHANNEL, batch, channel=channel.channel_id)
    assert requests.get(channel.url, params={"PROLIFIC_PID": "p2"}, timeout=30).status_code == 404


def test_a_panel_has_a_code_for_people_without_a_place(batch: Batch) -> None:
    codes = {"completion_code": "C0DE", "no_place_code": "FULL"}
    channel = do(INVITE_PANEL, batch, provider="prolific", hits=1, **codes).made
    HIT.objects.update(open_slots=0)
    guest = Guest(channel.url.partition("/annotate/")[0])
    guest.browser.open(f"{channel.url}?PROLIFIC_PID=p1&STUDY_ID=s&SESSION_ID=x")
    assert guest.browser.page.select_one("[role=group] code").text == "FULL"
    assert guest.browser.page.select_one("a[href$='complete?cc=FULL']")
    with pytest.raises(InputError):
        do(INVITE_PANEL, batch, completion_code="SAME", no_place_code="SAME ")


def test_the_page_says_that_a_panel_did_not_fill_in_its_link(batch: Batch) -> None:
    channel = do(INVITE_PANEL, batch, provider="prolific", hits=1, completion_code="C0DE").made
    unfilled = {"PROLIFIC_PID": "{{%PROLIFIC_PID%}}"}
    assert requests.get(channel.url, params=unfilled, timeout=30).status_code == 400
    do(REFRESH, batch)
    alert = shown(staff(), "batch-invite", batch).select_one(".channel [role=alert]")
    assert alert is not None
    assert "{{%PROLIFIC_PID%}}" in alert.text


def test_requesters_do_not_see_or_close_each_others_channels(
    batch: Batch, link: Invite, settings: Settings
) -> None:
    channel = link()
    pair = key_pair_issue(requester_name="other")
    other = People(
        settings.MTURK_LOCAL_ENDPOINT, KeyPair(pair.access_key_id, pair.secret_access_key)
    )
    assert other.channels(reference=batch.uid.hex, annotation="") == []
    with pytest.raises(CrowdRefusedError):
        other.revoke(channel.channel_id)
    assert batch_channels(batch)[0].is_open


def test_without_a_signature_there_are_no_channels(batch: Batch, settings: Settings) -> None:
    url = f"{settings.MTURK_LOCAL_ENDPOINT}people/"
    header = {"X-Amz-Target": "CrowdPeople.ListChannels"}
    reply = requests.post(url, json={"Reference": batch.uid.hex}, headers=header, timeout=30)
    assert reply.status_code == 400
    wrong = People(settings.MTURK_LOCAL_ENDPOINT, KeyPair("AKIA0", "none"))
    with pytest.raises(InputError):
        wrong.channels(reference=batch.uid.hex, annotation="")


@pytest.mark.parametrize("params", [[], "x", {}, {"Reference": "r", "Places": "x", "ExpiresAt": 0}])
def test_whatever_is_sent_is_refused_in_order(batch: Batch, params: object) -> None:
    people = people_at_local_crowd()
    call = people._call
    for operation in ("CreateLink", "CreateAccount", "CreatePanel", "ListChannels"):
        sent = params if isinstance(params, dict) else {"Reference": params}
        if operation == "ListChannels" and "Reference" in sent:
            continue
        with pytest.raises(CrowdRefusedError):
            call(operation, **sent)


def staff() -> Client:
    client = Client()
    client.force_login(User.objects.create_user("lab", is_staff=True))
    return client


def shown(client: Client, name: str, batch: Batch, **query: str) -> BeautifulSoup:
    """A page of the batch, valid to the parser of the standard."""
    response = client.get(reverse(name, args=[batch.pk], query=query))
    assert response.status_code == 200
    html5lib.HTMLParser(strict=True).parse(response.content)
    return BeautifulSoup(response.content, "lxml")


def _this_machine_only(page: BeautifulSoup) -> list[Tag]:
    """The notices that an address of the tests' server leads nowhere from other machines."""
    notices = page.select("[role=note]")
    return [notice for notice in notices if "MTURK_LOCAL_ENDPOINT" in notice.text]


def test_the_page_makes_each_way_in_and_shows_it(batch: Batch) -> None:
    client = staff()
    assert shown(client, "batch-detail", batch).select_one("form[action$='/invite/link/'] button")
    terms = {
        "link": {"places": "4", "days": "2", "note": "lab"},
        "account": {"username": "ada", "password": SECRET},
        "panel": {"provider": "prolific", "hits": "2", "completion_code": ""},
    }
    for way, sent in terms.items():
        path = reverse(f"batch-invite-{way}", args=[batch.pk])
        reply = client.post(path, {**sent, "then": "batch-invite"})
        assert reply["Location"] == reverse("batch-invite", args=[batch.pk])
    page = shown(client, "batch-invite", batch, fee="40")
    assert len(_this_machine_only(page)) == 1
    panel, account, link = page.select('section[aria-labelledby^="c-"]')
    assert "{{%PROLIFIC_PID%}}" in panel.select("pre")[0].text
    codes = [code.text for code in panel.select("pre")[1:]]
    assert all(re.fullmatch(r"C[0-9A-F]{8}", code) for code in codes)
    assert len(set(codes)) == 2
    # 9 answers, two for each participant at 0.25 USD, and 40 % for the panel.
    assert panel.select("dd strong")[0].text == "3.50 USD"
    assert "/join/link/" in link.select("pre")[0].text
    assert "ada" in account.text
    assert SECRET not in str(page)
    assert len(page.select("tbody tr")) == 3
    actions = set(AuditEvent.objects.filter(batch=batch).values_list("action", flat=True))
    assert {"invitation made", "account made", "panel address made"} <= actions


def test_a_list_of_names_gets_an_account_each(batch: Batch, link: Invite) -> None:
    site = link().url.partition("/annotate/")[0]
    do(INVITE_ACCOUNT, batch, username="ben", password=SECRET)
    path = reverse("batch-invite-accounts", args=[batch.pk])
    client = staff()
    listed = "ada\r\nben\n cem@example.org ;ada, \n"
    reply = client.post(path, {"usernames": listed, "then": "batch-invite"})
    html5lib.HTMLParser(strict=True).parse(reply.content)
    assert "no-store" in reply["Cache-Control"]
    page = BeautifulSoup(reply.content, "lxml")
    made = dict(line.split("\t") for line in page.select("pre")[0].text.splitlines())
    assert list(made) == ["ada", "cem@example.org"]
    assert [name.text for name in page.select("main li bdi")] == ["ben"]
    for name, password in made.items():
        guest = Guest(site)
        guest.browser.open(f"{guest.site}sign-in/")
        guest.browser.select_form("form.fields")
        guest.browser["username"], guest.browser["password"] = name, password
        guest.browser.submit_selected()
        assert guest.browser.url == guest.site
    assert not any(password in everything() + everything("crowd") for password in made.values())


@pytest.mark.parametrize("listed", [" \n,", "\n".join(map(str, range(51)))])
def test_a_list_without_names_or_with_too_many_makes_nothing(batch: Batch, listed: str) -> None:
    path = reverse("batch-invite-accounts", args=[batch.pk])
    assert staff().post(path, {"usernames": listed})["Location"].endswith(f"/{batch.pk}/")
    assert not Worker.objects.exists()


def test_every_way_to_invite_is_one_of_the_crowd_service_with_a_template() -> None:
    assert set(INVITATIONS) <= set(CHANNEL_KINDS)
    for invitation in INVITATIONS.values():
        assert get_template(invitation.template)


def test_the_page_shows_a_channel_of_a_kind_that_it_does_not_know(
    batch: Batch, link: Invite, monkeypatch: pytest.MonkeyPatch
) -> None:
    link()
    monkeypatch.delitem(cast("dict[str, object]", INVITATIONS), "link")
    page = shown(staff(), "batch-invite", batch)
    assert len(page.select('section[aria-labelledby^="c-"]')) == len(page.select("tbody tr")) == 1


def test_a_link_is_revoked_on_the_page(batch: Batch, link: Invite) -> None:
    channel, client = link(), staff()
    client.post(reverse("batch-channel-revoke", args=[batch.pk]), {"channel": channel.channel_id})
    assert not batch_channels(batch)[0].is_open
    assert not shown(client, "batch-invite", batch).select('section[aria-labelledby^="c-"]')


def test_the_page_to_print_has_the_link_as_qr_code(batch: Batch, link: Invite) -> None:
    channel = link()
    page = shown(staff(), "batch-poster", batch, channel=channel.channel_id)
    [poster] = page.select("[aria-labelledby=poster-title]")
    assert channel.url in [line.text for line in poster.select("p")]
    assert [title.text for title in poster.select("svg > title")] == ["QR code"]
    # The tests' server is on this machine.
    assert _this_machine_only(page)


@pytest.mark.parametrize(
    ("site", "is_local"),
    [
        ("http://127.0.0.1:8000", True),
        ("http://localhost:8000", True),
        ("http://[::1]:8000", True),
        ("https://annotate.example.org", False),
        ("http://192.168.1.20:8000", False),
    ],
)
def test_an_address_that_only_this_machine_reaches_says_so(
    link: Invite, site: str, is_local: bool
) -> None:
    channel = replace(link(), url=f"{site}/annotate/join/link/x/")
    assert Shown(channel, INVITE_LINK, "", channel.url, {}).is_local is is_local
