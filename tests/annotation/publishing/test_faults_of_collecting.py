"""Cases 16 to 20 and 23 of what goes wrong while collecting: nothing is lost or counts twice."""

import html
from collections.abc import Callable
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotation.batches.operations.collect import CollectReport, collect_batch
from annotation.batches.operations.publish import publish_batch
from annotation.batches.operations.stop import batch_expire
from annotation.models import HIT, Assignment, Batch, Vote
from annotation.vocabulary import AssignmentState, WorkerKind
from tests.annotation.publishing.conftest import MakeBatch
from tests.annotation.publishing.faults import Fault, FaultyProxy, pages, refuse

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "crowd"])

LIST = "ListAssignmentsForHIT"
NAMESPACE = (
    "http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/2005-10-01/"
    "QuestionFormAnswers.xsd"
)
Handed = dict[str, Any]


def xml(*fields: tuple[str, str]) -> str:
    answers = "".join(
        f"<Answer><QuestionIdentifier>{name}</QuestionIdentifier>"
        f"<FreeText>{html.escape(value)}</FreeText></Answer>"
        for name, value in fields
    )
    return (
        f'<?xml version="1.0" encoding="ASCII"?>'
        f'<QuestionFormAnswers xmlns="{NAMESPACE}">{answers}</QuestionFormAnswers>'
    )


GOOD = xml(("v", "2"), ("q-0-gender", "f"), ("q-1-gender", "n"))


def handed(number: int, *, worker: str = "", answer: str = GOOD, **changes: Any) -> Handed:
    return {
        "AssignmentId": f"3ASSIGNMENT{number:05}",
        "WorkerId": worker or f"AWORKER{number:05}",
        "AssignmentStatus": "Submitted",
        "AcceptTime": 1_779_900_000 + number,
        "SubmitTime": 1_779_900_060 + number,
        "Answer": answer,
        **changes,
    }


def listing(*items: Handed) -> Fault:
    """All on one page."""
    return pages(lambda _token: {"NumResults": len(items), "Assignments": list(items)})


@pytest.fixture
def batch(proxy: FaultyProxy, make_batch: MakeBatch) -> Batch:
    """One HIT of two queries, published."""
    batch = make_batch(2)
    publish_batch(batch_id=batch.pk, actor="test")
    return batch


@pytest.fixture
def collect(proxy: FaultyProxy, batch: Batch) -> Callable[..., CollectReport]:
    """Collects the batch while the crowd lists these answers."""

    def run(*items: Handed) -> CollectReport:
        proxy.order(LIST, lambda _n: listing(*items))
        return collect_batch(batch_id=batch.pk, actor="test")

    return run


Collect = Callable[..., CollectReport]


def test_16_every_page_is_read_and_an_item_on_two_pages_counts_once(
    proxy: FaultyProxy, batch: Batch
) -> None:
    def page(token: str | None) -> dict[str, Any]:
        number = int(token or 0)
        items = [handed(n) for n in range(number * 100, min(number * 100 + 100, 250))]
        if number == 1:
            items.append(handed(5))
        if not items:
            return {"NumResults": 0, "Assignments": []}
        return {"NumResults": len(items), "Assignments": items, "NextToken": str(number + 1)}

    proxy.order(LIST, lambda _n: pages(page))
    report = collect_batch(batch_id=batch.pk, actor="test")
    assert (report.new, report.votes, Assignment.objects.count()) == (250, 500, 250)
    proxy.order(LIST, lambda _n: listing(*(handed(n) for n in range(251))))
    assert collect_batch(batch_id=batch.pk, actor="test").new == 1
    assert Vote.objects.filter(counts=True).count() == 502


def test_17_a_list_without_an_end_is_an_error_and_costs_no_answer(
    proxy: FaultyProxy, batch: Batch
) -> None:
    proxy.order(
        LIST, lambda _n: pages(lambda _t: {"Assignments": [handed(1)], "NextToken": "again"})
    )
    with pytest.raises(CommandError):
        call_command("batch", "collect", "b", "--quiet")
    assert proxy.calls[LIST] <= 3
    proxy.order(LIST, lambda _n: listing(handed(1)))
    assert collect_batch(batch_id=batch.pk, actor="test").new == 1


