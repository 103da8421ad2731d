"""A person decides what answers to a scheme leave open: operation, page, API, files, bundle."""

import csv
import io
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse
from knox.models import AuthToken
from pytest_django import Settings
from rest_framework.test import APIClient

from annotation.core.operations import Actor
from annotation.core.perform import perform_here
from annotation.core.versions import StaleError, version_of
from annotation.labels.by_question import QueryResult
from annotation.labels.operations.adjudicate import ADJUDICATE, WITHDRAW_DECISION
from annotation.labels.queries.adjudication import adjudication_queue
from annotation.labels.queries.scheme_files import scheme_file
from annotation.labels.queries.scheme_results import scheme_results
from annotation.models import AuditEvent, Batch, Choice, Label, Study
from annotation.reports.bundle.verify import verify_bundle
from annotation.vocabulary import AuditAction, BatchState
from metrics.errors import InputError
from tests.annotation.test_import_bundle import import_bundle
from tests.commands import run
from tests.schemed import STAFF, answer, made
from tests.study import stored_batch, stored_pool

pytestmark = pytest.mark.django_db


@pytest.fixture
def study() -> Study:
    return stored_pool(4).belongs.study


@pytest.fixture
def batch(study: Study) -> Batch:
    """Two workers: tied on whether q1 names a religion, and on whose that of q3 is."""
    batch = made(study)
    answer(batch, "A1", ["no", "no", "yes", "skip"])
    answer(batch, "A2", ["yes", "no", "christians", "skip"])
    Batch.objects.filter(pk=batch.pk).update(state=BatchState.PUBLISHED)
    return batch


def qids(batch: Batch) -> list[str]:
    return list(batch.queries.order_by("position").values_list("qid", flat=True))


def decided(batch: Batch, place: int) -> QueryResult:
    return scheme_results(batch=batch).queries[place]


def waiting(batch: Batch) -> list[tuple[str, str, str]]:
    return [(one.qid, one.question, one.why) for one in adjudication_queue(batch=batch)]


def decide(batch: Batch, place: int, question: str, codes: str, by: Actor = STAFF) -> None:
    sent = {
        "qid": qids(batch)[place],
        "question": question,
        "category": codes,
        "reason": "Read it.",
    }
    perform_here(ADJUDICATE, batch, sent, by)


def labels(batch: Batch) -> list[dict[str, str]]:
    lines, *_ = scheme_file(batch=batch, file="labels")
    return list(csv.DictReader(io.StringIO("".join(lines))))


def test_what_answers_leave_open_waits_and_is_decided(batch: Batch) -> None:
    q1, _, q3, _ = qids(batch)
    assert waiting(batch) == [
        (q1, "named", "tie"),
        (q3, "groups", "No option has more than 1/2 of the answers."),
    ]
    assert not decided(batch, 0).is_in_subset
    decide(batch, 0, "named", "no")
    assert decided(batch, 0).is_in_subset
    assert [*decided(batch, 0).adjudications] == ["named"]
    decide(batch, 2, "groups", "c; m")
    assert waiting(batch) == []
    rows = labels(batch)
    assert (rows[0]["named"], rows[0]["in_subset"], rows[0]["adjudicated"]) == ("no", "1", "named")
    assert (rows[2]["groups"], rows[2]["adjudicated"]) == ("c;m", "groups")
    assert rows[1]["adjudicated"] == ""
    assert Label.objects.get(question="groups").codes == ["m", "c"], "as in the scheme"


def test_agreement_and_answers_stay_as_they_are(batch: Batch) -> None:
    votes = list(Choice.objects.order_by("pk").values())
    before = [row.agreement for row in scheme_results(batch=batch).questions]
    decide(batch, 0, "named", "yes")
    after = [row.agreement for row in scheme_results(batch=batch).questions]
    assert after == before
    assert list(Choice.objects.order_by("pk").values()) == votes


