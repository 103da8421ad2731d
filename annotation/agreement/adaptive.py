"""Asking for votes only where they can matter.

With three votes and majority, the third cannot change a query on which two agree. So ask two, a
third where they differ, and more while no category is ahead.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

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


@dataclass(frozen=True)
class Saving:
    """What asking adaptively would have taken, against a fixed number of votes per query.

    `n_fixed` and `n_adaptive` are votes; the costs are dollars. `n_other_label` queries got
    another label than by all the fixed votes: always 0 for three.
    """

    n_queries: int
    n_full: int
    n_fixed: int
    n_adaptive: int
    cost_fixed: Decimal
    cost_adaptive: Decimal
    n_resolved_ties: int
    n_other_label: int


def replay(
    votes: Mapping[str, Sequence[str]], *, share: float, seed: int, price_per_vote: Decimal
) -> Saving:
    """What the adaptive strategy would have asked of a study that has three votes per query.

    `votes` has each query's votes in order of arrival. Where a query has more than three, the
    further ones serve to resolve ties; where it has none, a tie stays.
    """
    asked = fixed = resolved = other = n_full = 0
    for qid, given in votes.items():
        full = gets_all_votes(qid, share=share, seed=seed)
        used = _used(given, full=full)
        n_full += full
        asked += used
        fixed += min(len(given), FULL)
        before, after = plurality(given[:FULL]), plurality(given[:used])
        resolved += before is None and after is not None
        other += before is not None and before != after
    return Saving(
        n_queries=len(votes),
        n_full=n_full,
        n_fixed=fixed,
        n_adaptive=asked,
        cost_fixed=fixed * price_per_vote,
        cost_adaptive=asked * price_per_vote,
        n_resolved_ties=resolved,
        n_other_label=other,
    )


def _used(given: Sequence[str], *, full: bool) -> int:
    """How many of the votes in their order the strategy asks for."""
    used = 0
    while (more := votes_to_ask(given[:used], full=full)) and used < len(given):
        used = min(used + more, len(given))
    return used
