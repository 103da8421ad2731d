"""A batch of two nominal questions: which of them the first test asks, and further votes follow."""

from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from annotation.batches.operations.adaptive_round import ADAPTIVE_ROUND
from annotation.batches.queries.adaptive import adaptive_report, queries_to_ask
from annotation.labels.queries.agreement import AgreementParameters, batch_agreement
from annotation.labels.queries.scheme_results import scheme_results
from annotation.models import Batch, Choice, Study, Vote, Worker
from annotation.overview.operations.duplicate_study import DUPLICATE_STUDY
from annotation.reports.bundle.verify import verify_bundle
from annotation.vocabulary import BatchState
from tests.annotation.test_import_bundle import import_bundle
from tests.annotation.test_models_of_any_question import TWO
from tests.annotation.test_new_batch import TERMS
from tests.commands import failure, run, run_json
from tests.measured import storages_in
from tests.performing import do
from tests.study import stored_pool

pytestmark = pytest.mark.django_db

TEST = "qid,query,label\na,buy a hat,buys=yes | tone=kind\nb,damned hats,tone=rude\n"


@pytest.fixture
def study() -> Study:
    return stored_pool(8).belongs.study


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "two.yaml").write_text(TWO)
    (tmp_path / "test.csv").write_text(TEST)
    return tmp_path


def create(files: Path, *options: object) -> tuple[object, ...]:
    """The words of a command that makes the batch `asks`."""
    return (
        *("batch", "create", "--name", "asks", "--pool", "top", "--assignments", "2"),
        *("--scheme", files / "two.yaml", *options),
    )


def with_test(files: Path, *options: object) -> tuple[object, ...]:
    return create(files, "--comprehension", files / "test.csv", *options)


def test_the_test_asks_the_named_question(study: Study, files: Path) -> None:
    run(*with_test(files, "--comprehension-question", "tone"))
    batch = study.batches.get()
    assert batch.comprehension_question == "tone"
    assert batch.comprehension == [["buy a hat", "kind"], ["damned hats", "rude"]]


def test_without_a_name_the_test_asks_for_the_subset(study: Study, files: Path) -> None:
    assert "no known answer to 'buys'" in failure(*with_test(files))
    (files / "test.csv").write_text("qid,query,label\na,buy a hat,yes\n")
    run(*with_test(files))
    batch = study.batches.get()
    assert (batch.comprehension_question, batch.comprehension) == ("buys", [["buy a hat", "yes"]])


@pytest.mark.parametrize(
    ("term", "pointer"),
    [
        ({"adaptive": {"question": "why"}, "assignments_per_hit": 2}, "question"),
        ({"comprehension_question": "why"}, "comprehension_question"),
    ],
)
def test_the_api_takes_the_name_and_refuses_what_is_not_nominal(
    study: Study, admin_client: Client, term: dict[str, Any], pointer: str
) -> None:
    test = [{"qid": "a", "text": "buy a hat", "gold": "tone=kind"}]
    sent = {"name": "asks", "pool": study.pools.get().pool.pk, "scheme": TWO}
    sent |= {"comprehension": test, "comprehension_question": "tone", **term}
    address = "/api/v1/batches/"
    refused = admin_client.post(address, sent, content_type="application/json")
    assert refused.status_code == 400, refused.content
    [error] = refused.json()["errors"]
    assert error["pointer"].endswith(pointer)
    assert "buys, tone" in error["detail"]
    sent |= {"comprehension_question": "tone", "assignments_per_hit": 2}
    sent |= {"adaptive": {"question": "tone"}}
    made = admin_client.post(address, sent, content_type="application/json")
    assert made.status_code == 201, made.content
    assert made.json()["terms"]["comprehension_question"] == "tone"
    assert study.batches.get().adaptive_policy.question == "tone"


def test_the_form_of_a_new_batch_has_the_questions(study: Study, admin_client: Client) -> None:
    """Of the built-in schemes none has two: another name than that of the only one is wrong."""
    terms = TERMS | {
        "scheme": "bias_sensitive",
        "adaptive": "on",
        "comprehension": "a,what makes a good leader,yes",
    }
    for name in ("question", "comprehension_question"):
        wrong = admin_client.post(reverse("batch-new"), terms | {name: "x"})
        assert list(wrong.context["form"].errors) == [name]
    names = dict.fromkeys(("question", "comprehension_question"), "bias_sensitive")
    admin_client.post(reverse("batch-store"), terms | names)
    batch = study.batches.get()
    assert batch.comprehension == [["what makes a good leader", "yes"]]
    assert batch.adaptive_policy.question == batch.comprehension_question == "bias_sensitive"


