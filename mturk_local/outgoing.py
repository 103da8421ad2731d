"""Calls to addresses that somebody entered: public ones, or those in the settings.

A name is resolved once, all its addresses must be public, and the connection goes to one of these,
so that DNS rebinding gains nothing. Neither redirects nor proxies are used. Hosts listed in the
settings may have any address.
"""

import socket
from collections.abc import Collection
from http.client import HTTPException, HTTPResponse, HTTPSConnection
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import Any, cast
from urllib.parse import SplitResult, urlsplit
from urllib.request import (
    HTTPRedirectHandler,
    HTTPSHandler,
    OpenerDirector,
    ProxyHandler,
    Request,
    build_opener,
)

#: What translates to an IPv4 address in the last four bytes (RFC 6052).
_NAT64 = IPv6Network("64:ff9b::/96")
#: All that is given to networks of the world (RFC 4291).
_UNICAST = IPv6Network("2000::/3")


class _StayHere(HTTPRedirectHandler):
    """Refuses redirects."""

    def redirect_request(self, *_args: Any, **_kwargs: Any) -> None:
        return None


def is_listed(url: str, listed: Collection[str]) -> bool:
    """Return whether the host of `url` is one of `listed`, written `host` or `host:port`."""
    if (parts := _parts(url)) is None:
        return False
    return parts.hostname in listed or parts.netloc.lower() in listed


def may_call(url: str, *, listed: Collection[str]) -> bool:
    """Return whether `url` is an address of HTTPS, or its host is listed.

    The address of a host is checked when it is called.
    """
    parts = _parts(url)
    if parts is None:
        return False
    is_safe = parts.scheme == "https" and _may_be_public(str(parts.hostname))
    return is_safe or is_listed(url, listed)


def call(request: Request, *, listed: Collection[str], timeout: float) -> HTTPResponse:
    """Return the reply to `request`; `OSError` if it is forbidden, fails, or does not speak HTTP.

    `timeout` is in seconds, for each wait.
    """
    url = request.full_url
    if not may_call(url, listed=listed):
        raise PermissionError(f"{url} is not an address that is called")
    opener = _LISTED if is_listed(url, listed) else _PUBLIC
    try:
        return cast("HTTPResponse", opener.open(request, timeout=timeout))
    except (HTTPException, ValueError) as error:  # such as a redirect to what is not an address
        raise ConnectionError(f"{url} does not speak HTTP: {error!r}") from None


def is_public(address: IPv4Address | IPv6Address) -> bool:
    """Return whether `address` is public; an address that wraps another is as public as that."""
    if isinstance(address, IPv4Address):
        return address.is_global and not address.is_multicast
    if address in _NAT64:
        return is_public(IPv4Address(address.packed[-4:]))
    if address.ipv4_mapped is not None:
        return is_public(address.ipv4_mapped)
    return address in _UNICAST and address.is_global and address.sixtofour is None


def _parts(url: str) -> SplitResult | None:
    """The parts of an address of HTTP without a name or password; None if it is none."""
    try:
        parts = urlsplit(url)
        _ = parts.port  # is read, and refused, only now
    except ValueError:
        return None
    is_plain = parts.scheme in {"http", "https"} and parts.hostname and "@" not in parts.netloc
    return parts if is_plain else None


def _may_be_public(host: str) -> bool:
    try:
        return is_public(ip_address(host))
    except ValueError:
        return host.rstrip(".") != "localhost"


def _connect_public(
    address: tuple[str, int], timeout: float | None = None, source: Any = None
) -> socket.socket:
    """A connection to one of the public addresses of a host; `OSError` if one is not public."""
    host, port = address
    places = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    numbers = list(dict.fromkeys(str(place[4][0]) for place in places))
    if not all(is_public(ip_address(number)) for number in numbers):
        raise PermissionError(f"{host} is not only at public addresses")
    failure = OSError(f"{host} has no address")
    for number in numbers:
        try:
            return socket.create_connection((number, port), timeout, source)
        except OSError as error:
            failure = error
    raise failure


class _PublicConnection(HTTPSConnection):
    """Checks and connects to the same address; the certificate is that of the name."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._create_connection = _connect_public


class _PublicHandler(HTTPSHandler):
    def https_open(self, request: Request) -> HTTPResponse:
        return self.do_open(_PublicConnection, request)


_LISTED: OpenerDirector = build_opener(ProxyHandler({}), _StayHere())
_PUBLIC: OpenerDirector = build_opener(ProxyHandler({}), _StayHere(), _PublicHandler())
