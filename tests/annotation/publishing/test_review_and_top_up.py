"""Cases 21 to 24 of what goes wrong: partial HITs, extension, late disposal, money paid once."""

import json
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from io import StringIO

import mechanicalsoup
import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from annotation.batches.operations.approve import APPROVE
from annotation.batches.operations.batches import create_batch
from annotation.batches.operations.bonus import bonus_pay
from annotation.batches.operations.collect import collect_batch
from annotation.batches.operations.disposing import batch_dispose
from annotation.batches.operations.planning import BatchPlan, PlannedQuery
from annotation.batches.operations.publish import publish_batch
from annotation.batches.operations.reconciling import reconcile
from annotation.batches.operations.reviewing import (
    assignment_approve,
    assignment_reject,
    assignment_restore,
)
from annotation.batches.operations.stop import batch_expire
from annotation.batches.operations.top_up import TOP_UP, TopUp
from annotation.batches.queries.pay import hourly_pay, pay_list
from annotation.core.money import BudgetError
from annotation.crowd.gateway import Gateway
from annotation.models import HIT, Assignment, Batch, Vote
from annotation.vocabulary import AssignmentState, BatchState
from metrics.errors import InputError
from tests.annotation.publishing.conftest import MakeBatch
from tests.annotation.publishing.faults import FaultyProxy, lose_reply, refuse
from tests.mturk_local.conftest import Annotator
from tests.mturk_local.time_passing import let_time_pass
from tests.performing import do
from tests.study import a_study

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "crowd"])

Answer = Callable[..., str]


@pytest.fixture
def batch(make_batch: MakeBatch) -> Batch:
    """One HIT of two queries, published."""
    batch = make_batch(2)
    publish_batch(batch_id=batch.pk, actor="test")
    return batch


@pytest.fixture
def answer(live_server: LiveServer) -> Answer:
    """Somebody new accepts the HIT and hands in an answer; the worker's id."""

    def hand_in(hit: HIT, name: str, **fields: str) -> str:
        annotator = Annotator(live_server.url, name)
        annotator.accept(str(hit.hit_id))
        annotator.answer(**{"q-0-gender": "f", "q-1-gender": "n", **fields})
        worker_id: str = annotator.worker_id
        return worker_id

    return hand_in


def collect(batch: Batch) -> Assignment:
    collect_batch(batch_id=batch.pk, actor="test")
    return Assignment.objects.order_by("-pk")[0]


@pytest.mark.long
def test_21_what_a_partial_hit_lacks_is_asked_for_again(
    batch: Batch, answer: Answer, gateway: Gateway, live_server: LiveServer
) -> None:
    hit = batch.hits.get()
    answer(hit, "one")
    answer(hit, "two")
    Annotator(live_server.url, "gone").accept(str(hit.hit_id))
    batch_expire(batch_id=batch.pk, actor="test")
    assert gateway.get_hit(str(hit.hit_id)).pending == 1
    let_time_pass(batch.duration_seconds + 60)
    assert gateway.get_hit(str(hit.hit_id)).status == "Reviewable"

    done = do(TOP_UP, batch)
    assert (done.values["added"], done.values["reopened"]) == (0, 1)
    assert done.message == "1 HIT offered again."
    answer(hit, "three")
    collect(batch)
    assert Vote.objects.count() == 6
    assert do(TOP_UP, batch).values["reopened"] == 0


@pytest.mark.long
def test_21_a_rejected_answer_is_asked_for_again_once(
    batch: Batch, answer: Answer, gateway: Gateway, proxy: FaultyProxy
) -> None:
    hit = batch.hits.get()
    for name in ("one", "two", "three"):
        answer(hit, name)
    assignment_reject(assignment=collect(batch), reason="Blank.", actor="test")
    young = refuse("RequestError", "The HIT is too young to be changed.")
    proxy.order("CreateAdditionalAssignmentsForHIT", {1: young, 2: lose_reply})
    waits: list[float] = []
    report = do(TopUp(pause=waits.append), batch)
    assert (report.values["added"], waits) == (1, [5])
    assert do(TOP_UP, batch).values["added"] == 0
    assert gateway.get_hit(str(hit.hit_id)).max_assignments == 4
    batch.refresh_from_db()
    assert batch.committed == 4 * hit.unit_cost


