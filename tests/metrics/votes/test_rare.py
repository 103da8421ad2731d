"""A rare category: its warning, and an interval that holds the true alpha."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from measurements.agreement_coverage import (
    DESIGNS,
    POPULATIONS,
    as_reported,
    by_bootstrap,
    coverage,
)
from metrics.votes.agreeing import agree
from metrics.votes.agreement import Agreement
from metrics.votes.intervals import IntervalMethod
from metrics.votes.patterns import Patterns
from metrics.votes.rare import n_showing, rare_interval
from metrics.votes.table import Votes


def study(
    *queries: str, labels: str = "nfmo", names: Mapping[str, str] | None = None, **options: Any
) -> Agreement:
    """Agreement on strings like "nnf": one query each, its votes by workers 0, 1, 2."""
    votes = [
        (number, place, label)
        for number, text in enumerate(queries)
        for place, label in enumerate(text)
    ]
    table = Votes.of(*zip(*votes, strict=True), options=list(labels), names=names or {})
    return agree(table, **{"interval": IntervalMethod.QUERIES, **options})


def test_unanimous_votes_on_two_queries_do_not_prove_agreement() -> None:
    found = study(*["nnn"] * 60, *["mmm"] * 60, "fff", "fff")
    rare = found.per_category_alpha["f"]
    assert rare.value == 1.0
    assert rare.low is not None
    assert rare.low < 0.7
    assert rare.high == 1.0
    assert found.specific_agreement["f"].value == 1.0
    assert found.specific_agreement["f"].low is None
    assert found.confusion["f"]["n"].low is None


def test_the_warning_names_rare_categories_and_no_others() -> None:
    found = study(*["nnn"] * 60, *["mmm"] * 60, "ffm", "fff", "nno")
    (words,) = [text for text in found.warnings if text.startswith("Rare")]
    assert "f (2 queries), o (1 queries)" in words
    assert found.specific_agreement["n"].low is not None
    assert not [text for text in study(*["nnn", "fff"] * 60).warnings if "Rare" in text]


@pytest.mark.parametrize("interval", IntervalMethod)
def test_warnings_call_categories_by_the_names_that_are_given(interval: IntervalMethod) -> None:
    votes = [*["nnn"] * 60, *["mmm"] * 60, "fff", "fff"]
    names = {"f": "women", "o": "others"}
    found = study(*votes, interval=interval, names=names)
    (rare,) = [text for text in found.warnings if text.startswith("Rare")]
    assert "women (2 queries)" in rare
    (unused,) = [text for text in found.warnings if text.startswith("Nobody")]
    assert "others" in unused
    assert set(found.categories) == set("nfmo")


@pytest.mark.parametrize("votes", ["ffn", "nnf"])
def test_a_category_that_all_but_a_few_queries_show_is_rare_from_the_other_side(
    votes: str,
) -> None:
    """With two categories the alpha of the one is that of the other, and so is the interval."""
    found = study(*["nnn"] * 200, *[votes] * 6, labels="nf")
    n, f = found.per_category_alpha["n"], found.per_category_alpha["f"]
    assert (n.low, n.high) == (f.low, f.high)
    assert n.low is not None
    assert n.value is not None
    assert n.low <= n.value


def test_only_queries_with_two_votes_are_counted() -> None:
    counts = np.array([[1, 0], [2, 1], [3, 0], [0, 1], [0, 2]])
    assert n_showing(Patterns.of(counts)).tolist() == [2, 2]


def test_any_number_of_votes_per_query() -> None:
    counts = np.array([[30, 0], [0, 1], [1, 0], [2, 0], [57, 3], [0, 12], *[[9, 0]] * 30])
    low, high = rare_interval(Patterns.of(counts), 1, level=0.95, resamples=200, seed=0)
    assert 0 <= low < high <= 1


def test_the_interval_holds_where_the_bootstrap_does_not() -> None:
    """60 of 100 studies are enough to see .2 against .95."""
    design = {"n_queries": 100, "n_votes": 3, "studies": 60}
    assert coverage("clear, no stray votes", 0.01, by_bootstrap, **design).held < 0.4
    assert coverage("clear, no stray votes", 0.01, as_reported, **design).held >= 0.93


@pytest.mark.soak
@pytest.mark.parametrize("share", [0.01, 0.02, 0.05, 0.1, 0.2])
@pytest.mark.parametrize("design", [*DESIGNS, (100, 10), (1_000, 3)])
@pytest.mark.parametrize("population", POPULATIONS)
def test_intervals_hold_the_true_alpha_in_93_of_100_studies(
    population: str, design: tuple[int, int], share: float
) -> None:
    n_queries, n_votes = design
    found = coverage(
        population, share, as_reported, n_queries=n_queries, n_votes=n_votes, studies=1_000
    )
    # Three standard errors below .93 are chance.
    assert found.held >= 0.93 - 3 * (0.93 * 0.07 / found.n) ** 0.5
