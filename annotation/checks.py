"""What `manage.py check` says about unsafe or contradictory settings of the crowd."""

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

from django.apps import AppConfig
from django.conf import settings
from django.core import checks

from annotation.vocabulary import Environment

_CROWDS = (Environment.LOCAL, Environment.SANDBOX, Environment.PRODUCTION)
_LOOPBACK = {"127.0.0.1", "localhost", "::1"}


@checks.register
def crowd_settings(
    app_configs: Sequence[AppConfig] | None,  # noqa: ARG001 - Django calls it with both
    **_options: Any,
) -> list[checks.CheckMessage]:
    """The environment is known; production is meant, hides errors, and is signed in to."""
    environment = settings.MTURK_ENVIRONMENT
    if environment not in _CROWDS:
        return [
            checks.Error(
                f"MTURK_ENVIRONMENT is {environment!r}.",
                hint="Use local, sandbox or production.",
                id="annotation.E001",
            )
        ]
    found: list[checks.CheckMessage] = []
    if environment == Environment.PRODUCTION:
        found += _production()
    local = urlsplit(settings.MTURK_LOCAL_ENDPOINT)
    if local.scheme != "https" and local.hostname not in _LOOPBACK:
        found.append(
            checks.Warning(
                "MTURK_LOCAL_ENDPOINT is on another machine and not https: answers and signatures "
                "travel in the clear.",
                hint="Put the crowd service behind https.",
                id="annotation.W001",
            )
        )
    return found


def _production() -> list[checks.CheckMessage]:
    found: list[checks.CheckMessage] = []
    if not settings.MTURK_ALLOW_PRODUCTION:
        found.append(
            checks.Error(
                "MTURK_ENVIRONMENT is production, which spends real money, and is not allowed.",
                hint="Set MTURK_ALLOW_PRODUCTION=1 when everything was rehearsed.",
                id="annotation.E002",
            )
        )
    if settings.DEBUG:
        found.append(
            checks.Error(
                "DEBUG is on in production: error pages show settings and data.",
                hint="Set DEBUG=0.",
                id="annotation.E003",
            )
        )
    return found
