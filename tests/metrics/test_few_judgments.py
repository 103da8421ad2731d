"""Runs that people judged in part and a model in full: three figures, differences, bad input."""

import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import ir_measures
import numpy as np
import pandas as pd
import pytest

from metrics import InputError, evaluate
from metrics.statistics.few_labels import Figure, Sample, Target, mean, worth
from metrics.statistics.figure import withheld
from tests.program import failure, run, run_json

Grades = dict[str, dict[str, int]]
N_JUDGED = 40
DOCNOS = [f"d{number}" for number in range(8)]
QIDS = [f"q{number:03}" for number in range(120)]


def _study() -> tuple[dict[str, dict[str, dict[str, float]]], Grades, Grades]:
    """Three runs of 120 queries, and grades of people and of a model of all their documents."""
    random = np.random.default_rng(46)
    people = {qid: {docno: int(random.integers(4)) for docno in DOCNOS} for qid in QIDS}
    model = {
        qid: {
            docno: int(np.clip(grade + random.choice([-1, 0, 0, 1]), 0, 3))
            for docno, grade in grades.items()
        }
        for qid, grades in people.items()
    }
    runs = {
        name: {
            qid: {
                docno: share * grade + float(random.normal(0, 2))
                for docno, grade in people[qid].items()
            }
            for qid in QIDS
        }
        for name, share in (("good", 2.0), ("fair", 1.0), ("poor", 0.1))
    }
    return runs, people, model


RUNS, ALL, MODEL = _study()
JUDGED = QIDS[:: len(QIDS) // N_JUDGED]
PEOPLE = {qid: ALL[qid] for qid in JUDGED}


def judged(*measures: str, **given: Any) -> pd.DataFrame:
    """The table, without the warning that the judged ones are taken for a random sample."""
    given = {"qrels": PEOPLE, "judge_qrels": MODEL, **given}
    runs = given.pop("runs", RUNS)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "judgements: the [0-9]+ queries")
        return evaluate(runs, list(measures), **given)


def row(frame: pd.DataFrame, source: str, name: str = "good", baseline: str = "") -> Any:
    chosen = frame[
        (frame.source == source) & (frame.run == name) & (frame.baseline.fillna("") == baseline)
    ]
    (one,) = chosen.itertuples()
    return one


def values(measure: str, qrels: Grades, name: str = "good") -> dict[str, float]:
    frame = evaluate({name: RUNS[name]}, measure, qrels=qrels, queries=list(qrels), per_query=True)
    return dict(zip(frame.qid, frame.value, strict=True))


def test_a_measure_has_three_rows_and_the_corrected_one_is_of_all_queries() -> None:
    frame = judged("nDCG@5")
    assert list(frame.source[:3]) == ["people", "model", "corrected"]
    z, f = values("nDCG@5", PEOPLE), values("nDCG@5", MODEL)
    places = {qid: place for place, qid in enumerate(f)}
    sample = Sample.of([*f.values()], [places[qid] for qid in z], [*z.values()])
    expected = mean(sample)
    alone = mean(sample, weight=0.0)
    people, model, corrected = (row(frame, name) for name in ("people", "model", "corrected"))
    assert (people.value, people.low, people.high) == (alone.value, alone.low, alone.high)
    assert people.value == pytest.approx(np.mean([*z.values()]))
    assert model.value == pytest.approx(np.mean([*f.values()]))
    assert np.isnan([model.low, model.high, model.worth]).all()
    assert (corrected.value, corrected.low, corrected.high) == (
        expected.value,
        expected.low,
        expected.high,
    )
    assert [people.n_people, people.n_model] == [N_JUDGED, 0]
    assert [model.n_people, model.n_model] == [0, 120]
    assert [corrected.n_people, corrected.n_model] == [N_JUDGED, 120]
    widths = [one.high - one.low for one in (people, corrected)]
    assert corrected.worth == pytest.approx((widths[0] / widths[1]) ** 2)
    assert {people.target, corrected.target} == {"population"}
    assert model.target == ""
    assert corrected.worth > 1.3
    assert set(frame.unit) == {"query"}
    assert [people.n_queries, model.n_queries, corrected.n_queries] == [N_JUDGED, 120, 120]


