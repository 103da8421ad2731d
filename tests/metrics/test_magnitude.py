import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.errors import InputError
from metrics.texts.lexicon import Lexicon, read_lexicon
from metrics.texts.magnitude import (
    LOG_TABLE_SIZE,
    log1p_count,
    log_table,
    magnitude,
    score_texts,
    unmatchable_words,
)
from metrics.texts.tokens import tokenize
from metrics.vocabulary import TOKENIZERS, Tokenizer

BUILT_IN = read_lexicon()
words = st.sampled_from(["he", "He's", "her,", "SHE", "king", "mother", "", "é", "and"])
passages = st.lists(words, max_size=30).map(" ".join) | st.text()


def test_a_passage_worked_out_by_hand() -> None:
    scores = score_texts(["He said that he saw her mother and his Mother."], BUILT_IN)

    assert scores.n_tokens.tolist() == [10]
    # he twice, his once; her once, mother twice.
    assert scores.tc["m"].tolist() == [3]
    assert scores.tc["f"].tolist() == [3]
    assert scores.tf["m"][0] == pytest.approx(math.log(3) + math.log(2), abs=1e-15)
    assert scores.tf["f"][0] == pytest.approx(math.log(2) + math.log(3), abs=1e-15)


def test_with_single_spaces_punctuation_stays_with_the_word() -> None:
    scores = score_texts(["He, he. she's  his"], BUILT_IN, "whitespace")

    assert scores.n_tokens.tolist() == [4]
    assert scores.tc["m"].tolist() == [1]
    assert scores.tc["f"].tolist() == [0]


def test_an_empty_passage_has_magnitude_zero_everywhere() -> None:
    scores = score_texts([""], BUILT_IN)

    for name in ("tf", "logtc", "bool", "tc", "tfnorm"):
        assert magnitude(name, scores.n_tokens, scores.tc["f"], scores.tf["f"]).tolist() == [0.0]


def test_no_passages_give_empty_arrays_of_the_documented_types() -> None:
    scores = score_texts([], BUILT_IN)

    assert scores.n_tokens.dtype == scores.tc["f"].dtype == np.int32
    assert scores.tf["m"].dtype == np.float64
    assert scores.tf["m"].shape == (0,)


@given(st.lists(passages, max_size=5), st.sampled_from(TOKENIZERS))
def test_every_magnitude_is_what_its_formula_says(texts: list[str], tokenizer: Tokenizer) -> None:
    scores = score_texts(texts, BUILT_IN, tokenizer)

    for group, of_group in zip(BUILT_IN.groups, BUILT_IN.words, strict=True):
        values = {
            name: magnitude(name, scores.n_tokens, scores.tc[group], scores.tf[group])
            for name in ("tf", "logtc", "bool", "tc", "tfnorm")
        }
        for i, text in enumerate(texts):
            tokens = tokenize(text, tokenizer)
            counts = [tokens.count(word) for word in of_group]
            total = sum(counts)
            assert values["tf"][i] == pytest.approx(sum(math.log(1 + c) for c in counts))
            assert values["logtc"][i] == pytest.approx(math.log(1 + total))
            assert values["bool"][i] == float(total > 0)
            assert values["tc"][i] == total
            assert values["tfnorm"][i] == pytest.approx(total / len(tokens) if tokens else 0)


@given(st.permutations(["he", "he", "him", "son", "son", "son", "his", "she", "her", "lady"]))
def test_the_order_of_the_words_does_not_change_a_bit(order: list[str]) -> None:
    reference = score_texts(["he he him son son son his she her lady"], BUILT_IN)
    scores = score_texts([" ".join(order)], BUILT_IN)

    assert scores.tf["m"].tobytes() == reference.tf["m"].tobytes()
    assert scores.tf["f"].tobytes() == reference.tf["f"].tobytes()


def test_logarithms_are_the_nearest_doubles() -> None:
    assert len(log_table()) == LOG_TABLE_SIZE
    assert log_table()[[0, 1]].tolist() == [0.0, math.log(2)]
    assert np.allclose(log_table(), np.log1p(np.arange(LOG_TABLE_SIZE)), rtol=3e-16, atol=0)
    assert log1p_count(10**9) == pytest.approx(math.log(10**9 + 1), rel=3e-16)


def test_words_that_the_tokenizer_never_makes_are_found() -> None:
    lexicon = Lexicon("w", ("f", "m"), (("step-mother", "she"), ("he's", "he")))

    assert unmatchable_words(lexicon, "word") == ["step-mother", "he's"]
    assert unmatchable_words(lexicon, "whitespace") == []


def test_an_unknown_magnitude_is_an_error_that_lists_the_known_ones() -> None:
    scores = score_texts(["he"], BUILT_IN)

    with pytest.raises(InputError, match="tf, logtc, bool, tc, tfnorm"):
        magnitude("log", scores.n_tokens, scores.tc["f"], scores.tf["f"])
