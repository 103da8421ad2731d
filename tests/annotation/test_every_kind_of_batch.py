"""What holds for batches of every kind: of the categories, of other schemes, however answered."""

import csv
import io
import json
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from annotation.batches.operations.collected_answers import count_votes_again
from annotation.batches.queries.adaptive import adaptive_report, queries_to_ask
from annotation.batches.queries.batches import batch_progress
from annotation.core.operations import Actor
from annotation.core.perform import perform_here
from annotation.labels.export.formats import VOTE_FORMATS
from annotation.labels.operations.decide import LABEL, batch_label
from annotation.labels.queries.questions import nominal_question
from annotation.labels.queries.votes_export import has_votes_of_files
from annotation.models import Assignment, Batch, Choice, Label, Vote, Worker
from annotation.overview.operations.retention import retention_apply
from annotation.overview.queries.invariants import broken_invariants
from annotation.reports.bundle.verify import verify_bundle
from annotation.vocabulary import BatchState
from annotation.workers.operations.discard_votes import votes_discard, votes_restore
from annotation.workers.operations.erasure import batches_of, erase_worker
from metrics.errors import InputError
from metrics.votes.deciding import METHODS
from tests.annotation.test_import_bundle import import_bundle
from tests.any_batch import (
    SCHEMES,
    answered_batch,
    any_batch,
    asking_batch,
    hand_in,
    joined_batch,
    kind,
)
from tests.commands import failure, run, run_json

__all__ = ["any_batch", "kind"]

pytestmark = pytest.mark.django_db


def a_voter(batch: Batch) -> Worker:
    return Vote.objects.filter(query__batch=batch).earliest("pk").worker


def test_progress_counts_the_votes_of_everybody(any_batch: Batch) -> None:
    progress = batch_progress(batch=any_batch)
    assert (progress.n_votes, progress.n_cannot_tell, progress.n_workers) == (11, 1, 3)


def test_every_invariant_holds(any_batch: Batch) -> None:
    del any_batch
    assert broken_invariants() == {}


def test_whoever_voted_can_be_erased(any_batch: Batch) -> None:
    """Their votes stay, under a name that leads nowhere; what they wrote goes."""
    worker = a_voter(any_batch)
    key = worker.pk
    Assignment.objects.filter(worker=worker).update(state="Approved")
    Choice.objects.filter(vote__worker=worker, option="?").update(text="I am Ada.")
    n_votes = Vote.objects.filter(query__batch=any_batch).count()
    assert list(batches_of(worker=worker).filter(pk=any_batch.pk)) == [any_batch]
    done = erase_worker(worker=worker, batches=Batch.objects.all(), actor="test")
    assert done.votes == 4 * done.batches
    assert Vote.objects.filter(query__batch=any_batch).count() == n_votes
    assert not Vote.objects.filter(worker=key).exists()
    assert not Choice.objects.exclude(text="").exists()


def test_retention_finds_whoever_voted_long_ago(any_batch: Batch, settings: Settings) -> None:
    Assignment.objects.update(state="Approved", submitted_at="2020-01-01T00:00Z")
    Batch.objects.update(created_at="2020-01-01T00:00Z")
    people = Worker.objects.filter(votes__query__batch=any_batch).distinct()
    assert people.filter(is_erased=False).count() == 3
    retention_apply(days=30)
    assert not people.filter(is_erased=False).exists()


def test_votes_are_discarded_at_the_api_and_by_the_operation(
    any_batch: Batch, admin_client: Client
) -> None:
    worker = a_voter(any_batch)
    address = reverse("api-worker-discard-votes", args=[any_batch.pk, worker.pk])
    response = admin_client.post(address, {"reason": "x"}, content_type="application/json")
    assert response.status_code == 200, response.content
    votes = batch_progress(batch=any_batch).votes
    assert (votes["discarded"], votes["counted"] + votes["cannot_tell"]) == (4, 8)
    votes_restore(batch=any_batch, worker_id=worker.worker_id, reason="y", actor="test")
    votes_discard(batch=any_batch, worker_id=worker.worker_id, reason="z", actor="test")


def test_after_a_rejected_answer_the_next_one_counts(kind: str) -> None:
    batch = asking_batch(kind)
    hand_in(kind, batch, "A1", "0000", status="Rejected")
    hand_in(kind, batch, "A1", "1111", assignment="next")
    votes = batch_progress(batch=batch).votes
    assert (votes["counted"], votes["rejected"]) == (4, 4)
    count_votes_again(Assignment.objects.get(state="Rejected").pk)
    assert Vote.objects.standing().count() == 4, "the first one stays out: a later one counts"