def test_where_people_judged_all_the_values_are_those_of_ir_measures() -> None:
    names = ["nDCG@5", "P(rel=2)@5", "AP@5", "RR(rel=2)@5", "Success(rel=3)@5"]
    frame = judged(*names, qrels=ALL)
    expected = ir_measures.calc_aggregate(map(ir_measures.parse_measure, names), ALL, RUNS["good"])
    for source in ("people", "corrected"):
        of_run = frame[(frame.source == source) & (frame.run == "good")]
        assert of_run.value.tolist() == pytest.approx(
            [expected[ir_measures.parse_measure(name)] for name in names], abs=1e-12
        )
        of_pool = judged(*names, qrels=ALL, target="pool")
        of_pool = of_pool[(of_pool.source == source) & (of_pool.run == "good")]
        assert of_pool.value.tolist() == of_run.value.tolist()
        if source == "people":
            # Of the pool nothing is left to estimate; of queries like these there is.
            assert of_pool.low.tolist() == of_pool.value.tolist() == of_pool.high.tolist()
            given = of_run.withheld == ""
            assert given.sum() == 4  # Success is the same of nearly all
            assert (of_run.low < of_run.value)[given].all()
        else:  # the model judged nothing that people did not
            assert of_run.low.isna().all()
            assert of_run.withheld.str.contains("judged nothing").all()


def test_a_difference_is_one_paired_figure_with_marks_over_its_family() -> None:
    frame = judged("nDCG@5", "P@5", baseline="poor")
    z, f = (
        {
            qid: a - values("nDCG@5", qrels, "poor")[qid]
            for qid, a in values("nDCG@5", qrels).items()
        }
        for qrels in (PEOPLE, MODEL)
    )
    places = {qid: place for place, qid in enumerate(f)}
    figure = mean(Sample.of([*f.values()], [places[qid] for qid in z], [*z.values()]))
    of_ndcg = frame[frame.measure == "nDCG"]
    one = row(of_ndcg, "corrected", "good", "poor")
    assert (one.value, one.low, one.high, one.p) == pytest.approx(
        (figure.value, figure.low, figure.high, figure.p)
    )
    assert one.mark == "***"
    p = [row(of_ndcg, "corrected", name, "poor").p for name in ("good", "fair")]
    corrected = [row(of_ndcg, "corrected", name, "poor").p_corrected for name in ("good", "fair")]
    assert corrected == pytest.approx([min(2 * p[0], p[1]) if p[0] > p[1] else 2 * p[0], p[1]])
    table = judged("nDCG@5", "P@5", baseline="poor", family="table", correction="bonferroni")
    assert row(table[table.measure == "nDCG"], "corrected", "good", "poor").p_corrected == (
        pytest.approx(4 * p[0])
    )
    figures = frame[frame.baseline == ""]
    assert figures.p.isna().all()
    assert len(frame) == len(figures) + 2 * 2 * 3
    with pytest.raises(InputError, match="'best'"):
        judged("nDCG@5", baseline="best")
    with pytest.raises(InputError, match="baseline"):
        evaluate(RUNS, "nDCG@5", qrels=ALL, baseline="poor")


def test_a_measure_that_reads_no_judgments_is_given_once() -> None:
    texts = {docno: "he" if docno < "d4" else "she said" for docno in DOCNOS}
    frame = judged("nDCG@5", "RaB@5", scores=texts, runs={"good": RUNS["good"]})
    (once,) = frame[frame.measure == "RaB"].itertuples()
    assert (once.source, once.n_queries) == ("list", 120)
    assert once.value == evaluate(RUNS["good"], "RaB@5", texts).value[0]
    single = judged("LabelRaB@5", "nDCG@5", passages={"q000": {"d1": "m"}})
    assert set(single[single.measure == "LabelRaB"].source) == {"people"}


