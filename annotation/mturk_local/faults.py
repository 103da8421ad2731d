"""Carrying out the faults that a rehearsal has ordered. See `models.faults` for what there is."""

import json
import random
import time
from collections.abc import Callable
from typing import Any

from django.db import transaction
from django.db.models import F
from django.http import HttpResponse

from annotation.mturk_local.errors import CrowdError, ServiceFaultError
from annotation.mturk_local.models import Fault, FaultKind, KeyPair

_LISTS = ("HITs", "Assignments", "BonusPayments", "Qualifications", "QualificationTypes")


def fault_due(key: KeyPair, operation: str) -> Fault | None:
    """The fault that hits this call, if any; every fault that could have counts the call."""
    due = None
    with transaction.atomic(using="crowd"):
        ordered = Fault.objects.select_for_update().filter(key=key, operation__in=("", operation))
        for fault in ordered.filter(done__lt=F("times")):
            hits = due is None and fault.seen >= fault.skip and _by_chance(fault)
            due = fault if hits else due
            Fault.objects.filter(pk=fault.pk).update(
                seen=F("seen") + 1, done=F("done") + (1 if hits else 0)
            )
    return due


def _by_chance(fault: Fault) -> bool:
    return random.Random(f"{fault.pk}:{fault.seen}").random() < fault.chance


def carry_out(
    fault: Fault, *, params: dict[str, Any], carry: Callable[[], dict[str, Any]]
) -> HttpResponse | dict[str, Any]:
    """Let `fault` hit a call that `carry` would carry out: a spoiled reply, or a refusal raised."""
    if (instead := _instead(fault)) is not None:
        return instead
    reply = carry()
    match fault.kind:
        case FaultKind.LOST_REPLY:
            return _lost()
        case FaultKind.TRUNCATED:
            text = json.dumps(reply)
            return HttpResponse(text[: len(text) // 2], content_type="application/x-amz-json-1.1")
        case FaultKind.EMPTY:
            return {}
        case FaultKind.DELAY:
            time.sleep(fault.detail["Seconds"])
        case FaultKind.DUPLICATE_ITEMS:
            _repeat_first_item(reply)
        case FaultKind.SAME_TOKEN if "NextToken" in params:
            reply["NextToken"] = params["NextToken"]
    return reply


def _instead(fault: Fault) -> HttpResponse | None:
    """What comes instead of the operation, returned or raised; None if it is carried out."""
    match fault.kind:
        case FaultKind.THROTTLE:
            raise CrowdError("Rate exceeded", code="ThrottlingException")
        case FaultKind.SERVICE_FAULT:
            raise ServiceFaultError("The service is not available. Try again.")
        case FaultKind.UNAVAILABLE:
            return HttpResponse("<html><body>Service Unavailable</body></html>", status=503)
        case FaultKind.REFUSE:
            detail = fault.detail
            refusal = CrowdError(
                detail["Message"],
                code=detail.get("Code"),
                turk_code=detail.get("TurkErrorCode", ""),
            )
            refusal.status = detail.get("Status", 400)
            raise refusal
    return None


def _repeat_first_item(reply: dict[str, Any]) -> None:
    for name in _LISTS:
        if reply.get(name):
            reply[name].append(reply[name][0])
            reply["NumResults"] += 1


def _lost() -> HttpResponse:
    """A reply that the clients of Amazon cannot read.

    A web application cannot cut its own connection; but at a header line above 64 KiB Python's HTTP
    client gives up on the connection, with the same error as if it had been cut.
    """
    return HttpResponse(headers={"X-Lost": "." * 70_000})
