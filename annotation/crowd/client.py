"""The one place that knows boto3: clients whose calls cannot happen inside a transaction."""

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import lru_cache
from threading import BoundedSemaphore
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

import boto3  # noqa: TID251 - this is the module that may
import botocore
from botocore.config import Config
from botocore.exceptions import BotoCoreError, UnknownServiceError
from django.db import connections

from annotation.crowd.errors import CrowdBusyError, CrowdStopError, from_transport

if TYPE_CHECKING:
    from mypy_boto3_mturk import MTurkClient

PRODUCTION = "https://mturk-requester.us-east-1.amazonaws.com"
SANDBOX = "https://mturk-requester-sandbox.us-east-1.amazonaws.com"
#: The only region that Mechanical Turk has; any other is signed wrongly.
REGION = "us-east-1"
_REQUEST: ContextVar["_Request | None"] = ContextVar("the request that is answered", default=None)
#: Fewer than any server has threads: the service that is waited for always has one to reply with.
_SLOT = BoundedSemaphore(1)
_LOOPBACK = {"127.0.0.1", "localhost", "::1"}


@dataclass
class _Request:
    has_slot: bool = False


class KeyPair(NamedTuple):
    access_key_id: str
    secret_access_key: str


@lru_cache(maxsize=16)
def connect(endpoint: str, key: KeyPair | None = None, *, timeout: float = 60) -> "MTurkClient":
    """A client of the crowd at `endpoint`; without `key`, with the credentials of the environment.

    The client is shared, so that all callers of this process slow down together when the service
    throttles one of them. `timeout` is in seconds and counts for connecting and for each read.
    """
    here = is_this_machine(endpoint)
    config = Config(
        region_name=REGION,
        connect_timeout=min(timeout, 10),
        read_timeout=timeout,
        # Adaptive: slows down where the service throttles. Repeating is for `calls` alone.
        retries={"mode": "adaptive", "total_max_attempts": 1},
        # A proxy of the environment cannot reach this machine's own service.
        proxies={} if here else None,
        user_agent_extra="fairpool",
    )
    try:
        client = boto3.session.Session().client(
            "mturk",
            endpoint_url=endpoint,
            config=config,
            aws_access_key_id=key.access_key_id if key else None,
            aws_secret_access_key=key.secret_access_key if key else None,
        )
    except UnknownServiceError as error:
        raise CrowdStopError(
            "the installed boto3 no longer knows Mechanical Turk.",
            remedy="Install the versions of requirements.txt, or set AWS_DATA_PATH to a folder "
            "with the model mturk/2017-01-17.",
        ) from error
    except (BotoCoreError, ValueError) as error:
        raise from_transport(error) from error
    if client.meta.endpoint_url.rstrip("/") != endpoint.rstrip("/"):
        raise CrowdStopError(
            f"the client would talk to {client.meta.endpoint_url} instead of {endpoint}.",
            remedy="Look at the AWS_* variables and the files in ~/.aws.",
        )
    client.meta.events.register("before-call.mturk", _refuse_inside_transaction)
    client.meta.events.register("before-call.mturk", _bound_requests)
    return client


# Parent and child would write their requests into the same open connections, half of each.
os.register_at_fork(after_in_child=connect.cache_clear)


def versions() -> dict[str, str]:
    """The installed boto3 and botocore."""
    return {"boto3": boto3.__version__, "botocore": botocore.__version__}


def environment_access_key() -> str | None:
    """The id of the access key that the environment gives, and no secret."""
    credentials = boto3.session.Session().get_credentials()
    return credentials.access_key if credentials else None


def is_this_machine(endpoint: str) -> bool:
    """Whether `endpoint` is a loopback address."""
    return urlsplit(endpoint).hostname in _LOOPBACK


def _refuse_inside_transaction(**_event: Any) -> None:
    """A transaction that waits for a reply holds its locks, and forgets the intent if it fails."""
    if any(connection.in_atomic_block for connection in _open_connections()):
        raise RuntimeError("a database transaction is open across a call to the crowd")


def before_call() -> None:
    """What holds before every call to the crowd, also one that boto3 does not make."""
    _refuse_inside_transaction()
    _bound_requests()


@contextmanager
def inside_request() -> Iterator[None]:
    """While a request of the site is answered: one of them at a time may call the crowd."""
    request = _Request()
    token = _REQUEST.set(request)
    try:
        yield
    finally:
        _REQUEST.reset(token)
        if request.has_slot:
            _SLOT.release()


def _bound_requests(**_event: Any) -> None:
    """Requests that wait for the site's own service would take the threads that it needs."""
    request = _REQUEST.get()
    if request is None or request.has_slot:
        return
    request.has_slot = _SLOT.acquire(blocking=False)
    if not request.has_slot:
        raise CrowdBusyError(
            "another request is waiting for the crowd service.", remedy="Try again in a moment."
        )


def _open_connections() -> Iterable[Any]:
    return connections.all(initialized_only=True)
