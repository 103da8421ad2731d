"""Numbers with their nouns, as in "1 query" and "1,234 queries"."""

import re

#: Nouns whose plural has more than an s: query, batch, box, but not day.
_IES, _ES = re.compile("[^aeiou]y$"), re.compile("(?:ch|sh|s|x)$")


def counted(n: int, noun: str) -> str:
    """`n` with thousands separators, and `noun` in the singular or plural.

    >>> counted(1, "query"), counted(1234, "query"), counted(0, "batch"), counted(2, "HIT")
    ('1 query', '1,234 queries', '0 batches', '2 HITs')
    """
    return f"{n:,} {noun if n == 1 else _plural(noun)}"


def _plural(noun: str) -> str:
    if _IES.search(noun):
        return f"{noun[:-1]}ies"
    return f"{noun}es" if _ES.search(noun) else f"{noun}s"
