"""A form that is sent after its session has ended is there again after signing in, filled in."""

from binascii import unhexlify
from http.cookies import SimpleCookie
from typing import Any
from urllib.parse import urlsplit

import pytest
from bs4 import BeautifulSoup
from django.contrib.auth.models import User
from django.core import signing
from django.test import Client
from django.urls import reverse
from django_otp.oath import totp
from django_otp.plugins.otp_totp.models import TOTPDevice, default_key
from pytest_django import Settings

from annotation.models import AuditEvent, Batch, Label
from annotation.vocabulary import LabelMethod
from config.kept_forms import KeepForms
from mturk_local.models import Inquiry
from mturk_local.site.kept_forms import KEPT, KeptForm
from tests.browserless import Sending, send, sending
from tests.mturk_local.offered import NAME, offered_to, worker_signed_in
from tests.mturk_local.offered import PASSWORD as WORKERS_PASSWORD
from tests.schemed import answered
from tests.study import stored_batch, stored_pool, stored_study

pytestmark = pytest.mark.django_db(databases=["default", "crowd"])
PASSWORD = "a long one, indeed"


@pytest.fixture
def ada(settings: Settings) -> Client:
    """Signed in, in a browser that sends tokens of forms."""
    settings.OPEN = False
    User.objects.create_user("ada", password=PASSWORD, is_staff=True, is_superuser=True)
    User.objects.create_user("eve", password=PASSWORD, is_staff=True, is_superuser=True)
    return signed_in("ada", Client(enforce_csrf_checks=True))


def signed_in(name: str, client: Client) -> Client:
    page = reverse("sign-in")
    typed = {"username": name, "password": PASSWORD}
    assert (
        send(client, sending(client.get(page).content, page, "Sign in", typed)).status_code == 302
    )
    return client


def typed_in(client: Client, page: str, words: str, **typed: str) -> Sending:
    return sending(client.get(page).content, page, words, typed)


def sign_in_there(client: Client, reply: Any, name: str = "ada") -> Any:
    """Sign in on the page that answered the form, and go where that leads."""
    assert reply.status_code == 403
    sent = sending(
        reply.content,
        reply.request["PATH_INFO"],
        "Sign in",
        {"username": name, "password": PASSWORD},
    )
    return send(client, sent, follow=True)


def field(reply: Any, name: str) -> str:
    return field_of(reply, f'main form [name="{name}"]')


def field_of(reply: Any, selector: str) -> str:
    [found] = BeautifulSoup(reply.content, "html.parser").select(selector)
    return str(found.get("value", found.get_text()))


def end(client: Client, how: str) -> None:
    """The session alone, as after its time, or all that the browser knew."""
    if how == "session":
        del client.cookies["sessionid"]
    elif how == "token":
        del client.cookies["csrftoken"]
    else:
        client.cookies = SimpleCookie()


def adjudication(batch: Batch) -> str:
    return f"{reverse('batch-adjudication', args=[batch.pk])}?query=q3"


@pytest.mark.parametrize("how", ["session", "everything"])
def test_one_is_back_in_the_form_with_what_was_typed_and_nothing_was_done(
    ada: Client, how: str
) -> None:
    page = adjudication(stored_study(8))
    sent = typed_in(ada, page, "Decide", category="f", reason='because 5 < 6 & "so"')
    before = (Label.objects.count(), AuditEvent.objects.count())
    end(ada, how)
    back = sign_in_there(ada, send(ada, sent))
    assert back.redirect_chain[-1] == (page, 302)
    assert field(back, "reason") == 'because 5 < 6 & "so"'
    chosen = BeautifulSoup(back.content, "html.parser").select("[name=category][checked]")
    assert [one["value"] for one in chosen] == ["f"]
    assert (Label.objects.count(), AuditEvent.objects.count()) == before
    # It is shown once; then it is gone from the session, too.
    again = sending(back.content, page, "Decide")
    assert field(ada.get(page), "reason") == ""
    send(ada, again)
    assert Label.objects.get(method=LabelMethod.ADJUDICATED).reason == 'because 5 < 6 & "so"'


def test_a_wrong_password_loses_nothing(ada: Client) -> None:
    page = adjudication(stored_study(8))
    sent = typed_in(ada, page, "Decide", category="f", reason="mine")
    end(ada, "session")
    reply = send(ada, sent)
    wrong = sending(reply.content, page, "Sign in", {"username": "ada", "password": "wrong"})
    again = send(ada, wrong)
    right = sending(again.content, page, "Sign in", {"username": "ada", "password": PASSWORD})
    assert field(send(ada, right, follow=True), "reason") == "mine"


def test_without_its_cookie_a_form_is_there_again_too(ada: Client) -> None:
    page = adjudication(stored_study(8))
    sent = typed_in(ada, page, "Decide", category="f", reason="mine")
    end(ada, "token")
    reply = send(ada, sent)
    assert reply.status_code == 403
    link = BeautifulSoup(reply.content, "html.parser").select_one("main a.main")
    assert link is not None
    assert link["href"] == page
    assert field(ada.get(page), "reason") == "mine"
    assert not Label.objects.filter(method=LabelMethod.ADJUDICATED).exists()


@pytest.mark.parametrize("how", ["session", "everything", "signed in already"])
def test_nothing_typed_goes_to_another_account(ada: Client, how: str) -> None:
    page = adjudication(stored_study(8))
    sent = typed_in(ada, page, "Decide", category="f", reason="for my eyes")
    if how == "signed in already":
        end(ada, "session")
        reply = send(signed_in("eve", ada), sent)
        assert b"for my eyes" not in reply.content
    else:
        end(ada, how)
        back = sign_in_there(ada, send(ada, sent), "eve")
        assert b"for my eyes" not in back.content
    assert b"for my eyes" not in ada.get(page).content


