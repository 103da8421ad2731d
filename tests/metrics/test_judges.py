"""Several judges of the same runs: under each, with judges as drawn, and their agreement."""

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from metrics import InputError, evaluate
from metrics.results.judges import alpha_of_judges
from metrics.statistics.repetitions import repeated_mean
from tests.program import failure, run_json

Grades = dict[str, dict[str, int]]
DOCNOS = [f"d{number:02}" for number in range(15)]
QIDS = [f"q{number:02}" for number in range(60)]
JUDGES = ("gpt", "llama", "qwen")


def _study() -> tuple[dict[str, Any], Grades, dict[str, Grades]]:
    """Two runs, people's grades, and those of three judges who err in ways of their own."""
    random = np.random.default_rng(67)
    people = {qid: {docno: int(random.integers(4)) for docno in DOCNOS} for qid in QIDS}
    judges = {
        name: {
            qid: {d: int(np.clip(round(g + shift + random.normal()), 0, 3)) for d, g in of.items()}
            for qid, of in people.items()
        }
        for name, shift in zip(JUDGES, (-0.5, 0.0, 0.6), strict=True)
    }
    runs = {
        name: {
            qid: {docno: share * grade + random.normal() for docno, grade in grades.items()}
            for qid, grades in people.items()
        }
        for name, share in (("dual", 0.7), ("list", 0.9))
    }
    return runs, people, judges


RUNS, PEOPLE, GRADES = _study()


def judged(**given: Any) -> pd.DataFrame:
    """The figures of nDCG at 10, without the notice of how people's part was drawn."""
    given = {"judge_qrels": GRADES, "baseline": "dual", **given}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", ".*judgements: the [0-9]+ queries")
        return evaluate(RUNS, "nDCG@10", **given)


def test_each_judge_has_its_figure_and_all_have_one_with_judges_drawn() -> None:
    frame = judged()
    alone = [
        evaluate(RUNS, "nDCG@10", qrels=qrels).set_index("run")["value"]
        for qrels in GRADES.values()
    ]
    rows = frame[(frame["run"] == "list") & (frame["baseline"] == "")]
    by_judge = rows[rows["source"] == "judge"]
    assert list(by_judge["judge"]) == list(JUDGES)
    assert by_judge["value"].tolist() == pytest.approx([values["list"] for values in alone])
    assert by_judge["low"].isna().all()
    assert set(by_judge["withheld"]) == {"1 judge, and an interval over them takes 3."}
    (together,) = rows[rows["source"] == "judges"].to_dict("records")
    assert together["value"] == pytest.approx(np.mean(by_judge["value"]))
    assert together["deviation"] == pytest.approx(np.std(by_judge["value"], ddof=1))
    assert together["low"] < together["fixed_low"] < together["fixed_high"] < together["high"]
    assert together["n_judges"] == len(JUDGES)


def test_a_difference_is_paired_over_judges_and_says_under_how_many_it_holds() -> None:
    frame = judged()
    rows = frame[frame["baseline"] == "dual"]
    by_judge = rows[rows["source"] == "judge"]["value"]
    (row,) = rows[rows["source"] == "judges"].to_dict("records")
    assert row["holds"] == (np.sign(by_judge) == np.sign(row["value"])).sum()
    tables = []
    for qrels in GRADES.values():
        values = evaluate(RUNS, "nDCG@10", qrels=qrels, per_query=True)
        table = values.pivot_table(index="qid", columns="run", values="value")
        tables.append(table["list"] - table["dual"])
    figure = repeated_mean(np.stack(tables, axis=1))
    assert (row["low"], row["high"], row["p"]) == pytest.approx((figure.low, figure.high, figure.p))
    assert row["p_corrected"] == pytest.approx(row["p"])


@pytest.mark.parametrize("n", [1, 2])
def test_two_judges_or_fewer_have_no_interval_over_judges(n: int) -> None:
    frame = judged(judge_qrels={name: GRADES[name] for name in JUDGES[:n]})
    rows = frame[frame["source"] == "judges"]
    assert rows["low"].isna().all()
    assert rows["fixed_low"].notna().all()
    assert all(why.startswith(f"{n} judge") for why in rows["withheld"])


