"""Batches that judge passages: what they are made of, in which order, and what is refused."""

import html
import re
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from knox.models import AuthToken
from pytest_django import Settings
from rest_framework.test import APIClient

from annotation.batches.operations.gold_pairs import gold_pairs
from annotation.batches.operations.planning import BatchPlan, PlannedQuery, question_of, shown_items
from annotation.batches.operations.schemes import CHANGE_SCHEME
from annotation.batches.queries.pay import hourly_estimate, pay_forecast
from annotation.batches.queries.study_queries import new_queries_counts
from annotation.core.perform import perform_here
from annotation.crowd.questions import MAX_BYTES, size_in_bytes
from annotation.models import Batch
from annotation.overview.operations.duplicate_study import DUPLICATE_STUDY
from annotation.schemes import built_in_scheme
from annotation.task_page import PageTexts
from metrics.errors import InputError
from metrics.io.pair_ids import split_pair_id
from pooling.models import PooledQuery
from tests.annotation.test_new_batch import TERMS
from tests.commands import failure, run
from tests.paired import PASSAGES, QUERIES, batch_of_pairs, pool_of_pairs
from tests.schemed import STAFF
from tests.study import stored_pool

pytestmark = pytest.mark.django_db

RELEVANCE = PageTexts(built_in_scheme("relevance"))


def order(batch: Batch) -> list[str]:
    return list(batch.queries.order_by("position").values_list("qid", flat=True))


def test_a_batch_has_the_pairs_of_its_pool() -> None:
    batch = batch_of_pairs()
    stored = {query.qid: (query.text, query.passage, query.docno) for query in batch.queries.all()}
    assert stored == {
        f"{qid} {docno}": (text, passage, docno)
        for qid, text in QUERIES.items()
        for docno, passage in PASSAGES.items()
    }
    assert (batch.title, batch.keywords) == (
        batch.scheme.title,
        "search, passage, text, annotation",
    )


def test_pairs_of_one_query_come_together_where_that_is_asked_for() -> None:
    apart, together = batch_of_pairs(), batch_of_pairs(name="together", together=True)
    assert sorted(order(apart)) == sorted(order(together))
    of_queries = [split_pair_id(qid)[0] for qid in order(together)]
    assert of_queries in (["q1"] * 3 + ["q2"] * 3, ["q2"] * 3 + ["q1"] * 3)
    assert [split_pair_id(qid)[0] for qid in order(apart)] != of_queries
    assert order(batch_of_pairs(name="other", together=True, seed=3)) != order(together)


def test_the_order_of_queries_is_as_it_was() -> None:
    queries = [PlannedQuery(f"q{n}", "a") for n in range(30)]
    apart, together = (
        BatchPlan("b", queries, together=is_together) for is_together in (False, True)
    )
    assert apart.ordered == together.ordered


@pytest.mark.parametrize(
    ("of_pairs", "scheme", "says"),
    [
        (True, "gender", "asks about queries alone, and the batch has pairs"),
        (True, "severity", "Choose relevance or passage_gender"),
        (False, "relevance", "asks about passages, and the batch has queries without passages"),
        (False, "passage_gender", "Choose gender, "),
    ],
)
def test_a_scheme_that_judges_something_else_is_refused_everywhere(
    of_pairs: bool, scheme: str, says: str, client: Client, admin_user: User
) -> None:
    pool = pool_of_pairs() if of_pairs else stored_pool(4)
    terms = TERMS | {"name": "b", "pool": pool.name, "scheme": scheme}
    page = client.post(reverse("batch-new"), terms)
    assert says in page.context["form"].errors["scheme"][0]
    assert says in html.unescape(page.content.decode())
    api = APIClient()
    api.credentials(HTTP_AUTHORIZATION=f"Bearer {AuthToken.objects.create(admin_user)[1]}")
    sent = {"name": "b", "pool": pool.pk, "scheme": scheme}
    answer = api.post("/api/v1/batches/", sent, format="json")
    assert answer.status_code == 422
    assert says in str(answer.json())
    words = ("batch", "create", "--name", "b", "--pool", pool.name, "--scheme", scheme)
    assert says in failure(*words)
    assert not Batch.objects.exists()


