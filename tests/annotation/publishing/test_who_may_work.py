"""Case 25 of what goes wrong: one worker does too much, or answers what is not theirs to answer."""

from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import mechanicalsoup
import pytest
from django.core.management import CommandError, call_command
from pytest_django.live_server_helper import LiveServer

from annotation.batches.operations.collect import collect_batch
from annotation.batches.operations.planning import PlannedQuery
from annotation.batches.operations.publish import publish_batch
from annotation.crowd.gateway import Gateway
from annotation.crowd.qualifications import WorkerConditions
from annotation.models import Assignment, Batch, Vote
from annotation.schemes import built_in_scheme, scheme_from_yaml
from annotation.task_page import PageTexts
from mturk_local.models import QualificationType
from tests.annotation.publishing.conftest import MakeBatch
from tests.annotation.test_models_of_any_question import TWO
from tests.mturk_local.conftest import Annotator
from tests.mturk_local.time_passing import let_time_pass

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "crowd"])

SignUp = Callable[[str], Annotator]


@pytest.fixture
def sign_up(live_server: LiveServer) -> SignUp:
    return lambda name: Annotator(live_server.url, name)


def publish(batch: Batch) -> list[str]:
    publish_batch(batch_id=batch.pk, actor="test")
    return [str(hit_id) for hit_id in batch.hits.values_list("hit_id", flat=True)]


def hand_in(annotator: Annotator, hit_id: str) -> bool:
    """Whether the worker could accept and answer the HIT."""
    try:
        annotator.accept(hit_id)
    except mechanicalsoup.LinkNotFoundError:
        return False
    annotator.answer(**{"q-0-gender": "f", "q-1-gender": "n"})
    return True


def test_25_a_worker_who_did_their_share_of_a_batch_gets_no_more_of_it(
    make_batch: MakeBatch, sign_up: SignUp
) -> None:
    batch = make_batch(10, conditions=WorkerConditions(share_percent=40))
    hit_ids = publish(batch)
    eager, other = sign_up("eager"), sign_up("other")
    assert [hand_in(eager, hit_id) for hit_id in hit_ids[:2]] == [True, True]
    collect_batch(batch_id=batch.pk, actor="test")
    assert hand_in(eager, hit_ids[2]) is False
    assert hand_in(other, hit_ids[2]) is True
    collect_batch(batch_id=batch.pk, actor="test")
    assert Assignment.objects.filter(worker__worker_id=eager.worker_id).count() == 2


def test_25_workers_of_an_earlier_batch_are_kept_out(
    make_batch: MakeBatch, sign_up: SignUp
) -> None:
    earlier = make_batch(2, name="earlier")
    first, second = sign_up("first"), sign_up("second")
    assert hand_in(first, publish(earlier)[0])
    collect_batch(batch_id=earlier.pk, actor="test")
    batch = make_batch(2, conditions=WorkerConditions(not_from=("earlier",)))
    [hit_id] = publish(batch)
    assert hand_in(first, hit_id) is False
    assert hand_in(second, hit_id) is True


def test_25_sending_twice_stores_one_answer_and_a_preview_stores_none(
    make_batch: MakeBatch, sign_up: SignUp, live_server: LiveServer
) -> None:
    batch = make_batch(2)
    [hit_id] = publish(batch)
    worker = sign_up("worker")
    worker.accept(hit_id)
    worker.open_task()
    worker.browser.select_form("form")
    worker.browser["q-0-gender"], worker.browser["q-1-gender"] = "f", "n"
    form = worker.browser.form.form
    address = worker.browser.absolute_url(form["action"])
    sent: dict[str, Any] = {
        field["name"]: field.get("value", "")
        for field in form.select("input[name]")
        if field.get("type") != "radio" or field.has_attr("checked")
    }
    for _ in range(2):
        worker.browser.session.post(address, data=sent)
    preview = {**sent, "assignmentId": "ASSIGNMENT_ID_NOT_AVAILABLE"}
    assert worker.browser.session.post(address, data=preview).status_code >= 400
    collect_batch(batch_id=batch.pk, actor="test")
    assert Assignment.objects.count() == 1
    assert Vote.objects.count() == 2


def test_the_conditions_and_the_consent_reach_the_crowd(gateway: Gateway, tmp_path: Path) -> None:
    queries, consent = tmp_path / "q.tsv", tmp_path / "consent.txt"
    queries.write_text("1\twho was ada\n")
    consent.write_text("We study <search>.\n\nYou may stop at any time.\n")
    call_command(
        "batch", "create", "--quiet", "--name", "b", "--queries", queries, "--consent", consent,
        *("--locale", "US,CA", "--min-approval", "95", "--min-approved", "100", "--masters"),
    )  # fmt: skip
    batch = Batch.objects.get()
    assert batch.hits.get().unit_cost == Decimal("0.31")  # 0.25 + 25 % rounded half up
    publish(batch)
    [hit] = gateway.list_hits()
    assert {one["QualificationTypeId"] for one in hit.requirements} == {
        "00000000000000000071",
        "000000000000000000L0",
        "00000000000000000040",
    }
    assert "<p>We study &lt;search&gt;.</p><p>You may stop at any time.</p>" in hit.question


