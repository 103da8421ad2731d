"""Verdicts by their truth table, and corrections over each family against statsmodels."""

from argparse import ArgumentParser
from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import ttest_rel
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.weightstats import ttost_paired

from metrics.api import compare
from metrics.cli.inference_arguments import add_inference_options, chosen_inference
from metrics.errors import InputError
from metrics.measures import PerQuery
from metrics.reports.families import Comparisons, comparisons_of
from metrics.reports.results import Results
from metrics.reports.tables.published import Published
from metrics.results.evaluation import Result
from metrics.statistics.inference import Inference, Verdict, verdict
from metrics.statistics.significance import compare_all
from metrics.vocabulary import CORRECTIONS, FAMILIES, PAIRED_TESTS, Family

RUNS = ("A", "B", "C")
VIEWS = [("RaB", "tf", 5), ("RaB", "tf", 10), ("NFaiRR", "", 10)]


@pytest.mark.parametrize(
    ("value", "p", "expected"),
    [
        (0.2, 0.049, Verdict.HIGHER),
        (-0.2, 0.049, Verdict.LOWER),
        (0.2, 0.05, Verdict.OPEN),
        (-0.2, 1.0, Verdict.OPEN),
        (0.0, 0.049, Verdict.OPEN),
        (0.0, 1.0, Verdict.OPEN),
        (0.2, None, Verdict.UNTESTED),
        (-0.2, None, Verdict.UNTESTED),
        (None, 0.049, Verdict.UNTESTED),
        (None, None, Verdict.UNTESTED),
    ],
)
def test_verdicts(value: float | None, p: float | None, expected: Verdict) -> None:
    assert verdict(value, p) is expected


@pytest.mark.parametrize(
    ("value", "p", "equivalence_p", "expected"),
    [
        (0.2, 0.049, 0.049, Verdict.SLIGHTLY_HIGHER),
        (-0.2, 0.049, 0.049, Verdict.SLIGHTLY_LOWER),
        (0.2, 0.049, 0.05, Verdict.HIGHER),
        (-0.2, 0.049, 0.05, Verdict.LOWER),
        (0.2, 0.05, 0.049, Verdict.EQUIVALENT),
        (-0.2, 1.0, 0.049, Verdict.EQUIVALENT),
        (0.0, 1.0, 0.049, Verdict.EQUIVALENT),
        (0.2, 0.05, 0.05, Verdict.OPEN),
        (0.0, 0.049, 1.0, Verdict.OPEN),
        (0.2, None, 0.049, Verdict.EQUIVALENT),
        (0.2, None, 0.05, Verdict.OPEN),
        (None, 0.049, 0.049, Verdict.UNTESTED),
    ],
)
def test_verdicts_beside_a_test_of_equivalence(
    value: float | None, p: float | None, equivalence_p: float, expected: Verdict
) -> None:
    assert verdict(value, p, equivalence_p) is expected


def equivalence_p(a: NDArray[np.float64], b: NDArray[np.float64], margin: float) -> float | None:
    [pair] = compare_all({"a": a, "b": b}, margin=margin)
    return pair.equivalence_p


def test_equivalence_is_that_of_two_one_sided_tests() -> None:
    a, b = np.random.default_rng(3).normal(size=(2, 50))
    for margin in (0.05, 0.3, 2.0):
        expected = max(
            ttest_rel(a + margin, b, alternative="greater").pvalue,
            ttest_rel(a - margin, b, alternative="less").pvalue,
        )
        assert equivalence_p(a, b, margin) == pytest.approx(expected)
        assert ttost_paired(a, b, -margin, margin)[0] == pytest.approx(expected)
    assert equivalence_p(a, a, 0.1) is None
    with pytest.raises(InputError):
        equivalence_p(a, b, 0)


def test_sizes_are_for_every_measure_or_by_name() -> None:
    named = Inference(margin="0.05, RaB=0.2, MRR=0.1")
    assert [named.margin_of(one) for one in ("RaB", "ARaB", "MRR(relevant=2)")] == [0.2, 0.05, 0.1]
    assert Inference(margin="RaB=0.2").margin_of("ARaB") is None
    assert Inference().detect_of("RaB") is None


@pytest.mark.parametrize("text", ["x", "0", "-1", "nan", "inf", "RaB=", "RaB=1,RaB=2", "=1,1"])
def test_a_size_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        Inference(margin=text)
    with pytest.raises(InputError):
        Inference(detect=text)


def test_a_size_of_a_measure_that_is_not_there_is_refused() -> None:
    with pytest.raises(InputError, match="MRR"):
        comparisons(Inference(margin="MRR=0.1"))


def test_only_a_margin_brings_a_test_of_equivalence() -> None:
    compared = comparisons(Inference(margin="RaB=0.5")).of_table(VIEWS)
    assert [pair.equivalence_p for pair in compared[VIEWS[2]]] == [None] * 3
    p_values = [pair.equivalence_p for pair in compared[VIEWS[0]]]
    assert [pair.equivalence_p_bonferroni for pair in compared[VIEWS[0]]] == pytest.approx(
        list(multipletests(p_values, method="bonferroni")[1])
    )