def test_without_another_design_a_warning_says_that_it_is_taken_for_a_random_sample() -> None:
    with pytest.warns(UserWarning, match="simple random sample of the 120"):
        evaluate(RUNS, "nDCG@5", qrels=PEOPLE, judge_qrels=MODEL)
    with pytest.warns(UserWarning, match="withheld"):
        frame = evaluate(RUNS, "nDCG@5", qrels=PEOPLE, judge_qrels=MODEL, design=None)
    people, corrected = row(frame, "people"), row(frame, "corrected")
    assert people.value == pytest.approx(row(judged("nDCG@5"), "people").value)
    assert np.isnan([people.low, people.high, corrected.value, corrected.low]).all()
    assert "design" in corrected.withheld


def test_a_design_gives_strata_or_chances_from_memory_or_a_file(tmp_path: Path) -> None:
    strata = {qid: "even" if int(qid[1:]) % 2 == 0 else "odd" for qid in QIDS}
    chances = {qid: 1 / 3 + (place % 2) / 10 for place, qid in enumerate(QIDS)}
    z, f = values("nDCG@5", PEOPLE), values("nDCG@5", MODEL)
    rows = [QIDS.index(qid) for qid in z]
    for name, column, known in (("strata", "stratum", strata), ("chances", "chance", chances)):
        sample = Sample.of([*f.values()], rows, [*z.values()], **{name: [*known.values()]})
        frame = pd.DataFrame({"qid": list(known), column: list(known.values())})
        frame.to_csv(path := tmp_path / f"{name}.csv", index=False)
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # no sample is taken for a simple one
            for design in ({name: known}, frame, path):
                given: dict[str, Any] = {"qrels": PEOPLE, "judge_qrels": MODEL, "design": design}
                one = row(evaluate(RUNS, "nDCG@5", **given), "corrected")
                assert (one.value, one.low) == pytest.approx((mean(sample).value, mean(sample).low))
    with pytest.raises(InputError, match="119 of 120"):
        judged("nDCG@5", design={"strata": {"q000": "a"}})
    wrongs: list[Any] = [{"strata": {}}, {"weights": {}}, 3, {"chances": {"q000": 0}}]
    for wrong in wrongs:
        with pytest.raises(InputError):
            judged("nDCG@5", design=wrong)
    (tmp_path / "wrong.csv").write_text("qid,chance\nq000,.5\nq001,2\n")
    with pytest.raises(InputError) as caught:
        judged("nDCG@5", design=tmp_path / "wrong.csv")
    assert caught.value.line == 3


def test_a_query_that_people_judged_in_part_is_refused_or_left_out() -> None:
    partly = {qid: dict(grades) for qid, grades in PEOPLE.items()}
    del partly["q000"]["d1"], partly["q000"]["d2"], partly["q003"]["d5"]
    with pytest.raises(InputError, match="2 of 40"):
        judged("nDCG@8", qrels=partly, partly_judged="error")
    with pytest.warns(UserWarning, match="not relevant"):
        as_of_a_pool = judged("nDCG@8", qrels=partly)  # they hold grades of 0
    assert row(as_of_a_pool, "corrected").n_people == 40
    assert row(as_of_a_pool, "people").partly_judged == "not relevant"
    assert row(as_of_a_pool, "people").value == pytest.approx(
        np.mean([*values("nDCG@8", partly).values()])
    )
    relevant = {q: {d: g for d, g in of.items() if g > 0} for q, of in PEOPLE.items()}
    with pytest.raises(InputError, match="39 of 40"):
        judged("nDCG@8", qrels=relevant)
    with pytest.warns(UserWarning, match="left out"):
        frame = judged("nDCG@8", qrels=partly, partly_judged="skip")
    assert row(frame, "corrected").n_people == 38
    assert row(frame, "corrected").partly_judged == "skip"
    assert row(judged("nDCG@8"), "corrected").partly_judged == ""
    rest = {qid: grades for qid, grades in partly.items() if qid not in ("q000", "q003")}
    assert row(frame, "people").value == pytest.approx(np.mean([*values("nDCG@8", rest).values()]))
    # Below a smaller cut-off all is judged.
    deep = max(RUNS["good"]["q003"], key=lambda docno: -RUNS["good"]["q003"][docno])
    deeper = {**PEOPLE, "q003": {d: g for d, g in PEOPLE["q003"].items() if d != deep}}
    judged("nDCG@7", qrels=deeper, runs={"good": RUNS["good"]})


