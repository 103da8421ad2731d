"""What somebody tries who means harm, from outside or with an account: all of it is refused."""

import io
import logging
import re
import runpy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as site
from django.contrib.auth.models import User
from django.core.signing import TimestampSigner
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from pytest_django import Settings
from rest_framework.views import APIView

from annotation.language_models.client import ModelServer, ModelStopError
from annotation.models import Batch, StudyFile
from annotation.studies.operations.files import add_study_file, study_file_point_to
from config.logging import configure
from metrics.errors import InputError
from mturk_local.lifecycle.events import event_send
from mturk_local.models import EntryChannel, Notification, Requester
from mturk_local.workers import worker_create
from tests.annotation.test_permissions import PATTERNS, Site, client_of, site_of
from tests.hostile_addresses import HOSTILE_ADDRESSES
from tests.measured import storages_in
from tests.mturk_local.offered import offered_to
from tests.performing import invite
from tests.site.every_page import signed_in
from tests.study import addresses, stored_study
from tests.trap import trap

pytestmark = pytest.mark.django_db(databases=["default", "crowd"])

PASSWORD = "a long one for a person"
#: What takes a POST without a token, and the proof that it asks for instead.
WITHOUT_TOKEN = {
    "crowd-api": "a signature over the whole request",
    "crowd-people": "a signature over the whole request",
    "crowd-submit": "an address that is signed for one answer",
    "prolific-event": "a signature over the time and the whole body",
}


@pytest.fixture
def ours(settings: Settings) -> Site:
    settings.OPEN = False
    return site_of(stored_study(4))


def views(patterns: list[Any]) -> Iterator[tuple[str, Any]]:
    for pattern in patterns:
        if isinstance(pattern, URLResolver):
            yield from views(pattern.url_patterns)
        elif isinstance(pattern, URLPattern):
            yield pattern.name or "", pattern.callback


def test_no_view_does_without_the_token_unless_it_asks_for_a_better_proof() -> None:
    exempt = {
        name
        for name, view in views(get_resolver().url_patterns)
        if getattr(view, "csrf_exempt", False)
        # The API asks for the token itself, of whoever comes with a cookie.
        and not issubclass(getattr(view, "cls", object), APIView)
    }
    assert exempt == WITHOUT_TOKEN.keys()


def test_every_button_of_every_page_needs_the_token(ours: Site) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(User.objects.get(username="owner"))
    allowed = [name for name in PATTERNS if client.post(ours.address(name)).status_code != 403]
    assert allowed == []


def test_a_token_of_the_api_in_a_cookie_or_a_parameter_is_none(ours: Site) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(User.objects.get(username="owner"))
    forged = client.post(
        f"/api/v1/batches/{ours.batch.pk}/stop/", "{}", content_type="application/json"
    )
    assert forged.status_code == 403
    assert "CSRF" in forged.json()["detail"]


@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example", "localhost:80@evil"])
def test_a_host_that_is_not_ours_is_refused(client: Client, host: str) -> None:
    for address in ("/", "/sign-in/", "/healthz", "/api/v1/me/", "/annotate/"):
        assert client.get(address, headers={"host": host}).status_code == 400, address


def test_a_forwarded_host_is_not_believed(ours: Site) -> None:
    """The link of an invitation, which holds the site's name, goes to people."""
    client = client_of("owner")
    page = client.post(
        reverse("invite-create", args=[ours.study.pk]),
        {"role": "viewer"},
        headers={"x-forwarded-host": "evil.example"},
    )
    assert "/invites/" in page.content.decode()
    assert "evil.example" not in page.content.decode()


@pytest.mark.parametrize(
    "there",
    [
        *("https://evil.example/", "//evil.example/", "/\\evil.example", "\\\\evil.example"),
        *("javascript:alert(1)", "https:evil.example", "/%0d%0aSet-Cookie:x=1", "http:///evil"),
    ],
)
def test_signing_in_leads_nowhere_else(db: None, there: str) -> None:
    User.objects.create_user("ada", password=PASSWORD)
    sent = {"username": "ada", "password": PASSWORD, "next": there}
    response = Client().post(f"{reverse('sign-in')}", sent)
    assert response.status_code == 302
    assert response["Location"] in {reverse("study-list"), there} - {there.lstrip("/")}
    assert response["Location"].startswith("/")
    assert not response["Location"].startswith(("//", "/\\"))
    assert "x" not in response.cookies


