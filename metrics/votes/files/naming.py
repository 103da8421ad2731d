"""The name of a study of several files."""

import re
from collections.abc import Sequence
from itertools import takewhile

_BETWEEN = re.compile(r"([\s_.-]+)")
_SIGNS = " _.-"


def shared_name(names: Sequence[str], otherwise: str = "votes") -> str:
    """The name up to the first dot, of several files the words that all begin or end with.

    `otherwise` is said of files that share none: doccano calls each after its annotator.
    """
    stems = [name.partition(".")[0].strip() for name in names]
    if len(set(stems)) == 1:
        return stems[0] or otherwise
    words = [_BETWEEN.split(stem) for stem in stems]
    begin = "".join(_shared(words)).strip(_SIGNS)
    end = "".join(reversed(_shared([word[::-1] for word in words]))).strip(_SIGNS)
    return begin or end or otherwise


def _shared(of_each: Sequence[Sequence[str]]) -> list[str]:
    """The words that all begin with."""
    places = zip(*of_each, strict=False)
    return [words[0] for words in takewhile(lambda words: len(set(words)) == 1, places)]