def test_what_is_wrong_with_the_judgments_is_said_with_a_count() -> None:
    without = {qid: grades for qid, grades in MODEL.items() if qid not in JUDGED[:3]}
    with pytest.raises(InputError, match="3 of the queries"):
        judged("nDCG@5", judge_qrels=without)
    with pytest.raises(InputError, match="no id in common"):
        judged("nDCG@5", qrels={"other": {"d1": 1}})
    with pytest.raises(InputError, match="judge_qrels without qrels"):
        judged("nDCG@5", qrels=None)
    for wrong in ({"scale": True}, {"per_query": True}, {"inclusion": {"q000": 1.0}}):
        with pytest.raises(InputError, match=next(iter(wrong))):
            judged("nDCG@5", **wrong)
    with pytest.warns(UserWarning, match="2 of the queries that people judged"):
        frame = judged("nDCG@5", qrels={**PEOPLE, "x1": {"d1": 1}, "x2": {"d1": 0}})
    assert row(frame, "people").n_people == N_JUDGED
    few = {qid: {d: g for d, g in grades.items() if d != "d0"} for qid, grades in MODEL.items()}
    with pytest.warns(UserWarning, match="not relevant"):
        judged("nDCG@5", judge_qrels=few)


def test_judgments_that_are_the_models_own_give_no_corrected_interval() -> None:
    with pytest.warns(UserWarning, match="own"):
        frame = judged("nDCG@5", qrels={qid: MODEL[qid] for qid in JUDGED})
    assert np.isnan(row(frame, "corrected").low)
    assert "own" in row(frame, "corrected").withheld
    assert row(frame, "people").low < row(frame, "people").high


def test_grades_of_zero_below_zero_and_of_two_scales() -> None:
    nothing = {qid: dict.fromkeys(grades, 0) for qid, grades in PEOPLE.items()}
    with pytest.warns(UserWarning, match="above 0"):
        frame = judged("nDCG@5", qrels=nothing)
    assert np.isnan([row(frame, "people").low, row(frame, "corrected").low]).all()
    with pytest.warns(UserWarning, match="carry no information"):
        frame = judged("nDCG@5", judge_qrels={q: dict.fromkeys(g, 0) for q, g in MODEL.items()})
    assert row(frame, "corrected").value == row(frame, "people").value
    # trec_eval counts a grade below 0 as 0.
    below = {qid: {d: g - 1 for d, g in grades.items()} for qid, grades in PEOPLE.items()}
    clipped = {qid: {d: max(g, 0) for d, g in grades.items()} for qid, grades in below.items()}
    same = [row(judged("nDCG@5", qrels=qrels), "corrected") for qrels in (below, clipped)]
    assert (same[0].value, same[0].low) == (same[1].value, same[1].low)
    binary = {qid: {d: int(g > 1) for d, g in grades.items()} for qid, grades in MODEL.items()}
    with pytest.warns(UserWarning, match="go up to 3, the model's to 1"):
        frame = judged("nDCG@5", judge_qrels=binary)
    assert row(frame, "corrected").low < row(frame, "corrected").high


@pytest.mark.parametrize("by_grade", [(2, 2, 2, 2), (3, 2, 1, 0)])
def test_a_judge_that_is_constant_or_reversed_costs_nothing(by_grade: tuple[int, ...]) -> None:
    grades = {qid: {d: by_grade[g] for d, g in of.items()} for qid, of in ALL.items()}
    frame = judged("nDCG@5", "P(relevant=2)@5", judge_qrels=grades, baseline="poor")
    people, corrected = (frame[frame.source == name] for name in ("people", "corrected"))
    widths = (corrected.high - corrected.low).to_numpy(), (people.high - people.low).to_numpy()
    assert (widths[0] <= 1.05 * widths[1]).all()


def test_no_figure_leaves_the_range_of_its_measure() -> None:
    best_first = {
        qid: {d: float(-g if qid == "q003" else g) for d, g in grades.items()}
        for qid, grades in ALL.items()
    }
    one = row(judged("MRR(relevant=2)@8", runs={"good": best_first}), "corrected")
    assert one.value <= one.high == 1.0


