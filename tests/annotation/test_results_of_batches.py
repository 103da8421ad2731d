"""Results of a study belong to a batch and its pool, and every page says to which."""

import pytest
from bs4 import BeautifulSoup
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.labels.operations.adjudicate import query_adjudicate
from annotation.labels.operations.decide import batch_label
from annotation.models import Batch, Label, Study, StudyReport, Worker
from annotation.overview.queries.flow import study_flow
from annotation.overview.queries.steps import Step, next_step, steps_of
from annotation.reports.pages.forms import ReportForm
from annotation.schemes import built_in_scheme
from annotation.vocabulary import BatchState, Environment, WorkerKind
from tests import schemed
from tests.study import stored_batch, stored_pool
from tests.votes import store_vote

pytestmark = pytest.mark.django_db


def answered(batch: Batch, answers: str, *, is_decided: bool = True) -> Batch:
    """Its queries in order, each with the votes of two people for the category of `answers`."""
    for number in range(2):
        worker, _ = Worker.objects.get_or_create(
            environment=batch.environment, worker_id=f"A{number}", kind=WorkerKind.HUMAN
        )
        for query, answer in zip(batch.queries.order_by("position"), answers, strict=True):
            # A tie has one vote for each of two categories.
            category = "nf"[number] if answer == "t" else answer
            store_vote(category, query=query, worker=worker)
    Batch.objects.filter(pk=batch.pk).update(state=BatchState.STOPPED)
    if is_decided:
        batch_label(batch=batch, actor="test")
    return batch


@pytest.fixture
def study() -> Study:
    """A main batch of four queries, and a later side batch of the same pool, all of it female."""
    pool = stored_pool(4)
    answered(stored_batch(pool, "main"), "nnnm")
    answered(stored_batch(pool, "side"), "ffff")
    return pool.belongs.study


@pytest.fixture
def client() -> Client:
    client = Client()
    client.force_login(User.objects.create_user("me", is_staff=True, is_superuser=True))
    return client


def step(study: Study, key: str) -> Step:
    [found] = [one for one in steps_of(study_flow(study=study)) if one.key == key]
    return found


def words(client: Client, name: str, number: int, selector: str) -> str:
    page = client.get(reverse(name, args=[number])).content.decode()
    found = BeautifulSoup(page, "html.parser").select(selector)
    assert found
    return " ".join(" ".join(one.get_text(" ") for one in found).split())


def test_the_study_never_adds_up_labels_of_two_batches(study: Study, client: Client) -> None:
    tile = words(client, "study-detail", study.pk, ".glance")

    assert "0% of 4 labelled queries of side , from the pool top : non-gendered queries" in tile
    assert "75% of 4 labelled queries of main" in tile
    said = step(study, "labels").sentence
    assert "side: 4 labels, 0 of them of non-gendered queries; main: 4 labels, 3 of them" in said


def test_a_batch_with_something_to_do_is_named_and_led_to(study: Study, client: Client) -> None:
    later = answered(stored_batch(study.pools.get().pool, "later"), "nnff", is_decided=False)
    assert next_step(steps_of(study_flow(study=study))) is not None

    labels = step(study, "labels")
    assert (str(labels.state), labels.batch and labels.batch.number) == ("ready", later.pk)
    assert labels.sentence.endswith("Labels of later can be decided.")
    Batch.objects.filter(pk=later.pk).delete()
    tied = answered(stored_batch(study.pools.get().pool, "tied"), "ttnn")
    labels = step(study, "labels")
    assert labels.sentence.endswith("2 ties of tied to adjudicate.")
    assert labels.batch is not None
    assert labels.batch.number == tied.pk


def measured(study: Study, *batches: Batch) -> None:
    parameters = {"batches": [batch.pk for batch in batches]}
    StudyReport.objects.create(study=study, parameters=parameters, made_at=timezone.now())


def test_a_report_is_done_once_it_stands_on_the_batch_whose_results_are_shown(study: Study) -> None:
    main, side = (study.batches.get(name=name) for name in ("main", "side"))

    measured(study)
    measured(study, main)
    assert step(study, "report").state == "waiting"
    measured(study, side)
    report = step(study, "report")
    assert (str(report.state), report.sentence) == ("done", "Measured on the results of side.")


