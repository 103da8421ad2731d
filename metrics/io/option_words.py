"""The options of a question as files and people call them: one rule for all of them."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from .lines import one_line


def codes_by_text(codes: Sequence[str]) -> Mapping[str, str]:
    """The code that each text says: the code as it is, and on one line.

    What two codes are on one line says neither of them.
    """
    n_alike = Counter(map(one_line, codes))
    return {
        text: code
        for code in codes
        for text in (code, one_line(code))
        if n_alike[text] <= 1  # 0: not on one line, so that it is this code and no other
    }


def codes_by_word(labels: Mapping[str, str]) -> Mapping[str, str]:
    """The code of each option by what people call it on one line, of the labels by code.

    A code goes before a label, and either as it stands before small letters (`casefold`). What two
    options are called names neither.
    """
    by_label = _unshared((one_line(label), code) for code, label in labels.items() if label)
    exact = {**by_label, **codes_by_text([*labels])}
    return {**_unshared((word.casefold(), code) for word, code in exact.items()), **exact}


def _unshared(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """The pairs, without words that have several codes."""
    codes: dict[str, set[str]] = defaultdict(set)
    for word, code in pairs:
        codes[word].add(code)
    return {word: of.pop() for word, of in codes.items() if len(of) == 1}
