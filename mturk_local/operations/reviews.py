"""Results of review policies; and the one operation that Amazon itself has retired."""

from typing import Any

from mturk_local.errors import RequestError
from mturk_local.models import PolicyLevel, ReviewResult
from mturk_local.operations.hits import hit_get
from mturk_local.operations.registry import Call, Reply, operation
from mturk_local.protocol.paging import page_of


@operation(
    "ListReviewPolicyResultsForHIT",
    differs="Also shows the HIT's and the workers' agreement scores.",
)
def list_review_policy_results_for_hit(call: Call) -> Reply:
    hit = hit_get(call)
    levels = call.params.get("PolicyLevels") or PolicyLevel.values
    actions = [
        is_action
        for is_action, name in ((False, "RetrieveResults"), (True, "RetrieveActions"))
        if call.params.get(name, True)
    ]
    rows = hit.review_results.filter(level__in=levels, is_action__in=actions)
    listing = f"reviews:{hit.hit_id}:{sorted(levels)}:{actions}"
    page, token = page_of(rows, call.params, listing=listing)
    return {
        "HITId": hit.hit_id,
        "AssignmentReviewPolicy": hit.assignment_review_policy,
        "HITReviewPolicy": hit.hit_review_policy,
        "AssignmentReviewReport": _report(page, PolicyLevel.ASSIGNMENT),
        "HITReviewReport": _report(page, PolicyLevel.HIT),
        "NextToken": token,
    }


@operation(
    "GetFileUploadURL",
    differs="Always refuses: file uploads were removed from Mechanical Turk in 2017.",
)
def get_file_upload_url(_call: Call) -> Reply:
    raise RequestError(
        "The requested question does not have an uploaded file.",
        turk_code="InvalidQuestionIdentifier",
    )


def _report(rows: list[ReviewResult], level: PolicyLevel) -> dict[str, list[dict[str, Any]]]:
    mine = [row for row in rows if row.level == level]
    return {
        "ReviewResults": [
            {
                "ActionId": row.action_id,
                "SubjectId": row.subject_id,
                "SubjectType": row.subject_type,
                "QuestionId": row.question_id or None,
                "Key": row.key,
                "Value": row.value,
            }
            for row in mine
            if not row.is_action
        ],
        "ReviewActions": [
            {
                "ActionId": row.action_id,
                "ActionName": row.key,
                "TargetId": row.subject_id,
                "TargetType": row.subject_type,
                "Status": "Succeeded" if row.succeeded else "Failed",
                "CompleteTime": row.at,
                "Result": row.value,
                "ErrorCode": row.error_code or None,
            }
            for row in mine
            if row.is_action
        ],
    }
