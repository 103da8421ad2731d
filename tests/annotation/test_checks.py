"""What `manage.py check` says about the crowd's settings."""

from pathlib import Path

import pytest
from pytest_django import Settings

from annotation.checks import crowd_settings, files_folder


def ids() -> list[str | None]:
    return [message.id for message in crowd_settings(None)]


def test_the_defaults_are_fine(settings: Settings) -> None:
    settings.MTURK_LOCAL_ENDPOINT = "http://127.0.0.1:8000/mturk/"
    assert ids() == []


def test_an_unknown_environment_is_an_error(settings: Settings) -> None:
    settings.MTURK_ENVIRONMENT = "prod"
    assert ids() == ["annotation.E001"]


@pytest.mark.parametrize(
    ("allowed", "debug", "expected"),
    [
        (True, False, []),
        (False, False, ["annotation.E002"]),
        (True, True, ["annotation.E003"]),
        (False, True, ["annotation.E002", "annotation.E003"]),
    ],
)
def test_production_must_be_allowed_and_hide_its_errors(
    settings: Settings, allowed: bool, debug: bool, expected: list[str]
) -> None:
    settings.MTURK_ENVIRONMENT = "production"
    settings.MTURK_ALLOW_PRODUCTION = allowed
    settings.DEBUG = debug
    settings.MTURK_LOCAL_ENDPOINT = "http://127.0.0.1:8000/mturk/"
    assert ids() == expected


@pytest.mark.parametrize(
    ("endpoint", "expected"),
    [
        ("http://crowd.example.org/mturk/", ["annotation.W001"]),
        ("https://crowd.example.org/mturk/", []),
        ("http://[::1]:8000/mturk/", []),
    ],
)
def test_a_crowd_on_another_machine_wants_https(
    settings: Settings, endpoint: str, expected: list[str]
) -> None:
    settings.MTURK_LOCAL_ENDPOINT = endpoint
    assert ids() == expected


def test_a_folder_of_files_that_is_not_there_is_warned_of(
    settings: Settings, tmp_path: Path
) -> None:
    settings.FILES_DIR = str(tmp_path / "none")
    assert [message.id for message in files_folder(None)] == ["annotation.W006"]
    for there in ("", str(tmp_path)):
        settings.FILES_DIR = there
        assert files_folder(None) == []
