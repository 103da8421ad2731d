"""No secret is written down: not in a log at its lowest level, not in a row, not in a traceback."""

import io
import logging
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import requests
import structlog
from django.conf import settings as site
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer
from rest_framework.test import APIClient

from annotation.core.perform import queue_job
from annotation.crowd import client as crowd_client
from annotation.crowd.errors import CrowdError
from annotation.crowd.gateway import Gateway
from annotation.jobs import execution
from annotation.models import Batch
from annotation.vocabulary import TaskKind
from annotation.workers.operations.exclude import SEND_EXCLUSIONS
from config.logging import configure
from mturk_local.keys import key_file_ensure, key_pair_issue
from mturk_local.lifecycle.visits import invite_create, invite_revoke, invite_token
from tests.commands import run_json
from tests.mturk_local.conftest import Guest
from tests.performing import create_study
from tests.project import ROOT, Project
from tests.study import stored_study
from tests.tables import everything

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "crowd"])

PASSWORD, WRONG = "correct-horse-battery", "incorrect-horse-battery"
BROKER = "amqp://lab:broker-pass-word@rabbit/"


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    """Everything that is logged from here on, as it would be written, at the lowest level."""
    root, text = logging.getLogger(), io.StringIO()
    handlers, level = root.handlers[:], root.level
    configure({**site.LOGGING, "level": "DEBUG"})
    handler = root.handlers[0]
    assert isinstance(handler, logging.StreamHandler)
    handler.setStream(text)
    yield text
    configure(site.LOGGING)
    root.handlers[:] = handlers
    root.setLevel(level)


@pytest.fixture(autouse=True)
def signed_in_site(settings: Settings, tmp_path: Path, live_server: LiveServer) -> None:
    settings.OPEN = False
    settings.MTURK_LOCAL_ENDPOINT = f"{live_server.url}/mturk/"
    settings.MTURK_LOCAL_KEY_FILE = tmp_path / "crowd-key.json"


def signing_in(log: io.StringIO) -> set[str]:
    """Right, wrong, and with the password in the field of the name."""
    User.objects.create_user("ada", password=PASSWORD)
    client, page = Client(enforce_csrf_checks=True), reverse("sign-in")
    for name, password in (("ada", WRONG), (PASSWORD, "x"), ("ada", PASSWORD)):
        client.get(page)
        token = client.cookies["csrftoken"].value
        sent = {"username": name, "password": password, "csrfmiddlewaretoken": token}
        client.post(page, sent)
        client.post(page, sent | {"csrfmiddlewaretoken": "0" * 64})
    assert client.get(reverse("account")).status_code == 200
    return {PASSWORD, WRONG, client.cookies["sessionid"].value, client.cookies["csrftoken"].value}


def calling_the_api(log: io.StringIO) -> set[str]:
    token = run_json("account", "create-token", "ada")["token"]
    client = APIClient(HTTP_AUTHORIZATION=f"Bearer {token}", raise_request_exception=False)
    assert client.get("/api/v1/me/").status_code == 200
    for address in ("/api/v1/nowhere/", "/api/v1/studies/999/", "/api/v1/me/?page=x"):
        client.get(address)
        client.delete(address)
    client.post("/api/v1/studies/", f'{{"name": "{token}', content_type="application/json")
    APIClient(HTTP_AUTHORIZATION=f"Bearer {token}0").get("/api/v1/me/")
    return {token}


def inviting(log: io.StringIO) -> set[str]:
    """The link is asked for in every wrong way, used, and tried again."""
    study = create_study("ours", "ada")
    token = (
        run_json("study", "invite-member", study.name, "--role", "viewer")["link"]
        .rstrip("/")
        .rsplit("/", 1)[1]
    )
    address = reverse("invite", args=[token])
    client = Client(enforce_csrf_checks=True)
    assert Client().put(address).status_code == 405
    assert client.post(address, {"username": "bob"}).status_code == 403
    client.get(address)
    form = {"csrfmiddlewaretoken": client.cookies["csrftoken"].value, "username": "bob"}
    client.post(address, form | {"password1": "short", "password2": "short"})
    client.post(address, form | {"password1": PASSWORD, "password2": PASSWORD})
    assert study.members.filter(user__username="bob").exists()
    Client().get(address)
    return {token, client.cookies["csrftoken"].value}


