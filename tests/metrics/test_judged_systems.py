"""Corrected figures of systems with repetitions: people judged a part, a model all."""

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest

from metrics import InputError, evaluate
from metrics.statistics.repetitions import components

DOCNOS = [f"d{number}" for number in range(12)]
QIDS = [f"q{number:03}" for number in range(120)]
JUDGED = QIDS[::3]
PATTERN = r"(?P<system>.+)_seed\d"


def _study() -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    random = np.random.default_rng(12)
    people = {qid: {docno: int(random.integers(4)) for docno in DOCNOS} for qid in QIDS}
    model = {
        qid: {d: int(np.clip(grade + random.choice([-1, 0, 1]), 0, 3)) for d, grade in of.items()}
        for qid, of in people.items()
    }
    runs = {}
    for system, strength in (("A", 0.6), ("B", 0.8)):
        for seed in range(4):
            learned = strength + random.normal(0, 0.2)
            runs[f"{system}_seed{seed}"] = {
                qid: {docno: learned * grade + random.normal() for docno, grade in of.items()}
                for qid, of in people.items()
            }
    return runs, {qid: people[qid] for qid in JUDGED}, model


RUNS, PEOPLE, MODEL = _study()


def judged(**given: Any) -> pd.DataFrame:
    """The figures of nDCG at 5, without the notice of how people's part was drawn."""
    given = {"runs": RUNS, "qrels": PEOPLE, "judge_qrels": MODEL, "repeats": PATTERN, **given}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", ".*judgements: the [0-9]+ queries")
        return evaluate(given.pop("runs"), given.pop("measures", "nDCG@5"), **given)


def test_a_system_has_the_mean_of_its_repetitions_and_a_wider_interval_than_these_runs() -> None:
    frame = judged().set_index(["run", "source"])
    single = judged(repeats=None)
    of_a = single[single["run"].str.startswith("A_")].groupby("source")["value"].mean()
    for source in ("people", "model"):
        assert frame.loc[("A", source), "value"] == pytest.approx(of_a[source])
    assert frame.loc[("A", "corrected"), "n_repetitions"] == 4
    # By people alone: the variance over queries of the means, and what seeds add to it.
    values = evaluate(
        {name: run for name, run in RUNS.items() if name.startswith("A")},
        "nDCG@5",
        qrels=PEOPLE,
        per_query=True,
    ).pivot_table(index="qid", columns="run", values="value")
    parts = components(values.to_numpy())
    assert parts.repetition_variance > 0
    row: Any = frame.loc[("A", "people")]
    half = (row["high"] - row["low"]) / 2
    assert half > 2 * np.sqrt(parts.fixed_variance + parts.repetition_variance) * 0.99


def test_fewer_than_three_repetitions_are_withheld() -> None:
    runs = {name: run for name, run in RUNS.items() if name[-1] in "01"}
    rows = judged(runs=runs)
    rows = rows[rows["source"] == "corrected"]
    assert rows["low"].isna().all()
    assert all(why.startswith("2 repetitions") for why in rows["withheld"])


def test_differences_are_of_systems_with_seeds_drawn_for_each() -> None:
    frame = judged(baseline="A")
    (row,) = frame[(frame["baseline"] == "A") & (frame["source"] == "corrected")].to_dict("records")
    by_system = frame[(frame["baseline"] == "") & (frame["source"] == "people")].set_index("run")
    people = frame[(frame["baseline"] == "A") & (frame["source"] == "people")]["value"].iloc[0]
    values = by_system["value"].astype(float).to_dict()
    assert people == pytest.approx(values["B"] - values["A"])
    assert row["low"] < row["value"] < row["high"]
    assert (row["p"] < 0.05) == (row["low"] > 0 or row["high"] < 0)


def test_what_does_not_go_together_is_refused() -> None:
    with pytest.raises(InputError, match="there is no system"):
        judged(baseline="A_seed0")
    with pytest.raises(InputError, match="repeats"):
        judged(judge_qrels={"gpt": MODEL, "qwen": MODEL})
    pairs = {qid: dict.fromkeys(of, 0.5) for qid, of in PEOPLE.items()}
    with pytest.raises(InputError, match="judged pairs"):
        judged(measures="P@5", design={"chances": pairs})