def test_a_report_before_any_label_does_not_end_the_study() -> None:
    study = stored_batch(stored_pool(2)).study
    measured(study)

    report = step(study, "report")
    assert report.state == "waiting"
    assert report.sentence.startswith("Measured on every query so far, without labels.")


@pytest.mark.parametrize("name", ["batch-labels", "batch-detail"])
def test_a_report_on_these_labels_ticks_the_batch_that_one_comes_from(
    study: Study, client: Client, name: str
) -> None:
    main = study.batches.get(name="main")
    page = BeautifulSoup(client.get(reverse(name, args=[main.pk])).content, "html.parser")
    links = [str(link["href"]) for link in page.select("main a[href]")]
    [link] = [one for one in links if reverse("study-reports", args=[study.pk]) + "?" in one]

    assert link.endswith(f"?batch={main.pk}#new")
    assert ReportForm(study, batch=str(main.pk))["batches"].initial == [str(main.pk)]
    assert client.get(link).status_code == 200


def test_an_imported_study_asks_for_no_files() -> None:
    batch = answered(stored_batch(stored_pool(2), environment=Environment.IMPORTED), "nf")
    assert step(batch.study, "files").state == "waiting"
    assert step(batch.study, "files").sentence.startswith("Needed only to measure bias: ")
    following = next_step(steps_of(study_flow(study=batch.study)))
    assert following is None or following.key != "files"


def test_a_draft_or_a_batch_without_answers_is_never_ticked(study: Study) -> None:
    draft = stored_batch(study.pools.get().pool, "draft")
    Batch.objects.filter(pk=draft.pk).update(asks=built_in_scheme("severity").as_json())

    form = ReportForm(study)
    offered = [name for _number, name in form.fields["batches"].choices]  # type: ignore[attr-defined]
    assert offered == ["side", "main"]
    assert form["batches"].initial == [str(study.batches.get(name="side").pk)]


def test_a_draft_asks_nobody_for_votes(study: Study, client: Client) -> None:
    before = step(study, "labels").sentence
    stored_batch(study.pools.get().pool, "draft")
    assert step(study, "labels").sentence == before
    assert "draft" not in words(client, "study-detail", study.pk, "#labels ul")
    line = words(client, "batch-detail", study.batches.get(name="draft").pk, "#standing")
    assert "4 queries in" in line
    assert "answers" not in line


def test_each_batch_says_how_far_its_labels_are(study: Study, client: Client) -> None:
    pool = study.pools.get().pool
    answered(stored_batch(pool, "tied"), "ttnn")
    answered(stored_batch(pool, "later"), "nnff", is_decided=False)
    listed = words(client, "study-detail", study.pk, "#labels ul")
    assert "later : 8 of 20 votes, 12 withdrawn or expired, no labels yet" in listed
    assert "tied : 8 of 20 votes, 12 withdrawn or expired, 2 labels, 2 ties to adjudicate" in listed
    assert "12 withdrawn or expired, 4 labels ·" in listed


def test_a_question_of_a_scheme_is_to_decide_and_then_says_its_subset(client: Client) -> None:
    batch = schemed.answered(stored_pool(4).belongs.study)
    labels = step(batch.study, "labels")
    assert labels.sentence.endswith("Labels can be decided.")
    assert labels.batch is not None
    batch_label(batch=batch, question="named", actor="test")
    assert "can be decided" not in step(batch.study, "labels").sentence
    shown = words(client, "batch-labels", batch.pk, "main")
    assert "2 of 4 queries with a label are in the subset that measures run on:" in shown
    assert "run on: queries that name no religion" in shown


def test_ties_that_a_person_settled_are_not_shown_as_open(study: Study, client: Client) -> None:
    tied = answered(stored_batch(study.pools.get().pool, "tied"), "ttnn")
    assert "By majority 2 ties, 2 still to adjudicate ." in words(
        client, "batch-agreement", tied.pk, "main"
    )
    for label in Label.objects.standing().filter(query__batch=tied, value="tie"):
        query_adjudicate(batch=tied, qid=label.query.qid, category="n", reason="?", by="test")
    assert "By majority 2 ties, settled in the labels ." in words(
        client, "batch-agreement", tied.pk, "main"
    )
    listed = words(client, "batch-queries", tied.pk, "tbody")
    assert listed.count("1 non-gendered 1 female Non-gendered adjudicated") == 2
    assert listed.count("adjudicated") == 2
    assert "find no task" in words(client, "batch-invite", tied.pk, "main")
