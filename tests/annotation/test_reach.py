"""How the site is reached and by whom: nobody is in without signing in, whatever a header says."""

import stat
import subprocess
import sys
from collections.abc import Iterator
from datetime import timedelta
from http.client import responses
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from wsgiref.util import setup_testing_defaults

import pytest
from django.contrib.auth.models import User
from django.core import signals
from django.db import close_old_connections
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from annotation import checks
from annotation.accounts.operations.owner_links import (
    CREATE_OWNER_LINK,
    DeadLinkError,
    create_owner_link,
    owner_link_use,
)
from annotation.core.operations import Actor, NotPermittedError
from annotation.core.perform import perform_here
from annotation.management.owner_link import site_note
from annotation.models import SignInLink, Study
from annotation.reach import check_bind
from config.wsgi import application
from metrics.errors import InputError
from tests.commands import failure, run, run_json
from tests.ports import free_port
from tests.project import ROOT, Project
from tests.site.every_page import empty_pages, signed_in, strangers_pages
from tests.site.workers.profiles import Embedded, wait_until
from tests.study import stored_study

pytestmark = pytest.mark.django_db(databases=["default", "crowd"])

PASSWORD = "a long one for a person"
STRANGER = "203.0.113.9"
#: How an address of this machine is claimed: by the name asked for, or by what a proxy writes.
CLAIMS: list[dict[str, str]] = [
    {"HTTP_HOST": "127.0.0.1"},
    {"HTTP_HOST": "localhost:8000"},
    {"HTTP_HOST": "[::1]"},
    {"HTTP_HOST": "127.0.0.1", "HTTP_X_FORWARDED_FOR": "127.0.0.1"},
    {"HTTP_HOST": "127.0.0.1", "HTTP_FORWARDED": "for=127.0.0.1"},
]


@pytest.fixture(autouse=True)
def _kept_connections() -> Iterator[None]:
    """A server closes old connections around a request; here they are the test's."""
    around = (signals.request_started, signals.request_finished)
    for signal in around:
        signal.disconnect(close_old_connections)
    yield
    for signal in around:
        signal.connect(close_old_connections)


def reply(path: str, **environ: str) -> tuple[int, bytes, dict[str, str]]:
    """What the application answers to a request with this peer and these headers."""
    wsgi: dict[str, Any] = {"PATH_INFO": path, "REMOTE_ADDR": "127.0.0.1", **environ}
    setup_testing_defaults(wsgi)
    begun: list[tuple[str, list[tuple[str, str]]]] = []
    body = b"".join(application(wsgi, lambda status, headers: begun.append((status, headers))))
    status, headers = begun[0]
    code = int(status.partition(" ")[0])
    assert code in responses
    return code, body, dict(headers)


@pytest.fixture
def closed(settings: Settings) -> None:
    settings.OPEN = False


@pytest.fixture
def opened(settings: Settings) -> None:
    settings.OPEN = True


@pytest.mark.parametrize("peer", ["127.0.0.1", "::1", STRANGER])
@pytest.mark.parametrize("claim", CLAIMS)
def test_no_header_and_no_address_opens_the_site(
    closed: None, peer: str, claim: dict[str, str]
) -> None:
    for path in ("/", "/studies/new/", "/batches/new/", "/account/"):
        status, _, headers = reply(path, REMOTE_ADDR=peer, **claim)
        assert (status, headers["Location"].partition("?")[0]) == (302, reverse("sign-in")), path
    assert reply("/metrics", REMOTE_ADDR=peer, **claim)[0] == 404
    assert reply("/api/v1/studies/", REMOTE_ADDR=peer, **claim)[0] == 401


def test_a_stranger_makes_no_study(closed: None) -> None:
    client = Client(REMOTE_ADDR="127.0.0.1", HTTP_HOST="127.0.0.1")
    assert client.post(reverse("study-new"), {"name": "theirs"}).status_code == 302
    assert not Study.objects.exists()


