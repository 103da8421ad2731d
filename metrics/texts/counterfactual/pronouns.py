"""The two English pronouns that have no single counterpart: her (his, him) and his (her, hers).

Each stands before a noun phrase (determiner) or for one. The rules see what cannot begin a noun
phrase; where they see none, a tagger of parts of speech decides for `her`. For `his` the rules
decide alone, because the tagger takes it for a determiner always. The accuracy of both ways is
measured in the tests.
"""

import re
from collections.abc import Callable
from functools import cache, lru_cache
from typing import Literal

from HanTa.HanoverTagger import HanoverTagger

Method = Literal["tagger", "rules"]

# Takes a text and where the pronoun stands in it; says whether it is a determiner.
Decide = Callable[[str, int, int], bool]

_TOKEN = re.compile(r"\w+|['’]\w+|[^\w\s]")
_SENTENCE_END = re.compile(r"[.!?]['\")\]]*\s+(?=[^a-z])")
_DETERMINER = "DPS"  # of the tag set of the British National Corpus, C5

# A sentence without full stops must not cost more than others: so many characters each side.
_REACH = 200

_WORDS_REMEMBERED = 1 << 15

# Words that do not begin a noun phrase: what follows a pronoun that stands for one.
_AFTER_A_PRONOUN = frozenset(
    """
    a about above across after again against ago all alone along already also although always am
    among an and another any anyone anything are around as aside at away back be because been
    before behind below beneath beside besides between beyond both but by can could did do does
    down during each either even every everything except for forever from gave get go had has have
    he he's here his how i if in inside instead into is it its just later like many may me might
    more my near never no nor not nothing now of off on once one only onto or our out outside over
    past perhaps please rather shall she should since so some something soon still such than that
    the their them then there these they this those though through till to today together tomorrow
    tonight too toward towards twice under unless until up upon us very was we were what when
    whenever where whether which while who whom whose why will with within without would yesterday
    yet you your
    """.split()  # noqa: SIM905 - words read best as text
)


def by_rules(text: str, _start: int, end: int) -> bool:
    """A determiner, unless nothing follows, or a mark, or a word that begins no noun phrase."""
    following = _TOKEN.search(text, end)
    if following is None:
        return False
    word = following[0]
    # A quotation mark or bracket may open the noun phrase: her "friend", her (late) aunt.
    if not word[0].isalnum():
        return word in {'"', "“", "("} and following.start() > end
    return word.lower() not in _AFTER_A_PRONOUN


def by_tagger(text: str, start: int, end: int) -> bool:
    """The tagger's reading of it in its sentence, unless the rules rule a determiner out."""
    if not by_rules(text, start, end):
        return False
    begin = max(0, start - _REACH)
    for boundary in _SENTENCE_END.finditer(text, begin, start):
        begin = boundary.end()
    stop = _SENTENCE_END.search(text, end, end + _REACH)
    last = stop.end() if stop else end + _REACH
    before = _TOKEN.findall(text, begin, start)
    tokens = [*before, text[start:end], *_TOKEN.findall(text, end, last)]
    # The tags alone: lemmas take as long again.
    tag: str = _tagger().tag_sent(tokens, taglevel=0)[len(before)]
    return tag.startswith(_DETERMINER)


def decider(method: Method) -> Decide:
    """Return the function that decides for `her`."""
    return by_tagger if method == "tagger" else by_rules


@cache
def _tagger() -> HanoverTagger:
    # The English model comes with the package: nothing is fetched.
    tagger = HanoverTagger("morphmodel_en.pgz")
    # A word that the model does not know is taken apart letter by letter, whatever stands around
    # it; the words of a collection come again and again.
    tagger.analyze_forward = lru_cache(_WORDS_REMEMBERED)(tagger.analyze_forward)
    return tagger
