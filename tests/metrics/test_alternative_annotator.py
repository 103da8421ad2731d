"""May a model stand in for an annotator? The published procedure on real and on small votes."""

import csv
from pathlib import Path

import pytest
from scipy.special import stdtr

from metrics.errors import InputError
from metrics.statistics.alternative_annotator import alternative_annotator_test

EIGHT = {"a": "nnmfnmno", "b": "nnmfnmmn", "c": "nmmfnnnn"}
MODEL = dict(enumerate("nnmfnmnn"))


def votes_of(annotators: dict[str, str]) -> list[tuple[int, str, str]]:
    return [(i, who, label) for who, labels in annotators.items() for i, label in enumerate(labels)]


@pytest.mark.parametrize(
    ("epsilon", "ps", "rate"),
    [
        (0, (0.175308, 0.175308, 0.085235), 0),
        (0.1, (0.057442, 0.057442, 0.034893), 0),
        (0.2, (0.017713, 0.017713, 0.014261), 1),
    ],
)
def test_three_annotators_of_eight_items(
    epsilon: float, ps: tuple[float, ...], rate: float
) -> None:
    test = alternative_annotator_test(votes_of(EIGHT), MODEL, epsilon=epsilon, least_items=1)
    assert [one.p for one in test.tests] == pytest.approx(ps, abs=1e-6)
    # Of the differences -1, 0, 0 ... and -1, -1, 0, 0 ...: mean, and its standard error.
    exact = [
        stdtr(7, (-1 / 8 - epsilon) / (1 / 8)),
        stdtr(7, (-1 / 8 - epsilon) / (1 / 8)),
        stdtr(7, (-1 / 4 - epsilon) / (3 / 14 / 8) ** 0.5),
    ]
    assert [one.p for one in test.tests] == pytest.approx(exact, abs=1e-12)
    assert (test.winning_rate, test.advantage) == (rate, 1)


def test_where_all_are_alike_the_model_passes_only_if_something_is_allowed() -> None:
    alike = votes_of(dict.fromkeys("abc", "nmfo"))
    model = dict(enumerate("nmfo"))
    assert alternative_annotator_test(alike, model, epsilon=0.1, least_items=1).may_stand_in
    assert not alternative_annotator_test(alike, model, epsilon=0, least_items=1).may_stand_in


def test_without_any_difference_and_allowance_p_is_undefined() -> None:
    alike = votes_of(dict.fromkeys("abc", "nmfo"))
    model = dict(enumerate("nmfo"))
    nothing = alternative_annotator_test(alike, model, epsilon=0, least_items=1)
    assert [str(one.p) for one in nothing.tests] == ["nan"] * 3
    assert [one.is_rejected for one in nothing.tests] == [False] * 3
    some = alternative_annotator_test(alike, model, epsilon=0.1, least_items=1)
    assert ([one.p for one in some.tests], some.winning_rate) == ([0] * 3, 1)


def test_nobody_to_compare_with_is_an_error() -> None:
    with pytest.raises(InputError):
        alternative_annotator_test(votes_of(EIGHT), MODEL)


@pytest.fixture(scope="module")
def dog4(shared_data: Path) -> tuple[list[tuple[str, str, str]], dict[str, str]]:
    folder = shared_data / "votes" / "dog4"
    with (folder / "votes.csv").open() as votes, (folder / "truth.csv").open() as truth:
        rows, answers = list(csv.DictReader(votes)), list(csv.DictReader(truth))
    task, worker, label = rows[0].keys()
    item, right = answers[0].keys()
    return (
        [(row[task], row[worker], row[label]) for row in rows],
        {row[item]: row[right] for row in answers},
    )


@pytest.mark.parametrize(
    ("epsilon", "rate"),
    [(0, 16 / 58), (0.05, 27 / 58), (0.1, 40 / 58), (0.15, 52 / 58), (0.2, 56 / 58)],
)
def test_the_truth_beside_workers_of_a_crowd(
    dog4: tuple[list[tuple[str, str, str]], dict[str, str]], epsilon: float, rate: float
) -> None:
    votes, truth = dog4
    test = alternative_annotator_test(votes, truth, epsilon=epsilon)
    assert test.winning_rate == pytest.approx(rate, abs=1e-12)
    assert test.advantage == pytest.approx(0.903277, abs=1e-6)
    assert (len(test.tests), test.skipped) == (58, 51)


def test_a_constant_and_a_spoiled_truth_beside_workers_of_a_crowd(
    dog4: tuple[list[tuple[str, str, str]], dict[str, str]],
) -> None:
    votes, truth = dog4
    constant = alternative_annotator_test(votes, dict.fromkeys(truth, "3"))
    assert (constant.winning_rate, constant.advantage) == pytest.approx((0, 0.380962), abs=1e-6)
    spoiled = dict(truth)
    for item in sorted(truth, key=lambda item: (len(item), item))[::5]:
        spoiled[item] = str((int(truth[item]) + 1) % 4)
    for epsilon, rate in ((0.1, 4 / 58), (0.2, 20 / 58)):
        test = alternative_annotator_test(votes, spoiled, epsilon=epsilon)
        assert test.winning_rate == pytest.approx(rate, abs=1e-12)
        assert test.advantage == pytest.approx(0.755785, abs=1e-6)
