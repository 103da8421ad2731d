"""The requester's pages: what they show, what their buttons do, how many statements they cost."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from bs4 import BeautifulSoup
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import connection
from django.db.models.functions import Now
from django.http import HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from pytest_django import Settings

from annotation.models import Batch, Label, Task
from annotation.vocabulary import TIE, BatchState, Category, Environment, TaskKind, TaskState
from pooling.models import Pool
from pooling.pool import ties_in_words
from tests.annotation.test_new_batch import TERMS
from tests.page_parts import has_alert, next_step
from tests.study import (
    HOSTILE,
    addresses,
    stored_batch,
    stored_pool,
    stored_study,
    with_votes,
)

pytestmark = pytest.mark.django_db

BATCH_PAGES = (
    "batch-detail",
    "batch-progress",
    "batch-tasks",
    "batch-agreement",
    "batch-workers",
    "batch-costs",
    "batch-queries",
    "batch-adjudication",
    "batch-labels",
    "batch-export",
    "batch-log",
)


def text(response: Any) -> str:
    assert response.status_code == 200, response
    content = b"".join(response) if response.streaming else response.content
    return str(content.decode())


def page(client: Client, name: str, batch: Batch, **asked: str) -> str:
    return text(client.get(reverse(name, args=[batch.pk]), asked))


def press(client: Client, name: str, batch: Batch, **fields: str) -> str:
    """The page that follows a button."""
    return text(client.post(reverse(name, args=[batch.pk]), fields, follow=True))


@pytest.fixture
def study() -> Batch:
    return stored_study(8)


def statements(client: Client, address: str) -> int:
    with CaptureQueriesContext(
        connection,
    ) as captured:
        text(client.get(address))
    return len(captured)


@pytest.mark.long
@pytest.mark.parametrize("name", BATCH_PAGES)
def test_a_page_of_a_batch_costs_the_same_statements_at_any_size(
    client: Client, name: str, django_assert_num_queries: Callable[..., Any]
) -> None:
    small = with_votes(stored_batch(stored_pool(8, "a"), "a"))
    Label.objects.filter(query__batch=small).update(value="n")
    large = stored_batch(stored_pool(80, "b"), "b", environment=Environment.SANDBOX)
    with_votes(large)
    Label.objects.filter(query__batch=large).update(value="n")
    number = statements(client, reverse(name, args=[small.pk]))
    with django_assert_num_queries(number):
        text(client.get(reverse(name, args=[large.pk])))


@pytest.mark.long
def test_lists_and_previews_cost_the_same_statements_at_any_size(
    client: Client, django_assert_num_queries: Callable[..., Any]
) -> None:
    small, large = stored_pool(8, "a"), stored_pool(80, "b")
    one = with_votes(stored_batch(small, "a"))
    many = with_votes(stored_batch(large, "b", environment=Environment.SANDBOX))
    pairs = [
        (reverse("pool-detail", args=[small.pk]), reverse("pool-detail", args=[large.pk])),
        (
            reverse("batch-query", args=[one.pk, one.queries.get(qid="q0").pk]),
            reverse("batch-query", args=[many.pk, many.queries.get(qid="q0").pk]),
        ),
        (_preview(pool="a"), _preview(pool="b")),
    ]
    for address, larger in pairs:
        with django_assert_num_queries(statements(client, address)):
            text(client.get(larger))


def _preview(**terms: str) -> str:
    return reverse("batch-new", query=TERMS | terms)


def test_what_ties_decide_of_a_pool_is_said_where_it_is_shown_and_before_money_is_spent(
    client: Client,
) -> None:
    pool = stored_pool(4, "a")
    summary = pool.summary | {"n_tied_at_cut": 3, "n_tied_zeros": 2}
    type(pool).objects.filter(pk=pool.pk).update(summary=summary)
    for address in (reverse("pool-detail", args=[pool.pk]), _preview(pool="a")):
        assert ties_in_words(summary) in text(client.get(address))


def test_hostile_texts_are_shown_as_text(client: Client, study: Batch) -> None:
    query = study.queries.get(text=HOSTILE)
    pages = [
        page(client, "batch-queries", study),
        page(client, "batch-labels", study, category="all", layout="jsonl"),
        text(client.get(reverse("batch-query", args=[study.pk, query.pk]))),
        text(client.get(reverse("batch-adjudication", args=[study.pk]), {"query": "q0"})),
        text(client.get(reverse("pool-detail", args=[study.pool_id]))),
    ]
    for shown in pages:
        assert "<script>alert" not in shown
        assert "&lt;script&gt;alert" in shown


def test_a_name_that_is_an_address_of_its_own_is_no_trouble(client: Client) -> None:
    batch = stored_batch(stored_pool(2), "../new/?a#b")
    assert "../new/?a#b" in text(client.get(reverse("batch-list")))
    assert "../new/?a#b" in page(client, "batch-detail", batch)


def test_the_marks_of_the_review_lead_to_their_queries(client: Client, study: Batch) -> None:
    review = page(client, "batch-agreement", study)
    for question, expected in (
        ("pattern=3-0", 4),
        ("pattern=2-1", 2),
        ("pattern=1-1-1", 2),
        ("label=tie", 2),
        ("first=f&amp;second=m", 4),
        ("first=n&amp;second=n", 2),
    ):
        assert f"?{question}" in review
        address = f"{reverse('batch-queries', args=[study.pk])}?{question.replace('&amp;', '&')}"
        assert f"{expected} of 8 queries" in text(client.get(address))


def test_the_review_begins_with_alpha_and_where_people_differ_most(
    client: Client, study: Batch
) -> None:
    review = BeautifulSoup(page(client, "batch-agreement", study), "html.parser")
    alpha = client.get(reverse("batch-agreement", args=[study.pk])).context["agreement"]
    value = f"{alpha.krippendorff_alpha.value:.3f}"
    assert value in [one.text for one in review.select(".headline strong")]
    votes = [len(row.select(".vote")) for row in review.select(".disputed li")]
    # Of each four queries one has three answers, and one two.
    assert votes == [3, 3, 2, 2]


def test_the_review_has_intervals_for_other_workers_or_for_these_on_request(
    client: Client, study: Batch
) -> None:
    address = reverse("batch-agreement", args=[study.pk])
    review = page(client, "batch-agreement", study)
    assert "hold for other queries and other workers" in review
    assert 'href="?interval=queries"' in review
    on_request = text(client.get(address, {"interval": "queries"}))
    assert "hold for these very workers" in on_request
    # Eight queries: each category is rare, and called by its name.
    assert f"{Category.FEMALE.label} (" in on_request
    assert re.search(r"\bf \(", on_request) is None
    assert client.get(address, {"interval": "any"}).status_code == 404


@pytest.mark.parametrize(
    "question",
    ["pattern=9999-x", "first=z&second=n", "worker=-1", "page=x", "label=%00", "pattern=٣-٠"],
)
def test_addresses_that_mean_nothing_are_refused(
    client: Client, study: Batch, question: str
) -> None:
    response = client.get(f"{reverse('batch-queries', args=[study.pk])}?{question}")
    assert response.status_code == 400
    assert question.partition("=")[0] in response.content.decode()


@pytest.mark.parametrize("question", ["pattern=1-1-1-1-1", "worker=999999999999999999", "page=99"])
def test_a_filter_may_leave_nothing(client: Client, study: Batch, question: str) -> None:
    text(client.get(f"{reverse('batch-queries', args=[study.pk])}?{question}"))


def test_workers_have_pseudonyms_and_can_be_ordered(client: Client, study: Batch) -> None:
    shown = page(client, "batch-workers", study, sort="worker")
    assert "simulated-1" in shown
    assert ">A0<" not in shown
    assert 'aria-sort="ascending"' in shown


def test_a_query_shows_its_votes_labels_and_places(client: Client, study: Batch) -> None:
    query = study.queries.get(position=3)
    shown = text(client.get(reverse("batch-query", args=[study.pk, query.pk])))
    for expected in ("simulated-1", "Tie", "BM25", "LSA", "Most female first", "Simulated worker"):
        assert expected in shown


def test_a_fault_is_a_page_that_leads_on_and_says_nothing_of_the_cause(
    client: Client, study: Batch, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> HttpResponse:
        raise RuntimeError("secret cause")

    monkeypatch.setattr("annotation.overview.pages.studies.render", fail)
    client.raise_request_exception = False
    answer = client.get(reverse("study-list"))
    assert answer.status_code == 500
    page = BeautifulSoup(answer.content, "html.parser")
    assert page.select_one(f"main a[href='{reverse('study-list')}']")
    assert "secret cause" not in answer.content.decode()


def test_a_request_to_a_strange_host_is_answered_with_a_page(client: Client) -> None:
    answer = client.get(reverse("study-list"), headers={"host": "evil.example"})
    assert answer.status_code == 400
    assert BeautifulSoup(answer.content, "html.parser").select_one("main h1")


def test_a_query_of_another_batch_is_not_found(client: Client, study: Batch) -> None:
    other = stored_batch(stored_pool(2, "other"), "other")
    address = reverse("batch-query", args=[study.pk, other.queries.all()[0].pk])
    assert client.get(address).status_code == 404


def test_an_export_without_labels_is_no_file(client: Client) -> None:
    batch = stored_batch(stored_pool(2))
    assert client.get(reverse("batch-export", args=[batch.pk])).status_code == 404
    assert "No labels yet" in page(client, "batch-labels", batch)


def test_a_page_comes_anew_when_its_batch_is_in_another_state(client: Client, study: Batch) -> None:
    address = reverse("batch-progress", args=[study.pk])
    assert "HX-Refresh" not in client.get(address, {"state": "draft"})
    Batch.objects.filter(pk=study.pk).update(state="published")
    assert client.get(address, {"state": "draft"})["HX-Refresh"] == "true"


def test_a_page_comes_anew_when_what_is_done_about_its_batch_is_done(
    client: Client, study: Batch
) -> None:
    address = reverse("batch-tasks", args=[study.pk])
    press(client, "labels-decide", study)
    assert f"{address}?live=label" in page(client, "batch-labels", study)
    assert "HX-Refresh" not in client.get(address, {"live": "label"})
    Task.objects.update(state=TaskState.DONE, finished_at=Now())
    assert client.get(address, {"live": "label"})["HX-Refresh"] == "true"
    assert address not in page(client, "batch-labels", study)


def test_a_batch_leads_from_labels_to_ties_and_on_to_what_they_are_for(client: Client) -> None:
    batch = with_votes(stored_batch(stored_pool(8)))
    Batch.objects.filter(pk=batch.pk).update(state=BatchState.PUBLISHED)
    adjudication, export = (
        reverse(name, args=[batch.pk]) for name in ("batch-adjudication", "batch-labels")
    )
    Label.objects.filter(query__batch=batch).update(value=TIE)
    assert adjudication in next_step(page(client, "batch-progress", batch))
    Label.objects.filter(query__batch=batch).update(value="n")
    links = next_step(page(client, "batch-progress", batch))
    assert adjudication not in links
    assert f"{export}#export" in links


def test_buttons_ask_for_work_in_the_background(client: Client) -> None:
    batch = stored_batch(stored_pool(2))
    assert "Publishing" in press(client, "batch-publish", batch)
    Batch.objects.update(state=BatchState.PUBLISHED)
    press(client, "batch-collect", batch, approve="on")
    press(client, "batch-stop", batch)
    asked = {task.kind: task.arguments for task in Task.objects.all()}
    assert asked == {TaskKind.PUBLISH: {}, TaskKind.COLLECT: {"approve": True}, TaskKind.EXPIRE: {}}


@pytest.mark.parametrize("typed", ["", "yes", "1.81", "1.79"])
def test_real_money_is_spent_only_by_whoever_types_how_much(client: Client, typed: str) -> None:
    batch = stored_batch(stored_pool(4), environment=Environment.PRODUCTION)
    assert "1.80" in press(client, "batch-publish", batch, agreed=typed)
    assert not Task.objects.exists()
    press(client, "batch-publish", batch, agreed="1.80")
    assert Task.objects.get().kind == TaskKind.PUBLISH


@pytest.mark.parametrize("name", ["batch-publish", "batch-stop", "labels-decide", "batch-collect"])
def test_a_button_is_pressed_not_visited_and_not_from_elsewhere(study: Batch, name: str) -> None:
    address = reverse(name, args=[study.pk])
    assert Client().get(address).status_code == 405
    assert Client(enforce_csrf_checks=True).post(address).status_code == 403


def test_ties_are_adjudicated_blind_and_can_be_taken_back(client: Client, study: Batch) -> None:
    shown = page(client, "batch-adjudication", study)
    assert "2 waiting" in shown
    assert "simulated-1" not in shown
    qid = study.queries.get(position=3).qid
    decision = {"qid": qid, "category": "o", "reason": "both names", "then": "batch-adjudication"}
    answer = press(client, "query-adjudicate", study, **decision)
    assert "Decided: Other or multiple genders." in answer
    assert "1 waiting" in answer
    assert "open site (web page)" in page(client, "batch-log", study)
    answer = press(client, "adjudication-withdraw", study, qid=qid, reason="a slip")
    assert "withdrawn" in answer
    assert "2 waiting" in page(client, "batch-adjudication", study)


def test_a_decision_without_a_reason_is_refused(client: Client, study: Batch) -> None:
    answer = press(client, "query-adjudicate", study, qid="q1", category="n", reason=" ")
    assert "reason:" in answer
    assert not Label.objects.filter(method="adjudicated").exists()


def test_a_worker_is_set_aside_and_brought_back(client: Client, study: Batch) -> None:
    worker = str(study.hits.all()[0].assignments.all()[0].worker_id)
    answer = press(client, "worker-discard-votes", study, worker=worker, reason="a robot")
    assert "no longer count" in answer
    assert "Votes discarded" in page(client, "batch-workers", study)
    shown = text(client.get(reverse("batch-worker", args=[study.pk, worker])))
    assert "Votes discarded: a robot." in shown
    assert "count again" in press(client, "worker-restore-votes", study, worker=worker, reason="no")
    answer = press(client, "worker-discard-votes", study, worker="0", reason="x")
    assert has_alert(answer)


def test_labels_are_decided_by_the_chosen_method(client: Client, study: Batch) -> None:
    press(client, "labels-decide", study, method="dawid_skene", then="batch-labels")
    task = Task.objects.get(kind=TaskKind.LABEL)
    assert task.arguments == {"method": "dawid_skene"}
    assert has_alert(press(client, "labels-decide", study, method="dice"))
    assert Task.objects.count() == 1


def test_pages_ask_strangers_to_sign_in(client: Client, study: Batch, settings: Settings) -> None:
    settings.OPEN = False
    addresses = [reverse(name, args=[study.pk]) for name in BATCH_PAGES]
    addresses += [reverse(name) for name in ("batch-list", "batch-new", "pool-list")]
    addresses.append(reverse("pool-detail", args=[study.pool_id]))
    for address in addresses:
        assert client.get(address).status_code == 302
    assert client.post(reverse("batch-publish", args=[study.pk])).status_code == 302
    assert client.post(reverse("batch-store"), TERMS).status_code == 302
    assert not Task.objects.exists()
    client.force_login(User.objects.create_user("lab", is_staff=True))
    Batch.objects.update(state=BatchState.PUBLISHED)
    press(client, "batch-collect", study)
    assert Task.objects.get().actor == "lab (web page)"


def test_people_sign_in_and_out_and_see_what_is_theirs(client: Client, settings: Settings) -> None:
    settings.OPEN = False
    stored_pool(2)
    User.objects.create_user("lab", password="a long one", is_staff=True)
    User.objects.create_user("guest", password="a long one")
    asked = client.get(reverse("pool-list"), follow=True)
    assert asked.redirect_chain[-1][0] == f"{reverse('sign-in')}?next={reverse('pool-list')}"
    address = asked.redirect_chain[-1][0]
    wrong = client.post(address, {"username": "lab", "password": "wrong"})
    assert "enter a correct username and password" in text(wrong)
    for name, seen in (("lab", ">top<"), ("guest", "No pool yet")):
        fields = {"username": name, "password": "a long one", "next": reverse("pool-list")}
        shown = text(client.post(address, fields, follow=True))
        assert seen in shown
        assert "Sign out" in shown
        client.post(reverse("sign-out"))
        assert client.get(reverse("pool-list")).status_code == 302


def test_signing_in_leads_to_no_other_site(client: Client) -> None:
    User.objects.create_user("lab", password="a long one", is_staff=True)
    fields = {"username": "lab", "password": "a long one", "next": "https://elsewhere.example/"}
    assert client.post(reverse("sign-in"), fields)["Location"] == reverse("study-list")


def test_empty_pages_say_what_to_do_next(client: Client) -> None:
    for name in ("batch-list", "pool-list"):
        shown = text(client.get(reverse(name))).partition("<main")[2]
        assert f'href="{reverse("study-list")}"' in shown
    assert "there is none yet" in text(client.get(reverse("batch-new")))
    batch = stored_batch(stored_pool(2))
    assert "no votes yet" in page(client, "batch-agreement", batch)
    assert "There are no votes yet." in page(client, "batch-adjudication", batch)
    assert Pool.objects.count() == 1


def test_no_page_has_inline_script_or_style(admin_client: Client, study: Batch) -> None:
    """The policy of the site forbids both. The page of a HIT brings its own, in a frame."""
    for name, address in addresses(study).items():
        shown = text(admin_client.get(address))
        assert not re.search(r"<style|style=|<script(?![^>]*src=)|\son[a-z]+=", shown), name


def test_an_imported_batch_leads_to_its_next_step(client: Client, tmp_path: Path) -> None:
    votes = "".join(f"q{q},who is q{q},w{w},{'nnf'[w]}\n" for q in range(2) for w in range(3))
    (tmp_path / "votes.csv").write_text(f"query_id,query,worker,label\n{votes}")
    call_command("label", "import-votes", tmp_path / "votes.csv", "--name", "old")
    batch = Batch.objects.get(name="old")
    shown = page(client, "batch-detail", batch)
    assert reverse("labels-decide", args=[batch.pk]) in shown
    assert "HITs" not in shown.partition('id="progress"')[2].partition("</section>")[0]
    call_command("label", "decide", "old")
    links = next_step(page(client, "batch-detail", batch))
    assert f"{reverse('batch-labels', args=[batch.pk])}#export" in links
