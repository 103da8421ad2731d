"""Blocks, bonuses, messages, reviewing, types: each effect seen elsewhere."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest
from botocore.exceptions import ClientError

from tests.mturk_local.conftest import (
    TYPE,
    Annotator,
    assignments,
    available,
    counters,
    make_hit,
)

if TYPE_CHECKING:
    from mypy_boto3_mturk import MTurkClient

pytestmark = pytest.mark.django_db(transaction=True, databases=["crowd"])
People = Callable[[str], Annotator]


def done_by(mturk: "MTurkClient", person: Annotator, **other: Any) -> tuple[str, str]:
    """HIT and assignment of something that `person` has handed in."""
    hit_id = make_hit(mturk, **other)
    person.accept(hit_id)
    person.answer(label="cat")
    return hit_id, assignments(mturk, hit_id)[0]["AssignmentId"]


def test_a_blocked_worker_finds_nothing_of_that_requester(
    client_of: Callable[[str], "MTurkClient"], annotator: People
) -> None:
    lab, other = client_of("lab"), client_of("other")
    mine, theirs = make_hit(lab), make_hit(other)
    ada = annotator("ada")
    lab.create_worker_block(WorkerId=ada.worker_id, Reason="Guesses")

    assert "cannot be done by you" in ada.text(f"hits/{mine}/")
    assert "Accept" in ada.text(f"hits/{theirs}/")
    assert lab.list_worker_blocks()["WorkerBlocks"] == [
        {"WorkerId": ada.worker_id, "Reason": "Guesses"}
    ]
    assert other.list_worker_blocks()["WorkerBlocks"] == []
    lab.delete_worker_block(WorkerId=ada.worker_id)
    lab.delete_worker_block(WorkerId=ada.worker_id)
    assert "Accept" in ada.text(f"hits/{mine}/")


def test_a_bonus_is_paid_once_and_the_worker_sees_why(
    mturk: "MTurkClient", annotator: People
) -> None:
    ada = annotator("ada")
    hit_id, assignment_id = done_by(mturk, ada)
    before = available(mturk)
    asked = {
        "WorkerId": ada.worker_id,
        "AssignmentId": assignment_id,
        "BonusAmount": "1.00",
        "Reason": "Careful work",
        "UniqueRequestToken": "bonus-1",
    }
    mturk.send_bonus(**asked)
    with pytest.raises(ClientError):
        mturk.send_bonus(**asked)

    # 1.00 USD and 20 % of it.
    assert (before, available(mturk)) == ("9999.70", "9998.50")
    pages = (
        mturk.list_bonus_payments(HITId=hit_id),
        mturk.list_bonus_payments(AssignmentId=assignment_id),
    )
    for page in pages:
        (payment,) = page["BonusPayments"]
        assert (payment["BonusAmount"], payment["WorkerId"]) == ("1.00", ada.worker_id)
    work = ada.text("work/")
    assert "Bonus of 1.00 USD: Careful work" in work
    assert "1.25 USD earned so far with 1 task, of which 1.00 USD is approved" in work
    with pytest.raises(ClientError):
        mturk.send_bonus(**{**asked, "WorkerId": annotator("ben").worker_id})


def test_a_message_reaches_those_whose_work_was_judged(
    mturk: "MTurkClient", annotator: People
) -> None:
    ada, ben = annotator("ada"), annotator("ben")
    _, assignment_id = done_by(mturk, ada)
    mturk.approve_assignment(AssignmentId=assignment_id, RequesterFeedback="Well done")
    failures = mturk.notify_workers(
        Subject="More work", MessageText="Next week.", WorkerIds=[ada.worker_id, ben.worker_id]
    )["NotifyWorkersFailureStatuses"]

    assert [(one["WorkerId"], one["NotifyWorkersFailureCode"]) for one in failures] == [
        (ben.worker_id, "HardFailure")
    ]
    said = ada.text("work/")
    assert "More work Next week." in said
    assert "Well done" in said
    assert "More work" not in ben.text("work/")


def test_a_hit_is_marked_as_being_reviewed_and_back(
    mturk: "MTurkClient", annotator: People
) -> None:
    hit_id, _ = done_by(mturk, annotator("ada"))
    mturk.update_hit_review_status(HITId=hit_id)
    assert counters(mturk, hit_id)[0] == "Reviewing"
    reviewing = mturk.list_reviewable_hits(Status="Reviewing")["HITs"]
    assert [hit["HITId"] for hit in reviewing] == [hit_id]
    with pytest.raises(ClientError, match="'Reviewing'"):
        mturk.update_hit_review_status(HITId=hit_id)
    mturk.update_hit_review_status(HITId=hit_id, Revert=True)

    assert counters(mturk, hit_id)[0] == "Reviewable"


def test_a_hit_moves_to_another_type_with_its_price(mturk: "MTurkClient") -> None:
    hit_id = make_hit(mturk, MaxAssignments=2)
    dearer = mturk.create_hit_type(**{**TYPE, "Title": "Dearer", "Reward": "1.00"})["HITTypeId"]
    mturk.update_hit_type_of_hit(HITId=hit_id, HITTypeId=dearer)

    hit = mturk.get_hit(HITId=hit_id)["HIT"]
    assert (hit["Title"], hit["Reward"], hit["HITTypeId"]) == ("Dearer", "1.00", dearer)
    assert mturk.get_account_balance()["OnHoldBalance"] == "2.40"


def test_a_file_upload_url_is_refused(mturk: "MTurkClient", annotator: People) -> None:
    _, assignment_id = done_by(mturk, annotator("ada"))
    with pytest.raises(ClientError) as refused:
        mturk.get_file_upload_url(AssignmentId=assignment_id, QuestionIdentifier="q")

    assert refused.value.response["Error"]["Code"] == "RequestError"