def test_whoever_could_not_tell_first_has_voted(kind: str) -> None:
    """Whatever the same worker says of the query later is repeated."""
    batch = asking_batch(kind)
    hand_in(kind, batch, "A1", "????")
    hand_in(kind, batch, "A1", "0000", assignment="again")
    votes = batch_progress(batch=batch).votes
    assert (votes["cannot_tell"], votes["repeated"], votes["counted"]) == (4, 4, 0)


def test_an_answer_that_is_rejected_and_restored_flips_whole(kind: str) -> None:
    batch = asking_batch(kind)
    hand_in(kind, batch, "A1", "0120")
    hand_in(kind, batch, "A1", "0120", status="Rejected")
    assert batch_progress(batch=batch).votes["rejected"] == 4
    hand_in(kind, batch, "A1", "0120", status="Approved")
    assert batch_progress(batch=batch).votes["counted"] == 4
    n_choices = Choice.objects.filter(vote__query__batch=batch).count()
    assert n_choices == Choice.objects.filter(vote__counts=True).count()


def test_agreement_is_that_of_the_one_nominal_question(
    any_batch: Batch, admin_client: Client
) -> None:
    response = admin_client.get(reverse("api-batch-agreement", args=[any_batch.pk]))
    found = response.json()
    assert response.status_code == 200, found
    assert (found["n_queries"], found["n_votes"], found["n_workers"]) == (4, 11, 3)
    assert found["raw_agreement"]["value"] is not None
    assert run_json("batch", "agreement", any_batch.name)["n_votes"] == 11


def test_votes_are_exported_in_every_layout(
    any_batch: Batch, kind: str, admin_client: Client
) -> None:
    question = {"three questions": "harm"}.get(kind, "")
    address = reverse("api-batch-votes", args=[any_batch.pk])
    for layout in VOTE_FORMATS:
        response = admin_client.get(address, {"layout": layout, "question": question})
        if layout == "mturk" and has_votes_of_files(batch=any_batch):
            assert response.status_code >= 400
            continue
        assert response.status_code == 200, layout
        content = b"".join(response).decode()
        assert content.count("w-") == (3 if layout == "mturk" else 12)
    response = admin_client.get(address, {"question": question})
    rows = list(csv.DictReader(io.StringIO(b"".join(response).decode(), newline="")))
    code = {"categories": "u"}.get(kind, "?")
    assert [row["label"] for row in rows].count(code) == 1


def test_several_questions_have_to_be_told_apart(admin_client: Client) -> None:
    batch = answered_batch("three questions")
    votes = reverse("api-batch-votes", args=[batch.pk])
    refused = admin_client.get(votes)
    assert refused.status_code == 422
    assert "named, groups, harm" in str(refused.json())
    several = b"".join(admin_client.get(votes, {"question": "groups"})).decode()
    assert ",c;m," in several
    agreement = reverse("api-batch-agreement", args=[batch.pk])
    assert admin_client.get(agreement, {"question": "harm"}).json()["coefficient"] == "interval"
    refused = admin_client.get(agreement, {"question": "help"})
    assert "It has named, groups, harm." in str(refused.json())


def test_the_list_of_queries_has_the_votes_of_a_question(
    any_batch: Batch, kind: str, admin_client: Client
) -> None:
    question = {"three questions": "named"}.get(kind, "")
    address = reverse("api-batch-queries", args=[any_batch.pk])
    rows = admin_client.get(address, {"question": question}).json()["results"]
    assert [sum(vote["votes"] for vote in row["votes"]) for row in rows] == [3, 3, 3, 3]
    assert [len(row["votes"]) for row in rows] == [1, 2, 2 if question else 3, 2]
    first = rows[0]["votes"][0]["category"]
    assert first == {"categories": "n", "three questions": "no"}.get(kind, "no")
    detail = reverse("api-batch-query", args=[any_batch.pk, rows[0]["number"]])
    votes = admin_client.get(detail).json()["votes"]
    assert len(votes) == 3
    assert all(first in vote["category"] for vote in votes)


