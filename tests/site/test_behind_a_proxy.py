"""Forms behind a proxy: a wrong origin is called one, with the settings that mend it."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
import requests
from django.contrib.auth.models import User
from django.core import checks
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from tests.ports import free_port
from tests.project import Project

pytestmark = pytest.mark.django_db(databases=["default", "crowd"])

#: What a browser sends by way of a proxy that ends https, and what one sends that drops the port.
HTTPS = {"host": "fp.example.org", "origin": "https://fp.example.org"}
PORT = {"host": "fp.example.org", "origin": "http://fp.example.org:8443"}


@pytest.fixture(autouse=True)
def named(settings: Settings) -> None:
    settings.OPEN = False
    settings.ALLOWED_HOSTS = ["fp.example.org"]


def sign_in(client: Client, headers: dict[str, str], page: str = "sign-in") -> tuple[int, str]:
    """Load the page and send its form; the status and the text of the answer."""
    address = reverse(page)
    client.get(address, headers={"host": headers["host"]})
    form = {"csrfmiddlewaretoken": client.cookies["csrftoken"].value, "username": "ada"}
    reply = client.post(address, form | {"password": "correct-horse"}, headers=headers)
    return reply.status_code, " ".join(reply.content.decode().split())


@pytest.mark.parametrize("headers", [HTTPS, PORT], ids=["https", "port"])
def test_a_wrong_origin_names_the_address_and_the_settings(headers: dict[str, str]) -> None:
    status, text = sign_in(Client(enforce_csrf_checks=True), headers)
    assert status == 403
    assert headers["origin"] in text
    assert "http://fp.example.org</strong>" in text
    for setting in ("TRUST_PROXY=1", f"CSRF_TRUSTED_ORIGINS={headers['origin']}"):
        assert setting in text


def test_a_wrong_referer_is_one_as_well(settings: Settings) -> None:
    """Some browsers send no origin."""
    settings.TRUST_PROXY = True
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    headers = {"host": "fp.example.org", "x-forwarded-proto": "https"}
    status, text = sign_in(
        Client(enforce_csrf_checks=True), headers | {"referer": "https://fp.example.org:8443/a/?b"}
    )
    assert status == 403
    assert "CSRF_TRUSTED_ORIGINS=https://fp.example.org:8443<" in text


def test_an_annotator_reads_it_too() -> None:
    status, text = sign_in(Client(enforce_csrf_checks=True), HTTPS, "crowd-sign-in")
    assert status == 403
    assert HTTPS["origin"] in text
    assert "not signed in" not in text


def test_the_address_of_somebody_elses_page_is_shown_as_text() -> None:
    headers = {"host": "fp.example.org", "origin": "https://<script>alert(1)</script>"}
    _, text = sign_in(Client(enforce_csrf_checks=True), headers)
    assert "<script>alert" not in text


@pytest.mark.parametrize("page", ["sign-in", "crowd-sign-in"])
@pytest.mark.parametrize("origin", ["null", "", "https://[", "https://", "\xe9", "x" * 3000])
def test_an_origin_that_is_no_address_is_refused_as_well(origin: str, page: str) -> None:
    headers = {"host": "fp.example.org", "origin": origin, "referer": origin}
    assert sign_in(Client(enforce_csrf_checks=True), headers, page)[0] in (403, 302)


@pytest.mark.parametrize("origin", ["null", "https://fp.example.org"])
def test_a_token_that_is_missing_is_no_wrong_origin(settings: Settings, origin: str) -> None:
    settings.CSRF_TRUSTED_ORIGINS = ["https://fp.example.org"]
    client = Client(enforce_csrf_checks=True)
    reply = client.post(reverse("sign-in"), headers={"host": "fp.example.org", "origin": origin})
    assert reply.status_code == 403
    assert b"TRUST_PROXY" not in reply.content


@pytest.mark.parametrize(
    "mended",
    [
        {"CSRF_TRUSTED_ORIGINS": ["https://fp.example.org"]},
        {"TRUST_PROXY": True, "SECURE_PROXY_SSL_HEADER": ("HTTP_X_FORWARDED_PROTO", "https")},
    ],
    ids=lambda mended: next(iter(mended)),
)
def test_what_the_page_says_mends_it(settings: Settings, mended: dict[str, object]) -> None:
    User.objects.create_user("ada", password="correct-horse")
    for name, value in mended.items():
        setattr(settings, name, value)
    status, _ = sign_in(Client(enforce_csrf_checks=True), HTTPS | {"x-forwarded-proto": "https"})
    assert status == 302


@pytest.mark.parametrize(
    ("changed", "warns"),
    [
        ({}, True),
        ({"ALLOWED_HOSTS": ["*"]}, True),
        ({"ALLOWED_HOSTS": [".example.org"]}, True),
        ({"ALLOWED_HOSTS": ["127.0.0.1", "localhost", "[::1]", "web"]}, False),
        ({"TRUST_PROXY": True}, False),
        ({"CSRF_TRUSTED_ORIGINS": ["https://fp.example.org"]}, False),
    ],
    ids=str,
)
def test_check_warns_where_forms_would_be_refused(
    settings: Settings, changed: dict[str, object], warns: bool
) -> None:
    for name, value in changed.items():
        setattr(settings, name, value)
    found = [message for message in checks.run_checks() if message.id == "annotation.W005"]
    assert len(found) == warns
    assert all(re.search("TRUST_PROXY.*CSRF_TRUSTED_ORIGINS", str(one.hint)) for one in found)


@dataclass(frozen=True)
class NamedProject(Project):
    """A site that people reach by another name, with these variables beside its own."""

    variables: Mapping[str, str] = field(default_factory=dict)

    @property
    def environment(self) -> dict[str, str]:
        return super().environment | {
            "ALLOWED_HOSTS": f"{HTTPS['host']},127.0.0.1",
            **self.variables,
        }

    @contextmanager
    def answer(self, **headers: str) -> Iterator[requests.Response]:
        """The answer to the form of the site, started for it."""
        with self.site("--without-worker", "--quiet") as address:
            yield send(f"{address}{reverse('sign-in')}", {"Host": HTTPS["host"], **headers})


def send(address: str, headers: dict[str, str]) -> requests.Response:
    """The answer to the form, as a proxy that ends https passes it on with these headers."""
    page = requests.get(address, headers=headers, timeout=60)
    [token] = re.findall(r'name="csrfmiddlewaretoken" value="(\w+)"', page.text)
    form = {"csrfmiddlewaretoken": token, "username": "ada", "password": "wrong-horse"}
    headers |= {"Origin": HTTPS["origin"], "Cookie": f"csrftoken={page.cookies['csrftoken']}"}
    return requests.post(address, form, headers=headers, allow_redirects=False, timeout=60)


#: What a site that trusts no proxy believes nobody, whether from its own machine or by a socket.
CLAIMS = {
    "X-Forwarded-Proto": "https",
    "X-Forwarded-Protocol": "ssl",
    "X-Forwarded-Ssl": "on",
    "Script-Name": "/elsewhere",
}
#: What the proxy does as well, where the page says so of a setting.
DONE_BY_PROXY = {
    "TRUST_PROXY": {"X-Forwarded-Proto": "https"},
    "CSRF_TRUSTED_ORIGINS": dict[str, str](),
}


@pytest.mark.long
@pytest.mark.timed
def test_each_setting_of_the_page_mends_a_site_that_is_started_with_it(tmp_path: Path) -> None:
    project = NamedProject(data_dir=tmp_path / "var", port=free_port(), is_open=False)
    project.data_dir.mkdir()
    project.prepare()
    with project.answer(**CLAIMS) as refused:
        assert refused.status_code == 403
    settings = re.findall(r"<code>([A-Z_]+)=([^<]+)</code>", refused.text)
    assert [name for name, _ in settings] == list(DONE_BY_PROXY)
    for name, value in settings:
        mended = replace(project, variables={name: value})
        with mended.answer(**DONE_BY_PROXY[name]) as reply:
            assert reply.status_code != 403, name
            assert 'name="password"' in reply.text  # the form again, as the password was wrong
