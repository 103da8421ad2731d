import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from metrics.errors import InputError
from pooling.pool import Pool, pool_of, ties_in_words
from pooling.rankings import RankedList, ranked_lists


def lists_of(run: str, biases: dict[str, float]) -> list[RankedList]:
    return list(ranked_lists(run, tuple(biases), by_group(biases)))


def by_group(biases: dict[str, float]) -> dict[str, NDArray[np.float64]]:
    return dict.fromkeys(("f", "m"), np.array(list(biases.values())))


def test_each_run_has_a_list_per_direction() -> None:
    female, male = lists_of("A", {"1": 0.5, "2": -0.5, "3": 0.0})
    assert (female.name, female.qids, female.bias.tolist()) == (
        "A:f",
        ("2", "3", "1"),
        [-0.5, 0.0, 0.5],
    )
    assert (male.name, male.qids) == ("A:m", ("1", "3", "2"))


def test_equal_biases_stand_by_query_id_as_text() -> None:
    female, male = lists_of("A", {"9": 0.0, "10": -0.0, "1": 0.0})
    assert female.qids == male.qids == ("1", "10", "9")


def test_a_query_without_a_bias_is_in_no_list() -> None:
    female, male = lists_of("A", {"1": np.nan, "2": 0.0})
    assert female.qids == male.qids == ("2",)


def example() -> Pool:
    first = lists_of("B", {"1": -2.0, "2": -1.0, "3": 0.0, "4": 1.0})
    second = lists_of("A", {"1": -2.0, "2": 3.0, "3": 0.0, "4": 0.0})
    return pool_of([*first, *second], 1)


def test_the_pool_remembers_the_places_of_its_queries() -> None:
    pool = example()
    places = {query.qid: "|".join(map(str, query.places)) for query in pool.queries}
    assert places == {"1": "A:f:1|B:f:1", "2": "A:m:1", "4": "B:m:1"}
    assert pool_of(lists_of("A", {"1": 0.0, "2": 0.0}), 2).queries[1].best_rank == 2


def test_the_summary_counts() -> None:
    assert example().summary() == {
        "n_runs": 2,
        "n_lists": 4,
        "cutoff": 1,
        "n_pooled": 3,
        "list_sizes": {"A:f": 1, "A:m": 1, "B:f": 1, "B:m": 1},
        "unique_to_run": {"A": 1, "B": 1},
        "overlap": {
            "A:f": {"A:m": 0, "B:f": 1, "B:m": 0},
            "A:m": {"B:f": 0, "B:m": 0},
            "B:f": {"B:m": 0},
        },
        "n_zero_bias": 0,
        "n_tied_at_cut": 0,
        "n_tied_zeros": 0,
    }


def test_entries_without_bias_are_counted_per_list() -> None:
    assert pool_of(lists_of("A", {"1": 0.0, "2": 1.0}), 2).n_zero_bias == 2


def test_places_that_only_ids_decide_are_counted_at_the_cut() -> None:
    """By hand: of four queries without bias each list takes one or two, and leaves others out."""
    biases = {"1": 0.0, "2": 0.0, "3": 0.0, "4": 0.0, "5": 1.0, "6": 1.0}
    for first in (None, 3):
        lists = ranked_lists("A", tuple(biases), by_group(biases), first)
        pool = pool_of(lists, 3)
        # f: 1 2 3, 4 is left out; m: 5 6 1, and 2 is left out.
        assert (pool.n_zero_bias, pool.n_tied_at_cut, pool.n_tied_zeros) == (4, 4, 4)
        assert "4 of 6" in ties_in_words(pool.summary())
    assert pool_of(lists_of("A", biases), 1).n_tied_at_cut == 2
    assert pool_of(lists_of("A", biases), 1).n_tied_zeros == 1
    whole = pool_of(lists_of("A", biases), 6)
    assert (whole.n_tied_at_cut, ties_in_words(whole.summary())) == (0, "")


def test_a_cutoff_of_0_is_an_error() -> None:
    with pytest.raises(InputError, match=r"\b0\b"):
        pool_of([], 0)


BIASES = st.dictionaries(
    st.text("0123456789aé", min_size=1, max_size=3),
    st.sampled_from([0.0, -0.0, 0.5, -0.5, 1.0, -1.0]),
    min_size=1,
    max_size=20,
)


@pytest.mark.long
@given(st.lists(BIASES, min_size=1, max_size=4), st.integers(1, 8), st.data())
def test_the_pool_does_not_depend_on_the_order_of_runs_and_queries(
    runs: list[dict[str, float]], cutoff: int, data: st.DataObject
) -> None:
    straight = pool_of(
        [ranked for i, biases in enumerate(runs) for ranked in lists_of(f"R{i}", biases)], cutoff
    )
    shuffled = []
    for i, biases in enumerate(runs):
        items = data.draw(st.permutations(list(biases.items())))
        shuffled += lists_of(f"R{i}", dict(items))
    assert pool_of(data.draw(st.permutations(shuffled)), cutoff) == straight
    assert list(pool_of(shuffled, cutoff).lists) == list(straight.lists)


@given(BIASES, st.integers(1, 8))
def test_swapping_the_genders_swaps_the_lists(biases: dict[str, float], cutoff: int) -> None:
    female, male = lists_of("A", biases)
    other_female, other_male = lists_of("A", {qid: -bias for qid, bias in biases.items()})
    assert (female.qids[:cutoff], male.qids[:cutoff]) == (
        other_male.qids[:cutoff],
        other_female.qids[:cutoff],
    )