def asking_the_crowd(log: io.StringIO) -> set[str]:
    """Calls signed well and badly; the signatures are taken from the calls themselves."""
    pair, signed = key_pair_issue(requester_name="lab"), []
    endpoint = site.MTURK_LOCAL_ENDPOINT
    for secret in (pair.secret_access_key, "0" * 64):
        keys = crowd_client.KeyPair(pair.access_key_id, secret)
        made = crowd_client.connect(endpoint, keys, timeout=60)
        made.meta.events.register(
            "before-send.mturk.*",
            lambda request, **_: signed.append(str(request.headers["Authorization"])),
        )
        gateway = Gateway(made)
        try:
            gateway.balance()
            gateway.get_hit("3NOWHERE")
        except CrowdError as error:
            logging.getLogger("test").exception("refused: %s", error.message)
    found = {
        part.partition("Signature=")[2]
        for one in signed
        for part in re.split(r"[ ,]", one.replace("b'", "").replace("'", ""))
        if "Signature=" in part
    }
    assert len(found) == 3
    return found | {pair.secret_access_key}


def annotating(log: io.StringIO) -> set[str]:
    """An annotator's link, asked for in wrong ways, used, and closed."""
    guest = Guest(site.MTURK_LOCAL_ENDPOINT.removesuffix("/mturk/"))
    invite = invite_create(note="A", person="", lasts=timedelta(days=1), now=datetime.now(UTC))
    address = f"{guest.site}join/invited/{invite_token(invite)}/"
    assert requests.put(address, timeout=60).status_code in (403, 405)
    guest.browser.open(address)
    cookie = guest.browser.session.cookies.get("annotator") or ""
    assert cookie
    invite_revoke(invite=invite, now=datetime.now(UTC))
    assert requests.get(address, timeout=60).status_code >= 400
    Guest.came.pop().browser.close()
    return {invite_token(invite), cookie.strip('"')}


def failing_in_the_background(log: io.StringIO) -> set[str]:
    """A task that fails in a way nobody thought of, with the address of a server in the error."""

    def fail(_batch: Batch, _terms: Any, _run: Any) -> Any:
        raise ConnectionError(f"cannot reach {BROKER}")

    batch = stored_study(2)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(SEND_EXCLUSIONS, "run", fail)
        queue_job(kind=TaskKind.EXCLUDE, subject=batch, actor="test")
        task = execution.run_job()
    assert task is not None
    assert "cannot reach amqp://lab:***@rabbit/" in task.error
    # The log says more, as the row promises: where it happened.
    assert "in fail" in log.getvalue()
    structlog.get_logger("test").warning("settings", key=site.SECRET_KEY)
    return {"broker-pass-word", str(site.SECRET_KEY)}


FLOWS: list[Callable[[io.StringIO], set[str]]] = [
    signing_in,
    calling_the_api,
    inviting,
    asking_the_crowd,
    annotating,
    failing_in_the_background,
]


def test_nothing_that_people_do_is_written_down_with_its_secrets(log: io.StringIO) -> None:
    secrets = {one for flow in FLOWS for one in flow(log)}
    assert all(len(one) > 10 for one in secrets)
    written = log.getvalue()
    assert "Method Not Allowed" in written
    assert "event=account" in written
    assert [one for one in sorted(secrets) if one in written] == []
    # Session keys are stored, as Django does; see docs/security.md.
    stored = re.sub(r"\('[a-z0-9]{32}', ", "", everything() + everything("crowd"))
    assert [one for one in sorted(secrets) if one in stored] == []


def test_the_key_file_is_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "key.json"
    key_file_ensure(path, requester_name="lab")
    assert path.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    "address", ["postgres://lab:hunter2-pw@127.0.0.1:1/x", "postgres://lab:hunter2-pw@h:port/x"]
)
def test_a_traceback_tells_no_password(tmp_path: Path, address: str) -> None:
    secrets = {"DATABASE_URL": address, "SECRET_KEY": "the-key-of-all", "LOG_LEVEL": "DEBUG"}
    done = subprocess.run(
        [sys.executable, ROOT / "manage.py", "study", "list", "--traceback"],
        env=Project(data_dir=tmp_path, port=1).environment | secrets,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 1
    assert "Traceback" in done.stderr
    for secret in ("hunter2-pw", "the-key-of-all"):
        assert secret not in done.stderr + done.stdout