@pytest.mark.long
def test_22_what_a_hit_lacks_that_cannot_grow_to_ten_comes_from_another_hit(
    make_batch: MakeBatch,
    answer: Answer,
    gateway: Gateway,
    live_server: LiveServer,
    capsys: pytest.CaptureFixture[str],
) -> None:
    batch = make_batch(2, assignments_per_hit=8)
    publish_batch(batch_id=batch.pk, actor="test")
    hit = batch.hits.get()
    for number in range(7):
        answer(hit, f"worker{number}")
    voter = Annotator(live_server.url, "voter")
    voter.accept(str(hit.hit_id))
    voter.answer(**{"q-0-gender": "f", "q-1-gender": "n"})
    collect(batch)
    for assignment in Assignment.objects.all()[:3]:
        assignment_reject(assignment=assignment, reason="Blank.", actor="test")

    call_command("batch", "top-up", "b", "--quiet")
    assert "The fee stays at 20 %" in capsys.readouterr().err
    further = batch.hits.get(index=1)
    assert (further.state, further.max_assignments) == ("published", 3)
    assert gateway.get_hit(str(hit.hit_id)).max_assignments == 8
    batch.refresh_from_db()
    assert batch.committed == 11 * hit.unit_cost
    Annotator(live_server.url, "newcomer").accept(str(further.hit_id))
    with pytest.raises(mechanicalsoup.LinkNotFoundError):
        voter.accept(str(further.hit_id))
    again = do(TOP_UP, batch).values
    assert again == {"added": 0, "reopened": 0, "further_hits": 0}


def test_23_a_hit_is_deleted_when_all_its_work_is_reviewed_and_not_before(
    batch: Batch, answer: Answer, gateway: Gateway
) -> None:
    answer(batch.hits.get(), "one")
    batch_expire(batch_id=batch.pk, actor="test")
    assert len(batch_dispose(batch_id=batch.pk, actor="test").waiting) == 1
    do(APPROVE, batch)
    assert batch_dispose(batch_id=batch.pk, actor="test").disposed == 1
    assert batch_dispose(batch_id=batch.pk, actor="test").disposed == 1
    assert list(gateway.list_hits()) == []
    assert reconcile(batch) == {batch.name: []}
    assert Vote.objects.count() == 2


def test_24_approving_twice_or_after_the_crowd_did_is_no_error(
    batch: Batch, answer: Answer
) -> None:
    answer(batch.hits.get(), "one")
    assignment = collect(batch)
    let_time_pass(batch.auto_approval_seconds + 60)
    assert do(APPROVE, batch).values == {"approved": 1}
    assignment.refresh_from_db()
    assert assignment.state == AssignmentState.APPROVED
    assignment_approve(assignment=assignment, actor="test")
    assert do(APPROVE, batch).values == {"approved": 0}


def test_24_rejecting_what_was_approved_is_refused_with_a_reason(
    batch: Batch, answer: Answer
) -> None:
    answer(batch.hits.get(), "one")
    assignment = collect(batch)
    assignment_approve(assignment=assignment, actor="test")
    with pytest.raises(InputError, match="Approved"):
        assignment_reject(assignment=assignment, reason="No.", actor="test")
    assert Vote.objects.filter(counts=True).count() == 2


def test_24_a_rejection_sets_the_votes_aside_and_can_be_taken_back(
    batch: Batch, answer: Answer, gateway: Gateway
) -> None:
    answer(batch.hits.get(), "one")
    assignment = collect(batch)
    with pytest.raises(InputError):
        assignment_reject(assignment=assignment, reason=" ", actor="test")
    assignment_reject(assignment=assignment, reason="Wrong.", actor="test")
    assignment_reject(assignment=assignment, reason="Wrong.", actor="test")
    assert Vote.objects.filter(counts=True).count() == 0
    assert gateway.get_assignment(assignment.assignment_id).status == "Rejected"
    assignment_restore(assignment=assignment, reason="Sorry.", actor="test")
    assert gateway.get_assignment(assignment.assignment_id).status == "Approved"
    assert Vote.objects.filter(counts=True).count() == 2
    actions = batch.events.order_by("pk").values_list("action", flat=True)
    assert list(actions)[-3:] == ["rejected", "rejected", "restored"]


