"""Operations on qualifications and the requests for them."""

from django.db.models import QuerySet

from mturk_local.errors import does_not_exist
from mturk_local.lifecycle.grants import (
    qualification_grant,
    qualification_revoke,
    request_not_open,
    request_reject,
)
from mturk_local.models import Qualification, QualificationRequest, RequestState
from mturk_local.operations.qualification_types import own_type
from mturk_local.operations.registry import Call, Reply, operation
from mturk_local.operations.workers import worker_get
from mturk_local.protocol.paging import page_of


@operation("AssociateQualificationWithWorker")
def associate_qualification_with_worker(call: Call) -> Reply:
    qualification_grant(
        kind=own_type(call),
        worker=worker_get(call.params["WorkerId"]),
        value=call.params.get("IntegerValue", 1),
        tell=call.params.get("SendNotification", True),
        now=call.now,
    )
    return {}


@operation("DisassociateQualificationFromWorker")
def disassociate_qualification_from_worker(call: Call) -> Reply:
    qualification_revoke(
        kind=own_type(call),
        worker=worker_get(call.params["WorkerId"]),
        reason=call.params.get("Reason", ""),
        now=call.now,
    )
    return {}


@operation("GetQualificationScore")
def get_qualification_score(call: Call) -> Reply:
    kind = own_type(call)
    worker = worker_get(call.params["WorkerId"])
    qualification = (
        kind.qualifications.filter(worker=worker).select_related("type", "worker").first()
    )
    if qualification is None:
        raise does_not_exist("Qualification", f"{kind.qualification_type_id}/{worker.worker_id}")
    return {"Qualification": _reply(qualification)}


@operation("ListWorkersWithQualificationType")
def list_workers_with_qualification_type(call: Call) -> Reply:
    kind = own_type(call)
    status = call.params.get("Status", "")
    held = kind.qualifications.select_related("type", "worker")
    if status:
        held = held.filter(granted=status == "Granted")
    listing = f"holders:{kind.qualification_type_id}:{status}"
    page, token = page_of(held, call.params, listing=listing)
    return {
        "NumResults": len(page),
        "NextToken": token,
        "Qualifications": [_reply(qualification) for qualification in page],
    }


@operation("ListQualificationRequests")
def list_qualification_requests(call: Call) -> Reply:
    requests = _pending(call)
    type_id = call.params.get("QualificationTypeId", "")
    if type_id:
        requests = requests.filter(type=own_type(call))
    page, token = page_of(requests, call.params, listing=f"requests:{type_id}")
    return {
        "NumResults": len(page),
        "NextToken": token,
        "QualificationRequests": [
            {
                "QualificationRequestId": request.request_id,
                "QualificationTypeId": request.type.qualification_type_id,
                "WorkerId": request.worker.worker_id,
                "Test": request.type.test or None,
                "Answer": request.answer or None,
                "SubmitTime": request.submitted_at,
            }
            for request in page
        ],
    }


@operation("AcceptQualificationRequest")
def accept_qualification_request(call: Call) -> Reply:
    request = _request_get(call)
    qualification_grant(
        kind=request.type,
        worker=request.worker,
        value=call.params.get("IntegerValue", 1),
        tell=True,
        now=call.now,
    )
    return {}


@operation("RejectQualificationRequest")
def reject_qualification_request(call: Call) -> Reply:
    request_reject(request=_request_get(call), reason=call.params.get("Reason", ""), now=call.now)
    return {}


def _request_get(call: Call) -> QualificationRequest:
    request_id = call.params["QualificationRequestId"]
    request = (
        QualificationRequest.objects.filter(request_id=request_id, type__requester=call.requester)
        .select_related("type__requester", "worker")
        .first()
    )
    if request is None:
        raise does_not_exist("QualificationRequest", request_id)
    if request.state != RequestState.PENDING:
        raise request_not_open(request_id)
    return request


def _pending(call: Call) -> QuerySet[QualificationRequest]:
    return QualificationRequest.objects.filter(
        type__requester=call.requester, state=RequestState.PENDING
    ).select_related("type", "worker")


def _reply(qualification: Qualification) -> dict[str, object]:
    return {
        "QualificationTypeId": qualification.type.qualification_type_id,
        "WorkerId": qualification.worker.worker_id,
        "GrantTime": qualification.granted_at,
        "IntegerValue": qualification.value,
        "Status": "Granted" if qualification.granted else "Revoked",
    }