def test_a_stratum_with_one_judged_query_has_no_interval() -> None:
    strata = {qid: "alone" if qid == "q000" else "others" for qid in QIDS}
    strata["q001"] = "alone"
    frame = judged("nDCG@5", design={"strata": strata})
    assert np.isnan(row(frame, "corrected").low)
    assert "stratum" in row(frame, "corrected").withheld


def test_below_thirty_judged_queries_intervals_are_withheld() -> None:
    frame = judged("nDCG@5", qrels={qid: PEOPLE[qid] for qid in JUDGED[:29]})
    for source in ("people", "corrected"):
        one = row(frame, source)
        assert np.isnan(one.low)
        assert "1 more" in one.withheld
        assert one.value > 0


def test_looks_populations_and_the_queries_that_a_width_takes() -> None:
    of_pool: dict[str, Any] = {"target": "pool"}
    one = row(judged("nDCG@5", half_width=0.01, **of_pool), "corrected")
    every = row(judged("nDCG@5", every_look=True, **of_pool), "corrected")
    whole = row(judged("nDCG@5"), "corrected")
    assert (one.target, whole.target) == ("pool", "population")
    for wider in (every, whole):
        assert wider.low < one.low < one.value == wider.value < one.high < wider.high
    assert N_JUDGED < one.labels_needed <= 120
    alone = row(judged("nDCG@5", half_width=0.01, **of_pool), "people")
    with pytest.warns(UserWarning, match="no number of judged queries"):
        assert np.isnan(row(judged("nDCG@5", half_width=0.01), "corrected").labels_needed)
    assert one.labels_needed <= alone.labels_needed
    assert row(judged("nDCG@5", half_width=0.5), "corrected").labels_needed == 30
    differences = judged("nDCG@5", every_look=True, baseline="poor")
    assert differences.p.isna().all()  # they would hold for one look


def test_one_label_is_worth_what_the_widths_say() -> None:
    for target, expected in (
        ("population", 4.0),
        ("pool", 1 / (1 / 300 + (1 / 60 - 1 / 300) / 4) / 60),
    ):
        people, both = (
            Figure(0, -half, half, 1, 0.95, 60, 0, 1, 0, target=cast(Target, target))
            for half in (0.2, 0.1)
        )
        assert worth(people, both, 300) == pytest.approx(expected)
        assert worth(people, withheld(both, "why"), 300) is None
    # Never more than the pool.
    assert worth(people, replace(both, low=-1e-9, high=1e-9), 300) == pytest.approx(5)


def test_the_intervals_of_a_family_hold_together() -> None:
    """Of systems that are all alike some difference is rarely called one."""
    random = np.random.default_rng(4)
    n_found = {"p_corrected": 0, "simultaneous_low": 0, "low": 0}
    studies = 40
    for _ in range(studies):
        names = [f"s{number}" for number in range(7)]
        runs = {
            name: {qid: {d: float(random.normal()) for d in DOCNOS} for qid in QIDS}
            for name in names
        }
        frame = judged("nDCG@5", runs=runs, baseline="s0")
        rows = frame[(frame.source == "corrected") & (frame.baseline == "s0")]
        assert (rows.simultaneous_low < rows.low).all()
        n_found["p_corrected"] += int((rows.p_corrected < 0.05).any())
        n_found["simultaneous_low"] += int(
            ((rows.simultaneous_low > 0) | (rows.simultaneous_high < 0)).any()
        )
        n_found["low"] += int(((rows.low > 0) | (rows.high < 0)).any())
    assert n_found["p_corrected"] <= 6
    assert n_found["simultaneous_low"] <= 6 < n_found["low"] + 6


def test_judgments_that_are_nearly_all_the_models_are_said_with_the_chance() -> None:
    copied = {qid: dict(MODEL[qid]) for qid in JUDGED}
    copied[JUDGED[0]]["d0"] = (copied[JUDGED[0]]["d0"] + 1) % 4
    with pytest.warns(UserWarning, match="319 of 320.*one in a million"):
        frame = judged("nDCG@5", qrels=copied)
    assert row(frame, "corrected").low is not None