@pytest.mark.parametrize(
    ("option", "says"),
    [
        (("--locale", "USA"), "'USA'"),
        (("--share", "0"), "--share"),
        (("--min-approval", "101"), "--min-approval"),
        (("--exclude-workers-of", "nobody"), "'nobody'"),
    ],
)
def test_conditions_that_make_no_sense_are_refused(
    option: tuple[str, str], says: str, tmp_path: Path
) -> None:
    queries = tmp_path / "q.tsv"
    queries.write_text("1\twho was ada\n")
    with pytest.raises(CommandError, match=says):
        call_command("batch", "create", "--name", "b", "--queries", queries, *option)
    assert not Batch.objects.exists()


@pytest.fixture
def tested_batch(make_batch: MakeBatch) -> Batch:
    """One HIT behind a test of three queries."""
    asked = [PlannedQuery("a", "who was the <queen>", gold="f"), PlannedQuery("b", "king", "m")]
    asked.append(PlannedQuery("c", "what is tea \U0001f375", gold="n"))
    batch = make_batch(2, comprehension=asked)
    publish(batch)
    batch.refresh_from_db()
    return batch


def take_test(person: Annotator, batch: Batch, *answers: str) -> None:
    person.browser.open(f"{person.site}qualifications/{batch.comprehension_type_id}/")
    person.browser.select_form('form[action$="/ask/"]')
    person.browser.submit_selected()
    person.browser.select_form("form.task-form")
    for place, code in enumerate(answers):
        person.browser[f"q-{place}"] = code
    person.browser.submit_selected()
    collect_batch(batch_id=batch.pk, actor="test")
    let_time_pass(120)


def test_a_worker_who_passes_the_comprehension_check_may_work(
    tested_batch: Batch, sign_up: SignUp
) -> None:
    hit_id = str(tested_batch.hits.get().hit_id)
    ada = sign_up("ada")
    assert hand_in(ada, hit_id) is False
    take_test(ada, tested_batch, "f", "m", "m")
    assert hand_in(ada, hit_id) is False
    take_test(ada, tested_batch, "f", "m", "n")
    assert hand_in(ada, hit_id) is True
    tries = tested_batch.comprehension_tries.values_list("number", "n_right", "passed")
    assert list(tries) == [(1, 2, False), (2, 3, True)]


def test_the_comprehension_check_asks_the_question_of_the_batch(
    make_batch: MakeBatch, sign_up: SignUp
) -> None:
    batch = make_batch(
        texts=PageTexts(scheme_from_yaml(TWO)),
        comprehension=[PlannedQuery("a", "buy hats", "kind"), PlannedQuery("b", "damn", "rude")],
        comprehension_question="tone",
    )
    publish(batch)
    batch.refresh_from_db()
    ada = sign_up("ada")
    take_test(ada, batch, "kind", "rude")
    assert batch.comprehension_tries.get().passed


def test_the_comprehension_check_of_pairs_shows_their_passages(
    make_batch: MakeBatch, sign_up: SignUp
) -> None:
    batch = make_batch(
        texts=PageTexts(built_in_scheme("passage_gender")),
        comprehension=[PlannedQuery("q d", "who left", "m", passage="He left at noon.")],
        comprehension_question="passage_gender",
    )
    publish(batch)
    batch.refresh_from_db()
    ada = sign_up("ada")
    take_test(ada, batch, "m")
    assert batch.comprehension_tries.get().passed
    test = QualificationType.objects.get(qualification_type_id=batch.comprehension_type_id).test
    assert "Query: who left" in test
    assert "Passage: He left at noon." in test


def test_the_comprehension_check_has_two_tries(
    tested_batch: Batch, sign_up: SignUp, gateway: Gateway
) -> None:
    ben = sign_up("ben")
    take_test(ben, tested_batch, "n", "n", "n")
    take_test(ben, tested_batch, "n", "n", "n")
    with pytest.raises(mechanicalsoup.LinkNotFoundError):
        take_test(ben, tested_batch, "f", "m", "n")
    assert hand_in(ben, str(tested_batch.hits.get().hit_id)) is False
    assert gateway.qualification_requests(tested_batch.comprehension_type_id) == []
