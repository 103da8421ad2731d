"""Submitted assignments: list, show, approve, reject."""

from typing import Any

from django.db.models import QuerySet

from mturk_local.errors import does_not_exist
from mturk_local.lifecycle.approvals import assignment_approve, assignment_reject
from mturk_local.models import Assignment, AssignmentState
from mturk_local.operations.hits import hit_get, hit_reply
from mturk_local.operations.limits import check_limits
from mturk_local.operations.registry import Call, Reply, operation
from mturk_local.protocol.paging import page_of
from mturk_local.status import counts_of

_HANDED_IN = (AssignmentState.SUBMITTED, AssignmentState.APPROVED, AssignmentState.REJECTED)


@operation("ListAssignmentsForHIT")
def list_assignments_for_hit(call: Call) -> Reply:
    hit = hit_get(call)
    states = sorted(set(call.params.get("AssignmentStatuses") or _HANDED_IN))
    page, token = page_of(
        _handed_in(call).filter(hit=hit, state__in=states),
        call.params,
        listing=f"assignments:{hit.hit_id}:{','.join(states)}",
    )
    return {
        "NumResults": len(page),
        "NextToken": token,
        "Assignments": [assignment_reply(assignment) for assignment in page],
    }


@operation("GetAssignment")
def get_assignment(call: Call) -> Reply:
    assignment = assignment_get(call)
    hit = assignment.hit
    return {
        "Assignment": assignment_reply(assignment),
        "HIT": hit_reply(hit, counts_of([hit])[hit.pk], call),
    }


@operation("ApproveAssignment")
def approve_assignment(call: Call) -> Reply:
    check_limits(call.params)
    assignment_approve(
        assignment=assignment_get(call),
        feedback=call.params.get("RequesterFeedback", ""),
        override_rejection=call.params.get("OverrideRejection", False),
        now=call.now,
    )
    return {}


@operation("RejectAssignment")
def reject_assignment(call: Call) -> Reply:
    check_limits(call.params)
    assignment_reject(
        assignment=assignment_get(call),
        feedback=call.params["RequesterFeedback"],
        now=call.now,
    )
    return {}


def assignment_get(call: Call) -> Assignment:
    """Return the requester's own assignment of this id, if submitted: others are invisible."""
    assignment_id = call.params["AssignmentId"]
    assignment = _handed_in(call).filter(assignment_id=assignment_id).first()
    if assignment is None:
        raise does_not_exist("Assignment", assignment_id)
    return assignment


def _handed_in(call: Call) -> QuerySet[Assignment]:
    return Assignment.objects.filter(
        hit__requester=call.requester, state__in=_HANDED_IN
    ).select_related("hit__hit_type", "hit__requester", "worker")


def assignment_reply(assignment: Assignment) -> dict[str, Any]:
    """An assignment as it goes over the wire."""
    return {
        "AssignmentId": assignment.assignment_id,
        "WorkerId": assignment.worker.worker_id,
        "HITId": assignment.hit.hit_id,
        "AssignmentStatus": assignment.state,
        "AutoApprovalTime": assignment.auto_approval_at,
        "AcceptTime": assignment.accepted_at,
        "SubmitTime": assignment.submitted_at,
        "ApprovalTime": assignment.approved_at,
        "RejectionTime": assignment.rejected_at,
        "Deadline": assignment.deadline,
        "Answer": assignment.answer,
        "RequesterFeedback": assignment.feedback or None,
    }
