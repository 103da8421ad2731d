"""Calls of the second API of our own crowd service, which has what Mechanical Turk's API lacks.

They speak the same protocol under the same keys, but boto3 does not know them, so they are signed
and sent here.
"""

import json
import time
from collections.abc import Callable
from typing import Any

from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from botocore.exceptions import ClientError
from botocore.httpsession import URLLib3Session

from annotation.crowd.client import (
    REGION,
    Calls,
    KeyPair,
    refuse_inside_transaction,
    translated,
)
from annotation.crowd.errors import OutcomeUnknownError
from annotation.reach import is_this_machine

_OK = 200


class SecondApi(Calls):
    """One requester at the crowd service at `endpoint`; `timeout` is in seconds."""

    def __init__(
        self,
        endpoint: str,
        key: KeyPair,
        *,
        timeout: float = 60,
        pause: Callable[[float], object] = time.sleep,
    ) -> None:
        self._url = f"{endpoint.rstrip('/')}/people/"
        self._signer = SigV4Auth(Credentials(*key), "mturk-requester", REGION)
        # For connecting and for each read; the type stubs accept one number only.
        limits: Any = (min(timeout, 10), timeout)
        self._session = URLLib3Session(
            timeout=limits, proxies={} if is_this_machine(endpoint) else None
        )
        self._pause = pause

    def _once(self, operation: str, *, want: str, **parameters: Any) -> Any:
        """Make one signed call; return the whole reply, which has the member `want`."""
        refuse_inside_transaction()
        request = AWSRequest(
            method="POST",
            url=self._url,
            data=json.dumps(parameters),
            headers={
                "X-Amz-Target": f"CrowdPeople.{operation}",
                "Content-Type": "application/x-amz-json-1.1",
            },
        )
        self._signer.add_auth(request)
        with translated():
            reply = self._session.send(request.prepare())
            answer = _object(reply.content)
            if reply.status_code != _OK:
                raise _refusal(reply.status_code, answer, operation)
        if want not in answer:
            raise OutcomeUnknownError(f"the reply to {operation} has no {want}.")
        return answer


def _object(body: bytes) -> dict[str, Any]:
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _refusal(status: int, body: dict[str, Any], operation: str) -> ClientError:
    error = {"Code": str(body.get("__type") or status), "Message": str(body.get("Message") or "")}
    reply: Any = {"Error": error, "TurkErrorCode": str(body.get("TurkErrorCode") or "")}
    return ClientError(reply, operation)
