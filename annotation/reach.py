"""Reach of the site: the start-up line, `check --deploy`, and settings that may not start.

An open site asks nobody to sign in. It is for rehearsals and tests, and listens to this machine
only: its own address decides that, never a header of a request.
"""

from collections.abc import Callable, Iterable
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings

from metrics.errors import InputError

Application = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]

_USUAL_NAMES = {"127.0.0.1", "localhost", "::1"}
_BY_A_PROXY = ("HTTP_FORWARDED", "HTTP_X_FORWARDED_FOR", "HTTP_X_REAL_IP", "HTTP_VIA")
_REFUSAL = (
    b"This site is open: nobody signs in, so that it answers only this machine, and no proxy.\n"
)


def is_loopback(host: str) -> bool:
    """Return whether only this machine reaches `host`, an address or `localhost`."""
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"


def is_loopback_url(url: str) -> bool:
    """Return whether only this machine reaches the host of `url`."""
    return is_loopback(urlsplit(url).hostname or "")


def is_this_machine(url: str) -> bool:
    """Return whether requests to `url` stay on this machine, by one of its usual names."""
    return urlsplit(url).hostname in _USUAL_NAMES


def check_bind(hosts: Iterable[str]) -> None:
    """Refuse to listen at `hosts` if the site is open and others could reach it."""
    if settings.OPEN and (why := reached_by_others(hosts)):
        raise InputError(
            f"FAIRPOOL_OPEN=1 lets everybody in without signing in, and {why}.",
            remedy="Unset FAIRPOOL_OPEN, or keep the site to this machine: 127.0.0.1.",
        )


def start_line(hosts: Iterable[str]) -> str:
    """One line: where the site listens, under which names it answers, and who gets in."""
    listens = ", ".join(hosts)
    here = all(map(is_loopback, hosts))
    reached = "this machine, and whatever proxy runs on it" if here else "every machine that can"
    return f"Listens at {listens}, for {reached}. {who_gets_in()}"


def who_gets_in() -> str:
    """Under which names the site answers, by which transport, and who may do what there."""
    names = ", ".join(settings.ALLOWED_HOSTS)
    transport = "https" if settings.SECURE_COOKIES else "plain http"
    if settings.OPEN:
        return (
            f"Answers to {names} by {transport}. FAIRPOOL_OPEN=1: nobody signs in, and everybody "
            "who uses this machine may do everything."
        )
    return (
        f"Answers to {names} by {transport}. Everybody signs in; open to all are the sign-in, "
        "/annotate/ (annotators sign in there), /mturk/ (signed calls), /healthz and /readyz."
    )


def only_this_machine(application: Application) -> Application:
    """`application`, which an open site gives to nobody but this machine, whatever serves it."""

    def guarded(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        peer, listener = environ.get("REMOTE_ADDR", ""), environ.get("SERVER_NAME", "")
        others = any(name in environ for name in _BY_A_PROXY)
        if settings.OPEN and (others or not is_loopback(peer) or not is_loopback(listener)):
            start_response("403 Forbidden", [("Content-Type", "text/plain; charset=utf-8")])
            return [_REFUSAL]
        return application(environ, start_response)

    return guarded


def reached_by_others(hosts: Iterable[str]) -> str:
    """Why others than this machine reach the site; empty if none do."""
    if strange := [host for host in hosts if not is_loopback(host)]:
        return f"{', '.join(strange)} is not only this machine"
    if named := [name for name in settings.ALLOWED_HOSTS if not is_loopback(name)]:
        return f"ALLOWED_HOSTS names {', '.join(named)}"
    return "TRUST_PROXY=1 says that a proxy leads others here" if settings.TRUST_PROXY else ""
