"""Odds of being cited, attribution bias, support and nuggets, all worked by hand."""

import numpy as np
import pytest

from metrics.answers.attribution import attribution_bias
from metrics.answers.judged import nuggets, support
from metrics.answers.odds import mantel_haenszel, rank_bins, strata_of
from metrics.errors import InputError

TABLES = [(30, 70, 12, 48), (18, 82, 9, 71), (6, 94, 4, 96)]


def test_the_common_odds_ratio_and_its_variance_are_those_worked_by_hand() -> None:
    odds = mantel_haenszel(TABLES)
    # (30*48/160 + 18*71/180 + 6*96/200) / (70*12/160 + 82*9/180 + 94*4/200)
    assert odds.value == pytest.approx(1.690116, abs=1e-6)
    assert odds.log_variance == pytest.approx(0.071098, abs=1e-6)
    assert (odds.low, odds.high) == pytest.approx((1.002191, 2.850245), abs=1e-6)
    crude = np.sum(TABLES, axis=0)
    assert crude[0] * crude[3] / (crude[1] * crude[2]) == pytest.approx(1.887805, abs=1e-6)


def test_with_clusters_the_interval_is_that_of_queries_drawn() -> None:
    odds = mantel_haenszel(np.tile(TABLES, (40, 1)), np.repeat(np.arange(40), 3))
    assert odds.value == pytest.approx(1.690116, abs=1e-6)
    # All queries are alike: between them nothing varies.
    assert (odds.low, odds.high) == pytest.approx((odds.value, odds.value))
    assert odds.n_clusters == 40


def test_strata_that_tell_nothing_have_no_odds() -> None:
    assert np.isnan(mantel_haenszel([(3, 0, 0, 0), (0, 0, 0, 0)]).value)
    with pytest.raises(InputError):
        mantel_haenszel([(-1, 2, 3, 4)])


def test_a_stratum_counts_the_documents_of_a_rank_bin() -> None:
    assert rank_bins(9).tolist() == [0, 1, 1, 2, 2, 2, 2, 3, 3]
    is_group = np.array([True, True, False, False])
    tables = strata_of(is_group, np.array([True, False, True, False]), np.array([0, 1, 1, 1]), 2)
    assert tables.tolist() == [[1, 0, 0, 0], [0, 1, 1, 1]]


def test_attribution_bias_and_sensitivity_are_those_worked_by_hand() -> None:
    relevant = {"1": {"0", "3"}, "2": {"1"}, "3": {"0"}}
    human = {"1": ["0", "3"], "2": ["1", "2"], "3": ["0"]}
    model = {"1": ["0"], "2": ["1"], "3": ["2"]}
    bias = attribution_bias(human, model, relevant)
    assert bias.bias_precision == pytest.approx(100 / 6)
    assert bias.sensitivity_precision == pytest.approx(50)
    assert (bias.bias_recall, bias.sensitivity_recall) == pytest.approx((50, 50))
    assert attribution_bias({"1": []}, {"1": ["0"]}, relevant).bias_precision == -100
    with pytest.raises(InputError):
        attribution_bias({}, model, relevant)


def test_support_and_nuggets_are_those_worked_by_hand() -> None:
    assert support([1, None, 0.5]) == support([0.5, 1, None])
    assert (support([1, None, 0.5]).precision, support([1, None, 0.5]).recall) == (0.75, 0.5)
    stated = nuggets([(True, 1), (True, 0.5), (False, 1), (False, 0)])
    assert (stated.strict_vital, stated.vital) == (0.5, 0.75)
    assert (stated.strict_all, stated.all) == (0.5, 0.625)
