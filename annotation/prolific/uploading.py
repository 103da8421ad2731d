"""A file put at an address that Prolific gives: at a public one, by HTTPS, and nowhere else.

The name is resolved once, all its addresses must be public, and the connection goes to one of
these, so that DNS rebinding gains nothing. Neither redirects nor proxies are used, and no token is
sent. A rehearsal's own address may be on this machine.
"""

import socket
from ipaddress import ip_address
from urllib.parse import urlsplit

import urllib3

from annotation.prolific.client import OutcomeUnknownError, RefusedError
from metrics.errors import InputError

_TIMEOUT = urllib3.Timeout(60)


def put_file(url: str, content: bytes, *, content_type: str, rehearsal: str = "") -> None:
    """Put `content` at `url`; the same again replaces it.

    `rehearsal` is the address of Prolific in force: only where that is on this machine, `url` may
    be there, too. `RefusedError` where nothing happened, `OutcomeUnknownError` without an answer.
    """
    parts = urlsplit(url)
    target = parts._replace(scheme="", netloc="").geturl()
    pool = _pool(url, rehearsal)
    host = parts.netloc
    try:
        reply = pool.request(
            "PUT", target, body=content, retries=False, redirect=False,
            headers={"Content-Type": content_type, "Host": host},
        )  # fmt: skip
    except urllib3.exceptions.NewConnectionError:
        raise RefusedError("the server that takes the file does not answer.", status=0) from None
    except urllib3.exceptions.HTTPError as error:
        raise OutcomeUnknownError(
            f"the upload got no usable answer ({type(error).__name__})."
        ) from None
    finally:
        pool.close()
    if reply.status // 100 == 4:  # noqa: PLR2004 - refused
        raise RefusedError(f"the upload was refused with HTTP status {reply.status}.",
                           status=reply.status, is_certain=False)  # fmt: skip
    if reply.status // 100 != 2:  # noqa: PLR2004 - taken
        raise OutcomeUnknownError(f"the upload was answered with HTTP status {reply.status}.")


def _pool(url: str, rehearsal: str) -> urllib3.HTTPConnectionPool:
    parts, own = urlsplit(url), urlsplit(rehearsal)
    is_rehearsed = own.scheme == "http" and (parts.scheme, parts.netloc) == (own.scheme, own.netloc)
    host = parts.hostname or ""
    if is_rehearsed:
        return urllib3.HTTPConnectionPool(host, parts.port, timeout=_TIMEOUT)
    if parts.scheme != "https" or not host or "@" in parts.netloc:
        raise _forbidden(url)
    try:
        places = socket.getaddrinfo(host, parts.port or 443, type=socket.SOCK_STREAM)
    except OSError:
        raise RefusedError(f"{host} has no address.", status=0) from None
    addresses = [str(place[4][0]) for place in places]
    if not all(_is_public(address) for address in addresses):
        raise _forbidden(url)
    return urllib3.HTTPSConnectionPool(
        addresses[0], parts.port, timeout=_TIMEOUT, server_hostname=host, assert_hostname=host
    )


def _is_public(number: str) -> bool:
    address = ip_address(number)
    mapped = getattr(address, "ipv4_mapped", None)
    if mapped is not None:
        return _is_public(str(mapped))
    return address.is_global and not address.is_multicast


def _forbidden(url: str) -> InputError:
    host = urlsplit(url).hostname or "nowhere"
    return InputError(
        f"the upload would go to {host}, which is not a public address of HTTPS: nothing was sent.",
        remedy="A proxy may be between this site and Prolific.",
    )