def test_a_model_that_judged_only_what_people_did_tells_nothing() -> None:
    only = {qid: MODEL[qid] for qid in JUDGED}
    one = row(judged("nDCG@5", judge_qrels=only), "corrected")
    assert np.isnan(one.low)
    assert "judged nothing" in one.withheld
    assert row(judged("nDCG@5", judge_qrels=only), "people").low > 0


LETTERS = {0: "n", 1: "m", 2: "f", 3: "both"}


def test_labels_of_passages_give_bias_beside_that_of_the_word_list() -> None:
    by_people, by_model = (
        {qid: {d: LETTERS[g] for d, g in grades.items()} for qid, grades in qrels.items()}
        for qrels in (PEOPLE, MODEL)
    )
    texts = {docno: "he" if docno < "d4" else "she said" for docno in DOCNOS}
    runs = {"good": RUNS["good"]}
    with pytest.warns(UserWarning, match="labels of passages: the 40"):
        frame = evaluate(
            runs, "LabelRaB@5", texts, passages=by_people, judge_passages=by_model, baseline=""
        )
    assert list(frame.source) == ["list", "people", "model", "corrected"]
    words = evaluate(runs, "RaB(magnitude=bool)@5", texts).value[0]
    assert frame.value[0] == words
    side = {"m": 1, "f": -1, "n": 0, "both": 0}
    firsts = {qid: sorted(of, key=of.__getitem__)[:-6:-1] for qid, of in RUNS["good"].items()}
    for source, labels in (("people", by_people), ("model", by_model)):
        expected = np.mean([[side[labels[q][d]] for d in firsts[q]] for q in labels])
        assert row(frame, source).value == pytest.approx(expected)
    alone = evaluate(runs, "LabelRaB@5", passages=by_people)
    assert alone.value[0] == pytest.approx(row(frame, "people").value)
    with pytest.raises(InputError, match="'male'"):
        evaluate(runs, "LabelRaB@5", passages={"q000": {"d1": "male"}}, judge_passages=by_model)


def _pairs(seed: int, share: float) -> tuple[Grades, dict[str, dict[str, float]]]:
    random = np.random.default_rng(seed)
    chances = {
        qid: {docno: share * (1 + place % 2) for place, docno in enumerate(DOCNOS)} for qid in QIDS
    }
    people: Grades = {}
    for qid, of_query in chances.items():
        drawn = {d: ALL[qid][d] for d, chance in of_query.items() if random.random() < chance}
        if drawn:
            people[qid] = drawn
    return people, chances


def test_judged_pairs_give_what_adds_up_documents_and_nothing_else() -> None:
    whole = evaluate(RUNS, ["DCG@5", "P(relevant=2)@5"], qrels=ALL)
    true: Any = whole.set_index(["run", "measure"])
    errors, held = [], []
    for seed in range(40):
        people, chances = _pairs(seed, 0.2)
        frame = judged(
            "DCG@5",
            "P(relevant=2)@5",
            "nDCG@5",
            qrels=people,
            design={"chances": chances},
            baseline="poor",
        )
        assert set(frame.unit) == {"pair"}
        corrected = frame[frame.source == "corrected"]
        for one in corrected[corrected.measure != "nDCG"].itertuples():
            value = true.value[one.run, one.measure]
            if one.baseline:
                value -= true.value["poor", one.measure]
            errors.append(one.value / value - 1)
            held.append(one.low <= value <= one.high)
    assert abs(np.mean(errors)) < 0.02
    assert 0.9 < np.mean(held) <= 1
    ideal = frame[frame.measure == "nDCG"]
    assert ideal[ideal.source != "model"].value.isna().all()
    assert ideal[ideal.source == "corrected"].withheld.str.contains("judged queries do").all()
    model = evaluate(RUNS, "nDCG@5", qrels=MODEL)
    assert row(ideal, "model").value == pytest.approx(model.value[0])


