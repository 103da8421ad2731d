"""Log lines for people, and for programs."""

import io
import json
import logging
from collections.abc import Iterator

import pytest
import structlog

from config import settings
from config.logging import configure
from config.variables import GROUPS
from mturk_local.environment.reading import Environment

SECRET = 'a "quoted" secret'
_PLAIN = "Zq$8/k+w=="
#: Secret settings: a value, and the part of it that no line may have.
SECRETS = {
    **dict.fromkeys(
        [
            *("SECRET_KEY", "METRICS_TOKEN", "EMAIL_HOST_PASSWORD", "PROLIFIC_TOKEN"),
            *("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"),
        ],
        (_PLAIN, _PLAIN),
    ),
    "POSTGRES_PASSWORD": ("Zq8kw", "Zq8kw"),
    "DATABASE_URL": ("postgres://lab:Zq-8kw@db/fairpool", "Zq-8kw"),
    "CROWD_DATABASE_URL": ("postgres://lab:Zq-8kw@db/crowd", "Zq-8kw"),
    "CELERY_BROKER_URL": ("amqp://lab:Zq-8kw@rabbit:5672//", "Zq-8kw"),
    "FAIRPOOL_MODEL_KEYS": ('{"https://models.example.org": "Zq-8kw"}', "Zq-8kw"),
    "FILES_STORAGE_OPTIONS": ('{"client": {"secret_key": "Zq-8kw"}}', "Zq-8kw"),
}


@pytest.fixture
def lines() -> Iterator[io.StringIO]:
    """What is logged as JSON from here on."""
    root, text = logging.getLogger(), io.StringIO()
    handlers, level = root.handlers[:], root.level
    configure({"level": "INFO", "format": "json", "secrets": [SECRET]})
    handler = root.handlers[0]
    assert isinstance(handler, logging.StreamHandler)
    handler.setStream(text)
    yield text
    configure(settings.LOGGING)
    root.handlers[:] = handlers
    root.setLevel(level)


def test_with_json_each_line_is_an_object_without_secrets(lines: io.StringIO) -> None:
    with structlog.contextvars.bound_contextvars(task=7):
        try:
            int(f"no\nnumber: {SECRET}")
        except ValueError:
            structlog.get_logger("test").exception("task failed")
    logging.getLogger("elsewhere").warning("of %s", "a library")

    ours, theirs = map(json.loads, lines.getvalue().splitlines())
    assert (ours["event"], ours["level"], ours["task"]) == ("task failed", "error", 7)
    assert "ValueError" in ours["exception"]
    assert "quoted" not in lines.getvalue()
    assert (theirs["event"], theirs["logger"]) == ("of a library", "elsewhere")


@pytest.mark.parametrize("name", SECRETS)
def test_no_line_of_the_log_has_a_secret_of_the_settings(lines: io.StringIO, name: str) -> None:
    value, secret = SECRETS[name]
    configure(
        {
            "level": "DEBUG",
            "format": "logfmt",
            "secrets": Environment(GROUPS, {name: value}).secrets(),
        }
    )
    handler = logging.getLogger().handlers[0]
    assert isinstance(handler, logging.StreamHandler)
    handler.setStream(lines)
    logging.getLogger("a.library").info("it is %s", secret)
    logging.getLogger("a.library").info({"headers": {"X": secret}})
    logging.getLogger("gunicorn.error").error("%s=%s", name, value)
    structlog.get_logger("test").info("settings", key=secret, environment={name: value})
    known: dict[str, str] = {}
    try:
        known[value]
    except KeyError:
        structlog.get_logger("test").exception("failed")
    assert len(lines.getvalue().splitlines()) >= 5
    assert secret not in lines.getvalue()


def test_every_secret_of_the_settings_is_tried() -> None:
    table = [row for group in GROUPS for row in group.variables]
    assert {row.name for row in table if row.kind.secrets} == set(SECRETS)


def test_the_web_server_logs_through_the_same_handler(lines: io.StringIO) -> None:
    logger = logging.getLogger("gunicorn.error")
    own = io.StringIO()
    logger.addHandler(logging.StreamHandler(own))
    logger.propagate = False
    configure({"level": "INFO", "format": "json", "secrets": []})
    handler = logging.getLogger().handlers[0]
    assert isinstance(handler, logging.StreamHandler)
    handler.setStream(lines)
    logger.error("GET /invites/q1w2/ with Authorization: Token 0a1b")
    assert own.getvalue() == ""
    assert json.loads(lines.getvalue())["event"] == (
        "GET /invites/***/ with Authorization: Token ***"
    )


def test_what_axes_counts_before_it_is_tried_is_no_failure(lines: io.StringIO) -> None:
    logging.getLogger("axes.handlers.database").warning("AXES: User login failed")
    assert lines.getvalue() == ""
