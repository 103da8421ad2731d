"""HITs: create, show, list, change, delete."""

from collections import Counter
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db.models import QuerySet

from mturk_local import money
from mturk_local.errors import ParameterError, does_not_exist
from mturk_local.forms import form_parse
from mturk_local.lifecycle.hits import (
    HITSpec,
    hit_change_type,
    hit_create,
    hit_dispose,
    hit_extend,
    hit_mark_reviewing,
    hit_set_expiration,
)
from mturk_local.models import HIT, AssignmentState, HITType
from mturk_local.operations.hit_types import hit_type_get, hit_type_of
from mturk_local.operations.limits import check_limits
from mturk_local.operations.registry import Call, Reply, operation
from mturk_local.policies import KNOWN_ANSWERS, PLURALITY, check_policy
from mturk_local.protocol.paging import page_of
from mturk_local.questions import MOST_BYTES, check_external_url, check_html, question_parse
from mturk_local.status import completed, counts_of, reviewable, status_of

#: As on Amazon, a HIT cannot be looked up any more this long after it was disposed of.
_KEPT = timedelta(days=120)
#: Longest lifetime.
_LONGEST_LIFE = timedelta(days=365)
_DIFFERS = (
    "There are no HIT layouts, which are made on Amazon's web pages. A `Question` may have "
    f"{MOST_BYTES:,} bytes, on Amazon 65,535."
)


@operation("CreateHIT", differs=_DIFFERS)
def create_hit(call: Call) -> Reply:
    return _create(call, hit_type_of(call))


@operation("CreateHITWithHITType", differs=_DIFFERS)
def create_hit_with_hit_type(call: Call) -> Reply:
    return _create(call, hit_type_get(call, call.params["HITTypeId"]))


def _create(call: Call, hit_type: HITType) -> Reply:
    params = call.params
    check_limits(params)
    if "HITLayoutId" in params:
        raise does_not_exist("HITLayout", params["HITLayoutId"])
    if "Question" not in params:
        raise ParameterError("Either a Question or a HITLayoutId parameter must be given.")
    for level, name in (("AssignmentReviewPolicy", KNOWN_ANSWERS), ("HITReviewPolicy", PLURALITY)):
        if level in params:
            check_policy(params[level], name=name)
    question = question_parse(params["Question"])
    if question.kind == "html":
        check_html(question.content)
    if question.kind == "form":
        form_parse(question.content)
    if question.kind == "external":
        check_external_url(
            question.content, allow_loopback=settings.MTURK_LOCAL_ALLOW_HTTP_QUESTIONS
        )
    hit = hit_create(
        requester=call.requester,
        hit_type=hit_type,
        spec=HITSpec(
            question=params["Question"],
            max_assignments=params.get("MaxAssignments", 1),
            lifetime_seconds=params["LifetimeInSeconds"],
            annotation=params.get("RequesterAnnotation", ""),
            token=params.get("UniqueRequestToken"),
            assignment_review_policy=params.get("AssignmentReviewPolicy"),
            hit_review_policy=params.get("HITReviewPolicy"),
        ),
        now=call.now,
    )
    return {"HIT": hit_reply(hit, Counter(), call)}


@operation("GetHIT")
def get_hit(call: Call) -> Reply:
    hit = hit_get(call)
    return {"HIT": hit_reply(hit, counts_of([hit])[hit.pk], call)}


@operation("ListHITs")
def list_hits(call: Call) -> Reply:
    return hits_page(call, hits_of(call).filter(disposed_at=None), listing="hits")


@operation("ListReviewableHITs")
def list_reviewable_hits(call: Call) -> Reply:
    status = call.params.get("Status", "Reviewable")
    hits = reviewable(hits_of(call), call.now).filter(reviewing=status == "Reviewing")
    hit_type_id = call.params.get("HITTypeId", "")
    if hit_type_id:
        hits = hits.filter(hit_type=hit_type_get(call, hit_type_id))
    return hits_page(call, hits, listing=f"reviewable:{status}:{hit_type_id}")