def test_a_session_that_somebody_prepared_is_left_behind(ours: Site) -> None:
    """Also by joining with a link: the cookie from before is nobody's afterwards."""
    token = invite(ours.study)
    User.objects.create_user("ada", password=PASSWORD)
    ways = {
        reverse("sign-in"): {"username": "ada", "password": PASSWORD},
        reverse("invite", args=[token]): {
            "username": "bob",
            "password1": PASSWORD,
            "password2": PASSWORD,
        },
    }
    for address, form in ways.items():
        client = Client()
        prepared = client.session
        prepared["planted"] = "yes"
        prepared.save()
        client.cookies[site.SESSION_COOKIE_NAME] = prepared.session_key or ""
        assert client.post(address, form).status_code == 302
        now = client.cookies[site.SESSION_COOKIE_NAME]
        assert now.value != prepared.session_key
        assert now["httponly"]
        assert now["samesite"] == "Lax"
        other = Client()
        other.cookies[site.SESSION_COOKIE_NAME] = prepared.session_key or ""
        assert other.get(reverse("account")).status_code == 302


def test_an_annotators_cookie_cannot_be_made_or_changed(client: Client) -> None:
    worker = worker_create(entry_channel=EntryChannel.ACCOUNT, username="ada", password=PASSWORD)
    client.post(reverse("crowd-sign-in"), {"username": "ada", "password": PASSWORD})
    good = client.cookies["annotator"].value
    assert client.get(reverse("crowd-work")).status_code == 200
    other = TimestampSigner(key="guessed", salt="annotator" + "crowd-service.session")
    for forged in (
        f"{worker.pk}:0",
        good.replace(f"{worker.pk}:", f"{worker.pk + 1}:", 1),
        good[:-1] + ("A" if good[-1] != "A" else "B"),
        other.sign(f"{worker.pk}:0"),
    ):
        client.cookies["annotator"] = forged
        assert client.get(reverse("crowd-work")).status_code == 302, forged


HOSTILE_NAME = 'a"; filename="b.exe"\r\nSet-Cookie: stolen=1\r\n\r\n<script>'


def test_names_do_not_write_headers(ours: Site) -> None:
    """Whatever got into the database: the file's name says it in letters, or leaves it out."""
    Batch.objects.filter(pk=ours.batch.pk).update(name=HOSTILE_NAME)
    client = client_of("owner")
    for name in ("batch-export", "batch-votes"):
        response = client.get(ours.address(name))
        assert response.status_code == 200
        said = response.headers["Content-Disposition"]
        assert "\r" not in said
        assert "\n" not in said
        assert "Set-Cookie" not in response.headers
        assert not response.cookies
        assert 'filename="b.exe"' not in said.replace('\\"', "")


def test_an_address_does_not_write_lines_of_the_log(client: Client) -> None:
    root, text = logging.getLogger(), io.StringIO()
    handlers, level = root.handlers[:], root.level
    configure(site.LOGGING)
    handler = root.handlers[0]
    assert isinstance(handler, logging.StreamHandler)
    handler.setStream(text)
    client.get('/nowhere/%0Alevel=critical event="all is lost" user=ada%0D%0A')
    client.post(reverse("sign-in"), {"username": "x\nlevel=critical", "password": "y"})
    configure(site.LOGGING)
    root.handlers[:], root.level = handlers, level
    lines = text.getvalue().splitlines()
    assert any("nowhere" in line for line in lines)
    assert all(line.startswith("timestamp=") for line in lines)
    assert not any(re.match(r"timestamp=\S+ level=critical", line) for line in lines)


