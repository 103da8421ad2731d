"""A study whose word list has other groups than female and male words: pages and bundle."""

import html
import re
import shlex
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from django.test import Client
from django.urls import reverse

from annotation.core.operations import Actor
from annotation.core.perform import perform_here
from annotation.management.verbs.pool.build import Command
from annotation.models import Batch, Study
from annotation.reports.operations.import_bundle import IMPORT_BUNDLE
from pooling.models import ListPlace, Pool
from pooling.queries import pool_groups
from tests.commands import run
from tests.measured import measured_study, report_of

TWO = "son,child\nmother,parent\n"
THREE = "son,child\nmother,parent\nrain,weather\n"


def text_of(client: Client, name: str, *args: object) -> str:
    page = client.get(reverse(name, args=args))
    assert page.status_code == 200
    main = BeautifulSoup(page.content, "html.parser").main
    assert main is not None
    return " ".join(main.get_text(" ").split())


def pages_of(client: Client, study: Study) -> tuple[str, str, str]:
    """The texts of its pool, of a query, and of its report."""
    query = Batch.objects.get().queries.get(qid="q4")
    report = report_of(study)
    return (
        text_of(client, "pool-detail", study.pools.get().pool_id),
        text_of(client, "batch-query", query.batch_id, query.pk),
        text_of(client, "study-report", study.pk, report.pk),
    )


@pytest.mark.long
def test_two_groups_are_named_wherever_their_bias_stands(
    tmp_path: Path, folders: Path, admin_client: Client, db: None
) -> None:
    pool, query, report = pages_of(admin_client, measured_study(tmp_path, TWO))
    assert "Most child Most parent" in pool
    assert (
        "Lists end in :child for the most child queries first, :parent for the most parent." in pool
    )
    assert "Bias is RaB at 3; positive is parent." in query
    assert "positive is parent. BM25: 3 documents, bias" in query
    assert "lean" in report
    assert "Positive: towards the words of parent." in report
    assert "Reverse it with RaB(female=parent,male=child)." in report
    assert "male" not in report.replace("(female=parent,male=child)", "")


@pytest.mark.long
def test_more_groups_have_a_list_each_and_a_report_says_what_is_left_out(
    tmp_path: Path, folders: Path, admin_client: Client, db: None
) -> None:
    pool, query, report = pages_of(admin_client, measured_study(tmp_path, THREE))
    assert "Most child Most parent Most weather" in pool
    assert "Bias towards each group" in pool
    assert "Bias is that towards the list's group, at 3" in query
    assert "Bias so far" not in query
    assert "Left out: RaB and ARaB, which compare two groups" in report
    assert "has child, parent, weather." in report
    shown = admin_client.get(
        reverse("pool-detail", args=[Pool.objects.get().pk]), {"direction": "weather"}
    )
    assert "Most weather first" in shown.content.decode()
    (elsewhere,) = re.findall(
        r"manage\.py (pool build .*?)</pre>", shown.content.decode(), re.DOTALL
    )
    words = shlex.split(html.unescape(elsewhere).replace("\\\n", ""))[2:]
    asked = Command().create_parser("manage.py", "pool build").parse_args(words)
    stored = Pool.objects.get()
    assert (asked.cutoff, asked.groups) == (stored.cutoff, ",".join(pool_groups(stored)))
    queries = f"/api/v1/pools/{stored.pk}/queries/?direction="
    assert admin_client.get(queries + "weather").status_code == 200
    refused = admin_client.get(queries + "snow")
    assert refused.status_code == 400
    (error,) = refused.json()["errors"]
    assert (error["parameter"], error["code"]) == ("direction", "invalid_choice")
    assert "'snow' is not a choice here" in error["detail"]


@pytest.mark.parametrize(("words", "groups"), [(TWO, ""), (THREE, ""), (THREE, "weather,child")])
def test_the_bundle_verifies_and_becomes_the_same_pool(
    tmp_path: Path, folders: Path, db: None, words: str, groups: str
) -> None:
    measured_study(tmp_path, words, groups)
    run("study", "bundle", "s", "--output", tmp_path / "b.zip")
    run("study", "verify-bundle", tmp_path / "b.zip")
    before = list(
        ListPlace.objects.order_by("pk").values_list("query__qid", "run", "direction", "bias")
    )
    with (tmp_path / "b.zip").open("rb") as stream:
        sent = {"stream": stream, "filename": "b.zip", "name": "again"}
        perform_here(IMPORT_BUNDLE, None, sent, Actor("test"))
    again = ListPlace.objects.filter(query__pool__belongs__study__name="again")
    assert sorted(again.values_list("query__qid", "run", "direction", "bias")) == sorted(before)
