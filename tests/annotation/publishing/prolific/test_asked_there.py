"""A study without a server: Prolific asks the questions, from the draft to labels and pay."""

import csv
import io
import json
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
import urllib3
from bs4 import BeautifulSoup
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from annotation.batches.operations.approve import APPROVE
from annotation.batches.operations.batches import create_batch
from annotation.batches.operations.bonus import BONUS
from annotation.batches.operations.choose_crowd import CHOOSE_CROWD
from annotation.batches.operations.collect import collect_batch
from annotation.batches.operations.extend import EXTEND
from annotation.batches.operations.planning import BatchPlan, PlannedQuery
from annotation.batches.operations.prolific.add_places import ADD_PLACES
from annotation.batches.operations.prolific.approve_submissions import APPROVE_SUBMISSIONS
from annotation.batches.operations.prolific.connect import CONNECT_PROLIFIC
from annotation.batches.operations.prolific.draft import DRAFT_STUDY
from annotation.batches.operations.prolific.import_responses import IMPORT_RESPONSES
from annotation.batches.operations.prolific.moving import RESUME_STUDY
from annotation.batches.operations.prolific.pay_bonuses import PAY_BONUSES
from annotation.batches.operations.prolific.publish_study import PUBLISH_STUDY
from annotation.batches.operations.prolific.read_study import READ_STUDY
from annotation.batches.operations.prolific.set_up_bonuses import SET_UP_BONUSES
from annotation.batches.operations.prolific.upload_tasks import UPLOAD_TASKS
from annotation.batches.operations.publish import PUBLISH, publish_batch
from annotation.batches.operations.stop import STOP
from annotation.batches.operations.top_up import TOP_UP
from annotation.batches.pages.operations import operations_listed
from annotation.batches.queries.task_builder import batch_tasks
from annotation.core.operations import Actor
from annotation.core.perform import estimate
from annotation.core.spent import batch_spent
from annotation.jobs.execution import run_job
from annotation.labels.operations.decide import LABEL
from annotation.models import (
    Assignment,
    Batch,
    Label,
    ProlificStudy,
    ProlificTasks,
    ProlificWorkspace,
    Task,
    Vote,
    Worker,
)
from annotation.overview.operations.schedule import collecting_schedule
from annotation.overview.queries.invariants import broken_invariants
from annotation.prolific.double.market import Market
from annotation.prolific.double.task_builder import TaskBuilder as Builder
from annotation.prolific.task_builder import NotReadyError
from annotation.schemes import built_in_scheme, scheme_from_yaml
from annotation.task_page import PageTexts
from annotation.vocabulary import Environment
from metrics.errors import InputError
from tests.annotation.prolific.conftest import TOKEN
from tests.annotation.prolific.spoilt import SpoilingProxy
from tests.annotation.publishing.conftest import MakeBatch
from tests.annotation.publishing.prolific.conftest import COST, FaultyMarket, pay
from tests.commands import run
from tests.performing import do
from tests.schemed import SCHEME
from tests.study import a_study

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "crowd"])

Answer = Callable[..., list[dict[str, Any]]]


@pytest.fixture
def draft(make_batch: MakeBatch) -> Batch:
    """Three HITs of two queries, three answers each, 0.25 USD; to be asked at Prolific."""
    batch = make_batch(reward=Decimal("0.25"))
    do(CHOOSE_CROWD, batch, crowd="prolific")
    batch.refresh_from_db()
    return batch


@pytest.fixture
def published(draft: Batch) -> Batch:
    publish_batch(batch_id=draft.pk, actor="test")
    draft.refresh_from_db()
    return draft


@pytest.fixture
def batch(published: Batch) -> Batch:
    do(CONNECT_PROLIFIC, published, token=TOKEN)
    return published


@pytest.fixture
def asked(batch: Batch) -> Batch:
    """People can take part."""
    do(UPLOAD_TASKS, batch)
    do(DRAFT_STUDY, batch, minutes=2)
    pay(PUBLISH_STUDY, batch, COST)
    return batch


