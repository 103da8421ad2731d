"""A forgotten password: a mail with a link, and nothing that tells who has an account."""

import re
import threading
from collections.abc import Sequence

import pytest
import requests
from bs4 import BeautifulSoup
from django.contrib.auth.models import User
from django.contrib.messages import get_messages
from django.core import mail
from django.core.mail import EmailMessage
from django.core.mail.backends.base import BaseEmailBackend
from django.test import Client
from django.urls import reverse
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

pytestmark = pytest.mark.django_db

PASSWORD = "a long one, with words"
OTHER = "another long one, with words"
ADDRESS = "ada@example.org"


@pytest.fixture(autouse=True)
def _mail(settings: Settings) -> None:
    settings.OPEN, settings.EMAIL_HOST = False, "127.0.0.1"
    settings.SITE_ADDRESS = "https://fairpool.example.org"


@pytest.fixture
def ada() -> User:
    return User.objects.create_user("ada", ADDRESS, PASSWORD)


def link_sent() -> str:
    """The path of the link in the latest mail."""
    found = re.search(r"https://fairpool\.example\.org(\S+)", str(mail.outbox[-1].body))
    assert found
    return found[1]


def ask(client: Client, address: str = ADDRESS) -> int:
    return client.post(reverse("forgotten"), {"email": address}).status_code


def test_the_link_of_the_mail_sets_a_password_once(ada: User, client: Client) -> None:
    page = client.get(reverse("sign-in")).content.decode()
    assert f'href="{reverse("forgotten")}"' in page
    ask(client)
    [sent] = mail.outbox
    assert sent.recipients() == [ADDRESS]
    assert '"ada"' in sent.body
    link = link_sent()
    form = client.get(link, follow=True)
    typed = {"new_password1": OTHER, "new_password2": OTHER}
    done = client.post(form.redirect_chain[-1][0], typed, follow=True)
    assert "Your password is changed. Sign in with it." in done.content.decode()
    ada.refresh_from_db()
    assert not ada.check_password(PASSWORD)
    assert Client().get(link, follow=True).status_code == 404
    sent_in = {"username": "ada", "password": OTHER}
    assert client.post(reverse("sign-in"), sent_in).status_code == 302


def test_an_address_of_nobody_is_answered_like_that_of_an_account(ada: User) -> None:
    answers = []
    for address in (ADDRESS, "eve@example.org"):
        response = Client().post(reverse("forgotten"), {"email": address})
        words = [str(message) for message in get_messages(response.wsgi_request)]
        answers.append((response.status_code, response["Location"], words))
    assert answers[0] == answers[1]
    assert len(mail.outbox) == 1


class Slow(BaseEmailBackend):
    """Takes a mail when a test lets it."""

    may_go, gone = threading.Event(), threading.Event()

    def send_messages(self, messages: Sequence[EmailMessage]) -> int:
        self.may_go.wait(60)
        self.gone.set()
        return len(messages)


@pytest.mark.django_db(transaction=True, databases=["default", "crowd"])
def test_the_answer_does_not_wait_for_the_mail_server(
    ada: User, live_server: LiveServer, settings: Settings
) -> None:
    settings.EMAIL_BACKEND = f"{__name__}.Slow"
    browser, address = requests.Session(), live_server.url + reverse("forgotten")
    page = BeautifulSoup(browser.get(address, timeout=30).text, "html.parser")
    token = str(page.select_one("[name=csrfmiddlewaretoken]")["value"])  # type: ignore[index]
    sent = {"email": ADDRESS, "csrfmiddlewaretoken": token}
    answer = browser.post(address, sent, allow_redirects=False, timeout=30)
    assert answer.status_code == 302
    assert not Slow.gone.is_set()
    Slow.may_go.set()
    assert Slow.gone.wait(60)


def test_requests_count_as_guesses_do(ada: User, settings: Settings) -> None:
    settings.AXES_FAILURE_LIMIT = 4
    client = Client(REMOTE_ADDR="203.0.113.7")
    assert [ask(client, f"eve{n}@example.org") for n in range(6)] == [302] * 3 + [429] * 3
    # Whoever is at another address is not kept waiting, and an account gets no heap of mails.
    others = [Client(REMOTE_ADDR=f"192.0.2.{n}") for n in range(5)]
    assert [ask(other) for other in others] == [302] * 5
    assert len(mail.outbox) == 3


def test_links_that_are_none_count_as_guesses_do(settings: Settings) -> None:
    settings.AXES_FAILURE_LIMIT = 3
    client = Client()
    links = [reverse("new-password", args=["MQ", f"d{n}-0f"]) for n in range(5)]
    assert [client.get(link).status_code for link in links] == [404, 404, 429, 429, 429]


def test_without_a_mail_server_the_page_says_whom_to_ask(
    ada: User, client: Client, settings: Settings
) -> None:
    settings.EMAIL_HOST = ""
    page = client.get(reverse("forgotten")).content.decode()
    assert "Ask the person who runs it for a new password" in page
    assert "changepassword NAME" in page
    assert "<form class" not in page
    ask(client)
    assert not mail.outbox


def test_an_account_that_is_closed_gets_no_mail(ada: User, client: Client) -> None:
    User.objects.update(is_active=False)
    ask(client)
    assert not mail.outbox
