"""Pairs of query and passage on pages, in the API and for models once they are answered."""

import csv
import io
from typing import Any

import pytest
from bs4 import BeautifulSoup
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from knox.models import AuthToken
from rest_framework.test import APIClient

from annotation.batches.operations.collected_answers import StoredAnswers, store_answers
from annotation.batches.queries.asking import batch_prompt, queries_to_ask
from annotation.batches.queries.queries import QueryFilter, batch_queries
from annotation.core.perform import perform_here
from annotation.crowd.gateway import CrowdAssignment
from annotation.jobs.execution import run_job
from annotation.labels.operations.adjudicate import ADJUDICATE
from annotation.labels.operations.decide import batch_label
from annotation.labels.queries.scheme_results import scheme_results
from annotation.models import Batch, Label, Worker
from annotation.vocabulary import TIE, BatchState
from tests.annotation.publishing.test_faults_of_collecting import xml
from tests.paired import PASSAGES, batch_of_pairs
from tests.schemed import STAFF
from tests.study import stored_batch, stored_pool, with_votes

pytestmark = pytest.mark.django_db

#: The codes that three workers choose for the six pairs, in their order.
GRADES = ("321032", "221031", "311013")
GENDERS = ("nfmbnn", "nfmbnf", "nnmbnm")


def answered(scheme: str = "relevance", given: tuple[str, ...] = GRADES) -> Batch:
    batch = batch_of_pairs(scheme, queries_per_hit=6)
    now = timezone.now()
    for name, codes in zip(("A1", "A2", "A3"), given, strict=True):
        fields = [(f"q-{place}-{scheme}", code) for place, code in enumerate(codes)]
        assignment = CrowdAssignment(
            assignment_id=name,
            worker_id=name,
            hit_id="H",
            status="Submitted",
            answer=xml(("v", "2"), *fields),
            accepted_at=now,
            submitted_at=now,
        )
        store_answers(batch.hits.get(), [assignment], StoredAnswers())
    Batch.objects.filter(pk=batch.pk).update(state=BatchState.PUBLISHED)
    return Batch.objects.get(pk=batch.pk)


@pytest.fixture
def api(admin_user: User) -> APIClient:
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {AuthToken.objects.create(admin_user)[1]}")
    return client


def passages_on(page: Any) -> list[tuple[str, str]]:
    """The docno and the text of each passage on a page, folded or not."""
    soup = BeautifulSoup(page.content, "html.parser")
    folds = [
        fold for fold in soup.select("details.act") if fold.select_one(":scope > summary > .id")
    ]
    return [(fold.select(".id")[0].text, fold.select("p[dir=auto]")[0].text) for fold in folds]


def known(docno: str) -> str:
    return PASSAGES[docno].replace("\u202e", "[U+202E]")


def test_every_page_of_a_pair_shows_its_passage(admin_client: Client) -> None:
    batch = answered()
    batch_label(batch=batch, actor="test")
    pair = batch.queries.order_by("position")[5]
    whole = sorted((docno, known(docno)) for docno in PASSAGES for _query in range(2))
    pages = {
        "batch-queries": [batch.pk],
        "batch-worker": [batch.pk, Worker.objects.get(worker_id="A2").pk],
    }
    for name, at in pages.items():
        assert sorted(passages_on(admin_client.get(reverse(name, args=at)))) == whole
    shown = [(pair.docno, known(pair.docno))]
    page = admin_client.get(reverse("batch-query", args=[batch.pk, pair.pk]))
    assert passages_on(page) == shown
    text = BeautifulSoup(page.content, "html.parser").text
    assert "Bias" not in text
    page = admin_client.get(reverse("batch-adjudication", args=[batch.pk]), {"query": pair.qid})
    assert passages_on(page) == shown
    sent = {"qid": pair.qid, "question": "relevance", "category": "2", "reason": "Partial."}
    version = page.context["page"].version
    admin_client.post(
        reverse("query-adjudicate", args=[batch.pk]), sent | {"version": version}, follow=True
    )
    page = admin_client.get(reverse("batch-adjudication", args=[batch.pk]))
    assert shown[0] in passages_on(page)
    assert batch.queries.get(pk=pair.pk).labels.get(method="adjudicated").value == "2"


def test_grades_agree_by_their_order_and_are_decided_by_their_median() -> None:
    results = scheme_results(batch=answered())
    question = results.questions[0]
    assert question.agreement.coefficient == "ordinal"
    decided = [query.shown[0] for query in results.queries]
    assert decided == ["3", "2", "1", "0", "3", "2"]
    assert [query.is_in_subset for query in results.queries] == [
        True, True, False, False, True, True,
    ]  # fmt: skip