def take_part(market: Market, person: int, value: str = "gender=f", **changed: list[str]) -> str:
    """Answer one group of tasks; by item other values than `value`."""
    (study,) = market.studies.values()
    visit = market.arrive(study.study_id, f"{person:024x}")
    assert visit is not None
    submission = visit.submission.submission_id
    batch, group = market.task_of(submission)
    answers = {
        task.task_id: {
            question["id"]: changed.get(task.row["item"], [value]) for question in batch.questions
        }
        for task in batch.groups[group]
    }
    market.answer_tasks(submission, answers)
    return submission


def test_from_the_draft_to_labels_and_pay(asked: Batch, market: FaultyMarket) -> None:
    submissions = [take_part(market, person) for person in range(9)]
    (study,) = market.studies.values()
    assert market.arrive(study.study_id, f"{10:024x}") is None
    do(READ_STUDY, asked)
    collect_batch(batch_id=asked.pk, actor="test")
    collect_batch(batch_id=asked.pk, actor="test")
    votes = Vote.objects.filter(query__batch=asked, counts=True)
    assert Counter(votes.values_list("query__qid", flat=True)) == {f"q{n}": 3 for n in range(6)}
    assert Worker.objects.filter(environment=Environment.PROLIFIC).count() == 9
    assert not Worker.objects.filter(worker_id__contains="0000000").exists()
    do(APPROVE_SUBMISSIONS, asked)
    for _ in range(3):
        do(READ_STUDY, asked)
    assert {market.submission(one).status for one in submissions} == {"APPROVED"}
    done = do(SET_UP_BONUSES, asked, reason="It took longer", amount="0.10")
    pay(PAY_BONUSES, asked, Decimal(done.values["cost"]), bonuses=done.values["bonuses"])
    assert set(market.paid.values()) == {1}
    assert market.balance == 100_000 - 297 - 120
    collect_batch(batch_id=asked.pk, actor="test")
    assert set(Assignment.objects.values_list("state", flat=True)) == {"Approved"}
    do(LABEL, asked, method="majority")
    assert set(Label.objects.filter(query__batch=asked).values_list("value", flat=True)) == {"f"}
    assert not broken()
    spent = batch_spent(batch=Batch.objects.get(pk=asked.pk))
    assert (spent.here, spent.usd) == (Decimal(0), Decimal("4.17"))


def broken() -> dict[str, list[str]]:
    return {said: rows for said, found in broken_invariants().items() if (rows := list(found))}


def collected(batch: Batch) -> Counter[str]:
    """The votes that count, by query, after collecting."""
    collect_batch(batch_id=batch.pk, actor="test")
    votes = Vote.objects.filter(query__batch=batch, counts=True)
    return Counter(votes.values_list("query__qid", flat=True))


class FaultyBuilder(Builder):
    """Breaks the line at chosen acts, before their effect or after it."""

    def __init__(self, workspace_id: str, act: str, fault: str) -> None:
        super().__init__(workspace_id)
        self.act, self.fault = act, fault

    def __getattribute__(self, name: str) -> Any:
        found = super().__getattribute__(name)
        if name.startswith("_") or name in {"act", "fault"} or name != self.act or not self.fault:
            return found
        fault, self.fault = self.fault, ""

        def broken(*given: Any) -> Any:
            if fault == "after":
                found(*given)
            raise ConnectionResetError

        return broken


@pytest.mark.parametrize("fault", ["before", "after"])
@pytest.mark.parametrize(
    "act", ["create_dataset", "upload_place", "upload", "create_batch", "set_up"]
)
def test_after_a_lost_answer_nothing_is_there_twice(
    batch: Batch, market: FaultyMarket, act: str, fault: str
) -> None:
    market.tasks = FaultyBuilder(market.workspace_id, act, fault)
    with pytest.raises(NotReadyError):
        do(UPLOAD_TASKS, batch)
    assert not market.tasks.fault
    ProlificTasks.objects.exclude(set_up_at=None).update(
        set_up_at=timezone.now() - timedelta(minutes=3)
    )
    do(UPLOAD_TASKS, batch)
    (made,) = market.tasks.batches.values()
    assert (len(made.tasks), len(made.groups)) == (6, 3)
    assert made.dataset is not None
    assert sorted(row["item"] for row in made.dataset.rows) == [f"q{n}" for n in range(6)]
    assert estimate(UPLOAD_TASKS, batch, {}, Actor("test")).nothing
    # Only a data set whose id never came is left, empty.
    others = [one for one in market.tasks.datasets.values() if one is not made.dataset]
    assert len(others) == (act == "create_dataset" and fault == "after")
    assert not any(one.rows for one in others)