def test_a_draft_of_pairs_keeps_a_scheme_about_passages() -> None:
    batch = batch_of_pairs()
    with pytest.raises(InputError, match="asks about queries alone"):
        perform_here(CHANGE_SCHEME, batch, {"scheme": "gender"}, STAFF)
    perform_here(CHANGE_SCHEME, batch, {"scheme": "passage_gender"}, STAFF)
    assert Batch.objects.get().scheme.name == "passage_gender"


def test_the_form_begins_with_a_scheme_that_fits_the_pool(client: Client, admin_user: User) -> None:
    pool_of_pairs()
    page = client.get(reverse("batch-new"))
    assert page.context["form"]["scheme"].value() == "relevance"
    terms = TERMS | {"name": "b", "pool": "pairs", "scheme": "relevance", "together": "on"}
    preview = " ".join(client.post(reverse("batch-new"), terms).content.decode().split())
    assert "<dt>Pairs</dt><dd>6</dd>" in preview
    assert "2 of 3 pairs, all at" in preview
    client.post(reverse("batch-store"), terms)
    assert Batch.objects.get().together


@pytest.mark.parametrize(
    "lines",
    [
        "q1 d1\t3\nq2 d3\t0\n",
        "q1 0 d1 3\nq2 0 d3 0\n",
        "qid,docno,label\nq1,d1,3\nq2,d3,0\n",
        "\ufeffqid\tdocno\tlabel\r\nq1\td1\t3\r\n\r\nq2\td3\t0\r\n",
    ],
)
def test_known_labels_of_pairs_come_in_several_layouts(
    lines: str, client: Client, admin_user: User, tmp_path: Path
) -> None:
    pool_of_pairs()
    terms = TERMS | {"name": "typed", "pool": "pairs", "scheme": "relevance", "gold": lines}
    client.post(reverse("batch-store"), terms)
    file = tmp_path / "gold.txt"
    file.write_text(lines, encoding="utf-8")
    words = ("batch", "create", "--name", "read", "--pool", "pairs", "--scheme", "relevance")
    run(*words, "--gold", file)
    for batch in Batch.objects.all():
        known = dict(batch.queries.exclude(gold="").values_list("qid", "gold"))
        assert known == {"q1 d1": "3", "q2 d3": "0"}
        assert set(batch.queries.values_list("passage", flat=True)) == set(PASSAGES.values())
    assert Batch.objects.count() == 2


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        ("q1 d1\t3\nq1 d9\t3\n", "Line 2: The gold pair 'q1 d9' is not in the batch."),
        ("q1 d1\t3\nq1 d1\t2\n", "Line 2: repeats the pair 'q1 d1' of line 1."),
        ("q1 d1\t3\nq1\t2\n", "Line 2: names no query, passage and label."),
        ("q1 0 d1 7\n", "Line 1: Nothing is known about the query 'q1 d1'"),
        ("qid,docno,label\n", "has a header, and no pair below it."),
        ("q1,d1,3\n", "The gold pair 'q1' is not in the batch."),
    ],
)
def test_known_labels_of_other_pairs_are_refused_with_their_line(
    lines: str, says: str, client: Client, admin_user: User
) -> None:
    pool_of_pairs()
    terms = TERMS | {"name": "b", "pool": "pairs", "scheme": "relevance", "gold": lines}
    page = client.post(reverse("batch-new"), terms)
    assert says.lower() in " ".join(page.context["form"].errors["gold"]).lower()


def test_lines_about_queries_name_no_pair() -> None:
    for lines in ("", "1\tf\n", "1,who was the queen,f\n", "a b c\n", "qid\ttext\tlabel\n"):
        assert gold_pairs(lines) is None


def test_only_pairs_that_no_earlier_batch_asks_about_are_new() -> None:
    first = batch_of_pairs()
    pool = first.pool
    assert pool is not None
    with pytest.raises(InputError, match="an earlier batch asks the same"):
        batch_of_pairs(name="again", new_only=True)
    batch_of_pairs("passage_gender", "gender", new_only=True)
    pool.queries.filter(qid="q1 d1").update(passage="A cold front is something else.")
    assert new_queries_counts(pools=[pool.pk]) == {pool.pk: 1}
    again = batch_of_pairs(name="again", new_only=True)
    assert [query.qid for query in again.queries.all()] == ["q1 d1"]


