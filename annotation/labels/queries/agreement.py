"""Agreement of a batch, as commands and pages show it."""

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from annotation.labels.queries.questions import nominal_question
from annotation.labels.queries.scheme_results import batch_first_round
from annotation.labels.queries.votes import n_options_offered, vote_table, voter_kinds
from annotation.models import Batch
from metrics.vocabulary import LEVEL, RESAMPLES
from metrics.votes.agreeing import Agreement, agreement
from metrics.votes.intervals import IntervalMethod
from metrics.votes.table import VoteTable


def batch_agreement(
    *,
    batch: Batch,
    question: str = "",
    strict: bool = False,
    interval: IntervalMethod = IntervalMethod.QUERIES_AND_WORKERS,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
    seed: int = 0,
    names: Mapping[str, str] | None = None,
) -> Agreement:
    """Every coefficient over the votes that count, with intervals and warnings.

    `question` is the name of a nominal one, needed where the batch asks several. A batch whose
    annotators saw a model's labels has none: their votes are no independent readings. Warnings call
    options by `names`; files and the API have codes throughout.
    """
    nominal = nominal_question(batch=batch, name=question)
    table = vote_table(batch=batch, question=nominal)
    n_offered = n_options_offered(batch=batch, question=nominal)
    return agreement(
        table,
        n_categories=n_offered or max(len(np.unique(table.label)), 1),
        kinds=voter_kinds(batch=batch, question=nominal.name),
        strict=strict,
        interval=interval,
        resamples=resamples,
        level=level,
        seed=seed,
        suggested_by=batch.suggested_by,
        names=names,
        first_round=_asked(batch, table),
    )


def _asked(batch: Batch, table: VoteTable) -> npt.NDArray[np.bool_] | None:
    """The votes that every query was asked for; None unless the batch asks adaptively."""
    first = batch_first_round(batch=batch)
    if first is None:
        return None
    votes = zip(table.query.tolist(), table.worker.tolist(), strict=True)
    return np.array(
        [(table.queries[query], table.workers[worker]) in first for query, worker in votes],
        dtype=bool,
    )


def queries_with_pattern(*, batch: Batch, pattern: str, question: str = "") -> list[str]:
    """The ids of the queries whose votes fell like `pattern` ("2-1"), in the batch's order."""
    table = vote_table(batch=batch, question=nominal_question(batch=batch, name=question))
    # A unanimous pattern is written with a zero, as in 3-0.
    sizes = sorted((int(part) for part in pattern.split("-") if int(part)), reverse=True)
    if len(sizes) > len(table.labels):
        return []
    sizes += [0] * (len(table.labels) - len(sizes))
    is_pattern = -np.sort(-table.counts(), axis=1) == np.array(sizes)
    return [table.queries[place] for place in np.flatnonzero(is_pattern.all(axis=1))]


def queries_with_confusion(
    *, batch: Batch, first: str, second: str, question: str = ""
) -> list[str]:
    """Return the ids of the queries on which somebody said `first` and somebody else `second`."""
    table = vote_table(batch=batch, question=nominal_question(batch=batch, name=question))
    counts = table.counts()
    a, b = table.labels.index(first), table.labels.index(second)
    needed = 2 if a == b else 1
    is_confused = (counts[:, a] >= needed) & (counts[:, b] >= needed)
    return [table.queries[place] for place in np.flatnonzero(is_confused)]
