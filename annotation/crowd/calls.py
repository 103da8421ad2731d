"""Making one call, or reading one list, with errors by meaning and a few repetitions."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from typing import TYPE_CHECKING, Any

from botocore.exceptions import BotoCoreError, ClientError, PaginationError
from botocore.parsers import ResponseParserError

from annotation.crowd.errors import (
    CrowdAwayError,
    CrowdError,
    OutcomeUnknownError,
    ThrottledError,
    from_reply,
    from_transport,
)

if TYPE_CHECKING:
    from mypy_boto3_mturk import MTurkClient

#: No usable reply came, or nobody answered.
REPEATED = (OutcomeUnknownError, CrowdAwayError)
#: No repetition of a call begins later than this after its first attempt.
DEADLINE_SECONDS = 90.0
_SECONDS_BEFORE_REPEATING = (0.5, 2.0, 5.0)
#: Bursts of throttling pass; what was throttled did not happen.
_SECONDS_WHEN_THROTTLED = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0)
_PAGE_SIZE = 100


class Calls:
    """Calls of one client. `pause` waits for a number of seconds."""

    def __init__(
        self, client: "MTurkClient", *, pause: Callable[[float], object] = time.sleep
    ) -> None:
        self._client = client
        self._pause = pause

    def _call(self, operation: str, *, want: str = "", **parameters: Any) -> Any:
        """One operation, repeated while its outcome is unknown; the reply's member `want`."""
        latest = time.monotonic() + DEADLINE_SECONDS
        for attempt in count():
            try:
                return self._once(operation, want=want, **parameters)
            except REPEATED as error:
                self._wait(error, attempt, latest)
        raise AssertionError

    def _wait(self, error: CrowdError, attempt: int, latest: float) -> None:
        """Wait before the next repetition; raises `error` where none may begin any more.

        Nothing else repeats a call: neither botocore below nor whoever calls above.
        """
        throttled = isinstance(error, ThrottledError)
        pauses = _SECONDS_WHEN_THROTTLED if throttled else _SECONDS_BEFORE_REPEATING
        if attempt >= len(pauses) or time.monotonic() + pauses[attempt] > latest:
            raise error
        self._pause(pauses[attempt])

    def _once(self, operation: str, *, want: str, may_lack: bool = False, **parameters: Any) -> Any:
        with translated():
            reply = getattr(self._client, operation)(**parameters)
        if want and not may_lack and not reply.get(want):
            # A reply that was cut short reads as an empty success.
            raise OutcomeUnknownError(
                f"the reply to {operation} has no {want}.",
                remedy="Run the command again; it finds out what happened.",
            )
        return reply.get(want)

    def _pages(self, operation: str, member: str, **parameters: Any) -> Iterator[Any]:
        """The items of every page; a page may repeat items of an earlier one."""
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
    """Turns what botocore raises into errors by meaning."""
    try:
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