def test_tasks_that_were_asked_for_are_waited_for_before_they_are_again(
    batch: Batch, market: FaultyMarket
) -> None:
    market.tasks = FaultyBuilder(market.workspace_id, "set_up", "before")
    for said in ("no usable answer", "has not begun"):
        with pytest.raises(NotReadyError, match=said):
            do(UPLOAD_TASKS, batch)
    assert not next(iter(market.tasks.batches.values())).tasks


def test_a_data_set_with_other_rows_is_given_up(batch: Batch, market: FaultyMarket) -> None:
    market.tasks = FaultyBuilder(market.workspace_id, "upload", "after")
    with pytest.raises(NotReadyError):
        do(UPLOAD_TASKS, batch)
    (first,) = market.tasks.datasets.values()
    first.rows.append(dict.fromkeys(("query", "item", "group"), "more"))
    with pytest.raises(NotReadyError, match="7 rows"):
        do(UPLOAD_TASKS, batch)
    do(UPLOAD_TASKS, batch)
    (made,) = market.tasks.batches.values()
    assert made.dataset is not first
    assert len(made.tasks) == 6


def test_a_job_goes_on_by_itself_once_prolific_answers(
    batch: Batch, market: FaultyMarket, settings: Settings
) -> None:
    market.tasks = FaultyBuilder(market.workspace_id, "create_batch", "after")
    client = Client()
    client.force_login(User.objects.create_user("lab", is_staff=True))
    page = reverse("batch-prolific", args=[batch.pk])
    assert "Upload the questions" in client.get(page).content.decode()
    client.post(reverse("batch-prolific-tasks", args=[batch.pk]), {"then": "batch-prolific"})
    task = run_job()
    assert task is not None
    assert task.state == "queued"
    type(task).objects.update(run_after=timezone.now())
    task = run_job()
    assert task is not None
    assert (task.state, task.result["tasks"]) == ("done", 6)
    assert "Make a draft" in client.get(page).content.decode()


def test_what_the_task_builder_cannot_ask_is_refused_before_anything_is_made(
    make_batch: MakeBatch, market: Market
) -> None:
    tested = [PlannedQuery(f"t{number}", f"her {number}", "f") for number in range(3)]
    for terms, cause in (
        ({"comprehension": tested, "comprehension_question": "gender"}, "the test before"),
        ({"conditions": {"min_approval": 90}}, "conditions of workers"),
        ({"texts": PageTexts(scheme_from_yaml(SCHEME))}, "under a condition"),
    ):
        batch = make_batch(name=cause)
        texts: Any = terms.pop("texts", None)
        Batch.objects.filter(pk=batch.pk).update(
            **{name: value for name, value in terms.items() if name != "comprehension"},
            **({"comprehension": [["her", "f"]]} if "comprehension" in terms else {}),
            **({"asks": texts.scheme.as_json()} if texts else {}),
        )
        batch.refresh_from_db()
        with pytest.raises(InputError, match=cause):
            do(CHOOSE_CROWD, batch, crowd="prolific")
        batch.refresh_from_db()
        assert batch.environment == Environment.LOCAL
    assert not market.tasks.datasets


def test_a_draft_may_run_on_the_crowd_of_this_site_after_all(draft: Batch) -> None:
    with pytest.raises(InputError, match="MTURK_ENVIRONMENT=sandbox"):
        do(CHOOSE_CROWD, draft, crowd="mturk")
    for crowd in ("service", "prolific-here"):
        do(CHOOSE_CROWD, draft, crowd=crowd)
        draft.refresh_from_db()
        assert draft.environment == Environment.LOCAL


def test_places_are_those_of_the_tasks(asked: Batch, batch: Batch) -> None:
    with pytest.raises(InputError, match="every task has its place already"):
        do(ADD_PLACES, asked, places=1)
    assert ProlificStudy.objects.get().places == 9


