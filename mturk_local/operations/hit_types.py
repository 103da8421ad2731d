"""HIT types: equal properties are one type."""

import hashlib
import json
from typing import Any

from mturk_local import money
from mturk_local.errors import does_not_exist
from mturk_local.models import HITType, QualificationType
from mturk_local.operations.limits import check_limits
from mturk_local.operations.registry import Call, Reply, operation
from mturk_local.qualifications import SYSTEM_NAMES, normalised

_THIRTY_DAYS = 2_592_000


@operation("CreateHITType")
def create_hit_type(call: Call) -> Reply:
    return {"HITTypeId": hit_type_of(call).hit_type_id}


def hit_type_of(call: Call) -> HITType:
    """The type with the properties of `call`: the existing one, or a new one."""
    check_limits(call.params)
    properties = _properties(call.params)
    _check_known(properties["qualification_requirements"])
    canonical = json.dumps(properties, sort_keys=True).encode()
    hit_type, _ = HITType.objects.get_or_create(
        requester=call.requester,
        fingerprint=hashlib.sha256(canonical).hexdigest(),
        defaults={**properties, "created_at": call.now},
    )
    return hit_type


def hit_type_get(call: Call, hit_type_id: str) -> HITType:
    """The requester's own type of this id."""
    hit_type = HITType.objects.filter(requester=call.requester, hit_type_id=hit_type_id).first()
    if hit_type is None:
        raise does_not_exist("HITType", hit_type_id)
    return hit_type


def _check_known(requirements: list[dict[str, Any]]) -> None:
    """A requirement names a qualification that there is, of whichever requester."""
    type_ids = {
        requirement["QualificationTypeId"] for requirement in requirements
    } - SYSTEM_NAMES.keys()
    kinds = QualificationType.objects.filter(qualification_type_id__in=type_ids, deleted_at=None)
    unknown = type_ids.difference(kinds.values_list("qualification_type_id", flat=True))
    if unknown:
        raise does_not_exist("QualificationType", min(unknown))


def _properties(params: dict[str, Any]) -> dict[str, Any]:
    return {
        "title": params["Title"],
        "description": params["Description"],
        "keywords": params.get("Keywords", ""),
        "reward_cents": money.cents(params["Reward"]),
        "assignment_duration": params["AssignmentDurationInSeconds"],
        "auto_approval_delay": params.get("AutoApprovalDelayInSeconds", _THIRTY_DAYS),
        "qualification_requirements": normalised(params.get("QualificationRequirements", [])),
    }
