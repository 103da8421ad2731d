"""Aggregation of votes into one decision per query, by any of the methods."""

from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..errors import InputError
from .majority import UNDECIDED, VOTES_BESIDE_ABSTENTIONS, majority
from .median import medians
from .methods.dawid_skene import dawid_skene
from .methods.gold_weighted import gold_weighted
from .methods.mace import mace
from .methods.posterior import Posterior
from .table import VoteTable


@dataclass(frozen=True, kw_only=True)
class _Given:
    """Everything that a method may decide by; see `decide`."""

    table: VoteTable
    strict: bool
    seed: int
    gold_table: VoteTable
    gold: Mapping[str, str]


#: Methods that count the votes on each query by itself: the codes that they decide.
_COUNTING: Mapping[str, Callable[[_Given], npt.NDArray[np.int64]]] = {
    "majority": lambda by: majority(by.table.counts(), strict=by.strict),
    "median": lambda by: medians(by.table.counts(), strict=by.strict),
}
#: Methods with a model of the workers: the probability of each code.
_MODELLING: Mapping[str, Callable[[_Given], Posterior]] = {
    "dawid_skene": lambda by: dawid_skene(by.table),
    "mace": lambda by: mace(by.table, seed=by.seed),
    "gold_weighted": lambda by: gold_weighted(by.table, gold_table=by.gold_table, gold=by.gold),
}
#: The names of the latter.
MODEL_METHODS = tuple(_MODELLING)
#: Methods for options in no order; the first is the usual one.
METHODS = ("majority", *MODEL_METHODS)
#: Methods for options in an order; the first is the usual one.
ORDERED_METHODS = ("median", "majority")
#: Every method that decides labels from votes.
ALL_METHODS = tuple(dict.fromkeys((*METHODS, *ORDERED_METHODS)))


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

    The median is the lower of two middles, by the order of the table's labels. With `strict` a
    majority needs more than half of the votes, and two middles that lie apart are a tie. `seed` is
    for MACE; `gold_table` holds the votes on gold questions and `gold` their known labels, for the
    method that weighs with them.
    """
    if method not in ALL_METHODS:
        raise InputError(f"unknown method {method!r}.", remedy=f"Use {', '.join(ALL_METHODS)}.")
    material = _Given(
        table=table,
        strict=strict,
        seed=seed,
        gold_table=gold_table or VoteTable.of((), (), (), labels=table.labels),
        gold=gold or {},
    )
    if method in _COUNTING:
        return _with_enough_votes(_decisions(table, _COUNTING[method](material), None), abstained)
    posterior = _MODELLING[method](material)
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
