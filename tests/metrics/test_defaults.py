"""Which magnitude and which grade a measure takes when nothing is said."""

import numpy as np
import pytest
from statsmodels.stats.multitest import multipletests

from metrics.results.evaluation import requests_of
from metrics.runs.qrels import lowest_relevant_grade
from metrics.statistics.correlations import correlation
from metrics.statistics.significance import compare_all


def test_each_measure_takes_its_own_magnitude_unless_one_is_named() -> None:
    requests = requests_of(["RaB", "AWRF", "NFaiRR"], cutoffs=[10], background="collection")
    assert [request.magnitude for request in requests] == ["tf", "tc", ""]
    named = requests_of(["RaB", "AWRF"], ["bool"], [10])
    assert [request.magnitude for request in named] == ["bool", "bool"]


@pytest.mark.parametrize(("grades", "lowest"), [((0, 1, 2, 3), 2), ((0, 1), 1), ((1, 2), 1)])
def test_the_lowest_relevant_grade_follows_the_judgements(
    grades: tuple[int, ...], lowest: int
) -> None:
    qrels = {"q": {str(place): grade for place, grade in enumerate(grades)}}
    assert lowest_relevant_grade(qrels) == lowest


@pytest.mark.long
def test_comparisons_with_a_baseline_are_a_family_of_their_own() -> None:
    rng = np.random.default_rng(1)
    shifts = {"A": 0.0, "B": 0.2, "C": 0.5, "D": 1.0}
    values = {name: rng.normal(size=40) + shift for name, shift in shifts.items()}
    pairs = compare_all(values, baseline="B")
    assert [(pair.first, pair.second) for pair in pairs] == [("A", "B"), ("C", "B"), ("D", "B")]
    p = [pair.t_p for pair in pairs]
    for method in ("bonferroni", "holm"):
        expected = multipletests(p, method=method)[1]
        corrected = [getattr(pair, f"t_p_{method}") for pair in pairs]
        assert corrected == pytest.approx(list(expected), abs=1e-12)


def test_a_correlation_has_its_p_value() -> None:
    found = correlation([1, 2, 3, 4, 5], [2, 1, 4, 3, 5])
    # Of the 120 orders of the second list 16 have |r| of .8 or more.
    assert found.pearson == pytest.approx(0.8)
    assert found.pearson_p == pytest.approx(16 / 120, abs=1e-12)
    assert correlation([1, 2], [1, 2]).kendall == 1
