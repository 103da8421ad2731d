"""Labels, agreement and bias from the tables of a bundle alone."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from annotation.agreement.aggregation import Decisions, decide
from annotation.agreement.intervals import LEAST_RESAMPLES, MOST_RESAMPLES
from annotation.agreement.summary import agreement, as_dict
from annotation.agreement.table import VoteTable
from annotation.reports.bundle.tables import QueryRow, VoteRow
from annotation.task_page import CANNOT_TELL
from metrics.errors import InputError

_MOST_CATEGORIES = 20
#: Numbers of the confusions between categories over all workers.
_MOST_CONFUSIONS = 2_000_000


@dataclass(frozen=True)
class Parameters:
    """What the labels and the agreement were computed with.

    `n_categories` is how many categories voters could choose from, 0 for those in use.
    """

    categories: tuple[str, ...]
    method: str
    strict: bool
    label_seed: int
    n_categories: int
    resamples: int
    level: float
    agreement_seed: int


def read_parameters(stored: Any, path: str | Path) -> Parameters:
    """The parameters of a manifest. Raises `InputError` where they are incomplete or out of range.

    They are somebody else's: the ranges bound what computing with them takes.
    """
    try:
        parameters = Parameters(**stored | {"categories": tuple(map(str, stored["categories"]))})
        whole = [stored[field.name] for field in fields(Parameters) if field.type is int]
        in_range = (
            all(type(value) is int for value in whole)
            and 1 <= len(parameters.categories) <= _MOST_CATEGORIES
            and 0 <= parameters.n_categories <= _MOST_CATEGORIES
            and LEAST_RESAMPLES <= parameters.resamples <= MOST_RESAMPLES
            and 0 < parameters.level < 1
            and min(parameters.label_seed, parameters.agreement_seed) >= 0
        )
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"its parameters cannot be read ({error}).", path=path) from None
    if not in_range:
        raise InputError("its parameters are out of range.", path=path)
    return parameters


def check_size(votes: Iterable[VoteRow], parameters: Parameters) -> None:
    """Raise `InputError` where a method's table of each worker's confusions would be too large."""
    n_workers = len({row.worker for row in votes})
    if n_workers * len(parameters.categories) ** 2 > _MOST_CONFUSIONS:
        raise InputError(f"{n_workers:,} workers are more than any study has.", path="votes.csv")


def table_of(
    queries: Iterable[QueryRow], votes: Iterable[VoteRow], categories: Sequence[str]
) -> VoteTable:
    """The votes among `votes` that count, on `queries`."""
    qids = tuple(row.qid for row in queries)
    known = set(qids)
    counted = [row for row in votes if row.qid in known and _counts(row)]
    return VoteTable.of(
        [row.qid for row in counted],
        [row.worker for row in counted],
        [row.category for row in counted],
        labels=categories,
        queries=qids,
    )


def _counts(row: VoteRow) -> bool:
    return not (row.repeated or row.set_aside or row.category == CANNOT_TELL)


def _study(queries: Sequence[QueryRow]) -> list[QueryRow]:
    return [row for row in queries if not row.gold]


def recompute_agreement(
    queries: Sequence[QueryRow], votes: Sequence[VoteRow], parameters: Parameters
) -> dict[str, Any]:
    """The same object that `agreement --json --details` prints."""
    table = table_of(_study(queries), votes, parameters.categories)
    known = {row.qid for row in queries if not row.gold}
    kinds = Counter(row.kind for row in votes if row.qid in known and _counts(row))
    in_use = len(set(table.label.tolist())) or 1
    found = agreement(
        table,
        n_categories=parameters.n_categories or in_use,
        kinds=dict(sorted(kinds.items())),
        strict=parameters.strict,
        resamples=parameters.resamples,
        level=parameters.level,
        seed=parameters.agreement_seed,
    )
    return as_dict(found, details=True)


def recompute_labels(
    queries: Sequence[QueryRow], votes: Sequence[VoteRow], parameters: Parameters
) -> Decisions:
    """The method's decision for every study query with a vote; adjudications come on top."""
    gold = [row for row in queries if row.gold]
    unexcluded = [
        VoteRow(row.qid, row.worker, row.kind, row.category, row.repeated, 0) for row in votes
    ]
    return decide(
        table_of(_study(queries), votes, parameters.categories),
        method=parameters.method,
        strict=parameters.strict,
        seed=parameters.label_seed,
        gold_table=table_of(gold, unexcluded, parameters.categories),
        gold={row.qid: row.gold for row in gold},
        abstained={
            row.qid
            for row in votes
            if row.category == CANNOT_TELL and not (row.repeated or row.set_aside)
        },
    )