@pytest.mark.parametrize("from_", ["http://evil.example/x", "null"])
def test_what_another_site_has_filled_in_is_not_kept(ada: Client, from_: str) -> None:
    batch = stored_study(8)
    sent = typed_in(ada, adjudication(batch), "Decide", category="f", reason="planted")
    del sent.data["csrfmiddlewaretoken"]
    for how in ("token", "session"):
        reply = ada.post(sent.to, sent.data, headers={"Origin": from_})
        assert reply.status_code == 403
        assert b"planted" not in reply.content
        assert KEPT.encode() + b'"' not in reply.content
        end(ada, how)
    assert b"planted" not in signed_in("ada", ada).get(adjudication(batch)).content


@pytest.mark.parametrize("page", ["//evil.example/", "/\\evil.example/"])
def test_signing_in_never_leads_away(ada: Client, page: str) -> None:
    sent = typed_in(ada, adjudication(stored_study(8)), "Decide", category="f", reason="x")
    end(ada, "session")
    reply = ada.post(sent.to, sent.data, headers={"Referer": f"http://testserver{page}"})
    back = sign_in_there(ada, reply)
    assert all(urlsplit(to).netloc in ("", "testserver") for to, _ in back.redirect_chain)
    forged = signing.dumps({"to": "/", "page": "//evil.example/"}, salt="other")
    typed = {"username": "ada", "password": PASSWORD, KEPT: forged}
    client = Client()
    assert client.post(reverse("sign-in"), typed)["Location"] == reverse("study-list")


def test_the_fields_of_a_scheme_that_was_not_saved_are_all_there(ada: Client) -> None:
    batch = stored_batch(stored_pool(4))
    page, act = (reverse(f"batch-{name}", args=[batch.pk]) for name in ("scheme", "scheme-save"))
    more = send(ada, typed_in(ada, page, "Add a question"))
    names = {
        str(one["name"]) for one in BeautifulSoup(more.content, "html.parser").select("[name]")
    }
    [text] = sorted(name for name in names if name.startswith("q1") and name.endswith("text"))[:1]
    # The page that a button shows is at the button's address.
    sent = sending(more.content, act, "Save scheme", {text: "A second question?"})
    end(ada, "session")
    back = sign_in_there(ada, send(ada, sent))
    assert field(back, text) == "A second question?"
    assert batch.scheme_versions.count() == 1


def test_fields_of_a_batch_and_its_choices_come_back(ada: Client) -> None:
    batch = answered(stored_study(4).study)
    page = reverse("batch-new")
    sent = typed_in(
        ada, page, "Create the draft", name="typed", queries="1\tone\n2\ttwo", reward="0.40"
    )
    n = Batch.objects.count()
    end(ada, "everything")
    back = sign_in_there(ada, send(ada, sent))
    assert (field(back, "name"), field(back, "reward")) == ("typed", "0.40")
    assert Batch.objects.count() == n
    assert batch.pk


def test_what_was_typed_waits_for_the_code_too(ada: Client) -> None:
    page = adjudication(stored_study(8))
    sent = typed_in(ada, page, "Decide", category="f", reason="mine")
    key, address = default_key(), reverse("second-factor")
    TOTPDevice.objects.create(user=User.objects.get(username="ada"), key=key, confirmed=True)
    asked = send(ada, sent, follow=True)
    code = f"{totp(unhexlify(key)):06}"
    back = send(ada, sending(asked.content, address, "Sign in", {"code": code}), follow=True)
    assert field(back, "reason") == "mine"
    assert not Label.objects.filter(method=LabelMethod.ADJUDICATED).exists()


@pytest.mark.parametrize("how", ["session", "everything"])
def test_a_message_of_an_annotator_is_there_again(settings: Settings, how: str) -> None:
    settings.OPEN = False
    client = Client(enforce_csrf_checks=True)
    free = Client()
    worker_signed_in(free)
    [page] = [path for path in offered_to(free) if path.endswith("/write/")]
    there = reverse("crowd-sign-in")
    typed = {"username": NAME, "password": WORKERS_PASSWORD}
    send(client, sending(client.get(there).content, there, "Sign in", typed))
    sent = typed_in(client, page, "Send", text="What does <b> mean?")
    if how == "session":
        del client.cookies["annotator"]
    else:
        end(client, how)
    reply = send(client, sent)
    assert reply.status_code == 403
    assert field_of(reply, "textarea[readonly]") == "What does <b> mean?"
    back = send(client, sending(reply.content, page, "Sign in", typed), follow=True)
    assert field(back, "text") == "What does <b> mean?"
    assert not Inquiry.objects.exists()


def test_passwords_and_codes_are_not_kept() -> None:
    assert {"password", "new_password1", "code", "response", "agreed"} <= KeepForms.secrets


def test_what_is_kept_is_over_after_a_while(ada: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    page = adjudication(stored_study(8))
    sent = typed_in(ada, page, "Decide", category="f", reason="mine")
    end(ada, "session")
    reply = send(ada, sent)
    monkeypatch.setattr("mturk_local.site.kept_forms.LIFETIME", -1)
    assert b"mine" not in sign_in_there(ada, reply).content
    assert KeptForm("", "", [], False, "").token