def test_the_list_of_pairs_is_searched_by_passage_and_by_docno(admin_client: Client) -> None:
    batch = answered()
    for text, n in (("mass of cold", 2), ("d3", 2), ("q1 d3", 1), ("emma", 3), ("nothing", 0)):
        assert len(batch_queries(batch=batch, filters=QueryFilter(text=text)).rows) == n
    page = admin_client.get(reverse("batch-queries", args=[batch.pk]), {"as": "csv"})
    rows = list(csv.DictReader(io.StringIO(b"".join(page).decode())))
    assert {(row["docno"], row["passage"]) for row in rows} == set(PASSAGES.items())


@pytest.mark.parametrize("is_pair", [True, False])
def test_the_api_gives_docno_and_passage_of_pairs_alone(api: APIClient, is_pair: bool) -> None:
    tied = ("nfmbnn", "fmbnfn", "mbnfmf")
    if is_pair:
        batch = answered("passage_gender", tied)
    else:
        batch = with_votes(stored_batch(stored_pool(4)), ["nfm"])
    at = f"/api/v1/batches/{batch.pk}"
    number = batch.queries.order_by("position")[1].pk
    worker = Worker.objects.filter(votes__query__batch=batch).first()
    assert worker is not None
    queue = api.get(f"{at}/adjudication/queue/").json()["results"]
    decision = {"qid": queue[0]["qid"], "category": "n", "reason": "It is so."}
    for item in (
        *queue,
        api.get(f"{at}/queries/").json()["results"][0],
        api.get(f"{at}/queries/{number}/").json()["query"],
        api.get(f"{at}/workers/{worker.pk}/").json()["answers"][0]["votes"][0],
        api.post(f"{at}/adjudication/decisions/", decision, format="json").json(),
    ):
        assert ("docno" in item, "passage" in item) == (is_pair, is_pair)
        assert not is_pair or item["passage"] == PASSAGES[item["docno"]]


def test_a_model_is_asked_about_query_and_passage() -> None:
    batch = answered("passage_gender", GENDERS)
    question = batch.scheme.questions[0]
    texts = queries_to_ask(batch=batch, question=question, rater=None, whole_pool=True, trial=False)
    assert len(texts) == 6
    assert texts["q2 d1"] == f"Query: who wrote emma\nPassage: {PASSAGES['d1']}"
    prompt, _version = batch_prompt(batch=batch, question=question)
    assert "Which gender does the passage speak of?" in prompt
    assert "not the query" in prompt


def test_labels_of_grades_are_decided_by_a_method_and_exported_as_qrels(
    admin_client: Client,
) -> None:
    batch = answered()
    overview = reverse("batch-detail", args=[batch.pk])
    page = admin_client.get(overview)
    offered = BeautifulSoup(page.content, "html.parser").select(".next-step select option")
    assert [option["value"] for option in offered] == ["median", "majority"]
    sent = {"then": "batch-labels", "question": "relevance", "method": "majority"}
    admin_client.post(reverse("labels-decide", args=[batch.pk]), sent)
    run_job()
    # The votes on the last pair are three different grades.
    tied = Label.objects.get(query__batch=batch, value=TIE)
    adjudication = reverse("batch-adjudication", args=[batch.pk])
    assert admin_client.get(adjudication).context["page"].item.qid == tied.query.qid
    for query in batch.queries.all():
        decision = {"qid": query.qid, "question": "relevance", "category": "1", "reason": "x"}
        perform_here(ADJUDICATE, batch, decision, STAFF)
    done = admin_client.get(adjudication)
    links = BeautifulSoup(done.content, "html.parser").select(".empty a[download]")
    qrels = admin_client.get(str(links[0]["href"]))
    lines = b"".join(qrels).decode().splitlines()
    assert len(lines) == batch.queries.count()
    assert {line.split()[-1] for line in lines} == {"1"}
    labels = admin_client.get(reverse("batch-labels", args=[batch.pk])).context
    assert (labels["parameters"].layout, labels["parameters"].category) == (
        "qrels-adjudicated", "all",
    )  # fmt: skip
    chosen = admin_client.get(reverse("batch-labels", args=[batch.pk]), {"category": "2"}).context
    assert chosen["parameters"].layout == "csv"
