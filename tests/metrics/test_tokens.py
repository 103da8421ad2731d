import re
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.errors import InputError
from metrics.texts.tokens import tokenize
from metrics.vocabulary import Tokenizer


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("She's here, HE said.", ["she", "here", "he", "said"]),
        ("She’s rock'n'roll", ["she", "rock"]),
        ("'she' he' ’him", ["she", "he", "him"]),
        ("step-mother mother_in_law", ["step", "mother", "mother_in_law"]),
        ("1st 2 ½ ²", ["1st", "2", "½", "²"]),
        # "İ".lower() is "i" and a combining dot, which is not a word character.
        ("İstanbul", ["i", "stanbul"]),
        ("KELVIN \u212aelvin hi\u017f", ["kelvin", "kelvin", "hi\u017f"]),
        ("he\u0301 hé", ["he", "hé"]),
        ("he\u0085she\x0bhim\rher", ["he", "she", "him", "her"]),
        ("彼女 she", ["彼女", "she"]),
        ("", []),
        ("... --- '’", []),
    ],
)
def test_word_tokens(text: str, tokens: list[str]) -> None:
    assert tokenize(text, "word") == tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("She's here, HE said.", ["she's", "here,", "he", "said."]),
        ("  two  spaces ", ["two", "spaces"]),
        ("he\tshe\u00a0him\u0085her\nhis", ["he\tshe\u00a0him\u0085her\nhis"]),
        ("İ", ["i̇"]),
        ("", []),
        ("   ", []),
    ],
)
def test_whitespace_tokens_stand_between_single_spaces(text: str, tokens: list[str]) -> None:
    assert tokenize(text, "whitespace") == tokens


@given(st.text())
def test_word_tokens_hold_word_characters_only_and_no_apostrophe(text: str) -> None:
    assert all(re.fullmatch(r"\w+", token) for token in tokenize(text, "word"))


@given(st.text())
def test_whitespace_tokens_joined_give_the_text_without_its_spaces(text: str) -> None:
    assert "".join(tokenize(text, "whitespace")) == text.lower().replace(" ", "")


def test_an_unknown_tokenizer_is_an_error() -> None:
    with pytest.raises(InputError, match='"stem"'):
        tokenize("he", cast("Tokenizer", "stem"))
