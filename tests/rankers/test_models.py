"""Each model against its published formula, worked out here in plain Python."""

import math
from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest

from rankers.bm25 import BM25, BM25_PORTER, BM25_SNOWBALL, BM25L, BM25PLUS, stems
from rankers.cosine import CHAR_NGRAMS, TFIDF
from rankers.dirichlet import DIRICHLET, MU
from rankers.lsa import LSA, LSA_RANDOM
from rankers.ranker import NOT_RETRIEVED, Ranker
from rankers.registry import RANKERS
from rankers.text import words
from rankers.vocabulary import SEED

TEXTS = [
    "The nurse washed her hands, and the nurse slept",
    "A plumber mended the pipe while his nurse waited for a new pipe and for tea",
    "Tea and bread",
    "volcano ash volcano lava",
    "...",
]
QUERY = "nurse with a pipe, nurse with tea"
TOKENS = [words(text) for text in TEXTS]
N = len(TEXTS)
MEAN_LENGTH = sum(map(len, TOKENS)) / N


def df(word: str) -> int:
    return sum(word in tokens for tokens in TOKENS)


#: The part of one word in the score, from its count, its document frequency, and the length
#: of the passage over the mean.
Weight = Callable[[int, int, float], float]


def by_formula(weight: Weight) -> list[float]:
    """Sum over the query words that a passage has; -inf where it has none."""
    scores = []
    for tokens in TOKENS:
        shared = [word for word in words(QUERY) if word in tokens]
        length = len(tokens) / MEAN_LENGTH
        total = sum(weight(Counter(tokens)[word], df(word), length) for word in shared)
        scores.append(total if shared else NOT_RETRIEVED)
    return scores


def bm25(tf: int, df: int, length: float) -> float:
    """Robertson & Zaragoza with Lucene's idf, without the constant factor k1 + 1."""
    k1, b = 0.6, 0.8
    return math.log(1 + (N - df + 0.5) / (df + 0.5)) * tf / (tf + k1 * (1 - b + b * length))


def bm25l(tf: int, df: int, length: float) -> float:
    """Lv & Zhai, SIGIR 2011."""
    k1, b, delta = 1.5, 0.75, 0.5
    c = tf / (1 - b + b * length)
    return math.log((N + 1) / (df + 0.5)) * (k1 + 1) * (c + delta) / (k1 + c + delta)


def bm25plus(tf: int, df: int, length: float) -> float:
    """Lv & Zhai, CIKM 2011."""
    k1, b, delta = 1.5, 0.75, 1.0
    return math.log((N + 1) / df) * ((k1 + 1) * tf / (k1 * (1 - b + b * length) + tf) + delta)


@pytest.mark.parametrize(
    ("ranker", "formula"), [(BM25, bm25), (BM25L, bm25l), (BM25PLUS, bm25plus)]
)
def test_the_bm25_family_follows_its_papers(ranker: Ranker, formula: Weight) -> None:
    assert ranker.index(TEXTS, SEED)(QUERY) == pytest.approx(by_formula(formula), rel=1e-12)


def test_query_likelihood_is_the_log_probability_under_a_dirichlet_prior() -> None:
    collection = Counter(word for tokens in TOKENS for word in tokens)
    expected = []
    for tokens in TOKENS:
        counts = Counter(tokens)
        share = [collection[word] / collection.total() for word in words(QUERY)]
        terms = zip(words(QUERY), share, strict=True)
        value = sum(math.log((counts[w] + MU * p) / (len(tokens) + MU)) for w, p in terms)
        expected.append(value if set(words(QUERY)) & set(tokens) else NOT_RETRIEVED)
    assert DIRICHLET.index(TEXTS, SEED)(QUERY) == pytest.approx(expected, rel=1e-12)


