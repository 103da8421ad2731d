"""Votes of a file beside a file of queries: ids as both have them."""

from pathlib import Path

import pytest

from annotation.models import Batch, Vote
from tests.commands import run

pytestmark = pytest.mark.django_db

VOTES = "query_id,worker,label\n1.0,w1,f\n1.0,w2,f\n2.0,w1,m\n"


def imported(folder: Path, votes: str, queries: str = "") -> list[str]:
    (folder / "v.csv").write_text(votes)
    (folder / "q.tsv").write_text(queries)
    more = ["--queries", folder / "q.tsv"] if queries else []
    printed = run("label", "import-votes", folder / "v.csv", "--name", "b", *more)
    assert Vote.objects.filter(query__batch__name="b").count() == 3
    return [*Batch.objects.get(name="b").queries.values_list("qid", flat=True), printed]


def test_votes_on_queries_called_like_versions_are_those_of_the_queries(tmp_path: Path) -> None:
    *qids, _ = imported(tmp_path, VOTES, "1.0\twho left\n2.0\twho came\n3.1\twho won\n")

    assert sorted(qids) == ["1.0", "2.0", "3.1"]


def test_votes_that_became_decimals_are_those_of_the_queries(tmp_path: Path) -> None:
    *qids, _ = imported(tmp_path, VOTES, "1\twho left\n2\twho came\n")

    assert sorted(qids) == ["1", "2"]


def test_queries_that_became_decimals_keep_their_ids_and_it_is_said(tmp_path: Path) -> None:
    *qids, printed = imported(tmp_path, VOTES.replace(".0", ""), "1.0\twho left\n2.0\twho came\n")

    assert sorted(qids) == ["1.0", "2.0"]
    assert "1 for 1.0" in printed


def test_votes_alone_keep_the_rule_of_their_file(tmp_path: Path) -> None:
    *qids, printed = imported(tmp_path, VOTES)

    assert sorted(qids) == ["1", "2"]
    assert "261.0" in printed


def test_ids_that_a_spreadsheet_changed_are_named(tmp_path: Path) -> None:
    votes = VOTES.replace("1.0", "1.23457E+17").replace("2.0", "1-Feb")

    *_, printed = imported(tmp_path, votes)

    assert "'1.23457E+17'" in printed