def test_an_answer_that_comes_in_parts_is_read_once_it_is_whole(
    asked: Batch, market: FaultyMarket
) -> None:
    submission = take_part(market, 1)
    (made,) = market.tasks.batches.values()
    late = made.responses.pop()
    assert sum(collected(asked).values()) == 0
    answer = Assignment.objects.get()
    assert "has no answer" in answer.problem
    made.responses.append(late)
    made.responses.append(late)
    assert sorted(collected(asked).values()) == [1, 1]
    assert sorted(collected(asked).values()) == [1, 1]
    answer.refresh_from_db()
    assert answer.problem == ""
    assert answer.seconds is not None
    assert market.submission(submission).participant not in answer.worker.worker_id


def test_somebody_at_work_is_read_once_they_hand_in(asked: Batch, market: FaultyMarket) -> None:
    (study,) = market.studies.values()
    visit = market.arrive(study.study_id, "a" * 24)
    assert visit is not None
    made, group = market.task_of(visit.submission.submission_id)
    answers = {task.task_id: {made.questions[0]["id"]: ["gender=m"]} for task in made.groups[group]}
    market.tasks.answer(
        made,
        group,
        participant="a" * 24,
        submission=visit.submission.submission_id,
        answers=answers,
    )
    assert not collected(asked)
    market.answer_tasks(visit.submission.submission_id, {})
    assert sorted(collected(asked).values()) == [1, 1]


def test_what_cannot_be_read_stands_aside_with_the_reason(
    asked: Batch, market: FaultyMarket
) -> None:
    take_part(market, 1, value="yes")
    take_part(market, 2)
    assert sorted(collected(asked).values()) == [1, 1]
    assert Assignment.objects.exclude(problem="").count() == 1


def test_who_gave_the_place_back_has_no_vote_and_makes_room(
    asked: Batch, market: FaultyMarket
) -> None:
    submission = take_part(market, 1)
    assert sum(collected(asked).values()) == 2
    market.submission(submission).return_requested = "now"
    market.leave(submission, "RETURNED")
    assert sum(collected(asked).values()) == 0
    for person in range(2, 11):
        take_part(market, person)
    assert collected(asked) == {f"q{n}": 3 for n in range(6)}


def test_stopping_the_batch_pauses_its_study_and_who_has_begun_is_paid(
    asked: Batch, market: FaultyMarket
) -> None:
    (study,) = market.studies.values()
    visit = market.arrive(study.study_id, f"{1:024x}")
    assert visit is not None
    market.faults["move"] = "before"
    assert "may still begin" in do(STOP, asked).problem
    for _ in range(2):  # the first time nobody knew
        done = do(STOP, asked)
        assert (study.status, done.values["study"], done.problem) == ("PAUSED", "PAUSED", "")
    assert market.arrive(study.study_id, f"{2:024x}") is None
    submission = visit.submission.submission_id
    made, group = market.task_of(submission)
    answers = {task.task_id: {made.questions[0]["id"]: ["gender=m"]} for task in made.groups[group]}
    market.answer_tasks(submission, answers)
    assert sorted(collected(asked).values()) == [1, 1]
    do(APPROVE_SUBMISSIONS, asked)
    for _ in range(3):
        do(READ_STUDY, asked)
    assert market.submission(submission).status == "APPROVED"
    with pytest.raises(InputError):
        do(RESUME_STUDY, asked)
    assert "resume it" in do(EXTEND, asked, days=1).note
    asked.refresh_from_db()
    do(RESUME_STUDY, asked)
    assert market.arrive(study.study_id, f"{2:024x}") is not None
    assert not broken()


def test_the_form_of_a_draft_has_no_fields_that_the_tasks_decide(batch: Batch) -> None:
    do(UPLOAD_TASKS, batch)
    client = Client()
    client.force_login(User.objects.create_user("lab", is_staff=True))
    html = client.get(reverse("batch-act", args=[batch.pk, "draft-study"])).content.decode()
    page = BeautifulSoup(html, "html.parser")
    names = {str(field["name"]) for field in page.select("main input, main textarea")}
    assert "minutes" in names
    assert names.isdisjoint({"hits", "places"})