def test_tfidf_is_the_cosine_of_weights_with_smoothed_idf() -> None:
    def vector(tokens: list[str]) -> dict[str, float]:
        return {
            word: count * (1 + math.log((1 + N) / (1 + df(word))))
            for word, count in Counter(tokens).items()
            if df(word)
        }

    def cosine(one: dict[str, float], other: dict[str, float]) -> float:
        dot = sum(one[word] * other[word] for word in one.keys() & other.keys())
        return dot / (math.hypot(*one.values()) * math.hypot(*other.values())) if dot else -math.inf

    expected = [cosine(vector(words(QUERY)), vector(tokens)) for tokens in TOKENS]
    assert TFIDF.index(TEXTS, SEED)(QUERY) == pytest.approx(expected, rel=1e-12)


def test_character_ngrams_meet_where_words_differ() -> None:
    assert TFIDF.index(TEXTS, SEED)("plumbing")[1] == NOT_RETRIEVED
    assert CHAR_NGRAMS.index(TEXTS, SEED)("plumbing").argmax() == 1


@pytest.mark.parametrize("ranker", [LSA, LSA_RANDOM], ids=lambda ranker: ranker.name)
def test_a_passage_that_is_the_query_has_cosine_1_in_a_dense_space(ranker: Ranker) -> None:
    scores = ranker.index(TEXTS, SEED)(TEXTS[3])
    assert scores[3] == pytest.approx(1)
    assert scores.argmax() == 3


@pytest.mark.long
def test_lsa_finds_a_passage_without_any_word_of_the_query() -> None:
    """ "doctor" and "surgeon" share company, not passages; with two dimensions they coincide."""
    texts = ["doctor hospital ward", "surgeon hospital ward", "lava volcano", "ash volcano"] * 60
    scores = LSA.index(texts + [f"filler{n} other{n}" for n in range(200)], SEED)("doctor")
    assert scores[1] > scores[2]


def test_the_seed_changes_only_models_that_draw_random_numbers() -> None:
    passages = [f"word{n} word{n * 7 % 11} word{n * 5 % 13} tea" for n in range(40)]
    for ranker in RANKERS.values():
        first, again, other = (ranker.index(passages, seed)("word3 tea") for seed in (1, 1, 2))
        assert np.array_equal(first, again)
        if ranker is not LSA:  # its draws start an iteration that ends nearly the same everywhere
            assert np.array_equal(first, other) is (ranker is not LSA_RANDOM), ranker.name


@pytest.mark.parametrize("ranker", RANKERS.values(), ids=lambda ranker: ranker.name)
@pytest.mark.parametrize("query", ["", "qxqxq", "🍞", "  "])
def test_a_query_without_a_known_word_retrieves_nothing(ranker: Ranker, query: str) -> None:
    assert (ranker.index(TEXTS, SEED)(query) == NOT_RETRIEVED).all()


def test_stop_words_leave_the_words_that_name_a_gender() -> None:
    assert words("The nurse and her son, with him") == ["nurse", "her", "son", "him"]


@pytest.mark.parametrize(
    ("algorithm", "found"),
    # snowballstem.org, the English stemmer: other than Porter's it keeps apart what begins with
    # "gener".
    [("porter", "gener gener gener happi"), ("english", "generous generat general happi")],
)
def test_snowball_keeps_words_apart_that_porter_does_not(algorithm: str, found: str) -> None:
    assert stems(algorithm)("the generous generate, in general happy") == found.split()


@pytest.mark.parametrize("ranker", [BM25_PORTER, BM25_SNOWBALL])
def test_stemmed_bm25_is_bm25_of_stems(ranker: Ranker) -> None:
    """Words that are their own stems on one side, inflected ones on the other."""
    inflected = ["nurses nursed", "the pipe, pipes", "volcanic rocks"]
    stemmed = ["nurs nurs", "pipe pipe", "volcan rock"]
    theirs, ours = BM25.index(stemmed, SEED), ranker.index(inflected, SEED)
    for query, stem in [("nurse", "nurs"), ("piping", "pipe"), ("rock", "rock")]:
        assert ours(query) == pytest.approx(theirs(stem))
