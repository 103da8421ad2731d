"""Making one call, or reading one list, with errors by meaning and a few repetitions."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from botocore.exceptions import BotoCoreError, ClientError, PaginationError
from botocore.parsers import ResponseParserError

from annotation.mturk.errors import CrowdError, OutcomeUnknownError, from_reply, from_transport

if TYPE_CHECKING:
    from mypy_boto3_mturk import MTurkClient

_SECONDS_BEFORE_REPEATING = (0.5, 2.0, 5.0)
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
        for seconds in (*_SECONDS_BEFORE_REPEATING, None):
            try:
                return self._once(operation, want=want, **parameters)
            except OutcomeUnknownError:
                if seconds is None:
                    raise
                self._pause(seconds)
        raise AssertionError

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
        for seconds in (*_SECONDS_BEFORE_REPEATING, None):
            try:
                yield from self._pages_once(operation, member, **parameters)
            except OutcomeUnknownError:
                if seconds is None:
                    raise
                self._pause(seconds)
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
