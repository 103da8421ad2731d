"""Places that are held and freed: tasks that come by themselves, and panels without a place."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from mturk_local.models import Assignment, AssignmentState, PanelVisit, VisitState, Worker
from tests.mturk_local.conftest import Annotator, Guest, assignments, counters, make_hit
from tests.mturk_local.test_channels import COMING, panel
from tests.mturk_local.test_qualifications import TEST, make_type, requirement
from tests.mturk_local.time_passing import let_time_pass

if TYPE_CHECKING:
    from mypy_boto3_mturk import MTurkClient

pytestmark = pytest.mark.django_db(transaction=True, databases=["crowd"])
People = Callable[[str], Annotator]
FREE, HELD = ("Assignable", 1, 0, 0), ("Unassignable", 0, 1, 0)


def start_next(person: Annotator, *, with_script: bool) -> str:
    """Answer the task in hand and start the next one at once; the id of its assignment."""
    page = person.browser.page
    task = person.browser.url
    person.answer(label="cat")
    person.browser.open(task)
    if with_script:
        del page.select_one("#next [name=stays]")["disabled"]
    page.select_one("#next [name=at_once]")["checked"] = ""
    form = page.select_one("#next")
    person.browser.submit(form, task)
    return Assignment.objects.get(state=AssignmentState.ACCEPTED).assignment_id


def stay(person: Annotator, assignment_id: str, **fields: str) -> int:
    """The call of an open page; the status of the reply."""
    person.browser.open(f"{person.site}work/")
    token = person.browser.page.select_one("[name=csrfmiddlewaretoken]")["value"]
    url = f"{person.site}assignments/{assignment_id}/stay/"
    sent = {"csrfmiddlewaretoken": token, **fields}
    return int(person.browser.session.post(url, data=sent, timeout=30).status_code)


def second_task(mturk: "MTurkClient", person: Annotator, *, with_script: bool = True) -> str:
    """The assignment of a second HIT, which came by itself after the first one."""
    person.accept(make_hit(mturk))
    make_hit(mturk)
    return start_next(person, with_script=with_script)


def held(mturk: "MTurkClient") -> tuple[str, int, int, int]:
    """The counters of the second HIT."""
    return counters(mturk, Assignment.objects.order_by("pk")[1].hit.hit_id)


def test_a_task_that_came_by_itself_is_free_two_minutes_after_its_page_was_left(
    mturk: "MTurkClient", annotator: People
) -> None:
    ada, ben = annotator("ada"), annotator("ben")
    task = second_task(mturk, ada)
    # Far from either end of the two minutes: a busy machine takes seconds for a step.
    let_time_pass(60)
    assert held(mturk) == HELD
    let_time_pass(61)
    assert held(mturk) == FREE
    assert "Label queries" in ben.text()
    ben.accept(Assignment.objects.order_by("pk")[1].hit.hit_id)
    assert held(mturk) == HELD
    assert stay(ada, task) == 410
    assert "two minutes" in ada.text(f"assignments/{task}/")


def test_an_open_page_holds_its_task_and_the_first_answer_keeps_it(
    mturk: "MTurkClient", annotator: People
) -> None:
    ada = annotator("ada")
    task = second_task(mturk, ada)
    for _ in range(3):
        let_time_pass(70)
        assert stay(ada, task) == 204
    assert held(mturk) == HELD
    assert stay(ada, task, begun="1") == 204
    # A second tab, where nothing was answered, does not shorten that.
    assert stay(ada, task) == 204
    let_time_pass(300)
    assert held(mturk) == HELD
    let_time_pass(91)
    assert held(mturk) == FREE
    assert stay(ada, task, begun="1") == 410


def test_who_comes_back_to_a_task_that_is_still_free_goes_on_with_it(
    mturk: "MTurkClient", annotator: People
) -> None:
    ada = annotator("ada")
    task = second_task(mturk, ada)
    let_time_pass(121)
    assert held(mturk) == FREE
    assert stay(ada, task) == 204
    assert held(mturk) == HELD


@pytest.mark.parametrize("is_taken", [False, True])
def test_an_answer_counts_unless_somebody_else_has_the_task_by_then(
    mturk: "MTurkClient", annotator: People, is_taken: bool
) -> None:
    ada, ben = annotator("ada"), annotator("ben")
    task = second_task(mturk, ada)
    hit_id = Assignment.objects.order_by("pk")[1].hit.hit_id
    ada.browser.open(f"{ada.site}assignments/{task}/")
    ada.open_task()
    form, url = ada.browser.select_form("form"), ada.browser.url
    form["label"] = "cat"
    let_time_pass(121)
    assert held(mturk) == FREE
    if is_taken:
        ben.accept(hit_id)
    assert ada.browser.submit(form, url).status_code == (409 if is_taken else 200)
    assert len(assignments(mturk, hit_id)) == (0 if is_taken else 1)


@pytest.mark.parametrize("gesture", ["without a script", "accepted"])
def test_a_task_that_somebody_asked_for_is_held_to_its_end(
    mturk: "MTurkClient", annotator: People, gesture: str
) -> None:
    ada = annotator("ada")
    if gesture == "accepted":
        ada.accept(make_hit(mturk))
        ada.answer(label="cat")
        ada.accept(make_hit(mturk))
    else:
        second_task(mturk, ada, with_script=False)
    let_time_pass(500)
    assert held(mturk) == HELD


def test_a_task_that_was_returned_is_not_held_on(mturk: "MTurkClient", annotator: People) -> None:
    ada = annotator("ada")
    task = second_task(mturk, ada)
    ada.browser.open(f"{ada.site}assignments/{task}/")
    ada.give_back()
    assert stay(ada, task, begun="1") == 410
    assert held(mturk) == FREE


def test_a_participant_without_a_place_gets_the_code_and_is_let_in_later(
    crowd: str, mturk: "MTurkClient", annotator: People
) -> None:
    hit_id = make_hit(mturk)
    panel()
    ada = annotator("ada")
    ada.accept(hit_id)
    guest = Guest(crowd)
    turned_away = guest.text(COMING)
    assert "OUT-1" in turned_away
    assert "DONE-1" not in turned_away
    assert PanelVisit.objects.get().state == VisitState.OPEN
    ada.give_back()
    guest.browser.follow_link("visits/")
    assert guest.browser.page.select_one("a[href*='/groups/']")
    assert "OUT-1" not in guest.browser.page.main.text
    guest.accept(hit_id)
    # What is in one's own hands is a place, too.
    assert "OUT-1" not in guest.text("visits/")
    assert guest.browser.page.select_one("a[href*='/assignments/']")
    guest.browser.follow_link("assignments/")
    guest.answer(label="cat")
    assert "DONE-1" in guest.text("visits/")


def test_a_visit_counts_the_tasks_that_can_be_had(crowd: str, mturk: "MTurkClient") -> None:
    make_hit(mturk)
    panel(tasks_per_visit=3)
    assert "Welcome 1 task to do" in Guest(crowd).text(COMING)


def test_a_task_that_asks_for_a_test_is_none_to_have_before_it_and_never_for_who_failed(
    crowd: str, mturk: "MTurkClient"
) -> None:
    kind = make_type(mturk, Test=TEST, TestDurationInSeconds=600)
    passed = requirement(kind, "GreaterThan", IntegerValues=[0], ActionsGuarded="Accept")
    make_hit(mturk, QualificationRequirements=passed)
    panel()
    guest = Guest(crowd)
    said = guest.text(COMING)
    assert "1 task to do" not in said
    assert "OUT-1" not in said
    assert guest.browser.page.select_one("a[href*='/groups/']")
    assert "1 to do" not in guest.text()

    def judge(value: int) -> str:
        worker = Worker.objects.get().worker_id
        mturk.associate_qualification_with_worker(
            QualificationTypeId=kind, WorkerId=worker, IntegerValue=value
        )
        return guest.text("visits/")

    assert "OUT-1" in judge(0)
    assert "1 task to do" in judge(100)
    assert "1 to do" in guest.text()


def test_the_page_after_the_last_task_has_the_code(crowd: str, mturk: "MTurkClient") -> None:
    hit_id = make_hit(mturk)
    panel(tasks_per_visit=2)
    guest = Guest(crowd)
    guest.text(COMING)
    guest.accept(hit_id)
    task = guest.browser.url
    form = guest.browser.page.select_one("#next")
    guest.answer(label="cat")
    after = guest.browser.submit(form, task)
    assert after.soup.select_one("[role=group] code").text == "DONE-1"