@pytest.mark.parametrize(
    "strange",
    [
        {"REMOTE_ADDR": STRANGER},
        {"SERVER_NAME": "::"},
        {"SERVER_NAME": "192.0.2.1"},
        {"SERVER_NAME": ""},
        {"HTTP_X_FORWARDED_FOR": "127.0.0.1"},
        {"HTTP_FORWARDED": "for=127.0.0.1"},
        {"HTTP_VIA": "1.1 proxy"},
    ],
)
def test_an_open_site_answers_nobody_but_this_machine(
    opened: None, strange: dict[str, str]
) -> None:
    assert reply("/", HTTP_HOST="127.0.0.1")[0] == 200
    status, body, _ = reply("/", HTTP_HOST="127.0.0.1", **strange)
    assert status == 403
    assert b"<html" not in body


@pytest.mark.parametrize("host", ["::", "192.0.2.1", "example.org", "unix:/run/site"])
def test_an_open_site_does_not_start_where_others_reach_it(opened: None, host: str) -> None:
    with pytest.raises(InputError):
        check_bind([host])
    assert "FAIRPOOL_OPEN" in failure("serve", "--host", host, "--port", str(free_port()))


@pytest.mark.parametrize(
    ("setting", "value"), [("ALLOWED_HOSTS", ["example.org"]), ("TRUST_PROXY", True)]
)
def test_an_open_site_does_not_start_where_settings_lead_others_to_it(
    opened: None, settings: Settings, setting: str, value: object
) -> None:
    settings.ALLOWED_HOSTS = ["127.0.0.1"]
    check_bind(["127.0.0.1", "::1", "localhost"])
    assert checks.open_site(None) == []
    setattr(settings, setting, value)
    with pytest.raises(InputError):
        check_bind(["127.0.0.1"])
    assert [message.id for message in checks.open_site(None)] == ["annotation.E004"]