def test_of_all_pairs_the_figure_is_the_measure_itself() -> None:
    certain = {qid: dict.fromkeys(grades, 1.0) for qid, grades in ALL.items()}
    frame = judged("DCG@5", "P@5", qrels=ALL, design={"chances": certain})
    expected = evaluate(RUNS, ["DCG@5", "P@5"], qrels=ALL)
    assert frame[frame.source == "corrected"].value.tolist() == pytest.approx(
        expected.value.tolist()
    )


def test_pairs_without_a_chance_are_refused() -> None:
    people, chances = _pairs(1, 0.2)
    lacking = {qid: {d: c for d, c in of.items() if d != "d3"} for qid, of in chances.items()}
    with pytest.raises(InputError, match="no chance"):
        judged("DCG@8", qrels=people, design={"chances": lacking})
    unjudged = {q: {d: g for d, g in of.items() if d != "d3"} for q, of in people.items()}
    with pytest.raises(InputError, match="120 pairs"):
        judged(
            "DCG@8", qrels={q: of for q, of in unjudged.items() if of}, design={"chances": lacking}
        )
    with pytest.raises(InputError, match="every_look"):
        judged("DCG@5", qrels=people, design={"chances": chances}, every_look=True)


def test_what_the_model_leaves_undefined_makes_a_ratio_of_means() -> None:
    """Expected exposure is undefined where nothing is relevant, which people and models see."""
    texts = {docno: "he" if docno < "d4" else "she said" for docno in DOCNOS}
    given = {
        qrels_name: {
            qid: grades if place % 4 else dict.fromkeys(grades, 0)
            for place, (qid, grades) in enumerate(qrels.items())
        }
        for qrels_name, qrels in (("qrels", PEOPLE), ("judge_qrels", MODEL))
    }
    known = evaluate(
        RUNS["good"], "EE-R(target=relevant)@5", texts, qrels=given["qrels"], per_query=True
    )
    assert known.value.isna().any()
    frame = judged("EE-R(target=relevant)@5", scores=texts, runs={"good": RUNS["good"]}, **given)
    assert row(frame, "people").value == pytest.approx(known.value.mean())
    assert row(frame, "corrected").low < row(frame, "corrected").high


def _files(folder: Path) -> list[str]:
    arguments = []
    for name, of_run in RUNS.items():
        lines = [
            f"{qid} Q0 {docno} 0 {score!r} {name}\n"
            for qid, docnos in of_run.items()
            for docno, score in docnos.items()
        ]
        (folder / f"{name}.run").write_text("".join(lines))
        arguments += ["--run", f"{name}={folder / name}.run"]
    for name, qrels in (("people", PEOPLE), ("model", MODEL)):
        lines = [f"{qid} 0 {d} {g}\n" for qid, grades in qrels.items() for d, g in grades.items()]
        (folder / f"{name}.qrels").write_text("".join(lines))
    return [
        *arguments,
        *("--qrels", str(folder / "people.qrels"), "--judge-qrels", str(folder / "model.qrels")),
    ]


def test_the_command_prints_the_same_table(tmp_path: Path) -> None:
    arguments = ["measure", *_files(tmp_path), "--measure", "nDCG,P(relevant=2)", "--cutoff", "5"]
    rows = run_json(*arguments, "--baseline", "poor")["rows"]
    frame = judged("nDCG@5", "P(relevant=2)@5", baseline="poor")
    assert [one["source"] for one in rows] == frame.source.tolist()
    for name in ("value", "low", "high", "worth", "p_corrected"):
        mine = [np.nan if one[name] is None else one[name] for one in rows]
        assert {one["target"] for one in rows} == {"", "population"}
        np.testing.assert_array_equal(mine, frame[name])
    out = tmp_path / "out.csv"
    run(*arguments, "--design", "none", "--output", out)
    table = pd.read_csv(out)
    assert table[table.source == "corrected"].value.isna().all()


