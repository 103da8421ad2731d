"""The made-up tasks behind the table of docs/rankers.md, and what the default does on one."""

from statistics import fmean

import pytest

from measurements.neural.adversary_tasks import TASKS, make_material, rows_of, table


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

    assert list(table({("few", "base"): rows})) == [
        "| task | way | AUC | lean |",
        "|---|---|---|---|",
        "| few | base | .75 (.50, 1.0) | -.12 (-.25, .00) |",
    ]


@pytest.mark.long
def test_less_is_read_after_the_default_than_after_training_without_an_adversary() -> None:
    found = dict(rows_of(TASKS["most"], seed=0))

    control, default = found["trained on, without anything"], found["adversary, default"]
    assert default["read"] < control["read"] - 0.05
    assert default["AUC"] > control["AUC"] - 0.05
    pairs = {way: found[f"penalty, {way}"]["AUC"] for way in ("equal relevance", "of triples")}
    assert pairs["equal relevance"] > control["AUC"] - 0.03