def test_the_agreement_of_judges_is_krippendorffs_ordinal_alpha() -> None:
    # Krippendorff 2011 (Computing Krippendorff's Alpha-Reliability), data of section E: ordinal
    # alpha .815 of four observers.
    observers = [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
        [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
    ]
    judges = {
        f"observer{number}": {
            "q": {f"d{unit}": grade for unit, grade in enumerate(grades) if grade is not None}
        }
        for number, grades in enumerate(observers)
    }
    assert alpha_of_judges(judges) == pytest.approx(0.815, abs=5e-4)
    assert set(judged()["agreement"].dropna()) == {alpha_of_judges(GRADES)}


def test_agreement_is_undefined_without_common_documents_or_of_one_grade() -> None:
    assert alpha_of_judges({"a": {"q": {"d": 1}}, "b": {"q": {"e": 2}}}) is None
    assert alpha_of_judges({"a": {"q": {"d": 1}}, "b": {"q": {"d": 1}}}) is None


def test_people_correct_each_judge_and_say_how_many_labels_would_settle_a_difference() -> None:
    part = {qid: PEOPLE[qid] for qid in QIDS[:35]}
    frame = judged(qrels=part)
    single = judged(qrels=part, judge_qrels=GRADES["llama"])
    corrected = frame[(frame["source"] == "corrected") & (frame["judge"] == "llama")]
    expected = single[single["source"] == "corrected"]
    for name in ("value", "low", "high", "worth", "p", "p_corrected"):
        assert corrected[name].tolist() == pytest.approx(expected[name].tolist(), nan_ok=True)
    of_people = frame[frame["source"] == "people"]
    assert of_people[["run", "baseline"]].to_numpy().tolist() == [
        ["dual", ""],
        ["list", ""],
        ["list", "dual"],
    ]
    (needed,) = frame[(frame["source"] == "corrected") & (frame["baseline"] != "")].query(
        "judge == 'llama'"
    )["labels_needed"]
    half = float(corrected["value"].iloc[-1])
    asked = judged(qrels=part, judge_qrels=GRADES["llama"], half_width=abs(half))
    assert needed == pytest.approx(asked["labels_needed"].iloc[-1], nan_ok=True)


def test_a_measure_that_reads_no_judgments_has_its_row_once() -> None:
    texts = dict.fromkeys(DOCNOS, "he said")
    frame = evaluate(RUNS, ["nDCG@10", "RaB(magnitude=tc)@10"], texts, judge_qrels=GRADES)
    rows = frame[frame["measure"] == "RaB"]
    assert rows[["run", "source", "judge", "value"]].to_numpy().tolist() == [
        ["dual", "list", "", 1.0],
        ["list", "list", "", 1.0],
    ]


def test_queries_that_a_judge_left_out_are_left_out_for_all_and_said() -> None:
    fewer = {**GRADES, "qwen": {qid: GRADES["qwen"][qid] for qid in QIDS[5:]}}
    with pytest.warns(UserWarning, match="the judge qwen has no judgment of 5 of the 60 .*'q00'"):
        frame = evaluate(RUNS, "nDCG@10", judge_qrels=fewer)
    assert set(frame["n_queries"]) == {55}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"judge_qrels": {"a": GRADES["gpt"], "b": {"x1": {"d01": 1}}}}, "x1"),
        ({"baseline": "nobody"}, "there is no run 'nobody'"),
        ({"per_query": True}, "per_query"),
        ({"repeats": {"s": ["dual", "list"]}}, "repeats"),
    ],
)
def test_what_judges_cannot_be_is_refused(given: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        judged(**given)


def _written(path: Path, qrels: Grades) -> Path:
    path.write_text("".join(f"{q} 0 {d} {g}\n" for q, of in qrels.items() for d, g in of.items()))
    return path


def test_the_command_gives_the_same_as_the_library(tmp_path: Path) -> None:
    call: list[object] = ["measure", "--measure", "nDCG@10", "--baseline", "dual"]
    for name, by_query in RUNS.items():
        lines = [f"{q} Q0 {d} 0 {s!r} x\n" for q, of in by_query.items() for d, s in of.items()]
        (tmp_path / f"{name}.run").write_text("".join(lines))
        call += ["--run", tmp_path / f"{name}.run"]
    files = {name: _written(tmp_path / name, qrels) for name, qrels in GRADES.items()}
    options = [part for name, path in files.items() for part in ("--judge-qrels", f"{name}={path}")]
    rows = run_json(*call, *options)["rows"]
    expected = judged().to_dict("records")
    for row, of_library in zip(rows, expected, strict=True):
        assert (row["source"], row["judge"]) == (of_library["source"], of_library["judge"])
        assert row["value"] == pytest.approx(of_library["value"])
    assert "each needs a name" in failure(*call, *options, "--judge-qrels", files["gpt"])
    assert "twice" in failure(*call, *options, *options[:2])
