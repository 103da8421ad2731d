from typing import Any

from metrics.reports.findings import findings


def interval(low: float, high: float) -> dict[str, Any]:
    return {"value": (low + high) / 2, "low": low, "high": high, "n": 43}


def pair(first: str, second: str, p: float | None) -> dict[str, Any]:
    return {"first": first, "second": second, "permutation_p_holm": p}


INTERVALS = {
    "BM25": interval(-0.2, 0.1),
    "KNRM": interval(0.1, 0.3),
    "BERT": interval(0.2, 0.4),
    "LSA": interval(-0.4, -0.1),
}
PAIRS = [pair("BM25", "KNRM", 0.01), pair("BM25", "BERT", 0.2), pair("KNRM", "LSA", 0.04)]


def test_models_lean_where_their_interval_does_not_hold_zero() -> None:
    assert findings("RaB", "RaB (TF) at 10", INTERVALS, []) == [
        "RaB (TF) at 10, over 43 queries.",
        "KNRM and BERT lean towards male words.",
        "LSA leans towards female words.",
        "BM25 cannot be told from balanced: the 95 % interval holds 0.",
    ]


def test_a_measure_without_two_directions_says_nothing_of_leaning() -> None:
    assert findings("NFaiRR", "NFaiRR at 10", INTERVALS, []) == ["NFaiRR at 10, over 43 queries."]


def test_with_a_baseline_only_comparisons_with_it_are_told() -> None:
    *_, last = findings("RaB", "RaB", INTERVALS, PAIRS, "BM25")
    assert last == "KNRM differs significantly from BM25."
    *_, last = findings("RaB", "RaB", INTERVALS, PAIRS, "LSA")
    assert last == "KNRM differs significantly from LSA."


def test_without_a_baseline_the_pairs_that_differ_are_counted() -> None:
    *_, last = findings("RaB", "RaB", INTERVALS, PAIRS)
    assert last == "2 of 3 pairs of models differ significantly."
    *_, last = findings("RaB", "RaB", INTERVALS, [pair("BM25", "BERT", 0.2)])
    assert last == "No model differs significantly from another."


def test_a_pair_without_a_test_is_not_counted() -> None:
    assert len(findings("NFaiRR", "N", INTERVALS, [pair("BM25", "BERT", None)])) == 1
