"""Labels, agreement and bias from the tables of a bundle alone."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.agreement.aggregation import Decisions, decide
from annotation.agreement.summary import agreement, as_dict
from annotation.agreement.table import VoteTable
from annotation.bundle.tables import QueryRow, VoteRow


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


def table_of(
    queries: Iterable[QueryRow], votes: Iterable[VoteRow], categories: Sequence[str]
) -> VoteTable:
    """The votes among `votes` that count, on `queries`."""
    qids = tuple(row.qid for row in queries)
    known = set(qids)
    counted = [row for row in votes if row.qid in known and not (row.repeated or row.set_aside)]
    return VoteTable.of(
        [row.qid for row in counted],
        [row.worker for row in counted],
        [row.category for row in counted],
        labels=categories,
        queries=qids,
    )


def _study(queries: Sequence[QueryRow]) -> list[QueryRow]:
    return [row for row in queries if not row.gold]


def recompute_agreement(
    queries: Sequence[QueryRow], votes: Sequence[VoteRow], parameters: Parameters
) -> dict[str, Any]:
    """The same object that `agreement --json --details` prints."""
    table = table_of(_study(queries), votes, parameters.categories)
    known = {row.qid for row in queries if not row.gold}
    kinds = Counter(
        row.kind for row in votes if row.qid in known and not (row.repeated or row.set_aside)
    )
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
    )
