"""The only use of boto3: making one call, with errors by meaning and a few repetitions.

No call can happen inside a transaction.
"""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from importlib import import_module
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple

import botocore
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError, PaginationError, UnknownServiceError
from botocore.parsers import ResponseParserError
from botocore.session import get_session
from django.db import connections

from annotation.crowd.errors import (
    CrowdAwayError,
    CrowdError,
    CrowdStopError,
    OutcomeUnknownError,
    ThrottledError,
    from_reply,
    from_transport,
)
from annotation.crowd.turns import turn
from annotation.reach import is_this_machine

if TYPE_CHECKING:
    from botocore.loaders import Loader
    from mypy_boto3_mturk import MTurkClient

PRODUCTION = "https://mturk-requester.us-east-1.amazonaws.com"
SANDBOX = "https://mturk-requester-sandbox.us-east-1.amazonaws.com"
#: The only region that Mechanical Turk has; any other is signed wrongly.
REGION = "us-east-1"
#: Errors of calls without a usable reply.
REPEATED = (OutcomeUnknownError, CrowdAwayError)
#: No repetition of a call begins later than this after its first attempt.
DEADLINE_SECONDS = 90.0
_SECONDS_BEFORE_REPEATING = (0.5, 2.0, 5.0)
#: Bursts of throttling pass; what was throttled did not happen.
_SECONDS_WHEN_THROTTLED = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0)
_PAGE_SIZE = 100


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
        # Adaptive: slows down where the service throttles. Only `Calls` repeats.
        retries={"mode": "adaptive", "total_max_attempts": 1},
        # A proxy of the environment cannot reach this machine's own service.
        proxies={} if here else None,
        user_agent_extra="fairpool",
    )
    try:
        client: MTurkClient = _session().client(
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
    client.meta.events.register("before-call.mturk", refuse_inside_transaction)
    return client


def _session() -> Any:
    """Return a session with its own credentials and the shared, caching loader."""
    session = get_session()
    session.register_component("data_loader", _loader())
    return _boto3().session.Session(botocore_session=session)


@lru_cache(maxsize=1)
def _loader() -> "Loader":
    loader: Loader = get_session().get_component("data_loader")
    return loader


# Parent and child would mix their requests in the same open connections.
os.register_at_fork(after_in_child=connect.cache_clear)


def _boto3() -> Any:
    """Import boto3 with the first call: pages that do not call the crowd do not need it."""
    return import_module("boto3")


def versions() -> dict[str, str]:
    """The installed boto3 and botocore."""
    return {"boto3": _boto3().__version__, "botocore": botocore.__version__}


def environment_access_key() -> str | None:
    """The id of the access key that the environment gives, and no secret."""
    credentials = _boto3().session.Session().get_credentials()
    return credentials.access_key if credentials else None


def refuse_inside_transaction(**_event: Any) -> None:
    """Refuse calls in a transaction: it would hold its locks, and lose the intent on failure."""
    if any(connection.in_atomic_block for connection in connections.all(initialized_only=True)):
        raise RuntimeError("a database transaction is open across a call to the crowd")


class Calls:
    """Calls of one client. `pause` waits for a number of seconds."""

    def __init__(
        self, client: "MTurkClient", *, pause: Callable[[float], object] = time.sleep
    ) -> None:
        self._client = client
        self._pause = pause

    def _call(self, operation: str, *, want: str = "", **parameters: Any) -> Any:
        """Make one call, repeated while its outcome is unknown; return the member `want`."""
        latest = time.monotonic() + DEADLINE_SECONDS
        with turn():
            for attempt in count():
                try:
                    return self._once(operation, want=want, **parameters)
                except REPEATED as error:
                    self._wait(error, attempt, latest)
        raise AssertionError

    def _wait(self, error: CrowdError, attempt: int, latest: float) -> None:
        """Wait before the next repetition; raises `error` where none may begin any more.

        Nothing else repeats a call, neither botocore below nor the callers above.
        """
        throttled = isinstance(error, ThrottledError)
        pauses = _SECONDS_WHEN_THROTTLED if throttled else _SECONDS_BEFORE_REPEATING
        if attempt >= len(pauses) or time.monotonic() + pauses[attempt] > latest:
            raise error
        self._pause(pauses[attempt])

    def _once(self, operation: str, *, want: str, **parameters: Any) -> Any:
        with translated():
            reply = getattr(self._client, operation)(**parameters)
        if want and not reply.get(want):
            # A reply that was cut short reads as an empty success.
            raise OutcomeUnknownError(
                f"the reply to {operation} has no {want}.",
                remedy="Run the command again; it finds out what happened.",
            )
        return reply.get(want)

    def _pages(self, operation: str, member: str, **parameters: Any) -> Iterator[Any]:
        """Yield the items of every page; a page may repeat items of an earlier one."""
        latest = time.monotonic() + DEADLINE_SECONDS
        for attempt in count():
            try:
                yield from self._pages_once(operation, member, **parameters)
            except REPEATED as error:
                self._wait(error, attempt, latest)
            else:
                return

    def _pages_once(self, operation: str, member: str, **parameters: Any) -> Iterator[Any]:
        pages = self._client.get_paginator(operation).paginate(  # type: ignore[call-overload]
            **parameters, PaginationConfig={"PageSize": _PAGE_SIZE}
        )
        unread = iter(pages)
        while True:
            with translated():
                page = next(unread, None)
            if page is None:
                return
            if member not in page:
                raise OutcomeUnknownError(f"a page of {operation} has no {member}.")
            yield from page[member]


@contextmanager
def translated() -> Iterator[None]:
    """Make one call, in its turn; translate botocore's exceptions into errors by meaning."""
    try:
        with turn():
            yield
    except ClientError as error:
        raise from_reply(error) from error
    except PaginationError as error:
        raise CrowdError(
            "the crowd repeats a page token, so that the list has no end.",
            remedy="Run the command again.",
        ) from error
    except (BotoCoreError, ResponseParserError) as error:
        raise from_transport(error) from error
