"""Tokens of text for every word-based ranker, so that two of them differ in their model only."""

import re
from functools import cache

_WORD = re.compile(r"\w+")


@cache
def _stopwords() -> frozenset[str]:
    """Lucene's short English list.

    Longer ones hold "he" and "her", and a ranker that cannot see these words would hide what is
    measured here.
    """
    from bm25s.stopwords import STOPWORDS_EN

    return frozenset(STOPWORDS_EN)


def words(text: str) -> list[str]:
    """The lower-case words of `text` without stop words, in order.

    >>> words("The nurse, and her son's patients")
    ['nurse', 'her', 'son', 's', 'patients']
    """
    stopwords = _stopwords()
    return [word for word in _WORD.findall(text.lower()) if word not in stopwords]
