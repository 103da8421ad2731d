"""Qualification types: create, show, change, delete, list."""

from typing import Any

from django.db import IntegrityError
from django.db.models import Q, QuerySet

from mturk_local.errors import ParameterError, RequestError, does_not_exist
from mturk_local.forms import form_parse, key_check
from mturk_local.models import QualificationType, RequestState
from mturk_local.operations.hits import hits_of, hits_page
from mturk_local.operations.limits import check_limits
from mturk_local.operations.registry import Call, Reply, operation
from mturk_local.protocol.paging import page_of
from mturk_local.qualifications import SYSTEM_NAMES

_LONGEST_NAME = 200
_FIELDS = {
    "Description": "description",
    "Test": "test",
    "AnswerKey": "answer_key",
    "TestDurationInSeconds": "test_duration",
    "RetryDelayInSeconds": "retry_delay",
    "AutoGranted": "auto_granted",
    "AutoGrantedValue": "auto_granted_value",
}


@operation("CreateQualificationType")
def create_qualification_type(call: Call) -> Reply:
    params = call.params
    kind = QualificationType(
        requester=call.requester,
        name=params["Name"],
        keywords=params.get("Keywords", ""),
        created_at=call.now,
    )
    _fill(kind, params)
    if len(kind.name) > _LONGEST_NAME:
        raise ParameterError(f"The Name may have at most {_LONGEST_NAME} characters.")
    try:
        kind.save(force_insert=True)
    except IntegrityError:
        raise RequestError(
            "You have already created a QualificationType with this name.",
            turk_code="QualificationTypeAlreadyExists",
        ) from None
    return {"QualificationType": type_reply(kind)}


@operation("GetQualificationType")
def get_qualification_type(call: Call) -> Reply:
    """Anybody may look at a type; its test and answer key are its owner's."""
    type_id = call.params["QualificationTypeId"]
    if type_id in SYSTEM_NAMES:
        return {"QualificationType": _system_reply(type_id)}
    kind = QualificationType.objects.filter(qualification_type_id=type_id, deleted_at=None).first()
    if kind is None:
        raise does_not_exist("QualificationType", type_id)
    return {"QualificationType": type_reply(kind, owned=kind.requester_id == call.requester.pk)}


@operation("UpdateQualificationType")
def update_qualification_type(call: Call) -> Reply:
    kind = own_type(call)
    _fill(kind, call.params)
    kind.save()
    return {"QualificationType": type_reply(kind)}


@operation(
    "DeleteQualificationType",
    differs="Done at once; on Amazon the name is free again after up to 48 hours.",
)
def delete_qualification_type(call: Call) -> Reply:
    kind = own_type(call)
    kind.requests.filter(state__in=(RequestState.STARTED, RequestState.PENDING)).update(
        state=RequestState.REJECTED
    )
    QualificationType.objects.filter(pk=kind.pk).update(deleted_at=call.now)
    return {}


@operation(
    "ListQualificationTypes",
    differs="New types are found at once; system types are found by GetQualificationType only.",
)
def list_qualification_types(call: Call) -> Reply:
    params = call.params
    kinds: QuerySet[QualificationType] = QualificationType.objects.filter(deleted_at=None)
    if params.get("MustBeOwnedByCaller"):
        kinds = kinds.filter(requester=call.requester)
    if params["MustBeRequestable"]:
        kinds = kinds.filter(active=True)
    if query := params.get("Query", ""):
        kinds = kinds.filter(
            Q(name__icontains=query)
            | Q(description__icontains=query)
            | Q(keywords__icontains=query)
        )
    owned = bool(params.get("MustBeOwnedByCaller"))
    listing = f"types:{owned}:{params['MustBeRequestable']}:{query}"
    page, token = page_of(kinds, params, listing=listing)
    return {
        "NumResults": len(page),
        "NextToken": token,
        "QualificationTypes": [
            type_reply(kind, owned=kind.requester_id == call.requester.pk) for kind in page
        ],
    }


@operation("ListHITsForQualificationType")
def list_hits_for_qualification_type(call: Call) -> Reply:
    type_id = call.params["QualificationTypeId"]
    mine = call.requester.hit_types.values_list("pk", "qualification_requirements")
    using = [
        pk
        for pk, requirements in mine
        if any(requirement["QualificationTypeId"] == type_id for requirement in requirements)
    ]
    hits = hits_of(call).filter(hit_type__in=using, disposed_at=None)
    return hits_page(call, hits, listing=f"qualification:{type_id}")


def own_type(call: Call) -> QualificationType:
    """The requester's own type of the id in the request."""
    type_id = call.params["QualificationTypeId"]
    kind = (
        QualificationType.objects.filter(
            requester=call.requester, qualification_type_id=type_id, deleted_at=None
        )
        .select_related("requester")
        .first()
    )
    if kind is None:
        raise does_not_exist("QualificationType", type_id)
    return kind


def _fill(kind: QualificationType, params: dict[str, Any]) -> None:
    check_limits(params)
    for name, field in _FIELDS.items():
        if name in params:
            setattr(kind, field, params[name])
    if "QualificationTypeStatus" in params:
        kind.active = params["QualificationTypeStatus"] == "Active"
    if kind.test and kind.auto_granted:
        raise ParameterError("AutoGranted cannot be true for a QualificationType with a Test.")
    if kind.answer_key and not kind.test:
        raise ParameterError("An AnswerKey needs a Test.")
    if kind.test:
        if kind.test_duration is None:
            raise ParameterError("A Test needs a TestDurationInSeconds.")
        form = form_parse(kind.test)
        if kind.answer_key:
            key_check(kind.answer_key, form)


def type_reply(kind: QualificationType, *, owned: bool = True) -> dict[str, Any]:
    """A type as it goes over the wire; test and key only to its owner."""
    return {
        "QualificationTypeId": kind.qualification_type_id,
        "CreationTime": kind.created_at,
        "Name": kind.name,
        "Description": kind.description,
        "Keywords": kind.keywords,
        "QualificationTypeStatus": "Active" if kind.active else "Inactive",
        "Test": (kind.test or None) if owned else None,
        "TestDurationInSeconds": kind.test_duration,
        "AnswerKey": (kind.answer_key or None) if owned else None,
        "RetryDelayInSeconds": kind.retry_delay,
        "IsRequestable": kind.active,
        "AutoGranted": kind.auto_granted,
        "AutoGrantedValue": kind.auto_granted_value if kind.auto_granted else None,
    }


def _system_reply(type_id: str) -> dict[str, Any]:
    return {
        "QualificationTypeId": type_id,
        "Name": SYSTEM_NAMES[type_id],
        "Description": "Given by the service itself.",
        "QualificationTypeStatus": "Active",
        "IsRequestable": False,
        "AutoGranted": False,
    }
