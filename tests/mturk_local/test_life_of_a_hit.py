"""The 13 operations that a publisher needs, through boto3, and what workers do in between."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from botocore.exceptions import ClientError
from defusedxml.ElementTree import fromstring

from tests.mturk_local.conftest import (
    AT_ONCE,
    QUESTION,
    TYPE,
    Annotator,
    assignments,
    counters,
    make_hit,
)
from tests.mturk_local.time_passing import let_time_pass

if TYPE_CHECKING:
    from mypy_boto3_mturk import MTurkClient

pytestmark = pytest.mark.django_db(transaction=True, databases=["crowd"])
People = Callable[[str], Annotator]


def test_a_new_hit_is_assignable_and_shows_what_it_was_made_of(mturk: "MTurkClient") -> None:
    type_id = mturk.create_hit_type(**TYPE)["HITTypeId"]
    made = mturk.create_hit_with_hit_type(
        HITTypeId=type_id,
        MaxAssignments=3,
        LifetimeInSeconds=3600,
        Question=QUESTION,
        RequesterAnnotation="batch:1/item:7",
    )["HIT"]

    shown = mturk.get_hit(HITId=made["HITId"])["HIT"]

    assert shown == made
    assert shown["HITStatus"] == "Assignable"
    assert (shown["NumberOfAssignmentsAvailable"], shown["Reward"]) == (3, "0.25")
    assert shown["Question"] == QUESTION
    assert (shown["Expiration"] - shown["CreationTime"]).total_seconds() == 3600


def test_equal_properties_are_one_hit_type_however_they_are_written(mturk: "MTurkClient") -> None:
    first = mturk.create_hit_type(**{**TYPE, "Reward": "0.5"})["HITTypeId"]
    again = mturk.create_hit_type(**{**TYPE, "Reward": "0.50"})["HITTypeId"]
    other = mturk.create_hit_type(**{**TYPE, "Reward": "0.51"})["HITTypeId"]

    assert first == again != other


def test_the_counters_count_as_amazon_counts(mturk: "MTurkClient", annotator: People) -> None:
    hit_id = make_hit(mturk, MaxAssignments=2)
    ada, ben = annotator("ada"), annotator("ben")

    ada.accept(hit_id)
    assert counters(mturk, hit_id) == ("Assignable", 1, 1, 0)
    ben.accept(hit_id)
    assert counters(mturk, hit_id) == ("Unassignable", 0, 2, 0)
    ada.answer(label="cat")
    # Work that is handed in and not yet judged is in none of the counters.
    assert counters(mturk, hit_id) == ("Unassignable", 0, 1, 0)
    ben.answer(label="cat")
    assert counters(mturk, hit_id) == ("Reviewable", 0, 0, 0)
    mturk.approve_assignment(AssignmentId=assignments(mturk, hit_id)[0]["AssignmentId"])
    assert counters(mturk, hit_id) == ("Reviewable", 0, 0, 1)


def test_an_answer_arrives_as_it_was_given(mturk: "MTurkClient", annotator: People) -> None:
    hit_id = make_hit(mturk)
    ada = annotator("ada")
    ada.accept(hit_id)
    ada.answer(label="cat", comment="café < & ]]> \U0001f600\r\nsecond line")

    (assignment,) = assignments(mturk, hit_id)
    answers = fromstring(assignment["Answer"])
    given = {answer[0].text: answer[1].text for answer in answers}
    assert given == {
        "v": "1",
        "label": "cat",
        "comment": "café < & ]]> \U0001f600\r\nsecond line",
    }
    assert assignment["WorkerId"] == ada.worker_id
    assert assignment["AssignmentStatus"] == "Submitted"
    assert assignment["AutoApprovalTime"] == assignment["SubmitTime"] + timedelta(hours=1)


def test_a_page_that_is_sent_twice_is_stored_once(mturk: "MTurkClient", annotator: People) -> None:
    hit_id = make_hit(mturk)
    ada = annotator("ada")
    ada.accept(hit_id)
    ada.open_task()
    form = ada.browser.select_form("form")
    ada.browser["label"], ada.browser["comment"] = "cat", "first"
    url = ada.browser.url
    assert ada.browser.submit(form, url).ok
    assert ada.browser.submit(form, url).ok
    form["comment"] = "second"
    refused = ada.browser.submit(form, url)
    assert refused.status_code == 409
    assert "The answers that came first are stored" in refused.text

    (assignment,) = assignments(mturk, hit_id)
    assert "first" in assignment["Answer"]
    assert "second" not in assignment["Answer"]


def test_submitted_answers_can_be_read_one_after_another_and_by_nobody_else(
    mturk: "MTurkClient", annotator: People
) -> None:
    ada, ben = annotator("ada"), annotator("ben")
    for comment in ("first", "second"):
        ada.accept(make_hit(mturk))
        ada.answer(label="cat", comment=comment)
    ada.browser.open(f"{ada.site}work/")
    newest = ada.browser.page.select('a[href$="/answer/"]')[0]["href"]
    ada.browser.open_relative(newest)
    assert not ada.browser.page.select('main a[rel="next"]')
    ada.browser.open_relative(ada.browser.page.select_one('main a[rel="prev"]')["href"])
    ada.open_task()
    page = ada.browser.page
    assert page.select_one("textarea").text == "first"
    assert page.select_one("input[type=radio]").has_attr("checked")
    assert all("disabled" in field.attrs for field in page.select("input, button, textarea"))
    assert ben.browser.open(f"{ben.site.removesuffix('/annotate/')}{newest}").status_code == 404


def test_a_preview_cannot_be_submitted(mturk: "MTurkClient", annotator: People) -> None:
    hit_id = make_hit(mturk)
    ada = annotator("ada")
    ada.browser.open(f"{ada.site}hits/{hit_id}/")
    ada.open_task()
    assert all("disabled" in field.attrs for field in ada.browser.page.select("input, button"))

    refused = ada.browser.post(
        f"{ada.site}submit/preview/mturk/externalSubmit",
        data={"assignmentId": "ASSIGNMENT_ID_NOT_AVAILABLE", "label": "cat"},
    )

    assert refused.status_code == 403
    assert counters(mturk, hit_id) == ("Assignable", 1, 0, 0)


def test_a_worker_has_one_assignment_per_hit(mturk: "MTurkClient", annotator: People) -> None:
    hit_id = make_hit(mturk, MaxAssignments=3)
    ada = annotator("ada")
    ada.accept(hit_id)
    ada.answer(label="cat")

    assert "cannot be done by you" in ada.text(f"hits/{hit_id}/")
    assert "nothing to do" in ada.text()
    assert counters(mturk, hit_id) == ("Assignable", 2, 0, 0)


def test_a_returned_assignment_is_issued_again(mturk: "MTurkClient", annotator: People) -> None:
    hit_id = make_hit(mturk)
    ada, ben = annotator("ada"), annotator("ben")
    ada.accept(hit_id)
    first_id = ada.browser.url.split("/")[-2]
    ada.give_back()
    assert counters(mturk, hit_id) == ("Assignable", 1, 0, 0)
    ben.accept(hit_id)
    ben.answer(label="cat")

    (assignment,) = assignments(mturk, hit_id)
    assert (assignment["AssignmentId"], assignment["WorkerId"]) == (first_id, ben.worker_id)


def test_an_assignment_is_abandoned_when_its_time_is_over(
    mturk: "MTurkClient", annotator: People
) -> None:
    hit_id = make_hit(mturk)
    ada = annotator("ada")
    ada.accept(hit_id)
    ada.open_task()
    form, url = ada.browser.select_form("form"), ada.browser.url
    form["label"] = "cat"
    let_time_pass(601)

    assert counters(mturk, hit_id) == ("Assignable", 1, 0, 0)
    late = ada.browser.submit(form, url)
    assert late.status_code == 409
    assert "run out" in late.text
    assert assignments(mturk, hit_id) == []


def test_what_was_accepted_before_the_expiry_may_still_be_handed_in(
    mturk: "MTurkClient", annotator: People
) -> None:
    hit_id = make_hit(mturk, MaxAssignments=2)
    ada = annotator("ada")
    ada.accept(hit_id)
    mturk.update_expiration_for_hit(HITId=hit_id, ExpireAt=AT_ONCE)

    assert counters(mturk, hit_id) == ("Unassignable", 1, 1, 0)
    assert "cannot be done" in annotator("ben").text(f"hits/{hit_id}/")
    ada.answer(label="cat")
    assert counters(mturk, hit_id) == ("Reviewable", 1, 0, 0)
    assert len(assignments(mturk, hit_id)) == 1


def test_an_expired_hit_is_revived_by_a_later_expiry(mturk: "MTurkClient") -> None:
    hit_id = make_hit(mturk)
    mturk.update_expiration_for_hit(HITId=hit_id, ExpireAt=AT_ONCE)
    assert counters(mturk, hit_id)[0] == "Reviewable"
    later = datetime.now(UTC).replace(microsecond=0) + timedelta(days=1)
    mturk.update_expiration_for_hit(HITId=hit_id, ExpireAt=later)

    assert counters(mturk, hit_id)[0] == "Assignable"
    with pytest.raises(ClientError, match=r'"3[A-Z0-9]+'):
        mturk.update_expiration_for_hit(HITId=hit_id, ExpireAt=later)


def test_work_that_nobody_judges_is_approved_in_time(
    mturk: "MTurkClient", annotator: People
) -> None:
    hit_id = make_hit(mturk)
    ada = annotator("ada")
    ada.accept(hit_id)
    ada.answer(label="cat")
    let_time_pass(3601)

    (assignment,) = assignments(mturk, hit_id)
    assert assignment["AssignmentStatus"] == "Approved"
    assert assignment["ApprovalTime"] == assignment["AutoApprovalTime"]
    with pytest.raises(ClientError, match="Submitted"):
        mturk.approve_assignment(AssignmentId=assignment["AssignmentId"])


def test_a_rejection_can_be_taken_back_and_reopens_no_slot(
    mturk: "MTurkClient", annotator: People
) -> None:
    hit_id = make_hit(mturk)
    ada = annotator("ada")
    ada.accept(hit_id)
    ada.answer(label="cat")
    assignment_id = assignments(mturk, hit_id)[0]["AssignmentId"]
    mturk.reject_assignment(AssignmentId=assignment_id, RequesterFeedback="All the same")

    assert counters(mturk, hit_id) == ("Reviewable", 0, 0, 1)
    with pytest.raises(ClientError, match="Submitted"):
        mturk.approve_assignment(AssignmentId=assignment_id)
    mturk.approve_assignment(AssignmentId=assignment_id, OverrideRejection=True)
    shown = mturk.get_assignment(AssignmentId=assignment_id)
    assert shown["Assignment"]["AssignmentStatus"] == "Approved"
    assert "RejectionTime" not in shown["Assignment"]
    assert shown["HIT"]["HITId"] == hit_id


def test_a_hit_is_deleted_only_when_all_its_work_is_judged(
    mturk: "MTurkClient", annotator: People
) -> None:
    hit_id = make_hit(mturk)
    with pytest.raises(ClientError, match="'Assignable'"):
        mturk.delete_hit(HITId=hit_id)
    ada = annotator("ada")
    ada.accept(hit_id)
    ada.answer(label="cat")
    with pytest.raises(ClientError, match="'Reviewable'"):
        mturk.delete_hit(HITId=hit_id)
    mturk.approve_assignment(AssignmentId=assignments(mturk, hit_id)[0]["AssignmentId"])
    mturk.delete_hit(HITId=hit_id)

    assert mturk.get_hit(HITId=hit_id)["HIT"]["HITStatus"] == "Disposed"
    assert mturk.list_hits()["HITs"] == []
    with pytest.raises(ClientError, match="'Disposed'"):
        mturk.delete_hit(HITId=hit_id)
    let_time_pass(121 * 86_400)
    with pytest.raises(ClientError, match=hit_id):
        mturk.get_hit(HITId=hit_id)


def test_assignments_are_added_but_not_across_ten(mturk: "MTurkClient") -> None:
    hit_id = make_hit(mturk, MaxAssignments=8)
    mturk.create_additional_assignments_for_hit(
        HITId=hit_id, NumberOfAdditionalAssignments=1, UniqueRequestToken="once"
    )
    assert counters(mturk, hit_id) == ("Assignable", 9, 0, 0)
    with pytest.raises(ClientError) as refused:
        mturk.create_additional_assignments_for_hit(HITId=hit_id, NumberOfAdditionalAssignments=1)
    code = dict(refused.value.response)["TurkErrorCode"]
    assert code == "AWS.MechanicalTurk.InvalidMaximumAssignmentsIncrease"
    with pytest.raises(ClientError, match='"once"'):
        mturk.create_additional_assignments_for_hit(
            HITId=hit_id, NumberOfAdditionalAssignments=1, UniqueRequestToken="once"
        )


def test_a_request_token_protects_for_a_day(mturk: "MTurkClient") -> None:
    first = make_hit(mturk, UniqueRequestToken="token-1")
    with pytest.raises(ClientError, match=first) as refused:
        make_hit(mturk, UniqueRequestToken="token-1")
    error = dict(refused.value.response)
    assert error["TurkErrorCode"] == "AWS.MechanicalTurk.HITAlreadyExists"
    let_time_pass(86_401)

    assert make_hit(mturk, UniqueRequestToken="token-1") != first


def test_a_token_belongs_to_one_requester(client_of: Callable[[str], "MTurkClient"]) -> None:
    mine = make_hit(client_of("lab"), UniqueRequestToken="token-1")
    theirs = make_hit(client_of("other"), UniqueRequestToken="token-1")

    assert mine != theirs


def test_reviewable_hits_are_listed_as_such(mturk: "MTurkClient", annotator: People) -> None:
    open_hit, done_hit = make_hit(mturk), make_hit(mturk)
    ada = annotator("ada")
    ada.accept(done_hit)
    assert mturk.list_reviewable_hits()["HITs"] == []
    ada.answer(label="cat")

    assert [hit["HITId"] for hit in mturk.list_reviewable_hits()["HITs"]] == [done_hit]
    assert {hit["HITId"] for hit in mturk.list_hits()["HITs"]} == {open_hit, done_hit}
    assert mturk.list_reviewable_hits(Status="Reviewing")["HITs"] == []
