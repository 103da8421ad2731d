"""`fairpool few-labels` and `fairpool power`: what the library computes, from files."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from metrics.statistics.few_labels import Sample, labels_needed, mean, mean_of_subset
from metrics.statistics.power import power_of
from tests.program import failure, run, run_json

QIDS = [f"q{number:03}" for number in range(200)]
_RANDOM = np.random.default_rng(5)
TRUE = _RANDOM.choice(list("nmf"), 200)
SAID = np.where(_RANDOM.random(200) < 0.8, TRUE, "n")
BIAS = {"A": _RANDOM.normal(0.1, 0.3, 200), "B": _RANDOM.normal(0, 0.3, 200)}
ROWS = np.sort(_RANDOM.choice(200, 60, replace=False))


def values_file(path: Path, rows: Any, of_runs: dict[str, np.ndarray]) -> Path:
    table = pd.concat(
        pd.DataFrame(
            {
                "run": name,
                "qid": [QIDS[row] for row in rows],
                "measure": "RaB",
                "magnitude": "tf",
                "cutoff": 10,
                "value": numbers[rows],
            }
        )
        for name, numbers in of_runs.items()
    )
    if path.suffix == ".parquet":
        table.to_parquet(path)
    else:
        table.to_csv(path, index=False)
    return path


@pytest.fixture
def study(tmp_path: Path) -> Path:
    pd.DataFrame({"qid": [QIDS[row] for row in ROWS], "label": TRUE[ROWS]}).to_csv(
        tmp_path / "people.csv", index=False
    )
    pd.DataFrame({"task": QIDS, "worker": "gpt", "label": SAID}).to_csv(
        tmp_path / "models.csv", index=False
    )
    values_file(tmp_path / "bias.parquet", range(200), BIAS)
    return tmp_path


def labelled(study: Path, *more: object) -> list[dict[str, Any]]:
    call = ("few-labels", "--labels", study / "people.csv", "--model-labels", study / "models.csv")
    rows: list[dict[str, Any]] = run_json(*call, *more)["rows"]
    return rows


def test_shares_means_and_differences_are_those_of_the_library(study: Path) -> None:
    rows = labelled(
        study, "--values", study / "bias.parquet", "--baseline", "B", "--half-width", ".02"
    )
    assert [(one["figure"], one["category"], one["run"]) for one in rows] == [
        *(("share", code, "") for code in "nfmo"),
        ("mean", "n", "A"),
        ("mean", "n", "B"),
        ("difference", "n", "A"),
    ]
    sample = Sample.of(SAID == "n", ROWS, TRUE[ROWS] == "n")
    for one, numbers in ((rows[4], BIAS["A"]), (rows[6], BIAS["A"] - BIAS["B"])):
        figure = mean_of_subset(sample, numbers)
        assert (one["corrected"], one["corrected_low"]) == pytest.approx((figure.value, figure.low))
        assert one["labels_needed"] == labels_needed(figure, 0.02, 200)
        assert one["measure"] == "RaB (tf)@10"
    assert rows[0]["models"] == pytest.approx(np.mean(SAID == "n"))
    assert rows[0]["n"] == 60


def test_values_by_people_and_by_a_model_give_means_of_any_number(tmp_path: Path) -> None:
    model = {name: numbers + np.sin(np.arange(200)) / 9 for name, numbers in BIAS.items()}
    people = values_file(tmp_path / "people.csv", ROWS, BIAS)
    judge = values_file(tmp_path / "judge.csv", range(200), model)
    call = ("few-labels", "--values", people, "--judge-values", judge, "--baseline", "B")
    rows = run_json(*call)["rows"]
    assert [one["figure"] for one in rows] == ["mean", "mean", "difference"]
    z, f = BIAS["A"] - BIAS["B"], model["A"] - model["B"]
    figure = mean(Sample.of(f, ROWS, z[ROWS]))
    assert (rows[2]["corrected"], rows[2]["corrected_high"]) == pytest.approx(
        (figure.value, figure.high)
    )
    wider = run_json(*call, "--every-look")["rows"]
    assert wider[0]["corrected_low"] < rows[0]["corrected_low"]
    assert "--design" in failure(*call, "--design", "none")


def test_a_design_from_a_file_and_a_table_in_a_file(study: Path) -> None:
    strata = pd.DataFrame({"qid": QIDS, "stratum": ["a", "b"] * 100})
    strata.to_csv(study / "design.csv", index=False)
    rows = labelled(study, "--design", study / "design.csv")
    assert rows[0]["corrected"] != labelled(study)[0]["corrected"]
    out = study / "out.csv"
    run(
        *("few-labels", "--labels", study / "people.csv"),
        *("--model-labels", study / "models.csv", "--output", out),
    )
    assert pd.read_csv(out).figure.tolist() == ["share"] * 4


@pytest.mark.parametrize(
    ("file", "text", "said"),
    [
        ("people.csv", "qid,label\nq001,n\nq001,f\n", "people.csv:3"),
        ("people.csv", "qid,label\nx9,n\n", "'x9'"),
        ("models.csv", "qid,label\nq001,man\n", "models.csv:2"),
        ("models.csv", "qid,label,score\nq001,n,1.5\n", "1.5"),
        ("models.csv", "qid,label\nq001\n", "models.csv:2"),
        ("models.csv", "number,text\nq001,n\n", "models.csv"),
    ],
)
def test_files_that_cannot_be_used_are_refused_with_their_place(
    study: Path, file: str, text: str, said: str
) -> None:
    (study / file).write_text(text)
    call = ("few-labels", "--labels", study / "people.csv", "--model-labels", study / "models.csv")
    assert said in failure(*call)


def test_what_is_missing_is_named(study: Path) -> None:
    bias = study / "bias.parquet"
    assert "--model-labels" in failure("few-labels", "--labels", study / "people.csv")
    call = ("few-labels", "--labels", study / "people.csv", "--model-labels", study / "models.csv")
    assert "'C'" in failure(*call, "--values", bias, "--baseline", "C")
    assert "twice" in failure(*call, "--values", values_file(study / "v.csv", [1, 1], BIAS))
    (study / "empty.csv").write_text("run,qid,measure,magnitude,cutoff,value\n")
    assert "empty.csv" in failure(*call, "--values", study / "empty.csv")
    (study / "text.csv").write_text("run,qid,measure,magnitude,cutoff,value\nA,q,RaB,tf,5,x\n")
    assert "text.csv:2" in failure(*call, "--values", study / "text.csv")
    judged = values_file(study / "judged.csv", range(50), {"A": BIAS["A"]})
    assert "no RaB (tf)@10 of B" in failure(
        "few-labels", "--values", bias, "--judge-values", judged
    )
    judged = values_file(study / "judged.csv", range(50), BIAS)
    assert "150 of 200" in failure("few-labels", "--values", bias, "--judge-values", judged)


def test_power_is_that_of_the_library_over_the_pairs(study: Path) -> None:
    rows = run_json("power", "--values", study / "bias.parquet", "--detect", ".05")["rows"]
    power, needed, _ = power_of(BIAS["A"], BIAS["B"], 0.05, level=0.05)
    assert [(one["first"], one["second"]) for one in rows] == [("A", "B")]
    assert (rows[0]["power"], rows[0]["n_needed"], rows[0]["n"]) == (power, needed, 200)
    against = run_json(
        *("power", "--values", study / "bias.parquet", "--detect", "RaB=.05", "--baseline", "A")
    )
    assert against["rows"][0]["first"] == "B"
    call = ("power", "--values", study / "bias.parquet", "--detect")
    assert "'nDCG'" in failure(*call, "nDCG=.02")
    assert "'C'" in failure(*call, ".02", "--baseline", "C")
    alone = values_file(study / "one.csv", range(50), {"A": BIAS["A"]})
    assert "two runs" in failure("power", "--values", alone, "--detect", ".02")