def test_the_script_of_servers_refuses_to_open_the_site_to_others(tmp_path: Path) -> None:
    project = Project(data_dir=tmp_path / "var", port=free_port())
    done = subprocess.run(
        [ROOT / "deploy" / "web.sh"],
        cwd=ROOT,
        env=project.environment
        | {
            "BIND": f"0.0.0.0:{project.port}",
            "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin",
        },
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 1
    assert "FAIRPOOL_OPEN" in done.stderr


@pytest.mark.long
def test_every_page_of_an_open_site_says_so(opened: None) -> None:
    client = signed_in()
    stored_study(4)
    pages = [*empty_pages(), reverse("api-docs"), reverse("admin:index")]
    for page in pages:
        assert "This site is open" in client.get(page, follow=True).content.decode(), page
    for page in strangers_pages():
        assert "This site is open" in Client().get(page).content.decode(), page


def test_the_checks_of_a_deployment_say_who_gets_in(closed: None, settings: Settings) -> None:
    settings.ALLOWED_HOSTS = ["fairpool.example.org"]
    (closed_site,) = checks.reach(None)
    assert "fairpool.example.org" in closed_site.msg
    settings.OPEN = True
    (open_site,) = checks.reach(None)
    assert "FAIRPOOL_OPEN" in open_site.msg
    assert not open_site.is_serious()


def test_a_link_signs_the_owner_in_once_and_makes_the_account(closed: None) -> None:
    link = create_owner_link()
    client, address = Client(), reverse("owner-link", args=[link.token])
    for look in (client.head, client.get, Client().get):  # of scanners and previews, too
        assert look(address).status_code == 200
    assert client.get(reverse("study-new")).status_code == 302
    assert client.post(address)["Location"] == reverse("study-list")
    assert client.get(reverse("study-new")).status_code == 200
    owner = User.objects.get()
    assert (owner.username, owner.is_superuser) == ("owner", True)
    assert not owner.has_usable_password()
    for again in (Client().get, Client().post):
        assert again(address).status_code == 404
    assert "manage.py account owner-link" in Client().get(address).content.decode()
    assert link.token not in str(SignInLink.objects.values())


def test_a_link_ends_after_a_quarter_of_an_hour(closed: None) -> None:
    link = create_owner_link()
    assert link.expires_at - timezone.now() <= timedelta(minutes=15)
    SignInLink.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert Client().get(reverse("owner-link", args=[link.token])).status_code == 404
    with pytest.raises(DeadLinkError):
        owner_link_use(token=link.token)


def test_links_are_for_active_staff_only(closed: None) -> None:
    User.objects.create_user("bob")
    staff = User.objects.create_user("ada", is_staff=True)
    assert create_owner_link(username="ada").user == staff
    for name in ("bob", "nobody"):
        with pytest.raises(InputError):
            create_owner_link(username=name)
    link = create_owner_link(username="ada")
    User.objects.filter(pk=staff.pk).update(is_active=False)
    with pytest.raises(DeadLinkError):
        owner_link_use(token=link.token)


def test_nobody_who_is_signed_in_makes_links(closed: None) -> None:
    staff = User.objects.create_user("ada", is_staff=True)
    with pytest.raises(NotPermittedError):
        perform_here(CREATE_OWNER_LINK, None, {}, Actor("ada (web page)", staff))
    assert not SignInLink.objects.exists()


def test_who_guesses_links_waits(closed: None, settings: Settings) -> None:
    settings.AXES_FAILURE_LIMIT = 3
    link = create_owner_link()
    client = Client()
    for guess in range(3):
        client.get(reverse("owner-link", args=[f"guess{guess}"]))
    assert client.get(reverse("owner-link", args=[link.token])).status_code == 429


def test_who_came_by_a_link_sets_a_password_without_an_old_one(closed: None) -> None:
    client = Client()
    client.post(reverse("owner-link", args=[create_owner_link().token]))
    fields = dict.fromkeys(("new_password1", "new_password2"), PASSWORD)
    assert client.post(reverse("password-change"), fields)["Location"] == reverse("account")
    assert User.objects.get().check_password(PASSWORD)
    assert client.post(reverse("password-change"), fields).status_code == 200


def test_a_link_for_no_terminal_lies_in_a_file_of_its_owner(
    closed: None, settings: Settings, tmp_path: Path
) -> None:
    settings.DATA_DIR = tmp_path
    (tmp_path / "owner-link").touch(mode=0o644)
    path = Path(run("account", "owner-link", "--site", "https://fairpool.example.org").strip())
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    address = urlsplit(path.read_text().strip())
    assert address.hostname == "fairpool.example.org"
    assert Client().post(address.path).status_code == 302
    said = run_json("account", "owner-link")
    assert urlsplit(said["link"]).netloc == "127.0.0.1:8000"
    site_note("http://127.0.0.1:8765")
    said = run_json("account", "owner-link")
    assert urlsplit(said["link"]).netloc == "127.0.0.1:8765"
    assert Client().post(urlsplit(said["link"]).path).status_code == 302
    settings.SITE_ADDRESS = "https://fairpool.example.org"
    assert run_json("account", "owner-link")["link"].startswith("https://fairpool.example.org/")


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Embedded]:
    """A site that nobody opened, started by a program that reads what it says."""
    project = Embedded(data_dir=tmp_path / "var", port=free_port())
    project.data_dir.mkdir()
    project.prepare()
    with (project.data_dir / "site.log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "manage.py", "serve", "--without-worker"],
            cwd=ROOT,
            env=project.environment | {"FAIRPOOL_OPEN": "0"},
            stdout=log,
            stderr=log,
        )
    try:
        yield project
    finally:
        process.terminate()
        process.wait(timeout=120)


@pytest.mark.long
def test_a_site_that_is_started_tells_no_secret_where_others_read(served: Embedded) -> None:
    log, link = served.data_dir / "site.log", served.data_dir / "owner-link"
    wait_until(link.exists, seconds=120, what="the link is there")
    wait_until(lambda: "Ctrl-C" in log.read_text(), seconds=120, what="the site has begun")
    said = log.read_text()
    token = link.read_text().strip().rstrip("/").rpartition("/")[2]
    assert str(link) in said
    assert "Everybody signs in" in said
    assert token not in said
    assert served.json("account", "owner-link")["user"] == "owner"
