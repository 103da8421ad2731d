"""RaB and ARaB against rational arithmetic, and the one rule for order, sign and ties."""

import random
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.measures import arab, rab
from metrics.reports.explanation.explain import running_values
from metrics.statistics.correlations import correlation
from metrics.statistics.ordering import comparable
from metrics.texts.lexicon import read_lexicon
from metrics.texts.magnitude import COUNTS, magnitude, score_texts, whole_numbers
from pooling.pool import pool_of
from pooling.rankings import ranked_lists

COUNT = st.integers(0, 40)
LISTS = st.lists(st.tuples(COUNT, COUNT), min_size=1, max_size=45)
WORDS = st.lists(
    st.sampled_from(["she", "her", "woman", "girl", "he", "him", "man", "boy", "tree"]),
    max_size=30,
)


def exact_curve(documents: list[tuple[int, int]], cutoff: int) -> list[Fraction]:
    """RaB at each rank as a fraction."""
    total, curve = 0, []
    for rank, (female, male) in enumerate(documents[:cutoff], start=1):
        total += male - female
        curve.append(Fraction(total, rank))
    return curve


def exact_rab(documents: list[tuple[int, int]], cutoff: int) -> Fraction:
    return exact_curve(documents, cutoff)[-1]


def exact_arab(documents: list[tuple[int, int]], cutoff: int) -> Fraction:
    curve = exact_curve(documents, cutoff)
    return sum(curve, Fraction(0)) / len(curve)


@given(LISTS, st.integers(1, 60))
def test_of_counts_both_are_the_double_nearest_to_the_exact_value(
    documents: list[tuple[int, int]], cutoff: int
) -> None:
    female, male = (list(side) for side in zip(*documents, strict=True))
    assert float(rab(female, male, cutoff)) == float(exact_rab(documents, cutoff))
    assert float(arab(female, male, cutoff)) == float(exact_arab(documents, cutoff))


@given(
    st.lists(LISTS, min_size=1, max_size=12), st.integers(1, 12), st.integers(1, 8), st.booleans()
)
def test_the_pool_is_the_exact_one(
    queries: list[list[tuple[int, int]]], cutoff: int, first: int, as_bool: bool
) -> None:
    if as_bool:
        queries = [[(min(f, 1), min(m, 1)) for f, m in documents] for documents in queries]
    qids = [str(number) for number in range(len(queries))]
    exact = {
        qid: exact_rab(documents, cutoff) for qid, documents in zip(qids, queries, strict=True)
    }
    bias = np.array(
        [
            float(rab([f for f, _ in documents], [m for _, m in documents], cutoff))
            for documents in queries
        ]
    )
    pool = pool_of(
        ranked_lists("A", qids, dict.fromkeys("fm", comparable(bias, exact=True))), first
    )
    assert pool.lists == {
        "A:f": tuple(sorted(qids, key=lambda qid: (exact[qid], qid))[:first]),
        "A:m": tuple(sorted(qids, key=lambda qid: (-exact[qid], qid))[:first]),
    }


@given(st.lists(WORDS, min_size=1, max_size=12), st.sampled_from(sorted(COUNTS | {"tf", "logtc"})))
def test_swapping_the_groups_negates_bit_for_bit(texts: list[list[str]], name: str) -> None:
    scores = score_texts([" ".join(words) for words in texts], read_lexicon())
    values = {
        group: whole_numbers(
            name, magnitude(name, scores.n_tokens, scores.tc[group], scores.tf[group])
        )
        for group in ("f", "m")
    }
    for measure in (rab, arab):
        straight = float(measure(values["f"], values["m"], 10))
        swapped = float(measure(values["m"], values["f"], 10))
        assert straight == -swapped
        assert not np.signbit(straight) or straight < 0


@given(WORDS, st.randoms(use_true_random=False))
def test_the_magnitudes_of_mirrored_words_are_equal(
    words: list[str], shuffle: random.Random
) -> None:
    mirror = dict(zip(["she", "her", "woman", "girl"], ["boy", "man", "him", "he"], strict=True))
    female = [word for word in words if word in mirror]
    male = [mirror[word] for word in female]
    both = female + male
    shuffle.shuffle(both)
    scores = score_texts([" ".join(both)], read_lexicon())
    assert scores.tf["f"][0] == scores.tf["m"][0]


@pytest.mark.long
@given(LISTS, st.randoms(use_true_random=False))
def test_swapping_documents_of_equal_text_changes_nothing(
    documents: list[tuple[int, int]], shuffle: random.Random
) -> None:
    words = [["she"] * f + ["he", "man"] * m for f, m in documents[:12]]
    texts = [" ".join(text) for text in words]
    for text in words:
        shuffle.shuffle(text)
    permuted = [" ".join(text) for text in words]
    lexicon = read_lexicon()
    present = np.ones(len(texts), dtype=bool)
    curves = []
    for version in (texts, permuted):
        scores = score_texts(version, lexicon)
        curves.append(running_values(scores, scores.tf, present))
    assert curves[0] == curves[1]


def test_equal_is_transitive_where_a_tolerance_is_not() -> None:
    values = np.array([0.0, 0.9e-12, 1.8e-12])
    ranks = comparable(values)
    assert ranks.tolist() == [0.0, 1e-12, 2e-12]
    assert comparable([0.09999999999999998, 0.1]).tolist() == [0.1, 0.1]


def test_values_that_differ_in_the_last_bit_are_ties_of_a_correlation() -> None:
    noisy = [0.1 + 0.2, 0.3, 0.5, 0.7]
    clean = [0.3, 0.3, 0.5, 0.7]
    assert correlation(noisy, [1, 2, 3, 4]) == correlation(clean, [1, 2, 3, 4])
