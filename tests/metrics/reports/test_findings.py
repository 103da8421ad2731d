from dataclasses import replace
from typing import Any

from metrics.reports.findings import findings
from metrics.statistics.inference import Inference
from metrics.statistics.significance import Comparison


def interval(value: float, p: float | None) -> dict[str, Any]:
    return {"value": value, "n": 43, "p": p}


def pair(first: str, second: str, p: float | None) -> Comparison:
    return Comparison(
        *(first, second, 43, 0.1, None, None, None, None, p, None), permutation_p_holm=p
    )


INTERVALS = {
    "BM25": interval(-0.05, 0.5),
    "KNRM": interval(0.2, 0.001),
    "BERT": interval(0.3, 0.002),
    "LSA": interval(-0.25, 0.003),
}


def test_models_lean_by_the_test_of_their_mean() -> None:
    assert findings("RaB", "RaB (TF) at 10", INTERVALS, []) == [
        "RaB (TF) at 10, over 43 queries.",
        "KNRM and BERT lean towards male words.",
        "LSA leans towards female words.",
        "BM25 cannot be told from balanced, which does not show balance.",
    ]


def test_leanings_are_corrected_over_the_models() -> None:
    three = {name: interval(0.1, 0.02) for name in ("A", "B", "C")}
    # Three times .02 is .06.
    assert [line.startswith("A, B and C cannot") for line in findings("RaB", "R", three, [])] == [
        False,
        True,
    ]
    alone = {"A": interval(0.1, 0.02)}
    assert findings("RaB", "R", alone, [])[1] == "A leans towards male words."


def test_what_has_no_interval_leans_nowhere() -> None:
    few = {"BM25": {"value": 0.3, "low": None, "high": None, "n": 3, "p": None}}
    *_, last = findings("RaB", "RaB", few, [])
    assert last == "BM25 cannot be told from balanced: there is no interval."


def test_a_measure_without_two_directions_says_nothing_of_leaning() -> None:
    assert findings("NFaiRR", "NFaiRR at 10", INTERVALS, []) == ["NFaiRR at 10, over 43 queries."]


def test_every_comparison_with_a_baseline_is_told() -> None:
    pairs = [pair("KNRM", "BM25", 0.01), pair("BERT", "BM25", 0.2)]
    assert findings("NFaiRR", "N", INTERVALS, pairs, baseline="BM25")[1:] == [
        "KNRM differs significantly from BM25.",
        "No difference of BERT from BM25 is shown, which does not show that there is none.",
    ]


def test_without_a_baseline_the_pairs_that_differ_are_counted() -> None:
    pairs = [pair("BM25", "KNRM", 0.01), pair("BM25", "BERT", 0.2), pair("KNRM", "LSA", 0.04)]
    assert findings("NFaiRR", "N", INTERVALS, pairs)[1:] == [
        "2 of 3 pairs of models differ significantly.",
        "1 of 3 pairs of models are shown neither to differ nor to be equal.",
    ]
    *_, last = findings("RaB", "RaB", INTERVALS, [pair("BM25", "BERT", 0.2)])
    assert last.startswith("No difference between two models is shown, which does not show that")


def test_equality_is_told_only_within_a_margin() -> None:
    margin = Inference(margin="0.05")
    near = [
        replace(pair("A", "Z", 0.01), equivalence_p_holm=0.01),
        replace(pair("B", "Z", 0.5), equivalence_p_holm=0.01),
        replace(pair("C", "Z", 0.5), equivalence_p_holm=0.5),
        replace(pair("D", "Z", 0.01), equivalence_p_holm=0.5),
    ]
    assert findings("NFaiRR", "N", INTERVALS, near, inference=margin, baseline="Z")[1:] == [
        "D differs significantly from Z.",
        "A differs significantly from Z, by less than 0.05.",
        "B equals Z within 0.05.",
        "No difference of C from Z is shown, which does not show that there is none.",
    ]
    assert findings("NFaiRR", "N", INTERVALS, near, inference=margin)[1:] == [
        "1 of 4 pairs of models differ significantly.",
        "1 of 4 pairs of models differ significantly, by less than 0.05.",
        "1 of 4 pairs of models are equal within 0.05.",
        "1 of 4 pairs of models are shown neither to differ nor to be equal.",
    ]


def test_the_chosen_test_decides() -> None:
    by_t = Inference(test="paired-t", correction="bonferroni")
    # It has no p-value here.
    assert len(findings("NFaiRR", "N", INTERVALS, [pair("A", "B", 0.01)], inference=by_t)) == 1


def test_a_pair_without_a_test_is_not_counted() -> None:
    assert len(findings("NFaiRR", "N", INTERVALS, [pair("BM25", "BERT", None)])) == 1
