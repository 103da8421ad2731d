"""Log lines for people, and for programs."""

import io
import json
import logging
from collections.abc import Iterator

import pytest
import structlog
from django.core.exceptions import ImproperlyConfigured

from config import settings
from config.logging import configure

SECRET = 'a "quoted" secret'


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


def test_an_unknown_format_ends_the_start() -> None:
    with pytest.raises(ImproperlyConfigured, match="LOG_FORMAT"):
        configure({"level": "INFO", "format": "xml", "secrets": []})
