"""Simulated workers: who they are and how they vote follows from the seed alone."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.overview.operations.simulation import chosen_category, crowd_of, read_truth
from metrics.errors import InputError


def test_error_rates_scatter_around_the_one_asked_for() -> None:
    rates = crowd_of(seed=7, n_workers=400, accuracy=0.9).error_rates.values()

    assert all(0.05 <= rate <= 0.15 for rate in rates)
    assert sum(rates) / 400 == pytest.approx(0.1, abs=0.005)
    assert len(set(rates)) > 390


def test_the_same_seed_makes_the_same_crowd_and_another_seed_another() -> None:
    assert crowd_of(seed=7, n_workers=5, accuracy=0.8) == crowd_of(
        seed=7, n_workers=5, accuracy=0.8
    )
    assert (
        crowd_of(seed=7, n_workers=5, accuracy=0.8).error_rates.keys()
        & crowd_of(seed=8, n_workers=5, accuracy=0.8).error_rates.keys()
    ) == set()


@given(st.text(), st.sampled_from("nfmo"))
def test_workers_without_errors_always_vote_the_truth(qid: str, truth: str) -> None:
    crowd = crowd_of(seed=7, n_workers=1, accuracy=1.0)
    (worker,) = crowd.error_rates

    assert chosen_category(crowd, worker, qid, truth) == truth


def test_errors_are_spread_over_the_other_categories() -> None:
    crowd = crowd_of(seed=7, n_workers=1, accuracy=0.0)
    (worker,) = crowd.error_rates
    votes = [chosen_category(crowd, worker, str(number), "n") for number in range(300)]

    assert {"f", "m", "o"} <= set(votes)
    assert votes.count("n") < 300 * (1 - crowd.error_rates[worker]) + 30


@pytest.mark.parametrize("lines", ["1,who, was he,m\n2,pasta,n\n", "1\tm\n2\tn\n"])
def test_the_truth_is_read_in_both_layouts(tmp_path: Path, lines: str) -> None:
    path = tmp_path / "truth"
    path.write_text(lines)

    assert read_truth(path) == {"1": "m", "2": "n"}


def test_an_unknown_category_is_named_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "truth.tsv"
    path.write_text("1\tm\n2\tx\n")

    with pytest.raises(InputError, match=r"truth\.tsv:2: .*'x'"):
        read_truth(path)