def test_a_decision_asks_what_follows_from_it(batch: Batch) -> None:
    """Whose religion a query names is asked where it is decided that it names one."""
    with pytest.raises(InputError, match="Decide “Does the query name a religion"):
        decide(batch, 0, "groups", "j")
    decide(batch, 0, "named", "yes")
    assert decided(batch, 0).decisions["groups"].codes == frozenset("m")
    decide(batch, 0, "groups", "j")
    decide(batch, 0, "named", "no")
    assert decided(batch, 0).decisions["groups"].label is None, "is asked no more"


def test_a_query_without_an_answer_is_decided_by_whoever_asks_for_it(batch: Batch) -> None:
    decide(batch, 3, "harm", "2")
    found = decided(batch, 3).decisions["harm"]
    assert (found.codes, found.n_votes, found.n_for) == (frozenset("2"), 0, 0)
    assert decided(batch, 3).shown[2] == "2"


def test_both_decisions_and_the_withdrawal_are_in_the_log(batch: Batch) -> None:
    decide(batch, 0, "named", "no", Actor("ada"))
    decide(batch, 0, "named", "yes", Actor("bob"))
    sent = {"qid": qids(batch)[0], "question": "named", "reason": "Too early."}
    perform_here(WITHDRAW_DECISION, batch, sent, STAFF)
    assert not Label.objects.exists()
    assert waiting(batch)[0][1] == "named"
    events = AuditEvent.objects.filter(
        action__in=[AuditAction.QUERY_ADJUDICATED, AuditAction.ADJUDICATION_WITHDRAWN]
    ).order_by("pk")
    told = [(event.actor, event.detail["category"], event.detail["reason"]) for event in events]
    assert told == [
        ("ada", "no", "Read it."),
        ("bob", "yes", "Read it."),
        ("test", "yes", "Too early."),
    ]
    with pytest.raises(InputError, match="is not adjudicated"):
        perform_here(WITHDRAW_DECISION, batch, sent, STAFF)


@pytest.mark.parametrize(
    ("question", "codes", "says"),
    [
        ("named", "maybe", "no option 'maybe'. Its options are no, yes"),
        ("named", "no;yes", "exactly one option"),
        ("named", "?", "no option '?'"),
        ("groups", ";", "at least one option"),
        ("harm", "4", "Its options are 1, 2, 3"),
        ("colour", "red", "It has named, groups, harm"),
    ],
)
def test_an_answer_that_the_scheme_does_not_have_is_refused(
    batch: Batch, question: str, codes: str, says: str
) -> None:
    with pytest.raises(InputError) as refused:
        decide(batch, 2, question, codes)
    assert says in str(refused.value)
    assert not Label.objects.exists()


def test_a_query_has_one_decision_on_a_question(batch: Batch) -> None:
    decide(batch, 0, "named", "no")
    decide(batch, 0, "named", "yes")
    stored = Label.objects.get()
    assert stored.codes == ["yes"]
    stored.pk = None
    with transaction.atomic(), pytest.raises(IntegrityError):
        stored.save(force_insert=True)


def test_of_two_who_decide_at_once_the_second_is_asked_again(batch: Batch) -> None:
    seen = version_of({"Decision": "none"})
    decide(batch, 0, "named", "no")
    sent = {"qid": qids(batch)[0], "question": "named", "category": "yes", "reason": "No."}
    with pytest.raises(StaleError, match="test: Read it"):
        perform_here(ADJUDICATE, batch, sent, STAFF, version=seen)


def test_a_question_that_the_batch_does_not_ask_is_refused() -> None:
    batch = stored_batch(stored_pool(4))
    sent = {"qid": "q1", "question": "named", "category": "no", "reason": "x"}
    with pytest.raises(InputError, match="no question 'named'"):
        perform_here(ADJUDICATE, batch, sent, STAFF)


