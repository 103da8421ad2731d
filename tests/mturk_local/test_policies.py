"""Review policies: what they find and do, seen in the assignments and in their report."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from tests.mturk_local.conftest import Annotator, assignments, counters, make_hit

if TYPE_CHECKING:
    from mypy_boto3_mturk import MTurkClient

pytestmark = pytest.mark.django_db(transaction=True, databases=["crowd"])
People = Callable[[str], Annotator]


def policy(name: str, **parameters: Any) -> Any:
    listed = [
        {"Key": key, "MapEntries": [{"Key": q, "Values": v} for q, v in value.items()]}
        if isinstance(value, dict)
        else {"Key": key, "Values": [str(value)]}
        for key, value in parameters.items()
    ]
    return {"PolicyName": name, "Parameters": listed}


def test_known_answers_approve_and_reject(mturk: "MTurkClient", annotator: People) -> None:
    known = policy(
        "ScoreMyKnownAnswers/2011-09-01",
        AnswerKey={"comment": ["right"]},
        ApproveIfKnownAnswerScoreIsAtLeast=100,
        RejectIfKnownAnswerScoreIsLessThan=50,
        RejectReason="The known answer was missed.",
    )
    hit_id = make_hit(mturk, MaxAssignments=2, AssignmentReviewPolicy=known)
    for name, comment in (("ada", "right"), ("ben", "wrong")):
        person = annotator(name)
        person.accept(hit_id)
        person.answer(label="cat", comment=comment)

    states = [one["AssignmentStatus"] for one in assignments(mturk, hit_id)]
    assert states == ["Approved", "Rejected"]
    report = mturk.list_review_policy_results_for_hit(HITId=hit_id, PolicyLevels=["Assignment"])[
        "AssignmentReviewReport"
    ]
    scores = [one["Value"] for one in report["ReviewResults"] if one["Key"] == "KnownAnswerScore"]
    assert scores == ["100", "0"]
    assert [one["ActionName"] for one in report["ReviewActions"]] == ["approve", "reject"]


def test_a_plurality_is_found_or_one_more_worker_asked(
    mturk: "MTurkClient", annotator: People
) -> None:
    plurality = policy(
        "SimplePlurality/2011-09-01",
        QuestionIds="comment",
        QuestionAgreementThreshold=50,
        ExtendIfHITAgreementScoreIsLessThan=100,
        ExtendMaximumAssignments=3,
        ExtendMinimumTimeInSeconds=3600,
        ApproveIfWorkerAgreementScoreIsAtLeast=100,
    )
    hit_id = make_hit(mturk, MaxAssignments=2, HITReviewPolicy=plurality)
    for name, comment in (("ada", "cat"), ("ben", "dog")):
        person = annotator(name)
        person.accept(hit_id)
        person.answer(label="cat", comment=comment)
    # No plurality of two different answers: one more is asked for.
    assert counters(mturk, hit_id) == ("Assignable", 1, 0, 0)
    cy = annotator("cy")
    cy.accept(hit_id)
    cy.answer(label="cat", comment="cat")

    assert [one["AssignmentStatus"] for one in assignments(mturk, hit_id)] == [
        "Approved",
        "Submitted",
        "Approved",
    ]
    page = mturk.list_review_policy_results_for_hit(HITId=hit_id, MaxResults=100)
    found = {one["Key"]: one["Value"] for one in page["HITReviewReport"]["ReviewResults"]}
    assert (found["PluralityAnswer"], found["PluralityLevel"]) == ("cat", "66")
