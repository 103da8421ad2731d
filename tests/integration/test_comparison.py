"""Methods side by side, planning and the picture, as commands."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from tests.svg import assert_same_drawing

pytestmark = pytest.mark.django_db


def said(command: str, *arguments: str | Path) -> dict[str, Any]:
    out = StringIO()
    call_command(command, *map(str, arguments), "--json", "--quiet", stdout=out)
    result: dict[str, Any] = json.loads(out.getvalue())
    return result


@pytest.fixture
def study(tmp_path: Path) -> str:
    (tmp_path / "votes.csv").write_text(
        "query_id,worker,label,gold\n"
        "q1,a,n,\nq1,b,n,\nq1,c,f,\nq2,a,n,\nq2,b,f,\ng1,a,n,n\ng1,b,f,n\n"
    )
    said("import_votes", tmp_path / "votes.csv", "--name", "study")
    return "study"


def test_methods_are_compared_with_the_bias_that_follows(study: str, tmp_path: Path) -> None:
    (tmp_path / "collection.tsv").write_text("d1\tshe said\nd2\this brother\n")
    (tmp_path / "bm25.run").write_text("q1 Q0 d1 1 3 a\nq2 Q0 d2 1 3 a\n")
    said("score_collection", tmp_path / "collection.tsv", "--output", tmp_path / "m.parquet")
    found = said(
        "compare_methods", study, "--magnitudes", tmp_path / "m.parquet",
        "--run", f"BM25={tmp_path / 'bm25.run'}",
    )  # fmt: skip
    methods = {one["method"]: one for one in found["methods"]}
    # a is right on the gold question and b is not, so that a's vote resolves the tie on q2.
    assert methods["majority"]["ties"] == 1
    assert methods["gold_weighted"]["resolved"] == [{"query": "q2", "before": None, "after": "n"}]
    rab = {
        one["method"]: one
        for one in found["bias"]
        if (one["measure"], one["cutoff"], one["run"]) == ("RaB", 5, "BM25")
    }
    # By hand, sum of log(1 + count): q1 has "she" (-log 2), q2 "his brother" (+2 log 2).
    assert rab["majority"]["value"] == pytest.approx(-0.693147, abs=1e-6)
    assert rab["gold_weighted"]["value"] == pytest.approx(0.346574, abs=1e-6)
    assert rab["gold_weighted"]["change"] == pytest.approx(1.039721, abs=1e-6)


def test_comparing_stores_nothing(study: str, tmp_path: Path) -> None:
    said("compare_methods", study)
    with pytest.raises(CommandError):
        said("export_queries", study, "--output", tmp_path / "out.csv")


def test_planning_from_a_pilot_and_from_assumptions(study: str) -> None:
    assumed = said("plan_votes", "--queries", "1000", "--accuracy", "0.9", "--shares", ".5,.5")
    # By hand: two votes of two categories tie with 2 * .9 * .1.
    assert assumed["plans"][0]["ties"] == pytest.approx(180)
    assert assumed["plans"][1]["cost"] == "90.00"
    pilot = said("plan_votes", "--queries", "1000", "--pilot", study)
    assert [plan["n_votes"] for plan in pilot["plans"]] == [2, 3, 5]
    with pytest.raises(CommandError):
        said("plan_votes", "--queries", "10", "--accuracy", "2")


def test_the_picture_is_the_one_in_the_documentation(tmp_path: Path) -> None:
    said("agreement_figure", "--output", tmp_path / "a.svg")
    documented = Path(__file__).parents[2] / "docs" / "images" / "agreement.svg"
    assert_same_drawing(tmp_path / "a.svg", documented)
