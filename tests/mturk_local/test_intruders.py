"""Annotators who want pay without work, or the work of others."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
import requests

from mturk_local.models import Assignment, PanelVisit
from tests.mturk_local.conftest import Annotator, Guest, assignments, make_hit
from tests.mturk_local.test_channels import COMING, panel

if TYPE_CHECKING:
    from mypy_boto3_mturk import MTurkClient

pytestmark = pytest.mark.django_db(transaction=True, databases=["crowd"])
People = Callable[[str], Annotator]
OTHER = COMING.replace("p1", "p2").replace("x1", "x2")


def test_a_completion_code_is_for_who_has_done_the_work(crowd: str, mturk: "MTurkClient") -> None:
    """Looking, accepting, giving back, sending nothing, and another's visit show no code."""
    hit_id = make_hit(mturk, MaxAssignments=2)
    panel()
    honest, lazy = Guest(crowd), Guest(crowd)
    assert "DONE-1" not in lazy.text(COMING)
    lazy.accept(hit_id)
    assert "DONE-1" not in lazy.text("visits/")
    lazy.browser.open(f"{lazy.site}hits/{hit_id}/")
    lazy.give_back()
    assert "DONE-1" not in lazy.text("visits/")
    honest.text(OTHER)
    honest.accept(hit_id)
    honest.answer(label="cat")
    assert "DONE-1" in honest.text("visits/")
    done = PanelVisit.objects.get(worker__person="prolific:p2")
    assert lazy.browser.get(f"{lazy.site}visits/{done.pk}/").status_code == 404
    # A visit of one's own, made up by the link: work of before does not count for it.
    assert "DONE-1" not in honest.text(OTHER.replace("x2", "x3"))
    assert PanelVisit.objects.filter(state="completed").get() == done


def test_no_browser_keeps_what_an_annotator_saw(
    crowd: str, mturk: "MTurkClient", annotator: People
) -> None:
    hit_id, ada = make_hit(mturk), annotator("ada")
    ada.accept(hit_id)
    task = ada.browser.absolute_url(ada.browser.page.select_one("iframe")["src"])
    here = [ada.site + path for path in ("", f"hits/{hit_id}/", "work/", "sign-in/")]
    for address in (*here, ada.browser.url, task):
        reply = ada.browser.get(address)
        assert reply.status_code == 200
        assert "no-store" in reply.headers["Cache-Control"], address


def test_the_address_of_an_answer_takes_one_answer_of_one_worker(
    crowd: str, mturk: "MTurkClient", annotator: People
) -> None:
    hit_id = make_hit(mturk, MaxAssignments=2)
    addresses, ids = [], []
    for name in ("ada", "bob"):
        one = annotator(name)
        one.accept(hit_id)
        one.open_task()
        addresses.append(one.browser.page.form["action"])
        ids.append(Assignment.objects.get(worker__worker_id=one.worker_id).assignment_id)

    def send(address: str, assignment_id: str, label: str = "cat") -> int:
        fields = {"assignmentId": assignment_id, "label": label}
        return requests.post(address, data=fields, timeout=60).status_code

    assert send(addresses[0], ids[1]) == 400
    assert send(addresses[0], ids[0]) == 200
    # Sent again, as after a lost connection, it is no other answer.
    send(addresses[0], ids[0], label="dog")
    assert send(addresses[0].replace("/submit/", "/task/"), ids[0]) in (404, 405)
    (only,) = assignments(mturk, hit_id)
    assert only["AssignmentId"] == ids[0]
    assert "cat" in only["Answer"]
    assert "dog" not in only["Answer"]


def test_an_assignment_of_another_worker_is_not_there(
    crowd: str, mturk: "MTurkClient", annotator: People
) -> None:
    hit_id = make_hit(mturk)
    annotator("ada").accept(hit_id)
    theirs = Assignment.objects.get().assignment_id
    bob = annotator("bob")
    assert bob.browser.get(f"{bob.site}assignments/{theirs}/").status_code >= 400
    token = bob.browser.session.cookies.get("csrftoken") or ""
    address = f"{bob.site}assignments/{theirs}/return/"
    bob.browser.post(address, data={"csrfmiddlewaretoken": token})
    assert Assignment.objects.get().state == "Accepted"