def test_the_page_asks_one_question_after_another(batch: Batch, admin_client: Client) -> None:
    page = reverse("batch-adjudication", args=[batch.pk])

    def form() -> dict[str, object]:
        found = BeautifulSoup(admin_client.get(page).content, "html.parser").select_one(
            "form[aria-labelledby=decide]"
        )
        assert found is not None
        return {str(one["name"]): one.get("value") for one in found.select("input[type=hidden]")}

    shown = BeautifulSoup(admin_client.get(page).content, "html.parser")
    assert "The votes are withheld" in shown.get_text()
    assert len(shown.select("form[aria-labelledby=decide] input[type=radio]")) == 2
    chosen = form() | {"category": "no", "reason": "No faith."}
    after = admin_client.post(reverse("query-adjudicate", args=[batch.pk]), chosen, follow=True)
    shown = BeautifulSoup(after.content, "html.parser")
    assert "Decided: “Does the query name a religion?” is No." in shown.get_text()
    assert len(shown.select("form[aria-labelledby=decide] input[type=checkbox]")) == 3
    stale = admin_client.post(
        reverse("query-adjudicate", args=[batch.pk]), chosen | {"category": "yes"}
    )
    assert "Somebody has decided this since" in stale.content.decode()
    several = form() | {"category": ["m", "j"], "reason": "Both."}
    admin_client.post(reverse("query-adjudicate", args=[batch.pk]), several)
    assert decided(batch, 2).decisions["groups"].codes == frozenset("mj")
    assert "Nothing is left to decide" in admin_client.get(page).content.decode()
    third = batch.queries.get(position=2)
    labels = admin_client.get(reverse("batch-query", args=[batch.pk, third.pk])).content.decode()
    assert "Muslims, Jews" in labels
    assert "Decided by an adjudicator" in labels

    shown = BeautifulSoup(admin_client.get(page).content, "html.parser")
    withdraw = shown.select(f"form[action='{reverse('adjudication-withdraw', args=[batch.pk])}']")[
        0
    ]
    sent = {str(one["name"]): one.get("value") for one in withdraw.select("input[type=hidden]")}
    admin_client.post(
        reverse("adjudication-withdraw", args=[batch.pk]), sent | {"reason": "Wrong."}
    )
    assert [question for _, question, _ in waiting(batch)] == ["groups"]
    asked = admin_client.get(page, {"query": qids(batch)[0], "question": "harm"}).content.decode()
    assert "You asked for this query" in asked
    assert "How harmful" in asked


def test_the_api_and_the_command_do_the_same(batch: Batch, admin_user: User) -> None:
    client = APIClient()
    _, token = AuthToken.objects.create(admin_user)
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {token}")
    address = f"/api/v1/batches/{batch.pk}/"
    queue = client.get(address + "adjudication/queue/").json()["results"]
    assert [(one["question"], one["votes"]) for one in queue] == [("named", None), ("groups", None)]
    seen = client.get(address + "adjudication/queue/", {"blind": "false"}).json()["results"]
    assert seen[0]["votes"] == {"no": 1, "yes": 1}
    sent = {"qid": queue[0]["qid"], "question": "named", "category": "no", "reason": "No faith."}
    done = client.post(address + "adjudication/decisions/", sent)
    assert done.status_code in {200, 201}, done.content
    assert decided(batch, 0).is_in_subset
    refused = client.post(address + "adjudication/decisions/", sent | {"category": "x"})
    assert refused.status_code == 422
    assert "no option" in refused.content.decode()
    withdrawn = client.post(
        address + "adjudication/withdraw/",
        {"qid": sent["qid"], "question": "named", "reason": "Wrong."},
    )
    assert withdrawn.status_code == 204
    told = str(run("label", "queue", batch.name))
    assert "named" in told
    by = ("--by", "R", "--reason", "No faith.")
    run("label", "adjudicate", batch.name, queue[0]["qid"], "no", "--question", "named", *by)
    assert decided(batch, 0).is_in_subset


def test_a_bundle_holds_decisions_and_verifies(
    batch: Batch, tmp_path: Path, settings: Settings
) -> None:
    settings.DATA_DIR = tmp_path / "var"
    decide(batch, 0, "named", "no", Actor("ada"))
    path = tmp_path / "b.zip"
    run("study", "bundle", batch.study.name, "--output", path)
    verify_bundle(path)
    before = labels(batch)
    copy = import_bundle(path, name="elsewhere").made.batches.get()
    assert labels(copy) == before
    stored = Label.objects.get(query__batch=copy)
    assert (stored.codes, stored.reason) == (["no"], "Read it.")
    assert stored.decided_by not in {"", "ada"}, "a pseudonym"