def test_the_server_asks_nothing_of_an_address_that_somebody_gives(
    ours: Site, settings: Settings, tmp_path: Path
) -> None:
    settings.MTURK_LOCAL_NOTIFY_HOSTS = []
    settings.FILES_DIR = str(tmp_path)
    settings.STORAGES = storages_in(tmp_path / "storage")
    requester = Requester.objects.create(name="lab")
    client = client_of("owner")
    with trap() as (address, asked):
        for where in (f"{address}/x.run", "s3://bucket/x.run", f"file://{tmp_path}", "//x/y"):
            with pytest.raises(InputError):
                study_file_point_to(
                    study=ours.study, kind="run", where=where, name="x", actor="test"
                )
            client.post(
                reverse("study-file-point", args=[ours.study.pk]), {"kind": "run", "where": where}
            )
            client.post(
                f"/api/v1/studies/{ours.study.pk}/files/pointed/",
                {"kind": "run", "where": where},
                content_type="application/json",
            )
        event_send(requester=requester, destination=f"{address}/event", version="v", event={})
        # As contents, addresses are text.
        stream = io.BytesIO(f"q1\t{address}/query\n".encode())
        add_study_file(
            study=ours.study, stream=stream, filename=f"{address}/q.tsv", kind="queries",
            name="", actor="test",
        )  # fmt: skip
        assert asked == []
    assert Notification.objects.get().delivered_at is None
    assert StudyFile.objects.filter(study=ours.study, kind="run").count() == 0


@pytest.mark.parametrize("where", HOSTILE_ADDRESSES)
def test_no_address_inside_is_a_file_or_a_model(
    ours: Site, settings: Settings, tmp_path: Path, where: str
) -> None:
    """The site asks what its settings list, the crowd service what everybody reaches."""
    settings.FILES_DIR = str(tmp_path)
    settings.MODEL_KEYS = {"https://models.example": "key"}
    with pytest.raises(InputError):
        study_file_point_to(study=ours.study, kind="run", where=where, name="x", actor="test")
    with pytest.raises(ModelStopError):
        ModelServer(where)


def test_notifications_go_nowhere_but_in_a_rehearsal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What listens on the machine of a site is not for requesters to post to."""
    settings = Path(site.BASE_DIR) / "config" / "settings.py"
    monkeypatch.setenv("FAIRPOOL_OPEN", "0")
    assert runpy.run_path(str(settings))["MTURK_LOCAL_NOTIFY_HOSTS"] == []
    monkeypatch.setenv("FAIRPOOL_OPEN", "1")
    assert "127.0.0.1" in runpy.run_path(str(settings))["MTURK_LOCAL_NOTIFY_HOSTS"]


def test_every_page_forbids_inline_scripts_and_styles(db: None) -> None:
    client = signed_in()
    pages = [*addresses(stored_study(4)).values(), *offered_to(client), reverse("api-docs")]
    answered = client.post(reverse("crowd-submit", args=["preview"]))
    for path, response in [(path, client.get(path)) for path in pages] + [("outcome", answered)]:
        policy = response.headers.get("Content-Security-Policy", "")
        assert "default-src 'none'" in policy, path
        assert "unsafe" not in policy, path
        if "html" not in response.headers.get("Content-Type", "") or response.streaming:
            continue
        text = response.content.decode()
        assert not re.search(r"<script(?![^>]*\ssrc=)(?![^>]*type=\"application/json\")", text), (
            path
        )
        assert not re.search(r"\s(?:on[a-z]+|style)=[\"']", text), path
        assert "javascript:" not in text, path


def test_uploads_of_strangers_are_not_even_kept_for_a_moment(
    ours: Site, settings: Settings, tmp_path: Path
) -> None:
    settings.FILE_UPLOAD_TEMP_DIR = tmp_path
    for person in ("nobody", "viewer", "outsider"):
        client_of(person).post(
            reverse("study-files", args=[ours.study.pk]),
            {"kind": "run", "file": io.BytesIO(b"q1 Q0 d1 1 1 x\n")},
        )
    assert list(tmp_path.iterdir()) == []
    assert not StudyFile.objects.filter(study=ours.study).exclude(actor="").exists()
