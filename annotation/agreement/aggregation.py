"""Aggregation of votes into one decision per query, by any of the methods."""

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from annotation.agreement.dawid_skene import dawid_skene
from annotation.agreement.gold_weighted import gold_weighted
from annotation.agreement.mace import mace
from annotation.agreement.majority import UNDECIDED, VOTES_BESIDE_ABSTENTIONS, majority
from annotation.agreement.median import middles
from annotation.agreement.posterior import Posterior
from annotation.agreement.table import VoteTable
from metrics.errors import InputError

#: Methods for options in no order; the first is the usual one.
METHODS = ("majority", "dawid_skene", "mace", "gold_weighted")
#: Methods for options in an order; the first is the usual one.
ORDERED_METHODS = ("median", "majority")
#: Every method that decides labels from votes.
ALL_METHODS = (*METHODS, "median")


@dataclass(frozen=True, slots=True)
class Decision:
    """`label` is None for a tie; `confidence` is the posterior of a method that has one."""

    query: str
    label: str | None
    n_votes: int
    n_for: int
    confidence: float | None


@dataclass(frozen=True)
class Decisions:
    """One decision per query with enough votes, in the table's order; `notes` say how it went."""

    rows: list[Decision]
    without_votes: int
    notes: tuple[str, ...] = ()


def decide(
    table: VoteTable,
    *,
    method: str = "majority",
    strict: bool = False,
    seed: int = 0,
    gold_table: VoteTable | None = None,
    gold: Mapping[str, str] | None = None,
    abstained: AbstractSet[str] = frozenset(),
) -> Decisions:
    """Decide every query of `table` that has a vote, by one of `ALL_METHODS`.

    A query in `abstained`, which somebody could not tell, needs two votes for categories.

    The median is the lower of two middles, by the order of the table's labels. `strict` is for
    majority, `seed` for MACE; `gold_table` holds the votes on gold questions and
    `gold` their known labels, for the method that weighs with them.
    """
    if method == "majority":
        decisions = _decisions(table, majority(table.counts(), strict=strict), None)
        return _with_enough_votes(decisions, abstained)
    if method == "median":
        return _with_enough_votes(_decisions(table, middles(table.counts())[0], None), abstained)
    if method == "dawid_skene":
        posterior = dawid_skene(table)
    elif method == "mace":
        posterior = mace(table, seed=seed)
    elif method == "gold_weighted":
        empty = VoteTable.of((), (), (), labels=table.labels)
        posterior = gold_weighted(table, gold_table=gold_table or empty, gold=gold or {})
    else:
        raise InputError(f"unknown method {method!r}.", remedy=f"Use {', '.join(ALL_METHODS)}.")
    return _with_enough_votes(_decisions(table, posterior.codes(), posterior), abstained)


def _with_enough_votes(decisions: Decisions, abstained: AbstractSet[str]) -> Decisions:
    rows = [
        row
        for row in decisions.rows
        if row.n_votes >= VOTES_BESIDE_ABSTENTIONS or row.query not in abstained
    ]
    too_few = len(decisions.rows) - len(rows)
    return Decisions(rows, decisions.without_votes + too_few, decisions.notes)


def _decisions(
    table: VoteTable, codes: npt.NDArray[np.int64], posterior: Posterior | None
) -> Decisions:
    counts = table.counts()
    n_votes = counts.sum(axis=1)
    rows = []
    for place in np.flatnonzero(n_votes).tolist():
        code = int(codes[place])
        decided = code != UNDECIDED
        rows.append(
            Decision(
                query=table.queries[place],
                label=table.labels[code] if decided else None,
                n_votes=int(n_votes[place]),
                n_for=int(counts[place, code]) if decided else 0,
                confidence=None
                if posterior is None
                else float(posterior.probabilities[place].max()),
            )
        )
    return Decisions(rows, int((n_votes == 0).sum()), _notes(posterior))


def _notes(posterior: Posterior | None) -> tuple[str, ...]:
    if posterior is None:
        return ()
    if posterior.converged:
        return (f"Converged after {posterior.iterations} rounds.",)
    return (
        f"Not converged after {posterior.iterations} rounds: with more of them labels may change.",
    )
