"""Simulated workers: who they are and how they vote follows from the seed alone."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.overview.operations.simulation import crowd_of, given_answers, read_truth
from annotation.schemes import built_in_scheme, scheme_from_yaml
from metrics.errors import InputError
from tests.schemed import SCHEME

GENDER = built_in_scheme("gender")


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

    given = given_answers(crowd, worker, qid, GENDER, truth)
    assert given == {"gender": frozenset({truth})}


def test_errors_are_spread_over_the_other_categories() -> None:
    crowd = crowd_of(seed=7, n_workers=1, accuracy=0.0)
    (worker,) = crowd.error_rates
    given = [given_answers(crowd, worker, str(number), GENDER, "n") for number in range(300)]
    votes = [code for answer in given for code in answer["gender"]]

    assert {"f", "m", "o"} <= set(votes)
    assert votes.count("n") < 300 * (1 - crowd.error_rates[worker]) + 30


@pytest.mark.parametrize("lines", ["1,who, was he,m\n2,pasta,n\n", "1\tm\n2\tn\n"])
def test_the_truth_is_read_in_both_layouts(tmp_path: Path, lines: str) -> None:
    path = tmp_path / "truth"
    path.write_text(lines)

    assert read_truth(path, GENDER) == {"1": "m", "2": "n"}


def test_an_unknown_category_is_named_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "truth.tsv"
    path.write_text("1\tm\n2\tx\n")

    with pytest.raises(InputError, match=r"truth\.tsv:2: .*'x'"):
        read_truth(path, GENDER)


def test_the_truth_of_any_scheme_is_what_workers_without_errors_say(tmp_path: Path) -> None:
    path, scheme = tmp_path / "truth.tsv", scheme_from_yaml(SCHEME)
    path.write_text("1\tno\n2\tnamed=yes | groups=m;j\n")
    truth = read_truth(path, scheme)
    crowd = crowd_of(seed=7, n_workers=1, accuracy=1.0)
    (worker,) = crowd.error_rates

    assert given_answers(crowd, worker, "1", scheme, truth["1"])["named"] == frozenset({"no"})
    second = given_answers(crowd, worker, "2", scheme, truth["2"])
    assert set(second["named"]) == {"yes"}
    assert set(second["groups"]) == {"m", "j"}
    wrong = crowd_of(seed=7, n_workers=1, accuracy=0.0)
    (worker,) = wrong.error_rates
    sets = [given_answers(wrong, worker, str(n), scheme, truth["2"]) for n in range(300)]
    right = sum(set(one.get("groups", ())) == {"m", "j"} for one in sets)
    assert right < 300 * (1 - wrong.error_rates[worker]) + 30