def test_what_prolific_does_is_not_offered_here(published: Batch) -> None:
    offered = {operation.page for operation in operations_listed(published)}
    assert offered.isdisjoint({TOP_UP.page, APPROVE.page, BONUS.page})
    assert EXTEND.page in offered


def test_a_study_that_nobody_made_here_is_named_when_the_batch_is_stopped(published: Batch) -> None:
    assert "by hand goes on" in do(STOP, published).note


def test_responses_are_collected_until_everybody_is_reviewed(
    asked: Batch, market: FaultyMarket, settings: Settings
) -> None:
    settings.COLLECT_EVERY_SECONDS = 60
    assert not asked.hits.exclude(expires_at=None).exists()
    take_part(market, 1)
    do(READ_STUDY, asked)
    for status, n_due in (("ACTIVE", 1), ("COMPLETED", 0)):
        Task.objects.all().delete()
        assert len(collecting_schedule()) == 1
        ProlificStudy.objects.update(status=status)
        asked.prolific_study.submissions.update(
            status="APPROVED", completed_at=timezone.now() - timedelta(days=60)
        )
        before = timezone.now() - timedelta(days=30)
        Task.objects.update(created_at=before, finished_at=before, state="done")
        assert len(collecting_schedule()) == n_due


def test_people_answer_on_the_pages_of_a_rehearsal(
    asked: Batch, market: FaultyMarket, address: str
) -> None:
    (study,) = market.studies.values()
    came = urllib3.request("GET", f"{address}/rehearsal/{study.study_id}/", redirect=False)
    where = f"{address}{came.headers['Location']}"
    page = BeautifulSoup(urllib3.request("GET", where).data, "html.parser")
    names = {str(one["name"]) for one in page.select("input[type=radio]")}
    assert len(names) == 2
    empty = urllib3.request("POST", where, body="")
    assert b"no answer" in empty.data
    sent = urlencode(dict.fromkeys(names, "gender=n"))
    assert b"awaiting review" in urllib3.request("POST", where, body=sent).data
    assert sorted(collected(asked).values()) == [1, 1]


# By files alone