def test_methods_are_compared_on_the_one_nominal_question(any_batch: Batch) -> None:
    methods = run_json("label", "compare-methods", any_batch.name)["methods"]
    assert {"majority", "dawid_skene", "mace"} <= {one["method"] for one in methods}
    assert all(sum(one["labels"].values()) + one["ties"] == 4 for one in methods)


#: The nominal question of each kind, and its first two options.
NOMINAL = {
    "categories": ("gender", "n", "f"),
    "one nominal question": ("buys", "no", "yes"),
    "three questions": ("named", "no", "yes"),
}


@pytest.mark.parametrize("method", METHODS)
def test_every_method_labels_a_nominal_question(any_batch: Batch, kind: str, method: str) -> None:
    question, first, _ = NOMINAL[kind]
    known = any_batch.queries.get(position=3)
    known.gold = first if kind == "categories" else f"{question}={first}"
    known.save()
    terms = {"question": question, "method": method}
    done = perform_here(LABEL, any_batch, terms, Actor("test")).values
    assert done["n_queries"] == sum(done["labels"].values()) + done["ties"] == 3
    labels = Label.objects.standing_for(any_batch, question)
    assert labels.get(query__position=0).value == first
    assert {label.question for label in labels} == {question}
    assert broken_invariants() == {}


@pytest.mark.parametrize("method", METHODS)
def test_a_bundle_decides_by_the_same_method(kind: str, method: str, tmp_path: Path) -> None:
    batch = answered_batch(kind)
    question, first, _ = NOMINAL[kind]
    known = batch.queries.get(position=3)
    known.gold = first if kind == "categories" else f"{question}={first}"
    known.save()
    batch_label(batch=batch, question=question, method=method, strict=True, actor="test")
    path = tmp_path / "b.zip"
    run("study", "bundle", batch.study.name, "--output", path)
    verify_bundle(path)
    copy = import_bundle(path, name="elsewhere").made.batches.get()
    columns = ("query__qid", "method", "value", "n_votes", "n_for")
    labels, copies = (
        list(Label.objects.standing_for(one, question).values_list(*columns))
        for one in (batch, copy)
    )
    assert sorted(labels) == sorted(copies)
    assert len(labels) == 3


def test_a_tie_is_told_from_no_answer(any_batch: Batch, kind: str) -> None:
    """Three who disagree tie; a query that nobody answered has no label."""
    question, *_ = NOMINAL[kind]
    last = any_batch.queries.get(position=3)
    Vote.objects.filter(query=last).update(counts=False)
    batch_label(batch=any_batch, question=question, actor="test")
    values = dict(
        Label.objects.standing_for(any_batch, question).values_list("query__position", "value")
    )
    assert 3 not in values
    assert values[2] == ("yes" if kind == "three questions" else "tie")


def test_labels_of_every_kind_of_question_are_stored_and_exported(admin_client: Client) -> None:
    batch = answered_batch("three questions")
    for question in ("named", "groups", "harm"):
        run_json("label", "decide", batch.name, "--question", question)
    address = reverse("api-batch-export", args=[batch.pk])
    refused = admin_client.get(address)
    assert refused.status_code == 422
    assert "named, groups, harm" in str(refused.json())

    def exported(**sent: str) -> list[str]:
        content = b"".join(admin_client.get(address, sent)).decode()
        return [line.rsplit(",", 1)[1] for line in content.splitlines()]

    assert exported(question="named") == ["no", "no", "no"], "the subset"
    assert exported(question="named", category="all") == ["no", "no", "yes", "no"]
    assert exported(question="groups", category="m") == ["m"]
    assert exported(question="harm") == ["1", "1", "2", "1"], "the median"
    assert admin_client.get(address, {"question": "harm", "category": "x"}).status_code == 400
    with pytest.raises(InputError, match="not a question with one answer and options in no order"):
        batch_label(batch=batch, question="harm", method="mace", actor="test")