def test_24_a_bonus_is_paid_once_also_when_the_reply_is_lost(
    make_batch: MakeBatch, answer: Answer, gateway: Gateway, proxy: FaultyProxy
) -> None:
    batch = make_batch(2, budget=Decimal("2.10"))
    publish_batch(batch_id=batch.pk, actor="test")
    worker_id = answer(batch.hits.get(), "one")
    assignment = collect(batch)
    proxy.order("SendBonus", {1: lose_reply})
    pay = {"assignment": assignment, "amount": Decimal("1.00"), "reason": "Slow.", "actor": "test"}
    assert bonus_pay(**pay) is True  # type: ignore[arg-type]
    assert bonus_pay(**pay) is False  # type: ignore[arg-type]
    assert gateway.bonuses(assignment.assignment_id) == [(worker_id, Decimal("1.00"), "Slow.")]
    batch.refresh_from_db()
    assert batch.committed == Decimal("2.10")  # 3 x 0.30 + 1.00 + 20 %
    with pytest.raises(BudgetError, match=r"2\.10 USD"):
        bonus_pay(assignment=assignment, amount=Decimal("0.01"), reason="More.", actor="test")
    [account] = pay_list(batch=batch)
    assert (account.worker_id, account.bonuses) == (worker_id, Decimal("1.00"))


def test_the_pay_of_an_hour_is_that_of_the_median_answer(batch: Batch, answer: Answer) -> None:
    assert hourly_pay(batch=batch).usd_per_hour is None
    answer(batch.hits.get(), "one")
    assignment = collect(batch)
    assert assignment.submitted_at is not None
    assignment.accepted_at = assignment.submitted_at.fromtimestamp(
        assignment.submitted_at.timestamp() - 100, assignment.submitted_at.tzinfo
    )
    assignment.save()
    pay = hourly_pay(batch=batch)
    assert (pay.n_answers_timed, pay.median_seconds) == (1, 100.0)
    assert pay.usd_per_hour == Decimal("9.00")
    out = StringIO()
    call_command("batch", "show", "b", stdout=out)
    assert "9.00 USD an hour at the median of 100 s" in out.getvalue()
    assert "Warning: that is below 12 USD an hour" in out.getvalue()


def test_a_production_batch_needs_its_budget_and_the_typed_amount(
    make_batch: MakeBatch, settings: Settings
) -> None:
    plan, study = BatchPlan(name="real", queries=[PlannedQuery("1", "a")]), a_study("real")
    with pytest.raises(InputError, match=r"0\.90 USD"):
        create_batch(plan=plan, environment="production", actor="test", study=study)
    plan = replace(plan, budget=Decimal(1))
    create_batch(plan=plan, environment="production", actor="test", study=study)
    settings.MTURK_ENVIRONMENT = "production"
    for wrong in ((), ("--yes",), ("--agreed", "0.91")):
        with pytest.raises(CommandError, match=r"--agreed 0\.90"):
            call_command("batch", "publish", "real", *wrong, "--quiet")
    with pytest.raises(CommandError):
        call_command("batch", "publish", "real", "--agreed", "0.90", "--quiet")


def test_a_stop_during_publishing_leaves_nothing_on_offer(
    make_batch: MakeBatch, gateway: Gateway
) -> None:
    batch = make_batch()

    def stop_after_the_first(_advance: int) -> None:
        if batch.hits.filter(state="published").count() == 1:
            batch_expire(batch_id=batch.pk, actor="test")

    with pytest.raises(InputError):
        publish_batch(batch_id=batch.pk, actor="test", advance=stop_after_the_first)
    batch.refresh_from_db()
    assert batch.state == BatchState.STOPPED
    assert [hit.status for hit in gateway.list_hits()] == ["Reviewable"]


def test_the_doctor_finds_a_healthy_crowd_and_names_what_is_wrong(
    crowd: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = StringIO()
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-west-1")
    call_command("crowd", "check", "--json", stdout=out)
    findings = {one["subject"]: one for one in json.loads(out.getvalue())["findings"]}
    assert findings["account"]["says"] == "holds 10000.00 USD"
    assert "eu-west-1 is not used" in findings["region"]["says"]
    assert findings["clock"]["ok"]


@pytest.mark.long
def test_the_doctor_explains_a_service_that_is_away(settings: Settings) -> None:
    settings.MTURK_LOCAL_ENDPOINT = "http://127.0.0.1:9/mturk/"
    with pytest.raises(CommandError):
        call_command("crowd", "check", stdout=StringIO())
