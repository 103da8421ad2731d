"""Asking for votes only where they can matter.

With three votes and majority, the third cannot change a query on which two agree. So ask two, a
third where they differ, and more while no category is ahead.
"""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np
import numpy.typing as npt

from .table import Votes

FIRST = 2
FULL = 3
MOST = 5


def votes_to_ask(votes: Sequence[str], *, full: bool = False, most: int = MOST) -> int:
    """Return the number of votes to request now for a query with these `votes`, in any order.

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
    """Return whether a query is in the random `share` that gets three votes in any case.

    Over this sample agreement can be estimated without selection: among the others, the third
    votes are all on queries that two people found hard. It depends on id and seed alone.
    """
    return int.from_bytes(_drawn(seed, qid)[:8]) < share * 2**64


def asked_of_everybody(
    table: Votes,
    *,
    share: float,
    seed: int,
    answers: Mapping[str, str] | None = None,
    any_three: bool = False,
) -> npt.NDArray[np.bool_]:
    """Mark the votes, shape (votes,), that every query was asked for, whatever the first ones were.

    These are three votes of queries in the random `share` that gets three, and two of all others.
    Since a third vote is requested only if the first two differ, two that differ, drawn by `seed`,
    stand for them, and no order of time is needed; likewise three that all differ stand for the
    first three of a query that was asked for more. Agreement over all votes would be biased: the
    later ones are all on queries that people found hard.

    `answers` has all that each worker answered, where that is more than this table. With
    `any_three` any three votes stand for the first three, as in bundles of version 1.0: then
    agreement is too high.
    """
    votes: defaultdict[int, list[int]] = defaultdict(list)
    answers_of: defaultdict[int, list[str]] = defaultdict(list)
    for vote, (query, worker, label) in enumerate(
        zip(table.item.tolist(), table.worker.tolist(), table.answer.tolist(), strict=True)
    ):
        votes[query].append(vote)
        answers_of[worker].append(f"{table.items[query]}={table.labels[label]}")
    # Identified by their labels: the pseudonyms of a bundle draw the same votes.
    workers = {
        worker: " ".join(sorted(of)) if answers is None else answers[table.workers[worker]]
        for worker, of in answers_of.items()
    }
    kept = np.zeros(len(table), dtype=bool)
    for query, places in votes.items():
        qid = table.items[query]
        drawn = {vote: _drawn(seed, qid, workers[int(table.worker[vote])]) for vote in places}
        places.sort(key=drawn.__getitem__)
        n_first = FULL if gets_all_votes(qid, share=share, seed=seed) else FIRST
        is_any = any_three and n_first == FULL
        kept[places[:FULL] if is_any else _first(table, places, n_first)] = True
    return kept


def with_first_round(
    votes: Mapping[str, Votes], question: str, *, share: float, seed: int, any_three: bool = False
) -> dict[str, Votes]:
    """The votes by question, with those marked that every query was asked for.

    Whether a further worker is asked follows from the answers to one `question`; the other
    parameters are those of `asked_of_everybody`.
    """
    counted = {name: of.counted().told() for name, of in votes.items()}
    by = counted[question]
    answers: defaultdict[str, list[str]] = defaultdict(list)
    for name, of in counted.items():
        about = f":{name}" if len(counted) > 1 else ""
        for item, worker, answer in zip(of.item, of.worker, of.answer, strict=True):
            answers[of.workers[worker]].append(f"{of.items[item]}{about}={of.labels[answer]}")
    is_first = asked_of_everybody(
        by,
        share=share,
        seed=seed,
        answers={worker: " ".join(sorted(of)) for worker, of in answers.items()},
        any_three=any_three,
    )
    first = {
        (by.items[item], by.workers[worker])
        for item, worker in zip(by.item[is_first], by.worker[is_first], strict=True)
    }
    return {
        name: replace(
            of,
            first_round=np.array(
                [
                    (of.items[item], of.workers[worker]) in first
                    for item, worker in zip(of.item, of.worker, strict=True)
                ],
                dtype=bool,
            ),
        )
        for name, of in votes.items()
    }


def _first(table: Votes, places: list[int], n_first: int) -> list[int]:
    """The votes of a query that were asked for first, as far as can be told: `n_first` of them."""
    if len(places) <= n_first:
        return places
    differing = (
        list(some)
        for some in combinations(places, n_first)
        if len(set(table.answer[list(some)].tolist())) == n_first
    )
    # None differ: answers were lost and requested again; any of them stand for the first.
    return next(differing, places[:n_first])


def _drawn(seed: int, *names: str) -> bytes:
    return hashlib.sha256(":".join((str(seed), *names)).encode()).digest()
