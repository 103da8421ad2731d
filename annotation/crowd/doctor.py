"""Checks that this machine can work with its crowd service, in plain words."""

import os
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import urlsplit

from django.conf import settings

from annotation.crowd.client import (
    PRODUCTION,
    REGION,
    SANDBOX,
    environment_access_key,
    versions,
)
from annotation.crowd.connection import environment_gateway
from annotation.crowd.gateway import Gateway
from annotation.reach import is_this_machine
from annotation.vocabulary import Environment
from metrics.errors import InputError

_CLOCK_TOLERANCE_SECONDS = 60
_PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy")
_IGNORED = ("AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_MTURK", "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS")
_CLOSING = (
    "Amazon took no new requesters from 2026-07-30 on and announced the service's end for "
    "2026-09-30: it may be gone."
)


@dataclass(frozen=True)
class Finding:
    """One check. `remedy` says what to do if `ok` is False."""

    subject: str
    ok: bool
    says: str
    remedy: str = ""


def examine() -> list[Finding]:
    """Check everything that a call to the crowd depends on, and make two harmless calls."""
    environment = settings.MTURK_ENVIRONMENT
    endpoint = {Environment.SANDBOX: SANDBOX, Environment.PRODUCTION: PRODUCTION}.get(
        environment, settings.MTURK_LOCAL_ENDPOINT
    )
    findings = [*_surroundings(environment, endpoint), _name(endpoint)]
    try:
        gateway = environment_gateway(environment)
        findings.append(Finding("client", ok=True, says="boto3 knows Mechanical Turk"))
        findings += _calls(gateway, environment)
    except InputError as error:
        findings.append(Finding("account", ok=False, says=error.message, remedy=error.remedy))
    return findings


def _surroundings(environment: str, endpoint: str) -> Iterator[Finding]:
    yield Finding("environment", ok=True, says=f"{environment}, at {endpoint}")
    if environment != Environment.LOCAL:
        yield Finding("Mechanical Turk", ok=True, says=_CLOSING)
    yield Finding("libraries", ok=True, says=", ".join(f"{k} {v}" for k, v in versions().items()))
    other = os.environ.get("AWS_DEFAULT_REGION") or os.environ.get("AWS_REGION")
    note = f" (the environment's {other} is not used)" if other and other != REGION else ""
    yield Finding("region", ok=True, says=f"{REGION}, the only one{note}")
    proxies = [name for name in _PROXIES if os.environ.get(name)]
    if proxies:
        used = "not used for this machine" if is_this_machine(endpoint) else "used"
        yield Finding("proxy", ok=True, says=f"{', '.join(proxies)} set, {used}")
    ignored = [name for name in _IGNORED if os.environ.get(name)]
    if ignored:
        says = f"{', '.join(ignored)} set, and not used: the environment decides the address"
        yield Finding("AWS variables", ok=True, says=says)
    if environment != Environment.LOCAL:
        key = environment_access_key()
        yield Finding(
            "credentials",
            ok=key is not None,
            says=f"access key ...{key[-4:]}" if key else "none",
            remedy="Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE.",
        )


def _name(endpoint: str) -> Finding:
    host = urlsplit(endpoint).hostname or ""
    try:
        socket.getaddrinfo(host, None)
    except OSError as error:
        return Finding(
            "name",
            ok=False,
            says=f"{host} has no address ({error.strerror or error})",
            remedy="Without network, use the local crowd service (MTURK_ENVIRONMENT=local).",
        )
    return Finding("name", ok=True, says=f"{host} has an address")


def _calls(gateway: Gateway, environment: str) -> Iterator[Finding]:
    balance = gateway.balance()
    note = ", as in every sandbox" if environment == Environment.SANDBOX else ""
    yield Finding("account", ok=True, says=f"holds {balance} USD{note}")
    offset = gateway.clock_offset()
    if offset is None:
        yield Finding("clock", ok=True, says="the service does not send its time")
        return
    yield Finding(
        "clock",
        ok=abs(offset) <= _CLOCK_TOLERANCE_SECONDS,
        says=f"{offset:+.0f} s against the service's",
        remedy="Set this machine's clock; signatures are refused from 300 s on.",
    )
