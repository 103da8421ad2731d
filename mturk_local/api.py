"""The endpoints: one address each, `POST`, the operation in a header, JSON in and out."""

import json
import uuid
from typing import Any

from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.views import View
from django.views.decorators.csrf import csrf_exempt

from mturk_local import people
from mturk_local.errors import CrowdError
from mturk_local.keys import key_pair_get
from mturk_local.lifecycle.events import deliver_without_worker
from mturk_local.lifecycle.sweep import MOST_IN_A_REQUEST, sweep
from mturk_local.models import KeyPair
from mturk_local.operations import Call, operations
from mturk_local.protocol.model import json_of, reply_body, request_params, target_prefix
from mturk_local.protocol.signature import SignedRequest, verified_access_key

_CONTENT_TYPE = "application/x-amz-json-1.1"


@method_decorator(csrf_exempt, name="dispatch")  # the signature stands in for the token
class Endpoint(View):
    """Speaks AWS JSON 1.1: the operations of Mechanical Turk."""

    http_method_names = ["post"]

    def post(self, request: HttpRequest) -> HttpResponse:
        try:
            body = _body(request)
            name = self.operation_name(*_target(request))
            return _reply(self.carry_out(name, _signer(request, body), body))
        except CrowdError as error:
            return _refusal(error)

    def operation_name(self, prefix: str, name: str) -> str:
        if prefix != target_prefix() or name not in operations():
            raise _unknown(name)
        return name

    def carry_out(self, name: str, key: KeyPair, body: bytes) -> dict[str, Any]:
        return _carried_out(name, key, request_params(name, json_of(body)))


class PeopleEndpoint(Endpoint):
    """Speaks the same protocol: what Amazon's API lacks, see `people`."""

    def operation_name(self, prefix: str, name: str) -> str:
        if prefix != people.TARGET or name not in people.OPERATIONS:
            raise _unknown(name)
        return name

    def carry_out(self, name: str, key: KeyPair, body: bytes) -> dict[str, Any]:
        return people.carry_out(name, key, json_of(body))


def _carried_out(name: str, key: KeyPair, params: dict[str, Any]) -> dict[str, Any]:
    now = timezone.now()
    sweep(now, most=MOST_IN_A_REQUEST)
    deliver_without_worker()
    # The sweep may have moved the requester's money.
    key.requester.refresh_from_db()
    call = Call(requester=key.requester, params=params, now=now)
    return reply_body(name, operations()[name].carry(call))


def _body(request: HttpRequest) -> bytes:
    try:
        return request.body
    except RequestDataTooBig:
        raise CrowdError("Request is too large", code="RequestEntityTooLargeException") from None


def _target(request: HttpRequest) -> tuple[str, str]:
    prefix, _, name = request.headers.get("X-Amz-Target", "").rpartition(".")
    return prefix, name


def _unknown(name: str) -> CrowdError:
    return CrowdError(f"The operation {name!r} is unknown.", code="UnknownOperationException")


def _signer(request: HttpRequest, body: bytes) -> KeyPair:
    signed = SignedRequest(
        method=request.method or "",
        path=request.path,
        query={name: str(value) for name, value in request.GET.items()},
        headers={name.lower(): value for name, value in request.headers.items()},
        body=body,
    )
    pairs: dict[str, KeyPair] = {}

    def secret_of(access_key_id: str) -> str | None:
        if pair := key_pair_get(access_key_id):
            pairs[access_key_id] = pair
            return pair.secret_access_key
        return None

    return pairs[verified_access_key(signed, secret_of, timezone.now())]


def _reply(value: dict[str, Any], status: int = 200) -> HttpResponse:
    return HttpResponse(
        json.dumps(value),
        status=status,
        content_type=_CONTENT_TYPE,
        headers={"x-amzn-RequestId": str(uuid.uuid4())},
    )


def _refusal(error: CrowdError) -> HttpResponse:
    value = {"__type": error.code, "Message": error.message}
    if error.code == "RequestError":
        # Amazon ends these texts with the moment, in milliseconds since 1970.
        value["Message"] += f" ({int(timezone.now().timestamp() * 1000)})"
    if error.turk_code:
        value["TurkErrorCode"] = error.turk_code
    return _reply(value, error.status)