def test_a_page_that_is_too_large_says_which_pair_and_how_many_would_fit() -> None:
    def plan(length: int, queries_per_hit: int) -> BatchPlan:
        queries = [
            PlannedQuery(f"q d{n}", "a", passage="x" * (length if n == 7 else 5_000))
            for n in range(8)
        ]
        return BatchPlan("b", queries, texts=RELEVANCE, queries_per_hit=queries_per_hit)

    with pytest.raises(InputError, match=r"longest pair is 'q d7', and (\d) of that length") as no:
        plan(9_000, 8).check()
    found = re.search(r"(\d) of that length", str(no.value))
    assert found
    n_fitting = int(found[1])
    plan(9_000, n_fitting).check()
    as_long = [PlannedQuery("q d7", "a", passage="x" * 9_000)]
    sizes = [
        size_in_bytes(question_of(shown_items(as_long * n), RELEVANCE))
        for n in (n_fitting, n_fitting + 1)
    ]
    assert sizes[0] <= MAX_BYTES < sizes[1]
    with pytest.raises(InputError, match="none of that length would fit") as never:
        plan(70_000, 1).check()
    assert "Shorten it, or leave that pair out." in str(never.value)


def test_the_pay_of_an_hour_counts_the_reading_of_passages() -> None:
    # 1,428 characters are 238 words, which take a minute; the query and the choices take 6 seconds.
    queries = [PlannedQuery(f"q d{n}", "a", passage="x" * 1_428) for n in range(10)]
    plan = BatchPlan("b", queries, reward=Decimal("1.10"), texts=RELEVANCE)
    estimate = hourly_estimate(terms=plan, batches=Batch.objects.none())
    assert estimate.seconds_per_query == pytest.approx(66)
    assert estimate.usd_per_hour == Decimal("6.00")
    batch = batch_of_pairs()
    characters = sum(map(len, PASSAGES.values())) / 3
    forecast = pay_forecast(batch=batch)
    assert forecast.seconds_per_query == pytest.approx(6 + characters / 23.8)


@pytest.mark.parametrize(
    ("characters", "reward"),
    [
        (
            1_428,
            "2.20",
        ),  # a minute to read, and 6 seconds: 11 minutes for ten pairs, 12 USD an hour
        (20, "0.25"),
    ],
)
def test_the_form_proposes_a_reward_that_pays_for_the_reading(
    characters: int, reward: str, admin_client: Client, settings: Settings
) -> None:
    settings.MTURK_HOURLY_FLOOR = 12
    pool = pool_of_pairs()
    PooledQuery.objects.all().delete()
    PooledQuery.objects.bulk_create(
        PooledQuery(pool=pool, qid=f"q d{n}", text="a", passage="x" * characters, best_rank=n)
        for n in range(1, 21)
    )
    stored_pool(2, "newer")
    page = admin_client.get(reverse("batch-new"), {"pool": "pairs"})
    fields = {field.html_name: field.value() for field in page.context["form"]}
    assert (fields["scheme"], str(fields["reward"])) == ("relevance", reward)
    named = {name: value for name, value in fields.items() if value not in (None, False)}
    preview = admin_client.post(reverse("batch-new"), named | {"name": "graded"})
    assert not preview.context["pay"].is_low
    queries = admin_client.get(reverse("batch-new"), {"pool": "newer"}).context["form"]
    assert (queries["scheme"].value(), queries["reward"].value()) == (None, Decimal("0.25"))


def test_a_copy_of_a_study_has_the_pairs_in_their_order() -> None:
    batch = batch_of_pairs(together=True, gold=[{"qid": "q1 d1", "text": "-", "gold": "3"}])
    perform_here(DUPLICATE_STUDY, batch.study, {}, STAFF)
    copy = Batch.objects.exclude(pk=batch.pk).get()
    assert order(copy) == order(batch)
    content: Any = ("qid", "text", "passage", "gold")
    assert set(copy.queries.values_list(*content)) == set(batch.queries.values_list(*content))
    assert copy.pool is not None
    assert copy.pool.of_pairs
    assert copy.pool.queries.get(qid="q2 d3").passage == PASSAGES["d3"]