def test_labels_are_read_by_page_call_and_file(
    any_batch: Batch, kind: str, admin_client: Client
) -> None:
    question, first, second = NOMINAL[kind]
    address = reverse("api-batch-export", args=[any_batch.pk])
    asked = {"question": question, "category": first}
    assert admin_client.get(address, asked).status_code == 422, "not decided yet"
    page = reverse("batch-labels", args=[any_batch.pk])
    assert "to decide them from the votes" in admin_client.get(page).content.decode()
    batch_label(batch=any_batch, question=question, actor="test")
    lines = b"".join(admin_client.get(address, asked)).decode().splitlines()
    assert [line.rsplit(",", 1)[1] for line in lines] == [first] * 3
    rows = b"".join(admin_client.get(address, asked | {"layout": "jsonl"})).splitlines()
    label = json.loads(rows[1])
    assert (label["label"], label["tally"]) == (first, {first: 2, second: 1})
    named = {"question": question}
    found = admin_client.get(reverse("api-batch-labels", args=[any_batch.pk]), named).json()
    assert found["labelling"]["method"] == "majority"
    assert found["counts"][first] == len(lines)
    shown = admin_client.get(page, asked).content.decode()
    assert "Decided by <strong>majority" in shown
    assert reverse("batch-export", args=[any_batch.pk]) in shown
    query = any_batch.queries.get(position=0)
    detail = admin_client.get(reverse("api-batch-query", args=[any_batch.pk, query.pk])).json()
    assert [(one["question"], one["value"]) for one in detail["labels"]] == [(question, first)]
    told = admin_client.get(reverse("batch-query", args=[any_batch.pk, query.pk]))
    assert "Majority" in told.content.decode()


def test_a_person_decides_what_votes_leave_open(
    any_batch: Batch, kind: str, admin_client: Client
) -> None:
    """One page, one call and one command for every question, also before labels are decided."""
    question, _, second = NOMINAL[kind]
    qid = any_batch.queries.get(position=2).qid
    queue = run_json("label", "queue", any_batch.name)["queue"]
    if kind != "three questions":
        assert [(one["qid"], one["question"], one["why"]) for one in queue] == [
            (qid, question, "tie")
        ]
    page = reverse("batch-adjudication", args=[any_batch.pk])
    form = BeautifulSoup(
        admin_client.get(page, {"query": qid, "question": question}).content, "html.parser"
    ).select_one("form.decide")
    assert form is not None
    sent = {str(one["name"]): one.get("value") for one in form.select("input[type=hidden]")}
    assert len(form.select("input[type=radio]")) == len(
        nominal_question(batch=any_batch, name=question).codes
    )
    chosen = sent | {"category": second, "reason": "Read it."}
    admin_client.post(reverse("query-adjudicate", args=[any_batch.pk]), chosen)
    address = reverse("api-adjudication-decisions", args=[any_batch.pk])
    [decided] = admin_client.get(address).json()["results"]
    assert (decided["qid"], decided["question"], decided["value"]) == (qid, question, second)
    batch_label(batch=any_batch, question=question, actor="test")
    assert Label.objects.standing_for(any_batch, question).get(query__qid=qid).value == second
    stale = admin_client.post(reverse("query-adjudicate", args=[any_batch.pk]), chosen)
    assert "Somebody has decided this since" in stale.content.decode()
    withdrawn = {"qid": qid, "question": question, "reason": "Wrong."}
    admin_client.post(reverse("adjudication-withdraw", args=[any_batch.pk]), withdrawn)
    assert admin_client.get(address).json()["results"] == []
    sent = {"qid": qid, "question": question, "category": "nothing", "reason": "x"}
    refused = admin_client.post(address, sent, content_type="application/json")
    assert refused.status_code == 422


def test_the_list_of_queries_is_filtered_sorted_and_a_file(
    any_batch: Batch, kind: str, admin_client: Client
) -> None:
    address = reverse("batch-queries", args=[any_batch.pk])
    found = admin_client.get(address, {"text": "q3", "as": "csv"})
    rows = list(csv.reader(io.StringIO(b"".join(found).decode(), newline="")))
    assert [row[0] for row in rows[1:]] == ["q3"]
    worker = a_voter(any_batch).pk
    page = admin_client.get(address, {"sort": "-id", "worker": str(worker)})
    assert [row.qid for row in page.context["page"]] == ["q3", "q2", "q1", "q0"]
    assert admin_client.get(address, {"text": "<nothing>"}).status_code == 200
    if kind == "three questions":
        by_harm = admin_client.get(address, {"sort": "q-harm"}).context["page"]
        decided = [row.decided[2] for row in by_harm]
        assert decided == sorted(decided)
    question, first, second = NOMINAL[kind]
    both = {"question": question, "first": first, "second": second}
    found = admin_client.get(address, both).context["page"]
    assert {row.qid for row in found} >= {any_batch.queries.get(position=1).qid}
    assert admin_client.get(address, both | {"first": "nothing"}).status_code in {400, 404}