@operation("UpdateExpirationForHIT")
def update_expiration_for_hit(call: Call) -> Reply:
    at = call.params["ExpireAt"]
    if at > call.now + _LONGEST_LIFE:
        raise ParameterError(
            f"The value {at:%Y-%m-%d} is not valid for the parameter ExpireAt: "
            f"it must lie within {_LONGEST_LIFE.days} days."
        )
    hit_set_expiration(hit=hit_get(call), at=at, now=call.now)
    return {}


@operation("CreateAdditionalAssignmentsForHIT", differs="No HIT is too old to be extended.")
def create_additional_assignments_for_hit(call: Call) -> Reply:
    check_limits(call.params)
    hit_extend(
        hit=hit_get(call),
        by=call.params["NumberOfAdditionalAssignments"],
        token=call.params.get("UniqueRequestToken"),
        now=call.now,
    )
    return {}


@operation("DeleteHIT")
def delete_hit(call: Call) -> Reply:
    hit = hit_get(call)
    status = status_of(hit, counts_of([hit])[hit.pk], call.now)
    hit_dispose(hit=hit, status=status, now=call.now)
    return {}


@operation("UpdateHITReviewStatus")
def update_hit_review_status(call: Call) -> Reply:
    hit = hit_get(call)
    status = status_of(hit, counts_of([hit])[hit.pk], call.now)
    hit_mark_reviewing(hit=hit, status=status, revert=call.params.get("Revert", False))
    return {}


@operation("UpdateHITTypeOfHIT")
def update_hit_type_of_hit(call: Call) -> Reply:
    hit_type = hit_type_get(call, call.params["HITTypeId"])
    hit_change_type(hit=hit_get(call), hit_type=hit_type)
    return {}


def hits_of(call: Call) -> QuerySet[HIT]:
    """The requester's own HITs that can still be looked up."""
    return (
        HIT.objects.filter(requester=call.requester)
        .exclude(disposed_at__lte=call.now - _KEPT)
        .select_related("hit_type", "requester")
    )


def hit_get(call: Call) -> HIT:
    hit_id = call.params["HITId"]
    hit = hits_of(call).filter(hit_id=hit_id).first()
    if hit is None:
        raise does_not_exist("Hit", hit_id)
    return hit


def hits_page(call: Call, hits: QuerySet[HIT], *, listing: str) -> Reply:
    page, token = page_of(hits, call.params, listing=listing)
    return {"NumResults": len(page), "NextToken": token, "HITs": hit_replies(page, call)}


def hit_replies(hits: Sequence[HIT], call: Call) -> list[dict[str, Any]]:
    counts = counts_of(hits)
    return [hit_reply(hit, counts[hit.pk], call) for hit in hits]


def hit_reply(hit: HIT, counts: Counter[str], call: Call) -> dict[str, Any]:
    """A HIT as it goes over the wire."""
    kind = hit.hit_type
    return {
        "HITId": hit.hit_id,
        "HITTypeId": kind.hit_type_id,
        "HITGroupId": kind.hit_group_id,
        "CreationTime": hit.created_at,
        "Title": kind.title,
        "Description": kind.description,
        "Question": hit.question,
        "Keywords": kind.keywords,
        "HITStatus": status_of(hit, counts, call.now),
        "MaxAssignments": hit.max_assignments,
        "Reward": money.amount(kind.reward_cents),
        "AutoApprovalDelayInSeconds": kind.auto_approval_delay,
        "Expiration": hit.expiration,
        "AssignmentDurationInSeconds": kind.assignment_duration,
        "RequesterAnnotation": hit.requester_annotation or None,
        "QualificationRequirements": kind.qualification_requirements,
        "HITReviewStatus": "NotReviewed",
        "NumberOfAssignmentsPending": counts[AssignmentState.ACCEPTED],
        "NumberOfAssignmentsAvailable": hit.open_slots,
        "NumberOfAssignmentsCompleted": completed(counts),
    }
