"""Addresses that commands print are those at which the site listens."""

import json
import sys
from pathlib import Path
from types import ModuleType

import pytest
from django.core.management import call_command
from gunicorn.app.wsgiapp import WSGIApplication
from gunicorn.config import Config
from pytest_django import Settings

from annotation.management import orphans
from annotation.management.owner_link import site_note
from config import web_server
from config.web_server import note_address
from tests.commands import run_json

pytestmark = pytest.mark.django_db(databases=["default", "crowd"])
USUAL = "http://127.0.0.1:8000"


def start_gunicorn(bind: str) -> None:
    """What gunicorn's configuration does with the address it is told to listen at."""
    configuration = Config()
    configuration.set("bind", [bind])
    note_address(configuration.address)


@pytest.fixture(autouse=True)
def usual(settings: Settings, tmp_path: Path) -> None:
    """Nobody said where the site is."""
    settings.DATA_DIR, settings.SITE_ADDRESS = tmp_path, USUAL
    settings.MTURK_LOCAL_KEY_FILE = tmp_path / "crowd-key.json"
    settings.MTURK_LOCAL_ENDPOINT = f"{USUAL}/mturk/"
    settings.OPEN = False


def crowd_says(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    call_command("crowd", *words)
    return capsys.readouterr().out


def test_links_and_keys_of_the_crowd_service_name_where_it_is_served(
    settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    site_note("http://127.0.0.1:8765")
    key = json.loads(crowd_says(capsys, "key", "--json"))
    assert key["endpoint"] == "http://127.0.0.1:8765/mturk/"
    panel = ("panel", "p", "--provider", "prolific", "--completion-code", "C")
    for words in (("invite",), panel):
        assert crowd_says(capsys, "channel", *words).startswith("http://127.0.0.1:8765/annotate/")
    settings.MTURK_LOCAL_ENDPOINT = "https://lab.example.org/mturk/"
    assert crowd_says(capsys, "channel", "invite").startswith("https://lab.example.org/annotate/")


@pytest.mark.parametrize("address", ["127.0.0.1:8766", "0.0.0.0:8766"])
def test_gunicorn_notes_where_it_listens(address: str) -> None:
    start_gunicorn(address)
    link = run_json("account", "owner-link")["link"]
    assert link.startswith("http://127.0.0.1:8766/")


def test_a_site_behind_a_socket_says_that_nobody_told_its_address(
    settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    start_gunicorn("127.0.0.1:8766")
    assert "FAIRPOOL_SITE" not in capsys.readouterr().err
    start_gunicorn("unix:/run/fairpool.sock")
    assert "Set FAIRPOOL_SITE" in capsys.readouterr().err
    assert run_json("account", "owner-link")["link"].startswith(USUAL)
    settings.SITE_ADDRESS = "https://fairpool.example.org"
    start_gunicorn("unix:/run/fairpool.sock")
    assert "FAIRPOOL_SITE" not in capsys.readouterr().err


@pytest.mark.parametrize("configuration", [orphans, web_server], ids=["serve", "web.sh"])
def test_gunicorn_leaves_it_to_django_whether_a_proxy_is_believed(
    monkeypatch: pytest.MonkeyPatch, configuration: ModuleType
) -> None:
    options = ["gunicorn", "config.wsgi", "--config", str(configuration.__file__)]
    monkeypatch.setattr(sys, "argv", options)
    settings = WSGIApplication().cfg
    assert (settings.secure_scheme_headers, settings.forwarder_headers) == ({}, [])