def test_votes_of_another_program_come_in_with_the_codes_of_a_scheme(tmp_path: Path) -> None:
    """By code, by label and in small letters; what nobody could tell by the code of schemes."""
    votes = tmp_path / "votes.csv"
    votes.write_text(
        "query_id,worker,label,query\n"
        "1,ann,yes,buy shoes\n1,bob,Yes,buy shoes\n1,cyd,No,buy shoes\n"
        "2,ann,maybe,history of shoes\n2,bob,?,history of shoes\n2,cyd,Naa,history of shoes\n"
    )
    scheme = tmp_path / "shops.yaml"
    scheme.write_text(SCHEMES["one nominal question"])
    command = ("label", "import-votes", votes, "--name", "shops", "--scheme", scheme)
    assert "'Naa' is not a category" in failure(*command)
    run(*command, "--labels", "Naa=")
    batch = Batch.objects.get(name="shops")
    assert run_json("batch", "agreement", "shops")["categories"] == {"no": 1, "yes": 2, "may": 1}
    assert batch_progress(batch=batch).n_cannot_tell == 1
    batch_label(batch=batch, actor="test")
    assert dict(Label.objects.standing_for(batch, "buys").values_list("query__qid", "value")) == {
        "1": "yes"
    }
    assert broken_invariants() == {}
    several = tmp_path / "several.yaml"
    several.write_text(SCHEMES["three questions"])
    assert "more than one question" in failure(
        "label", "import-votes", votes, "--name", "x", "--scheme", several
    )


def test_votes_are_asked_for_adaptively_by_any_nominal_question(kind: str) -> None:
    """A third vote where two differ on the question that makes the subset."""
    question, *_ = NOMINAL[kind]
    batch = asking_batch(kind)
    Batch.objects.update(assignments_per_hit=2)
    begin = ("batch", "begin-adaptive", batch.name, "--full-share", "0")
    assert run_json(*begin)["question"] == question
    hand_in(kind, batch, "A1", "0010")
    hand_in(kind, batch, "A2", "0110")
    Batch.objects.filter(pk=batch.pk).update(state=BatchState.PUBLISHED)
    batch.hits.update(max_assignments=2)
    asked = queries_to_ask(batch=batch)
    assert {n: [query.position for query in queries] for n, queries in asked.items()} == {1: [1]}
    report = adaptive_report(batch=batch)
    assert (report.n_open, report.question) == (1, question)


def test_the_review_of_agreement_is_about_a_nominal_question(
    any_batch: Batch, kind: str, admin_client: Client
) -> None:
    question, first, _ = NOMINAL[kind]
    page = reverse("batch-agreement", args=[any_batch.pk])
    shown = admin_client.get(page, {"question": question}).content.decode()
    label = nominal_question(batch=any_batch, name=question).words([first])
    assert "Confusion between answers" in shown
    assert f">{label}</a>" in shown
    by_question = admin_client.get(page).content.decode()
    assert ("Confusion between answers" in by_question) == (kind != "three questions")
    of_harm = admin_client.get(page, {"question": "harm"})
    assert of_harm.status_code == (302 if kind == "three questions" else 404)
    for file in ("labels", "votes", "quality", "subset", "scheme"):
        address = reverse("api-batch-scheme-file", args=[any_batch.pk, file])
        assert admin_client.get(address).status_code == 200
    found = admin_client.get(reverse("api-batch-scheme", args=[any_batch.pk])).json()
    assert question in [one["name"] for one in found["questions"]]
    votes = admin_client.get(reverse("batch-votes", args=[any_batch.pk]), {"layout": "plain"})
    assert b"".join(votes).count(b"\n") == 13


def test_votes_of_a_file_beside_those_of_annotators_are_told_apart(
    tmp_path: Path, admin_client: Client
) -> None:
    batch = joined_batch("categories", tmp_path)
    page = admin_client.get(reverse("batch-workers", args=[batch.pk])).content.decode()
    assert page.count("from a file") == 2
    file = tmp_path / "more.csv"
    file.write_text("query_id,worker,label\nq0,A9,n\nq1,A1,n\n")
    assert run_json("label", "add-votes", file, "--name", batch.name)["n_known"] == 1
    Vote.objects.filter(worker__worker_id="A1", query__qid="q1").delete()
    assert "is an annotator of the batch" in failure(
        "label", "add-votes", file, "--name", batch.name
    )