def test_a_gold_label_keeps_every_character_but_its_line_end() -> None:
    """U+0085 and U+2028 end no line of a file."""
    read = gold_pairs("q1 d1\tone\u0085more\r\nq1 d2\ttwo\u2028more\n")
    assert read is not None
    assert read.texts == {"q1 d1": "one\u0085more", "q1 d2": "two\u2028more"}
    assert read.lines == {"q1 d1": 1, "q1 d2": 2}


def test_the_test_before_the_first_hit_shows_passages(admin_client: Client, tmp_path: Path) -> None:
    """Pairs of the pool by page and command, pairs with their texts by the API."""
    pool_of_pairs()
    expected = [[f"Query: {QUERIES['q1']}\nPassage: {PASSAGES['d1']}", "n"]]
    file = tmp_path / "test.tsv"
    file.write_text("q1 d1\tn\n")
    asked = ("batch", "create", "--pool", "pairs", "--scheme", "passage_gender")
    run(*asked, "--name", "by command", "--comprehension", file)
    page = {**TERMS, "pool": "pairs", "scheme": "passage_gender", "name": "by page"}
    page["include_batched"] = "on"
    made = admin_client.post(
        reverse("batch-store"), {**page, "comprehension": file.read_text()}, follow=True
    )
    assert made.status_code == 200
    pair = {"qid": "q1", "docno": "d1", "text": QUERIES["q1"], "passage": PASSAGES["d1"]}
    sent = {"name": "by API", "scheme": "passage_gender", "queries": [pair]}
    test = [{**pair, "gold": "n"}]
    address = reverse("api-batches")
    made = admin_client.post(address, {**sent, "comprehension": test}, "application/json")
    assert made.status_code == 201, made.json()
    assert [batch.comprehension for batch in Batch.objects.all()] == [expected] * 3
    lone = [{"qid": "7", "text": "a query", "gold": "n"}]
    refused = admin_client.post(
        address, {**sent, "name": "no", "comprehension": lone}, "application/json"
    )
    assert "has a query without one" in str(refused.json())
    for lines, message in (
        ("7,a query,n\n", "names no pair of the pool"),
        ("q9 d9\tn\n", "names no pair of the pool"),
        ("q1 d1\tn\nq9 d9\tn\n", "'q9 d9' is not in the batch"),
    ):
        file.write_text(lines)
        assert message in failure(*asked, "--name", "no", "--comprehension", file)
    graded = ("batch", "create", "--pool", "pairs", "--scheme", "relevance", "--name", "no")
    assert "options in no order" in failure(*graded, "--comprehension", file)


def test_pairs_are_sent_one_by_one_where_there_is_no_pool(admin_client: Client) -> None:
    pairs = [
        {"qid": qid, "docno": docno, "text": text, "passage": passage}
        for qid, text in QUERIES.items()
        for docno, passage in PASSAGES.items()
    ]
    pairs[0]["gold"] = "3"
    sent = {"name": "sent", "scheme": "relevance", "queries_per_hit": 3, "queries": pairs}
    address = reverse("api-batches")
    made = admin_client.post(address, sent, "application/json")
    assert made.status_code == 201, made.json()
    batch = Batch.objects.get(name="sent")
    stored = {(*split_pair_id(row.qid), row.text, row.passage) for row in batch.queries.all()}
    assert stored == {(one["qid"], one["docno"], one["text"], one["passage"]) for one in pairs}
    assert [row.gold for row in batch.queries.filter(qid="q1 d1")] == ["3"]
    listed = admin_client.get(reverse("api-batch-queries", args=[batch.pk])).json()["results"]
    assert {one["docno"] for one in listed} == set(PASSAGES)
    lone = {"qid": "7", "text": "a query"}
    for wrong in (
        {"queries": [{**lone, "docno": "d1"}]},
        {"queries": [{**lone, "passage": "It is."}]},
        {"queries": [{**lone, "docno": "d 1", "passage": "It is."}]},
        {"queries": [*pairs, lone]},
        {"queries": pairs, "scheme": "gender"},
        {"queries": [lone]},
        {"queries": [pairs[0], pairs[0]]},
    ):
        refused = admin_client.post(address, {**sent, "name": "no", **wrong}, "application/json")
        assert refused.status_code in {400, 422}, wrong