def responses(tasks: str, chosen: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """What Prolific lists where people answered so, by participant and item: codes by question."""
    rows = list(csv.DictReader(io.StringIO(tasks)))
    return [
        {
            "id": f"{person} {row['item']} {question}", "batch_id": "b", "participant_id": person,
            "task_id": f"task {row['item']}", "created_at": "2026-11-30T08:00:00Z",
            "metadata": {"item": row["item"]},
            "response": {
                "instruction_id": question,
                "type": "multiple_choice" if isinstance(codes, list) else "free_text",
                "answer": [{"value": f"{question}={code}"} for code in codes]
                if isinstance(codes, list) else [{"value": codes}],
            },
        }
        for person, of_person in chosen.items()
        for row in rows
        for question, codes in of_person.get(row["item"], {}).items()
    ]  # fmt: skip


SEVERAL = """
name: two
title: Two questions
questions:
- name: gender
  text: Which?
  kind: single
  options: [{code: f, label: Female}, {code: n, label: Neither}]
- name: about
  text: About what?
  kind: multi
  options: [{code: w, label: Work}, {code: h, label: Home}, {code: o, label: None, alone: true}]
- name: why
  text: Why?
  kind: text
  required: false
subset: {words: of women, question: gender, any_of: [f]}
"""


def test_a_batch_of_several_questions_and_gold_by_files_alone(
    settings: Settings, tmp_path: Path
) -> None:
    queries = [PlannedQuery("q0", "rain"), PlannedQuery("q1", "her work", "f")]
    plan = BatchPlan(
        name="b", queries=queries, queries_per_hit=2, texts=PageTexts(scheme_from_yaml(SEVERAL))
    )
    batch = create_batch(plan=plan, environment="local", actor="test", study=a_study("b"))
    client = Client()
    client.force_login(User.objects.create_user("lab", is_staff=True))
    page = reverse("batch-prolific", args=[batch.pk])
    said = client.post(reverse("batch-crowd", args=[batch.pk]), {"crowd": "prolific"}, follow=True)
    assert "Gold questions are asked like others" in said.content.decode()
    client.post(reverse("batch-publish", args=[batch.pk]), {"pay_reason": "A rehearsal."})
    run_job()
    assert "Export for Task Builder" in client.get(page).content.decode()
    tasks = client.get(reverse("batch-prolific-export", args=[batch.pk, "items.csv"]))
    layout = client.get(reverse("batch-prolific-export", args=[batch.pk, "layout.json"]))
    folder = tmp_path / "task"
    run("scheme", "task-builder", "--batch", "b", "--output", folder)
    assert (folder / "items.csv").read_text() == tasks.content.decode()
    assert (folder / "layout.json").read_text() == layout.content.decode()
    assert len(json.loads(layout.content)["batch_items"][0]["rows"]) == 4
    first, second = "a" * 24, "b" * 24
    whole = {"gender": ["f"], "about": ["w", "h"], "why": "She works."}
    wrong = {"gender": ["n"], "about": ["w", "o"]}
    said_there = responses(
        tasks.content.decode(),
        {first: dict.fromkeys(("q0", "q1"), whole), second: {"q0": wrong, "q1": whole}},
    )
    strange = {**said_there[0], "id": "x", "metadata": {"item": "q9"}}
    upload = json.dumps({"results": [*said_there, strange]}).encode()
    for expected in ("1 new answer", "0 new answers"):
        file = SimpleUploadedFile("responses.json", upload)
        done = client.post(
            reverse("batch-prolific-responses", args=[batch.pk]), {"file": file}, follow=True
        )
        text = BeautifulSoup(done.content, "html.parser").get_text(" ")
        assert "1 response named no item" in text
        assert expected in text or "2 new answers" in text
    votes = Vote.objects.filter(query__batch=batch, counts=True)
    assert sorted(votes.values_list("choices__question", "choices__option")) == sorted(
        2 * [("gender", "f"), ("about", "w"), ("about", "h"), ("why", "")]
    )
    (apart,) = Assignment.objects.exclude(problem="")
    assert "beside one that excludes" in apart.problem
    assert not ProlificWorkspace.objects.exists()
    path = tmp_path / "more.json"
    path.write_text("\n".join(map(json.dumps, responses(
        tasks.content.decode(), {"c" * 24: dict.fromkeys(("q0", "q1"), whole)}
    ))))  # fmt: skip
    run("batch", "import-responses", "b", path)
    assert votes.count() == 4
    assert not broken()


def test_responses_of_more_than_an_attachment_are_read(published: Batch) -> None:
    tasks = batch_tasks(batch=published)
    chosen = {f"{person:024x}": {f"q{n}": {"gender": ["f"]} for n in range(6)} for person in (1, 2)}
    upload = json.dumps(responses(tasks.csv, chosen)).encode() + b" " * 12_000_000
    client = Client()
    client.force_login(User.objects.create_user("lab", is_staff=True))
    file = SimpleUploadedFile("responses.json", upload)
    path = reverse("batch-prolific-responses", args=[published.pk])
    page = client.post(path, {"file": file}, follow=True).content.decode()
    assert "6 new answers with 12 votes" in page
    assert "no file was chosen" in client.post(path, follow=True).content.decode()


def test_responses_to_a_batch_of_this_site_are_refused(
    make_batch: MakeBatch, tmp_path: Path
) -> None:
    batch = make_batch()
    publish_batch(batch_id=batch.pk, actor="test")
    path = tmp_path / "responses.json"
    path.write_text("[]")
    with pytest.raises(InputError, match="is not one whose questions Prolific asks"):
        do(IMPORT_RESPONSES, batch, file=path)


def test_pairs_are_shown_with_their_passages(settings: Settings) -> None:
    scheme = PageTexts(built_in_scheme("passage_gender"))
    pairs = [PlannedQuery(f"q{n} d", f"who left {n}", passage="He left.") for n in range(2)]
    plan = BatchPlan(name="p", queries=pairs, queries_per_hit=2, texts=scheme)
    batch = create_batch(plan=plan, environment="local", actor="test", study=a_study("p"))
    tasks = batch_tasks(batch=batch)
    assert [row["passage"] for row in tasks.rows] == ["He left."] * 2
    fields = tasks.layout["batch_items"][0]["rows"][:2]
    assert [one["columns"][0]["items"][0]["field"] for one in fields] == ["query", "passage"]


def test_what_is_left_out_is_named_before_anything_is_made(settings: Settings) -> None:
    pairs = [PlannedQuery("q d", "who left", passage="He left.", gold="m")]
    texts = PageTexts(built_in_scheme("passage_gender"))
    batch = create_batch(
        plan=BatchPlan(name="p", queries=pairs, queries_per_hit=1, texts=texts),
        environment="local", actor="test", study=a_study("p"),
    )  # fmt: skip
    client = Client()
    client.force_login(User.objects.create_user("lab", is_staff=True))
    named = ("Participants cannot mark the query&#x27;s words", "nobody sees the right answer")
    page, publish = (
        reverse("batch-detail", args=[batch.pk]), reverse("batch-act", args=[batch.pk, "publish"])
    )  # fmt: skip
    assert not any(part in client.get(page).content.decode() for part in named)
    do(CHOOSE_CROWD, batch, crowd="prolific")
    for path in (page, f"{publish}?look=1&pay_reason=A+rehearsal."):
        html = client.get(path).content.decode()
        assert [part for part in named if part not in html] == [], path
    content = scheme_from_yaml(SCHEME).as_json()
    Batch.objects.filter(pk=batch.pk).update(asks=content)
    batch.refresh_from_db()
    assert "under a condition" in client.get(page).content.decode()
    with pytest.raises(InputError, match="under a condition"):
        do(PUBLISH, batch, pay_reason="A rehearsal.")
    assert not batch.hits.exclude(hit_id=None).exists()


# While calls are spoiled


@pytest.fixture
def spoiling(market: Market, address: str, settings: Settings) -> Iterator[SpoilingProxy]:
    """Every fifth call to Prolific is spoiled."""
    proxy = SpoilingProxy(address, seed=70, share=0.2)
    settings.PROLIFIC_ADDRESS = proxy.start()
    yield proxy
    proxy.stop()


def until(done: Callable[[], bool], act: Callable[[], object]) -> None:
    """Do it again, as jobs and people do, until it is done."""
    failures: Counter[str] = Counter()
    for _ in range(60):
        if done():
            return
        try:
            act()
        except InputError as error:
            failures[str(error)] += 1
        before = timezone.now() - timedelta(minutes=10)
        ProlificTasks.objects.exclude(set_up_at=None).update(set_up_at=before)
    raise AssertionError(failures)


@pytest.mark.long
def test_a_whole_study_while_every_fifth_call_is_spoiled(
    published: Batch, market: FaultyMarket, spoiling: SpoilingProxy
) -> None:
    batch = published
    until(ProlificWorkspace.objects.exists, lambda: do(CONNECT_PROLIFIC, batch, token=TOKEN))
    ready = ProlificTasks.objects.filter(is_ready=True)
    until(ready.exists, lambda: do(UPLOAD_TASKS, batch))
    studies = ProlificStudy.objects.exclude(study_id=None)
    until(studies.exists, lambda: do(DRAFT_STUDY, batch, minutes=2))
    active = ProlificStudy.objects.filter(status="ACTIVE")
    until(active.exists, lambda: pay(PUBLISH_STUDY, batch, COST))
    for person in range(9):
        take_part(market, person)
    until(lambda: Vote.objects.count() == 18, lambda: collected(batch))
    answers = Assignment.objects.filter(state="Approved")

    def approved() -> None:
        do(READ_STUDY, batch)
        do(APPROVE_SUBMISSIONS, batch)
        collected(batch)

    until(lambda: answers.count() == 9, approved)
    assert spoiling.faults.total() > 5
    (made,) = market.tasks.batches.values()
    assert (len(made.tasks), len(market.studies)) == (6, 1)
    votes = Vote.objects.filter(counts=True).values_list("query__qid", flat=True)
    assert Counter(votes) == {f"q{n}": 3 for n in range(6)}
    assert Vote.objects.count() == 18
    assert market.balance == 100_000 - 297
    assert not broken()
