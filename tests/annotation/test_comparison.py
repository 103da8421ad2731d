"""Methods side by side, planning and the picture, as commands."""

import shutil
from pathlib import Path

import numpy as np
import pytest
from django.core.management import CommandError

from tests import program
from tests.any_batch import SHOPS
from tests.commands import run_json
from tests.svg import assert_same_drawing

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(tmp_path: Path) -> str:
    (tmp_path / "votes.csv").write_text(
        "query_id,worker,label,gold\n"
        "q1,a,n,\nq1,b,n,\nq1,c,f,\nq2,a,n,\nq2,b,f,\ng1,a,n,n\ng1,b,f,n\n"
    )
    run_json("label", "import-votes", tmp_path / "votes.csv", "--name", "study")
    return "study"


def test_methods_are_compared_with_the_bias_that_follows(study: str, tmp_path: Path) -> None:
    (tmp_path / "collection.tsv").write_text("d1\tshe said\nd2\this brother\n")
    (tmp_path / "bm25.run").write_text("q1 Q0 d1 1 3 a\nq2 Q0 d2 1 3 a\n")
    program.run_json("score", tmp_path / "collection.tsv", "--output", tmp_path / "m.parquet")
    found = run_json(
        "label", "compare-methods", study, "--scores", tmp_path / "m.parquet",
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


def test_the_bias_by_method_is_that_of_the_subset_whatever_is_asked(
    study: str, tmp_path: Path
) -> None:
    (tmp_path / "collection.tsv").write_text("d1\tshe said\nd2\this brother\n")
    (tmp_path / "bm25.run").write_text("q1 Q0 d1 1 3 a\nq2 Q0 d2 1 3 a\n")
    program.run_json("score", tmp_path / "collection.tsv", "--output", tmp_path / "m.parquet")
    votes = (tmp_path / "votes.csv").read_text()
    (tmp_path / "shops.csv").write_text(votes.replace(",n", ",yes").replace(",f", ",no"))
    (tmp_path / "shops.yaml").write_text(SHOPS)
    options: list[str | Path] = [
        tmp_path / "shops.csv",
        "--name",
        "shops",
        "--scheme",
        tmp_path / "shops.yaml",
    ]
    run_json("label", "import-votes", *options)
    given: list[str | Path] = [
        "--scores",
        tmp_path / "m.parquet",
        "--run",
        f"BM25={tmp_path / 'bm25.run'}",
    ]
    of_categories, of_shops = (
        run_json("label", "compare-methods", batch, *given)["bias"] for batch in (study, "shops")
    )
    assert of_shops == of_categories
    assert run_json("label", "compare-methods", "shops", "--question", "buys", *given)["bias"] == (
        of_shops
    )
    with pytest.raises(CommandError, match="has no question"):
        run_json("label", "compare-methods", "shops", "--question", "gender", *given)


@pytest.mark.long
def test_the_bias_by_method_has_intervals_that_carry_the_votes(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    truth, lines, ranked = rng.integers(2, size=400), ["query_id,worker,label"], []
    for query, is_female in enumerate(truth):
        for worker in rng.choice(12, 3, replace=False):
            is_right = rng.random() < (0.5 + 0.04 * worker)
            lines.append(f"q{query},w{worker},{'nf'[int(is_female == is_right)]}")
        ranked.append(f"q{query} Q0 d{rng.integers(2) + is_female} 1 3 a")
    (tmp_path / "votes.csv").write_text("\n".join(lines) + "\n")
    (tmp_path / "collection.tsv").write_text("d0\this brother\nd1\train\nd2\tshe said\n")
    (tmp_path / "bm25.run").write_text("\n".join(ranked) + "\n")
    run_json("label", "import-votes", tmp_path / "votes.csv", "--name", "many")
    program.run_json("score", tmp_path / "collection.tsv", "--output", tmp_path / "m.parquet")
    options = ("many", "--scores", tmp_path / "m.parquet", "--run", f"BM25={tmp_path / 'bm25.run'}")
    bias = {
        one["method"]: one
        for one in run_json("label", "compare-methods", *options)["bias"]
        if (one["measure"], one["cutoff"]) == ("RaB", 5)
    }

    for method in ("majority", "dawid_skene"):
        one = bias[method]
        assert one["low"] < one["queries_low"] < one["value"] < one["queries_high"] < one["high"]
    change = bias["dawid_skene"]
    assert change["change_low"] < change["change"] < change["change_high"]
    assert bias["majority"]["change_low"] is None
    # MACE is not decided again for each draw.
    assert bias["mace"]["queries_low"] < bias["mace"]["queries_high"]
    assert bias["mace"]["low"] is None
    strict = run_json("label", "compare-methods", *options, "--strict")["bias"]
    assert {one["method"] for one in strict if one["low"] is not None} == {"dawid_skene"}


def test_comparing_stores_nothing(study: str, tmp_path: Path) -> None:
    run_json("label", "compare-methods", study)
    with pytest.raises(CommandError):
        run_json("label", "export", study, "--category", "all", "--output", tmp_path / "out.csv")


def test_planning_from_a_pilot_and_from_assumptions(study: str) -> None:
    assumed = run_json(
        *("batch", "plan-votes", "--queries", "1000", "--accuracy", "0.9"),
        *("--scheme", "bias_sensitive", "--shares", ".5,.5"),
    )
    # By hand: two votes of two categories tie with 2 * .9 * .1.
    assert assumed["plans"][0]["ties"] == pytest.approx(180)
    assert assumed["plans"][1]["cost"] == "90.00"
    pilot = run_json("batch", "plan-votes", "--queries", "1000", "--pilot", study)
    assert [plan["n_votes"] for plan in pilot["plans"]] == [2, 3, 5]
    with pytest.raises(CommandError):
        run_json("batch", "plan-votes", "--queries", "10", "--accuracy", "2")


def test_the_picture_is_the_one_in_the_documentation(tmp_path: Path) -> None:
    docs = Path(__file__).parents[2] / "docs"
    (tmp_path / "images").mkdir()
    for page in ("metrics.md", "settings.md"):
        shutil.copy(docs / page, tmp_path)
    run_json("site", "document", tmp_path)
    drawn = tmp_path / "images" / "agreement.svg"
    assert_same_drawing(drawn, docs / "images" / "agreement.svg")
