"""Asking for votes only where they can matter.

With three votes and majority, the third cannot change a query on which two agree. So ask two, a
third where they differ, and more while no category is ahead.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence

FIRST = 2
FULL = 3
MOST = 5


def votes_to_ask(votes: Sequence[str], *, full: bool = False, most: int = MOST) -> int:
    """How many more votes to ask for now on a query that has `votes`, in any order.

    `full` queries get three votes in any case. Beyond three, one more is asked while no category
    has strictly more votes than every other, up to `most` in all.
    """
    n = len(votes)
    if n < (FULL if full else FIRST):
        return (FULL if full else FIRST) - n
    if n >= max(most, FULL) or plurality(votes) is not None:
        return 0
    return 1


def plurality(votes: Iterable[str]) -> str | None:
    """The category with strictly more votes than every other, or None."""
    ranked = Counter(votes).most_common(2)
    if not ranked or (len(ranked) > 1 and ranked[0][1] == ranked[1][1]):
        return None
    return ranked[0][0]


def gets_all_votes(qid: str, *, share: float, seed: int) -> bool:
    """Whether a query belongs to the random `share` that gets three votes in any case.

    Over this sample agreement can be estimated without selection: among the others, the third
    votes are all on queries that two people found hard. It depends on id and seed alone.
    """
    digest = hashlib.sha256(f"{seed}:{qid}".encode()).digest()
    return int.from_bytes(digest[:8]) < share * 2**64
