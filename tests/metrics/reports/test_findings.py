from dataclasses import replace
from typing import Any

import pytest

from metrics.reports.findings import findings, headline
from metrics.reports.formats.display_names import common_beginning
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
        "Towards male words: KNRM +0.200, BERT +0.300.",
        "Towards female words: LSA \u22120.250.",
        "No lean shown, which does not prove balance: BM25 \u22120.050.",
    ]


def test_leanings_are_corrected_over_the_models() -> None:
    three = {name: interval(0.1, 0.02) for name in ("A", "B", "C")}
    # Three times .02 is .06: a picture of the intervals shows them off 0, and the words say why.
    assert findings("RaB", "R", three, [])[1] == (
        "No lean shown once the tests of 3 models are corrected together, though the interval "
        "alone excludes 0: A +0.100, B +0.100, C +0.100."
    )
    alone = {"A": interval(0.1, 0.02)}
    assert findings("RaB", "R", alone, [])[1] == "Towards male words: A +0.100."


def test_one_query_is_one() -> None:
    assert findings("NFaiRR", "N", {"A": {"value": 0.1, "n": 1, "p": None}}, []) == [
        "N, over 1 query."
    ]


def test_what_has_no_interval_leans_nowhere() -> None:
    few = {"BM25": {"value": 0.3, "low": None, "high": None, "n": 3, "p": None}}
    *_, last = findings("RaB", "RaB", few, [])
    assert last == "Lean not tested, as no interval can be given: BM25 +0.300."


def test_a_measure_without_two_directions_says_nothing_of_leaning() -> None:
    assert findings("NFaiRR", "NFaiRR at 10", INTERVALS, []) == ["NFaiRR at 10, over 43 queries."]


def test_every_comparison_with_a_baseline_is_told() -> None:
    pairs = [pair("KNRM", "BM25", 0.01), pair("BERT", "BM25", 0.2)]
    assert findings("NFaiRR", "N", INTERVALS, pairs, baseline="BM25")[1:] == [
        "Significantly different from BM25: KNRM +0.100.",
        "No difference from BM25 shown, which does not prove that there is none: BERT +0.100.",
    ]


def test_without_a_baseline_the_pairs_that_differ_are_counted() -> None:
    pairs = [pair("BM25", "KNRM", 0.01), pair("BM25", "BERT", 0.2), pair("KNRM", "LSA", 0.04)]
    assert findings("NFaiRR", "N", INTERVALS, pairs)[1:] == [
        "2 of 3 pairs of models differ significantly.",
        "1 of 3 pairs of models are shown neither to differ nor to be equal.",
    ]
    *_, last = findings("RaB", "RaB", INTERVALS, [pair("BM25", "BERT", 0.2)])
    assert last.startswith("No difference between two models is shown, which does not prove that")


def test_equality_is_told_only_within_a_margin() -> None:
    margin = Inference(margin="0.05")
    near = [
        replace(pair("A", "Z", 0.01), equivalence_p_holm=0.01),
        replace(pair("B", "Z", 0.5), equivalence_p_holm=0.01),
        replace(pair("C", "Z", 0.5), equivalence_p_holm=0.5),
        replace(pair("D", "Z", 0.01), equivalence_p_holm=0.5),
    ]
    assert findings("NFaiRR", "N", INTERVALS, near, inference=margin, baseline="Z")[1:] == [
        "Significantly different from Z: D +0.100.",
        "Significantly different from Z, by less than 0.05: A +0.100.",
        "Equal to Z within 0.05: B +0.100.",
        "No difference from Z shown, which does not prove that there is none: C +0.100.",
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


def test_intervals_stand_in_brackets_behind_means_and_differences() -> None:
    means = {
        "A": {"value": 0.1104, "low": 0.01, "high": 0.2, "n": 43, "p": 0.001},
        "B": {"value": 0.3, "low": 0.2, "high": 0.4, "n": 43, "p": 0.001},
    }
    apart = replace(pair("A", "B", 0.01), difference=-0.1896, low=-0.3, high=-0.05)
    assert findings("RaB", "R", means, [apart], baseline="B")[1:] == [
        "Towards male words: A +0.110 [+0.010, +0.200]; B +0.300 [+0.200, +0.400].",
        "Significantly different from B: A \u22120.190 [\u22120.300, \u22120.050].",
    ]
    equal = replace(apart, permutation_p_holm=0.5)
    [_over, said] = findings("NFaiRR", "N", means, [equal], baseline="B")
    assert said.startswith("No difference from B shown, which does not prove that there is none")
    assert said.endswith(": A \u22120.190 [\u22120.300, \u22120.050].")


@pytest.mark.parametrize(
    ("names", "beginning"),
    [
        (["dl20.BM25", "dl20.bm25_rm3", "dl20.BERT"], "dl20."),
        (["dl20.BM25", "dl20.BM25_RM3"], "dl20."),
        (["dl20-a-x", "dl20-a-y"], "dl20-a-"),
        (["BM25", "BERT"], ""),
        (["run_1"], ""),
        (["a.one", "a.two"], ""),
        ([], ""),
    ],
)
def test_runs_are_named_without_what_all_of_them_begin_with(
    names: list[str], beginning: str
) -> None:
    assert common_beginning(names) == beginning


def test_one_sentence_counts_what_the_findings_list() -> None:
    assert headline("RaB", "RaB (TF) at 10", INTERVALS, []) == (
        "RaB (TF) at 10, over 43 queries: of 4 models, 2 lean towards male words and 1 towards "
        "female words."
    )
    assert headline("NFaiRR", "N", INTERVALS, []) == "N, over 43 queries."
    balanced = {"A": interval(0.1, 0.3), "B": interval(-0.1, 0.4)}
    pairs = [pair("A", "Z", 0.01), pair("B", "Z", 0.2)]
    assert headline("RaB", "R", balanced, pairs, baseline="Z") == (
        "R, over 43 queries: no lean is shown, which does not prove balance; 1 of 2 differs "
        "significantly from Z."
    )
    assert headline("NFaiRR", "N", INTERVALS, [*pairs, pair("A", "C", 0.9)]).endswith(
        ": 1 of 3 pairs differs significantly."
    )
    alone = headline("NFaiRR", "N", INTERVALS, pairs[1:])
    assert alone == "N, over 43 queries: none of 1 pair differs significantly."
