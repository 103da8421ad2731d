"""Means over labelled queries: by hand, and by their coverage in studies that are made up."""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from measurements.interval_coverage import Design, labelled_coverage, labelled_study
from metrics.errors import InputError
from metrics.statistics.uncertain_labels import labelled_mean
from metrics.votes.table import Votes


def votes_of(table: Votes) -> NDArray[np.int32]:
    return np.stack([table.item, table.worker, table.answer], axis=1)


def test_the_mean_is_over_the_queries_of_the_majority() -> None:
    values = [1.0, 2.0, 4.0, np.nan]
    # A majority for 0, one for 1, a tie, and an undefined value.
    votes = [(0, 0, 0), (0, 1, 0), (0, 2, 1), (1, 0, 1), (2, 0, 0), (2, 1, 1), (3, 0, 0)]
    found = labelled_mean(values, votes, category=0)
    assert (found.value, found.n_queries, found.n_workers) == (1.0, 1, 3)
    assert (found.low, found.high, found.label_share) == (None, None, None)
    assert labelled_mean(values, votes, category=2).value is None


def test_labels_that_all_agree_on_cause_no_variance() -> None:
    values, table = labelled_study(Design(200, 40, 1.0), 1, n_votes=15)
    votes = votes_of(table)
    sure = np.column_stack([votes[:, :2], votes[:, 0] % 2])
    found = labelled_mean(values, sure, category=0)
    assert found.error == found.error_queries
    assert found.label_share == pytest.approx(0)
    assert found.low is not None
    assert found.value is not None
    assert found.error_queries is not None
    half = float(stats.t.ppf(0.975, found.n_queries - 1)) * found.error_queries
    assert found.value - found.low == pytest.approx(half)
    of_category = values[::2]
    error = of_category.std(ddof=1) / len(of_category) ** 0.5
    assert found.error_queries == pytest.approx(error, rel=0.1)


def test_worse_workers_cause_a_larger_share_of_the_variance() -> None:
    shares = []
    for accuracy in (0.98, 0.75):
        values, table = labelled_study(Design(300, 30, accuracy), 2)
        shares.append(labelled_mean(values, votes_of(table), category=0).label_share)
    assert shares[0] is not None
    assert shares[1] is not None
    assert shares[0] < shares[1]


def test_the_same_seed_gives_the_same_numbers() -> None:
    values, table = labelled_study(Design(100, 12, 0.8), 3)
    votes = votes_of(table)
    assert labelled_mean(values, votes, category=1) == labelled_mean(values, votes, category=1)


@pytest.mark.long
@pytest.mark.parametrize("method", ["majority", "Dawid-Skene"])
def test_the_interval_covers_what_other_workers_on_other_queries_give(method: str) -> None:
    found = labelled_coverage(method, Design(200, 20, 0.8), 100)
    assert found is not None
    carried, given, share, n = found
    assert n == 100
    assert given < 0.94 <= carried
    assert 0.2 < share < 0.6


@pytest.mark.parametrize(
    "votes",
    [[(0, 0)], [(0.5, 0, 0)], [(5, 0, 0)], [(0, -1, 0)]],
    ids=["two", "half", "query", "sign"],
)
def test_votes_that_are_none_are_refused(votes: list[tuple[float, ...]]) -> None:
    with pytest.raises(InputError):
        labelled_mean([1.0, 2.0], votes, category=0)
