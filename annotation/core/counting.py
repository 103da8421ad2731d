"""Nouns with their numbers, as in "1 query" and "1,234 queries"; sentences about any item."""

import re

#: Nouns whose plural has more than an s: query, batch, box, but not day.
_IES, _ES = re.compile("[^aeiou]y$"), re.compile("(?:ch|sh|s|x)$")
_QUERIES = re.compile(r"\b(?:queries|query)\b", re.IGNORECASE)
#: Marks of a text that tells queries from pairs.
_TELLS = re.compile("passage|whole quer|pairs of one query", re.IGNORECASE)


def counted(n: int, noun: str) -> str:
    """`n` with thousands separators, and `noun` in the singular or plural.

    >>> counted(1, "query"), counted(1234, "query"), counted(0, "batch"), counted(2, "HIT")
    ('1 query', '1,234 queries', '0 batches', '2 HITs')
    """
    return f"{n:,} {noun if n == 1 else plural(noun)}"


def plural(noun: str) -> str:
    """The plural of a noun: queries, batches, pairs."""
    if _IES.search(noun):
        return f"{noun[:-1]}ies"
    return f"{noun}es" if _ES.search(noun) else f"{noun}s"


def about_items(text: str, noun: str) -> str:
    """A fixed text about queries, with the `noun` of other items in its place.

    A text that tells the two apart stays as it is.

    >>> about_items("Queries per HIT: a query is shown once.", "pair")
    'Pairs per HIT: a pair is shown once.'
    """
    if noun == "query" or _TELLS.search(text):
        return text
    return _QUERIES.sub(lambda match: _in_place_of(match[0], noun), text)


def _in_place_of(word: str, noun: str) -> str:
    noun = noun if word.lower() == "query" else plural(noun)
    return noun.capitalize() if word[0].isupper() else noun