@pytest.mark.parametrize(
    "answer",
    [
        GOOD,
        GOOD.replace('encoding="ASCII"', 'encoding="UTF-8" standalone="no"').replace("><", ">\n<"),
        GOOD.replace('<?xml version="1.0" encoding="ASCII"?>', ""),
        xml(("taskAnswers", '[{"q-0-gender": "f", "q-1-gender": "n", "v": "2"}]')),
        xml(
            (
                "taskAnswers",
                '[{"q-0-gender": {"f": true, "n": false}, "q-1-gender": {"label": "n"}, "v": "2"}]',
            )
        ),
        GOOD.replace(">f<", "><![CDATA[f]]><"),
    ],
    ids=["ascii", "utf-8", "no declaration", "folded", "folded choices", "cdata"],
)
def test_18_both_serialisations_and_folded_answers_become_votes(
    answer: str, collect: Collect
) -> None:
    report = collect(handed(1, answer=answer))
    assert (report.votes, report.quarantined) == (2, 0)
    given = Vote.objects.order_by("query__position").values_list("choices__option", flat=True)
    assert list(given) == ["f", "n"]


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ("", "version is None"),
        ("not xml", "cannot be read"),
        (GOOD[:-10], "cannot be read"),
        (xml(("v", "2"), ("q-0-gender", ""), ("q-1-gender", "n")), "q-0-gender has no answer"),
        (xml(("v", "2"), ("q-1-gender", "n")), "q-0-gender has no answer"),
        (xml(("v", "2"), ("q-0-gender", "f"), ("q-1-gender", "n"), ("x", "1")), "no field 'x'"),
        (
            xml(("v", "2"), ("q-0-gender", "f"), ("q-0-gender", "m"), ("q-1-gender", "n")),
            "more than once",
        ),
        (xml(("v", "2"), ("q-0-gender", "f|m"), ("q-1-gender", "n")), "not an option"),
        (xml(("v", "2"), ("q-0-gender", "female"), ("q-1-gender", "n")), "not an option"),
        (xml(("v", "2"), ("q-0-gender", "f\r\n"), ("q-1-gender", "n")), "not an option"),
        (xml(("v", "2"), ("q-0-gender", "<\U0001f600&"), ("q-1-gender", "n")), "not an option"),
        (xml(("taskAnswers", "[{")), "not JSON"),
        (xml(("taskAnswers", '[{"q-0-gender": 1}]')), "something else"),
        ('<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>', "cannot be read"),
        ('<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>', "cannot be read"),
        (GOOD.replace(">f<", ">\x00<"), "cannot be read"),
        ("<QuestionFormAnswers><Answer/></QuestionFormAnswers>", "QuestionIdentifier"),
    ],
)
def test_18_19_what_cannot_be_read_is_kept_with_its_reason_and_casts_no_vote(
    answer: str, problem: str, collect: Collect, batch: Batch
) -> None:
    report = collect(handed(1, answer=answer), handed(2))
    assert (report.new, report.quarantined, report.votes) == (2, 1, 2)
    kept = Assignment.objects.get(assignment_id="3ASSIGNMENT00001")
    assert kept.answer_xml == answer.replace("\x00", "\ufffd")
    assert problem in kept.problem
    assert kept.votes.count() == 0


def test_20_an_assignment_id_that_comes_back_from_another_worker_is_another_answer(
    collect: Collect,
) -> None:
    first = handed(1, worker="AFIRST")
    second = handed(1, worker="ASECOND", answer=GOOD.replace(">f<", ">m<"))
    assert collect(first).new == 1
    assert collect(first, second).new == 1
    votes = set(Vote.objects.values_list("worker__worker_id", "choices__option", "counts"))
    assert votes == {
        ("AFIRST", "f", True),
        ("AFIRST", "n", True),
        ("ASECOND", "m", True),
        ("ASECOND", "n", True),
    }


def test_the_first_vote_of_a_worker_on_a_query_counts_and_a_later_one_is_kept(
    collect: Collect,
) -> None:
    again = handed(2, worker="AWORKER00001", answer=GOOD.replace(">f<", ">m<"))
    collect(handed(1), again)
    votes = Vote.objects.filter(query__position=0).order_by("pk")
    assert list(votes.values_list("choices__option", "counts")) == [("f", True), ("m", False)]
    assert Assignment.objects.count() == 2


def test_a_rejected_answer_is_kept_and_its_votes_do_not_count(collect: Collect) -> None:
    collect(handed(1, AssignmentStatus="Rejected"))
    assert set(Vote.objects.values_list("counts", flat=True)) == {False}
    assert Assignment.objects.get().state == AssignmentState.REJECTED


def test_a_new_state_is_taken_over_and_the_answer_stays(collect: Collect) -> None:
    collect(handed(1))
    report = collect(handed(1, AssignmentStatus="Approved", Answer="changed"))
    assert report.new == 0
    assert Assignment.objects.get().state == AssignmentState.APPROVED
    assert Assignment.objects.get().answer_xml == GOOD


def test_simulated_workers_stay_simulated(collect: Collect) -> None:
    collect(handed(1, worker="ASIM00001"), handed(2))
    kinds = dict(Vote.objects.values_list("worker__worker_id", "worker__kind"))
    assert kinds == {"ASIM00001": WorkerKind.SIMULATED, "AWORKER00002": WorkerKind.HUMAN}


def test_23_an_answer_after_the_stop_is_collected(collect: Collect, batch: Batch) -> None:
    batch_expire(batch_id=batch.pk, actor="test")
    assert collect(handed(1)).new == 1


def test_23_expiring_what_the_crowd_says_was_expired_is_no_error(
    proxy: FaultyProxy, batch: Batch
) -> None:
    twice = 'The idempotency token "3XWed Jul 14 20:26:06 UTC 2021" has already been processed.'
    proxy.order("UpdateExpirationForHIT", lambda _n: refuse("RequestError", twice))
    report = batch_expire(batch_id=batch.pk, actor="test")
    assert (report.expired, report.failed) == (1, {})


def test_23_a_hit_that_is_gone_counts_as_expired(proxy: FaultyProxy, batch: Batch) -> None:
    gone = refuse("RequestError", "Hit 3X does not exist. (1563311902391 s)")
    proxy.order("UpdateExpirationForHIT", lambda _n: gone)
    assert batch_expire(batch_id=batch.pk, actor="test").expired == 1


def test_a_stop_finds_and_expires_a_hit_whose_outcome_was_unknown(
    proxy: FaultyProxy, batch: Batch
) -> None:
    hit_id = HIT.objects.get().hit_id
    HIT.objects.update(state="sent", hit_id=None)
    assert batch_expire(batch_id=batch.pk, actor="test").expired == 1
    assert HIT.objects.get().hit_id == hit_id


def test_the_statements_per_hit_do_not_grow_with_the_answers(
    proxy: FaultyProxy, batch: Batch, django_assert_max_num_queries: Any
) -> None:
    proxy.order(LIST, lambda _n: listing(*(handed(n) for n in range(200))))
    with django_assert_max_num_queries(33):
        collect_batch(batch_id=batch.pk, actor="test")
