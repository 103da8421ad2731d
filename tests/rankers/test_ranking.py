"""From scores to rankings: order, ties, depth, names."""

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.errors import InputError
from rankers.ranker import NOT_RETRIEVED, Ranker, Scorer
from rankers.registry import DEFAULT, RANKERS, rankers_named

COLLECTION = [
    ("d1", "a nurse on the ward"),
    ("d3", "a plumber and a pipe"),
    ("d10", "a nurse on the ward"),
    ("d2", "tea for the nurse and tea for the plumber"),
]


def ranker_of(score: Callable[[str], float]) -> Ranker:
    """A model that scores each passage by a function of its text, whatever the query."""

    def index(texts: Sequence[str], seed: int) -> Scorer:
        return lambda _query: np.array([score(text) for text in texts])

    return Ranker(name="X", title="", citation="", index=index)


def test_equal_scores_stand_by_docno_descending_as_text() -> None:
    [(_, ranking)] = ranker_of(lambda _: 1.0).rank(COLLECTION, [("q", "")], depth=10)
    assert [docno for docno, _ in ranking] == ["d3", "d2", "d10", "d1"]


def test_scores_that_are_written_alike_count_as_equal() -> None:
    tiny = ranker_of(lambda text: 1.0 + len(text) * 1e-9)
    [(_, ranking)] = tiny.rank(COLLECTION, [("q", "")], depth=10)
    assert [docno for docno, _ in ranking] == ["d3", "d2", "d10", "d1"]
    assert {score for _, score in ranking} == {1.0}


def test_a_passage_that_is_not_retrieved_is_left_out() -> None:
    only_tea = ranker_of(lambda text: 1.0 if "tea" in text else NOT_RETRIEVED)
    assert list(only_tea.rank(COLLECTION, [("q", "")], depth=10)) == [("q", [("d2", 1.0)])]


@pytest.mark.long
@pytest.mark.parametrize("ranker", RANKERS.values(), ids=lambda ranker: ranker.name)
@given(order=st.permutations(COLLECTION), depth=st.integers(1, 6))
def test_a_ranking_does_not_depend_on_the_order_of_the_collection(
    ranker: Ranker, order: list[tuple[str, str]], depth: int
) -> None:
    queries = [("1", "nurse"), ("2", "tea for a plumber"), ("3", "nothing here")]
    assert list(ranker.rank(order, queries, depth)) == [
        (qid, ranking[:depth]) for qid, ranking in ranker.rank(COLLECTION, queries, 10)
    ]


def test_seven_models_are_the_default_and_bm25_is_first() -> None:
    assert len(DEFAULT) == 7
    assert DEFAULT[0].name == "BM25"


@pytest.mark.parametrize("ranker", RANKERS.values(), ids=lambda ranker: ranker.name)
def test_every_model_says_what_it_is_and_where_it_is_defined(ranker: Ranker) -> None:
    assert ranker.title
    assert ranker.citation[-4:].isdigit()


def test_rankers_are_named_in_any_letter_case_and_keep_the_order_asked_for() -> None:
    assert [ranker.name for ranker in rankers_named(["lsa", " Bm25"])] == ["LSA", "BM25"]


@pytest.mark.parametrize("names", [["BERT"], [""], ["lsa", "LSA"]])
def test_an_unknown_or_repeated_ranker_is_an_error_with_a_remedy(names: list[str]) -> None:
    with pytest.raises(InputError) as raised:
        rankers_named(names)
    assert raised.value.remedy
