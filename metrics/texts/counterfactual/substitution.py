"""Counterfactual data substitution: every gendered word and name becomes its counterpart.

Letter case, punctuation and everything else stay as they are. Swapping twice gives the original
text back, except where a word has no single counterpart (her, his, and the one-way words).
Amin Abolghasemi et al. Measuring Bias in a Ranked List Using Term-Based Representations. ECIR
2024, section 5.
"""

import re
from collections.abc import Callable, Mapping

from .pairs import Pairs
from .pronouns import Decide, Method, by_rules, decider

# The word tokens of metrics.texts.tokens up to their first apostrophe: she's is she and 's.
_WORD = re.compile(r"\w+")

# Counterpart of the letter case alone: what is neither is left as it stands.
CASES: tuple[tuple[Callable[[str], bool], Callable[[str], str]], ...] = (
    (str.islower, str.lower),
    (str.istitle, str.title),
    (str.isupper, str.upper),
)


def substitution(pairs: Pairs, method: Method = "tagger") -> Callable[[str], str]:
    """The function that swaps the genders of a text.

    `method` decides whether `her` is `his` or `him`: by a tagger of parts of speech, or by the
    rules alone. A word in mixed letter case (sHe) is left as it stands.

    >>> from metrics.texts.counterfactual import read_pairs
    >>> swap = substitution(read_pairs())
    >>> swap("She told HER brother, and Mary's aunt saw her.")
    "He told HIS sister, and Willie's uncle saw him."
    """
    counterparts = {**PRONOUNS, **pairs.words}
    known = frozenset([*counterparts, *pairs.names, *DECIDED_PRONOUNS])
    her = decider(method)

    def replaced(match: re.Match[str]) -> str:
        word = match[0]
        lowered = word.lower()
        if lowered not in known:
            return word
        if lowered in pairs.names:
            # A name is capitalised; mark and will are not names.
            return word if word.islower() else in_case_of(word, pairs.names[lowered])
        if lowered in DECIDED_PRONOUNS:
            decided = DECIDED_PRONOUNS[lowered](match.string, match.start(), match.end(), her)
            return in_case_of(word, decided)
        return in_case_of(word, counterparts[lowered])

    def swap(text: str) -> str:
        # Most passages name no gender: looking is much faster than replacing.
        if known.isdisjoint(_WORD.findall(text.lower())):
            return text
        return _WORD.sub(replaced, text)

    return swap


def in_case_of(word: str, counterpart: str) -> str:
    """The counterpart in the letter case of the word; the word itself where that is mixed."""
    for has, give in CASES:
        if has(word):
            return give(counterpart)
    return word


def _of_her(text: str, start: int, end: int, her: Decide) -> str:
    return "his" if her(text, start, end) else "him"


def _of_his(text: str, start: int, end: int, _her: Decide) -> str:
    return "her" if by_rules(text, start, end) else "hers"


PRONOUNS: Mapping[str, str] = {"him": "her", "hers": "his"}

#: Those whose counterpart depends on the text around them.
DECIDED_PRONOUNS: Mapping[str, Callable[[str, int, int, Decide], str]] = {
    "her": _of_her,
    "his": _of_his,
}