def values() -> dict[tuple[str, str, int], dict[str, np.ndarray]]:
    draw = np.random.default_rng(5)
    return {
        view: {run: draw.normal(0.15 * place, 1, 60) for place, run in enumerate(RUNS)}
        for view in VIEWS
    }


def comparisons(inference: Inference) -> Comparisons:
    results = [
        Result(run, *view, tuple(map(str, range(60))), PerQuery(array), 0)
        for view, arrays in values().items()
        for run, array in arrays.items()
    ]
    return comparisons_of(Results(results, {}), inference, 0)


def plain(views: Sequence[tuple[str, str, int]], field: str, baseline: str = "") -> list[float]:
    return [
        getattr(pair, field)
        for view in views
        for pair in compare_all(values()[view], baseline=baseline)
    ]


@pytest.mark.long
@pytest.mark.parametrize("correction", CORRECTIONS)
@pytest.mark.parametrize(
    ("test", "field"), [("randomization", "permutation_p"), ("paired-t", "t_p")]
)
@pytest.mark.parametrize("baseline", ["", "B"])
def test_each_family_is_corrected_as_statsmodels_does(
    correction: str, test: str, field: str, baseline: str
) -> None:
    shown = VIEWS[:2]

    def found(family: Family) -> list[float | None]:
        inference = Inference(test, correction, family)  # type: ignore[arg-type]
        compared = comparisons(inference).of_table(shown, baseline)
        return [getattr(pair, inference.p_name) for view in shown for pair in compared[view]]

    def expected(p_values: list[float]) -> list[float]:
        return list(multipletests(p_values, method=correction)[1])

    by_view = [p for view in shown for p in expected(plain([view], field, baseline))]
    assert found("measure+cutoff") == pytest.approx(by_view)
    assert found("table") == pytest.approx(expected(plain(shown, field, baseline)))
    everything = dict(
        zip(
            [(view, frozenset(pair)) for view in VIEWS for pair in ("AB", "AC", "BC")],
            expected(plain(VIEWS, field)),
            strict=True,
        )
    )
    pairs = ("AB", "CB") if baseline else ("AB", "AC", "BC")
    of_report = [everything[view, frozenset(pair)] for view in shown for pair in pairs]
    assert found("report") == pytest.approx(of_report)


def test_against_a_baseline_every_number_has_its_own_sign() -> None:
    view = VIEWS[0]
    swapped = comparisons(Inference()).of_table([view], "B")[view]
    expected = compare_all(values()[view], baseline="B")
    for one, other in zip(swapped, expected, strict=True):
        assert vars(one) == pytest.approx(vars(other))


def test_options_stand_above_the_terms_of_a_study_and_those_above_the_usual_ones() -> None:
    parser = ArgumentParser()
    add_inference_options(parser)
    study = Published("abolghasemi_2024_qs2").inference

    def chosen(*options: str, usual: Inference | None = None) -> Inference:
        return chosen_inference(vars(parser.parse_args(options)), usual)

    assert chosen() == Inference("randomization", "holm", "measure+cutoff")
    assert chosen(usual=study) == Inference("paired-t", "bonferroni", "measure+cutoff")
    by_holm = chosen("--correction", "holm", "--family", "table", usual=study)
    assert by_holm == Inference("paired-t", "holm", "table")


@pytest.mark.long
def test_a_data_frame_is_corrected_as_one_table_too() -> None:
    pandas = pytest.importorskip("pandas")
    rows = [
        dict(zip(("measure", "magnitude", "cutoff"), view, strict=True))
        | {"run": run, "qid": str(place), "value": value}
        for view, arrays in values().items()
        for run, array in arrays.items()
        for place, value in enumerate(array)
    ]
    found = compare(pandas.DataFrame(rows), family="table", margin=0.5)

    for p in ("t_p", "equivalence_p"):
        expected = multipletests(found[p], method="holm")[1]
        assert found[f"{p}_holm"].tolist() == pytest.approx(list(expected))
    alone = compare(pandas.DataFrame(rows))
    assert (alone["t_p_holm"] <= found["t_p_holm"]).all()


def test_tables_name_the_family() -> None:
    notes = {
        comparisons(Inference(*terms)).note(baseline)  # type: ignore[arg-type]
        for terms in (
            *((test, "holm", "table") for test in PAIRED_TESTS),
            *(("paired-t", correction, "table") for correction in CORRECTIONS),
            *(("paired-t", "holm", family) for family in FAMILIES),
        )
        for baseline in ("", "B")
    }
    # Two tests, two corrections, three families, one combination among them thrice; the family
    # of a whole report is the same with a baseline.
    assert len(notes) == 2 * 5 - 1
