"""Annotators take back what they gave: an answer, all answers, or who they are."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from django.utils import timezone

from mturk_local.invariants import broken_invariants
from mturk_local.lifecycle.assignments import LeftError, assignment_abandon, assignment_accept
from mturk_local.models import (
    HIT,
    Assignment,
    AssignmentState,
    Bonus,
    Panel,
    Requester,
    Withdrawal,
    Worker,
)
from tests.mturk_local.conftest import Annotator, Guest, assignments, counters, make_hit

if TYPE_CHECKING:
    from mypy_boto3_mturk import MTurkClient

pytestmark = pytest.mark.django_db(transaction=True, databases=["crowd"])
People = Callable[[str], Annotator]


def answered(mturk: "MTurkClient", person: Annotator) -> tuple[str, str]:
    """A HIT that the person has answered, and the id of the answer."""
    hit_id = make_hit(mturk)
    person.accept(hit_id)
    person.answer(label="cat")
    return hit_id, assignments(mturk, hit_id)[0]["AssignmentId"]


def ask(person: Guest, path: str) -> int:
    """Open the page and press its button; the status of the reply."""
    person.browser.open(person.site + path)
    person.browser.select_form("main form[method=post]")
    return int(person.browser.submit_selected().status_code)


def test_a_withdrawn_answer_is_gone_and_its_place_is_free_for_others_only(
    mturk: "MTurkClient", annotator: People
) -> None:
    ada, ben = annotator("ada"), annotator("ben")
    hit_id, answer = answered(mturk, ada)
    ada.text("work/")
    (link,) = ada.browser.page.select(f"a[href$='/{answer}/withdraw/']")
    assert "0.25 USD" in ada.text(link["href"].removeprefix("/annotate/"))
    assert len(assignments(mturk, hit_id)) == 1  # looking changes nothing
    assert ask(ada, f"assignments/{answer}/withdraw/") == 200
    assert assignments(mturk, hit_id) == []
    assert counters(mturk, hit_id) == ("Assignable", 1, 0, 0)
    assert Assignment.objects.get().answer == ""
    assert ada.browser.url.endswith("/work/")
    assert "0.00 USD" in ada.text("work/")
    assert not ada.browser.page.select("a[href$='/withdraw/'][href*='/assignments/']")
    assert broken_invariants() == {}
    ada.text(f"hits/{hit_id}/")
    assert not ada.browser.page.select("form[action$='/accept/']")
    ben.accept(hit_id)
    ben.answer(label="cat")
    assert assignments(mturk, hit_id)[0]["AssignmentId"] != answer
    assert Withdrawal.objects.get().assignment_id == answer


def test_what_is_approved_stays(mturk: "MTurkClient", annotator: People) -> None:
    ada = annotator("ada")
    hit_id, answer = answered(mturk, ada)
    ada.browser.open(f"{ada.site}assignments/{answer}/withdraw/")
    form = ada.browser.select_form("main form[method=post]")
    mturk.approve_assignment(AssignmentId=answer)
    assert ada.browser.submit(form, ada.browser.url).status_code == 409
    assert len(assignments(mturk, hit_id)) == 1
    ada.text("work/")
    assert not ada.browser.page.select("a[href$='/withdraw/'][href*='/assignments/']")


def test_withdrawing_twice_and_without_the_token_of_the_form(
    mturk: "MTurkClient", annotator: People
) -> None:
    ada = annotator("ada")
    hit_id, answer = answered(mturk, ada)
    address = f"{ada.site}assignments/{answer}/withdraw/"
    # The words of the refusal are the site's, where the service is a part of one.
    assert not ada.browser.session.post(address, timeout=30).ok
    assert len(assignments(mturk, hit_id)) == 1
    ada.browser.open(address)
    form = ada.browser.select_form("main form[method=post]")
    assert [ada.browser.submit(form, address).status_code for _ in range(2)] == [200, 200]
    assert Withdrawal.objects.count() == 1
    assert counters(mturk, hit_id) == ("Assignable", 1, 0, 0)
    assert broken_invariants() == {}


def test_who_withdraws_from_everything_returns_and_withdraws_what_is_not_paid(
    mturk: "MTurkClient", annotator: People
) -> None:
    ada = annotator("ada")
    paid, paid_answer = answered(mturk, ada)
    mturk.approve_assignment(AssignmentId=paid_answer)
    waiting, _answer = answered(mturk, ada)
    held = make_hit(mturk)
    ada.accept(held)
    assert "0.25 USD" in ada.text("work/withdraw/")
    assert ask(ada, "work/withdraw/") == 200
    assert ask(ada, "work/withdraw/") == 200
    assert len(assignments(mturk, paid)) == 1
    for hit_id in (waiting, held):
        assert counters(mturk, hit_id) == ("Assignable", 1, 0, 0)
    assert broken_invariants() == {}


def test_who_is_erased_at_their_wish_is_nobody_and_the_requester_is_told(
    mturk: "MTurkClient", annotator: People
) -> None:
    ada = annotator("ada")
    paid, answer = answered(mturk, ada)
    mturk.approve_assignment(AssignmentId=answer)
    mturk.send_bonus(
        WorkerId=ada.worker_id, AssignmentId=answer, BonusAmount="0.10", Reason="Ada was ill."
    )
    waiting, withdrawn = answered(mturk, ada)
    assert ask(ada, "work/erase/") == 200
    assert Bonus.objects.get().reason == ""
    assert "Sign in" in ada.text()
    worker = Worker.objects.get()
    assert (worker.username, worker.person, worker.active) == (ada.worker_id, ada.worker_id, False)
    assert len(assignments(mturk, paid)) == 1
    assert assignments(mturk, waiting) == []
    requester = Requester.objects.get()
    told = Withdrawal.objects.filter(requester=requester, worker_id=ada.worker_id)
    assert set(told.values_list("assignment_id", flat=True)) == {withdrawn, ""}
    states = Assignment.objects.values_list("state", flat=True)
    assert set(states) == {AssignmentState.APPROVED, AssignmentState.WITHDRAWN}
    assert broken_invariants() == {}


@pytest.mark.parametrize("path", ["work/withdraw/", "work/erase/"])
@pytest.mark.parametrize("has_answered", [False, True])
def test_a_panels_participant_who_withdraws_goes_back_with_its_code(
    crowd: str, mturk: "MTurkClient", path: str, has_answered: bool
) -> None:
    Panel.objects.create(
        slug="gender", provider="prolific", completion_code="DONE", tasks_per_visit=2,
        no_consent_code="NEVER-1", withdrawal_code="LEFT-1",
    )  # fmt: skip
    guest = Guest(crowd)
    guest.text("panel/gender/?PROLIFIC_PID=p1&STUDY_ID=s1&SESSION_ID=x1")
    if has_answered:
        guest.accept(make_hit(mturk))
        guest.answer(label="cat")
    guest.text(path)
    guest.browser.select_form("main form[method=post]")
    guest.browser.submit_selected()
    (code,) = guest.browser.page.select("[role=group] code")
    assert code.text == ("LEFT-1" if has_answered else "NEVER-1")
    assert not Assignment.objects.exclude(state=AssignmentState.WITHDRAWN).exists()


def test_a_visit_that_was_paid_keeps_its_completion_code(crowd: str, mturk: "MTurkClient") -> None:
    Panel.objects.create(slug="gender", provider="prolific", completion_code="DONE")
    guest = Guest(crowd)
    guest.text("panel/gender/?PROLIFIC_PID=p1&STUDY_ID=s1&SESSION_ID=x1")
    guest.accept(make_hit(mturk))
    guest.answer(label="cat")
    mturk.approve_assignment(AssignmentId=Assignment.objects.get().assignment_id)
    assert "DONE" in guest.text("visits/")
    guest.text("work/withdraw/")
    guest.browser.select_form("main form[method=post]")
    guest.browser.submit_selected()
    assert "DONE" in guest.text("visits/")


def test_whoever_has_left_a_visit_takes_no_task_until_they_come_again(
    crowd: str, mturk: "MTurkClient"
) -> None:
    Panel.objects.create(
        slug="gender", provider="prolific", completion_code="DONE", no_consent_code="NEVER-1"
    )
    hit_id = make_hit(mturk, MaxAssignments=2)
    guest = Guest(crowd)
    guest.text("panel/gender/?PROLIFIC_PID=p1&STUDY_ID=s1&SESSION_ID=x1")
    guest.browser.open(f"{guest.site}hits/{hit_id}/")
    accept = guest.browser.select_form('form[action$="/accept/"]')
    accept_page = guest.browser.url
    assert counters(mturk, hit_id) == ("Assignable", 2, 0, 0)

    assert ask(guest, "visits/leave/") == 200
    assert "You have left the study" in guest.browser.page.text
    # A tab that was open before, the list, and the addresses of the group and of the HIT.
    refused = guest.browser.submit(accept, accept_page)
    assert refused.status_code == 409
    assert "You have left the study, so you cannot take a task any more." in refused.text
    group = HIT.objects.get().hit_type.hit_group_id
    for path in ("", f"groups/{group}/", f"hits/{hit_id}/"):
        assert "NEVER-1" in guest.text(path)
        assert not guest.browser.page.select('form[action$="/accept/"]')
    assert counters(mturk, hit_id) == ("Assignable", 2, 0, 0)
    with pytest.raises(LeftError):  # pressed before the visit was left, arrived after
        assignment_accept(worker=Worker.objects.get(), hit=HIT.objects.get(), now=timezone.now())

    guest.text("panel/gender/?PROLIFIC_PID=p1&STUDY_ID=s1&SESSION_ID=x1")
    assert "You have left the study" in guest.browser.page.text
    guest.text("panel/gender/?PROLIFIC_PID=p1&STUDY_ID=s2&SESSION_ID=x2")
    guest.accept(hit_id)
    assert counters(mturk, hit_id) == ("Assignable", 1, 1, 0)
    assert broken_invariants() == {}


def test_a_task_that_was_let_go_is_not_taken_up_again_after_leaving(
    crowd: str, mturk: "MTurkClient"
) -> None:
    Panel.objects.create(slug="gender", provider="prolific", completion_code="DONE")
    hit_id = make_hit(mturk)
    guest = Guest(crowd)
    guest.text("panel/gender/?PROLIFIC_PID=p1&STUDY_ID=s1&SESSION_ID=x1")
    guest.accept(hit_id)
    page = guest.browser.url
    mine = Assignment.objects.select_related("hit__hit_type", "hit__requester").get()
    Assignment.objects.update(deadline=mine.accepted_at)  # its page was left
    assignment_abandon(assignment=Assignment.objects.get(), now=timezone.now())
    form = guest.browser.page.select_one("iframe")["src"]
    assert ask(guest, "visits/leave/") == 200
    assert Assignment.objects.get().state == AssignmentState.RETURNED

    guest.browser.open(page)
    guest.browser.open_relative(form)
    guest.browser.select_form("form")
    guest.browser["label"] = "cat"
    refused = guest.browser.submit_selected()
    assert refused.status_code == 409
    assert "You have returned this task" in refused.text
    assert counters(mturk, hit_id) == ("Assignable", 1, 0, 0)
    assert broken_invariants() == {}
