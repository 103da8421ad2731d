"""The made-up tasks of measurements/results/rankers.md, and what the default does on one."""

from statistics import fmean

import pytest

from measurements.neural.adversary_tasks import CONTROL, TASKS, make_material, rows_of, table


@pytest.mark.parametrize("name", TASKS)
def test_a_task_has_the_shares_of_gendered_passages_that_it_says(name: str) -> None:
    task = TASKS[name]
    material = make_material(task, 400, seed=0)

    for side, share in (("+", task.relevant), ("-", task.irrelevant)):
        genders = [g for docno, g in material.gender.items() if docno.endswith(side)]
        assert fmean(gender != "N" for gender in genders) == pytest.approx(share, abs=0.07)
    assert material.genders.gendered["0+"] == (material.gender["0+"] != "N")


def test_the_table_has_the_mean_and_each_seed() -> None:
    rows = [{"AUC": 0.5, "lean": -0.25}, {"AUC": 1.0, "lean": 0.0}]
    chosen = [{"AUC": 0.5, "lean": 0.0, "strength": 0.1}]

    assert list(table({("few", "base"): rows, ("few", "default"): chosen})) == [
        "| task | way | AUC | lean | strength |",
        "|---|---|---|---|---|",
        "| few | base | .75 (.50, 1.0) | -.12 (-.25, .00) |  |",
        "| few | default | .50 (.50) | .00 (.00) | .10 |",
    ]


@pytest.mark.long
@pytest.mark.parametrize("is_bert", [False, True])
@pytest.mark.parametrize("name", TASKS)
def test_no_default_leaves_more_or_costs_relevance(name: str, is_bert: bool) -> None:
    rows = dict(rows_of(TASKS[name], seed=0, is_bert=is_bert))

    control = rows[CONTROL]
    for way in ("adversary, default", "penalty, default"):
        assert rows[way]["AUC"] > control["AUC"] - 0.04
        assert rows[way]["margin"] > control["margin"] / 2
        assert rows[way]["read"] < control["read"] + 0.1
    if (name, is_bert) in {("few", False), ("most", True), ("confounded", False)}:
        assert rows["adversary, default"]["read"] < control["read"] - 0.04