def begun(files: Path, question: str) -> Batch:
    run(*create(files, "--queries-per-hit", "50"))
    run("batch", "begin-adaptive", "asks", "--full-share", "0", "--question", question)
    Batch.objects.update(state=BatchState.PUBLISHED)
    return Batch.objects.get()


def answer(batch: Batch, *answers: tuple[str, str, str]) -> None:
    """Store votes of A1, A2 ... on a query: what each says of `buys` and `tone`."""
    for qid, buys, tone in answers:
        query = batch.queries.get(qid=qid)
        for number, (one, other) in enumerate(zip(buys, tone, strict=True)):
            worker, _ = Worker.objects.get_or_create(
                worker_id=f"A{number}", environment=batch.environment
            )
            vote = Vote.objects.create(query=query, worker=worker)
            Choice.objects.create(vote=vote, question="buys", option={"y": "yes", "n": "no"}[one])
            Choice.objects.create(
                vote=vote, question="tone", option={"k": "kind", "r": "rude"}[other]
            )


def test_further_votes_follow_the_answers_to_the_named_question(
    study: Study, files: Path, admin_client: Client
) -> None:
    batch = begun(files, "tone")
    answer(batch, ("q0", "yn", "kk"), ("q1", "yy", "kr"))
    batch.hits.update(max_assignments=0)
    asked = queries_to_ask(batch=batch)
    assert [query.qid for query in asked[1]] == ["q1"]
    assert adaptive_report(batch=batch).question == "tone"
    assert "answers to tone" in run("batch", "adaptive-report", "asks")
    page = admin_client.get(reverse("batch-act", args=[batch.pk, ADAPTIVE_ROUND.page]))
    assert "What tone has the query?" in page.content.decode()
    refused = failure("batch", "begin-adaptive", "asks", "--question", "why")
    assert "'why' is not a question" in refused


def test_agreement_on_another_question_is_of_what_every_query_was_asked_for(
    study: Study, files: Path
) -> None:
    """By tone q0 to q3 were asked a third time. Of `buys` the pairs of the first two stand."""
    batch = begun(files, "tone")
    # Who differ in tone say the same of `buys`; the third one, who sides with the first, differs.
    answer(batch, *((f"q{n}", "yyn", "krk") for n in range(4)))
    answer(batch, *((f"q{n}", "yy", "kk") for n in range(4, 8)))
    by_question = {
        one.question.name: one.agreement for one in scheme_results(batch=batch).questions
    }
    for name in ("buys", "tone"):
        [found] = batch_agreement(
            batch=batch, parameters=AgreementParameters(question=name)
        ).questions
        assert found.n_votes == by_question[name].n_votes == 16
        assert by_question[name].raw_agreement == found.raw_agreement
        assert any("asks adaptively" in words for words in by_question[name].warnings)
    # Of tone, half of the queries differ, however the pairs fall.
    assert by_question["tone"].raw_agreement.value == pytest.approx(0.5)


def test_a_bundle_says_by_which_question(
    study: Study, files: Path, settings: Settings, tmp_path: Path
) -> None:
    settings.STORAGES = storages_in(tmp_path / "storage")
    batch = begun(files, "tone")
    answer(batch, *((f"q{n}", "yyn", "krk") for n in range(4)))
    stored = run_json("scheme", "agreement", "asks")
    path = tmp_path / "study.zip"
    run("study", "bundle", study.name, "--output", path)
    verify_bundle(path)
    import_bundle(path, name="elsewhere")
    copy = Batch.objects.exclude(pk=batch.pk).get()
    assert copy.adaptive_policy.question == "tone"
    assert run_json("scheme", "agreement", copy.name) == stored


def test_a_draft_keeps_the_question_of_its_test_and_of_its_further_votes(
    study: Study, files: Path
) -> None:
    run(*with_test(files, "--comprehension-question", "tone"))
    run("batch", "begin-adaptive", "asks", "--question", "tone")
    other = files / "other.yaml"
    change = ("batch", "change-scheme", "asks", "--scheme", other)
    other.write_text(TWO.replace("rude", "cold"))
    assert "expects rude" in failure(*change)
    other.write_text(TWO.replace("tone", "mood"))
    assert "the test before the first HIT asks 'tone'" in failure(*change)
    Batch.objects.update(comprehension=[], comprehension_question="")
    assert "further votes follow the answers to 'tone'" in failure(*change)


def test_a_duplicate_asks_the_same_questions(study: Study, files: Path) -> None:
    run(*with_test(files, "--comprehension-question", "tone"))
    run("batch", "begin-adaptive", "asks", "--question", "tone")
    do(DUPLICATE_STUDY, study, name="again")
    batch = Batch.objects.get(study__name="again")
    assert batch.comprehension_question == batch.adaptive_policy.question == "tone"