def test_the_command_reads_labels_of_passages_beside_texts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAIRPOOL_CACHE_DIR", str(tmp_path / "cache"))
    arguments = _files(tmp_path)[:2]
    for name, qrels in (("people", PEOPLE), ("model", MODEL)):
        lines = [f"{q} 0 {d} {LETTERS[g]}\n" for q, of in qrels.items() for d, g in of.items()]
        (tmp_path / f"{name}.txt").write_text("".join(lines))
    texts = tmp_path / "texts.tsv"
    texts.write_text("".join(f"{docno}\the said\n" for docno in DOCNOS))
    rows = run_json(
        *("measure", *arguments, "--measure", "LabelRaB", "--cutoff", "5"),
        *("--passages", tmp_path / "people.txt", "--judge-passages", tmp_path / "model.txt"),
        *("--collection", texts),
    )["rows"]
    assert [one["source"] for one in rows] == ["list", "people", "model", "corrected"]
    assert rows[0]["value"] == 1  # each passage has a man's word


@pytest.mark.parametrize(
    ("more", "option"),
    [
        (["--scale"], "scale"),
        (["--baseline", "best"], "best"),
        (["--cutoff", "9", "--design", "nothing.csv"], "nothing.csv"),
    ],
)
def test_the_command_says_what_does_not_go_together(
    tmp_path: Path, more: list[str], option: str
) -> None:
    assert option in failure("measure", *_files(tmp_path), "--measure", "nDCG", *more)


def test_the_command_names_the_option_that_leaves_queries_out(tmp_path: Path) -> None:
    arguments = ["measure", *_files(tmp_path), "--measure", "nDCG@8"]
    lines = (tmp_path / "people.qrels").read_text().splitlines()[1:]
    (tmp_path / "people.qrels").write_text("\n".join(lines) + "\n")
    assert "--partly-judged skip" in failure(*arguments, "--partly-judged", "error")
    assert run_json(*arguments)["rows"][2]["partly_judged"] == "not relevant"
    as_written = run_json(*arguments, "--partly-judged", "not-relevant")["rows"]
    assert as_written[2]["n_people"] == N_JUDGED
    rows = run_json(*arguments, "--partly-judged", "skip")["rows"]
    assert rows[2]["n_people"] == N_JUDGED - 1


def test_a_sample_that_a_random_one_would_hardly_be_is_said_with_its_chance() -> None:
    random = np.random.default_rng(0)
    ranked = {f"q{i:03}": {f"d{j}": float(-j) for j in range(5)} for i in range(200)}
    model = {qid: {d: int(random.integers(4)) for d in docs} for qid, docs in ranked.items()}
    best = sorted(ranked, key=lambda qid: sum(model[qid].values()))[-50:]
    drawn = [str(qid) for qid in random.choice(sorted(ranked), 50, replace=False)]

    def said(judged: list[str], **design: Any) -> bool:
        people = {qid: {d: min(3, g + 1) for d, g in model[qid].items()} for qid in judged}
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            evaluate(ranked, ["DCG@5", "P@5"], qrels=people, judge_qrels=model, **design)
        return any("differs from the pool" in str(warning.message) for warning in caught)

    assert said(best)
    assert not said(drawn)
    # Of the stratum of the best queries all were drawn, and of the others some.
    strata = {qid: str(int(qid in best[-20:])) for qid in ranked}
    others = [qid for qid in drawn if qid not in best[-20:]]
    assert not said([*best[-20:], *others], design={"strata": strata})
    assert not said(best, design=None)


def test_pairs_that_a_draw_by_their_chances_would_hardly_give_are_said_with_the_chance() -> None:
    random = np.random.default_rng(0)
    chances = {qid: dict.fromkeys(grades, 0.3) for qid, grades in MODEL.items()}
    drawn = {
        qid: {d: g for d, g in grades.items() if random.random() < 0.3}
        for qid, grades in ALL.items()
    }
    # Those that the model finds most relevant, as many.
    best = {
        qid: {d: ALL[qid][d] for d in sorted(of_model, key=lambda d: of_model[d])[-2:]}
        for qid, of_model in MODEL.items()
    }

    def is_said(people: dict[str, dict[str, int]], **design: Any) -> bool:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            judgments = {"qrels": people, "judge_qrels": MODEL, **design}
            evaluate(RUNS, "P@5", **judgments)
        return any("differs from the pool" in str(warning.message) for warning in caught)

    assert is_said(best, design={"chances": chances})
    assert not is_said({q: of for q, of in drawn.items() if of}, design={"chances": chances})
