"""Checks of `manage.py check` for unsafe or contradictory settings."""

import stat
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.apps import AppConfig
from django.conf import settings
from django.core import checks

from annotation.reach import is_loopback, reached_by_others, who_gets_in
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
    messages: list[checks.CheckMessage] = []
    if environment == Environment.PRODUCTION:
        messages += _production()
    local = urlsplit(settings.MTURK_LOCAL_ENDPOINT)
    if local.scheme != "https" and local.hostname not in _LOOPBACK:
        messages.append(
            checks.Warning(
                "MTURK_LOCAL_ENDPOINT is on another machine and not https: answers and "
                "signatures are sent unencrypted.",
                hint="Put the crowd service behind https.",
                id="annotation.W001",
            )
        )
    return messages


@checks.register
def open_site(
    app_configs: Sequence[AppConfig] | None,  # noqa: ARG001 - Django calls it with both
    **_options: Any,
) -> list[checks.CheckMessage]:
    """An open site is for this machine, and never spends."""
    if not settings.OPEN:
        return []
    why = reached_by_others([])
    if settings.MTURK_ENVIRONMENT == Environment.PRODUCTION:
        why = "MTURK_ENVIRONMENT is production"
    hint = "Unset FAIRPOOL_OPEN: `account owner-link` signs the owner in."
    warning = f"FAIRPOOL_OPEN=1 lets everybody in without signing in, and {why}."
    return [checks.Error(warning, hint=hint, id="annotation.E004")] if why else []


@checks.register(checks.Tags.security)
def data_folder(
    app_configs: Sequence[AppConfig] | None,  # noqa: ARG001 - Django calls it with both
    **_options: Any,
) -> list[checks.CheckMessage]:
    """The site narrows the folder of its data to its own user, unless it is somebody else's."""
    mode = stat.S_IMODE(Path(settings.DATA_DIR).stat().st_mode)
    if not mode & 0o077:
        return []
    warning = f"{settings.DATA_DIR} (mode {mode:o}) holds votes and keys that others can reach."
    hint = f"Let the user who runs the site own it: chown it, then chmod 700 {settings.DATA_DIR}."
    return [checks.Warning(warning, hint=hint, id="annotation.W002")]


@checks.register
def models_folder(
    app_configs: Sequence[AppConfig] | None,  # noqa: ARG001 - Django calls it with both
    **_options: Any,
) -> list[checks.CheckMessage]:
    """Models are offered only where there is a folder of them, and torch."""
    if not settings.MODELS_DIR:
        return []
    lacking = None if Path(settings.MODELS_DIR).is_dir() else "it is not a folder"
    if find_spec("torch") is None:
        lacking = "torch is not installed"
    warning = f"FAIRPOOL_MODELS_DIR is set, but {lacking}: studies are offered no models."
    hint = "See docs/operations.md, or unset it."
    return [checks.Warning(warning, hint=hint, id="annotation.W003")] if lacking else []


@checks.register
def files_folder(
    app_configs: Sequence[AppConfig] | None,  # noqa: ARG001 - Django calls it with both
    **_options: Any,
) -> list[checks.CheckMessage]:
    """Files are offered only from a folder that is there; it may be mounted later."""
    if not settings.FILES_DIR or Path(settings.FILES_DIR).is_dir():
        return []
    warning = f"FAIRPOOL_FILES_DIR is {settings.FILES_DIR}, which is not there: nothing is offered."
    hint = "Mount or make it, or unset the variable."
    return [checks.Warning(warning, hint=hint, id="annotation.W006")]


@checks.register
def origins(
    app_configs: Sequence[AppConfig] | None,  # noqa: ARG001 - Django calls it with both
    **_options: Any,
) -> list[checks.CheckMessage]:
    """Forms are taken only from an address by which the site knows itself."""
    named = [name for name in settings.ALLOWED_HOSTS if name == "*" or "." in name.strip(".")]
    public = [name for name in named if not is_loopback(name)]
    if not public or settings.TRUST_PROXY or settings.CSRF_TRUSTED_ORIGINS:
        return []
    warning = f"The site answers to {', '.join(public)}, and accepts forms only over plain http."
    hint = (
        "If a proxy ends https: TRUST_PROXY=1 where it sets X-Forwarded-Proto, and it passes on "
        "Host with its port; else CSRF_TRUSTED_ORIGINS=https://... as people see the address."
    )
    return [checks.Warning(warning, hint=hint, id="annotation.W005")]


@checks.register
def misspelt_settings(
    app_configs: Sequence[AppConfig] | None,  # noqa: ARG001 - Django calls it with both
    **_options: Any,
) -> list[checks.CheckMessage]:
    """A variable that nothing reads, and that looks like one that is read, may be a mistake."""
    return [
        checks.Warning(
            f"{name} is set, but nothing reads it.",
            hint=f"{meant} was probably meant.",
            id="annotation.W004",
        )
        for name, meant in settings.VARIABLES.misspelt()
    ]


@checks.register(checks.Tags.security, deploy=True)
def reach(
    app_configs: Sequence[AppConfig] | None,  # noqa: ARG001 - Django calls it with both
    **_options: Any,
) -> list[checks.CheckMessage]:
    """Say how the site is reached and by whom: information, not a fault."""
    return [checks.Info(who_gets_in(), id="annotation.I001")]


def _production() -> list[checks.CheckMessage]:
    messages: list[checks.CheckMessage] = []
    if not settings.MTURK_ALLOW_PRODUCTION:
        messages.append(
            checks.Error(
                "MTURK_ENVIRONMENT is production, which spends real money, and is not allowed.",
                hint="Set MTURK_ALLOW_PRODUCTION=1 once you have rehearsed everything.",
                id="annotation.E002",
            )
        )
    if settings.DEBUG:
        messages.append(
            checks.Error(
                "DEBUG is on in production: error pages show settings and data.",
                hint="Set DEBUG=0.",
                id="annotation.E003",
            )
        )
    return messages
