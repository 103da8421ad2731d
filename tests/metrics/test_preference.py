"""Which wording a model prefers, by hand: Table 3 of Sundararaman & Subramanian 2022."""

from math import isnan

import pytest

from metrics.results.preference import Wordings, preference, wording_preference
from metrics.runs import Run

DOCUMENTS = [Wordings(f"q{i}", {"M": f"m{i}", "F": f"f{i}", "N": f"n{i}"}) for i in range(1, 7)]


def test_ties_and_queries_that_are_not_retrieved_leave_the_denominator() -> None:
    run = Run.from_dict(
        {
            "q1": {"m1": 3.0, "f1": 2.0, "n1": 1.0},  # male
            "q2": {"f2": 3.0, "n2": 1.0},  # female: the male wording is not retrieved
            "q3": {"m3": 2.0, "f3": 2.0, "n3": 1.0},  # male and female are equal: discarded
            "q4": {"m4": 1.0, "f4": 1.0, "n4": 2.0},  # neutral stands highest
            "q5": {"other": 9.0},  # nothing retrieved; so for q6, which the run lacks
        },
        "A",
    )
    found = wording_preference(run, DOCUMENTS)
    fractions = (found.male, found.female, found.neutral)
    assert fractions == pytest.approx((1 / 3, 1 / 3, 1 / 3))
    assert (found.n, found.n_tied, found.n_not_retrieved) == (3, 1, 2)
    assert found.bias == 0


def test_a_wording_below_the_depth_is_not_retrieved() -> None:
    run = Run.from_dict({"q1": {"n1": 3.0, "f1": 2.0, "m1": 1.0}}, "A")
    assert wording_preference(run, DOCUMENTS[:1], depth=1).neutral == 1
    below = Run.from_dict({"q1": {"x": 3.0, "f1": 2.0}}, "A")
    assert wording_preference(below, DOCUMENTS[:1], depth=1).n_not_retrieved == 1


def test_where_nothing_is_left_nothing_is_preferred() -> None:
    found = preference([{}, {"M": 1.0, "F": 1.0}])
    assert isnan(found.male)
    assert (found.n, found.n_tied, found.n_not_retrieved) == (0, 1, 1)
