"""Agreement of a batch, as commands and pages show it."""

from collections.abc import Mapping

import numpy as np

from annotation.agreement.intervals import LEVEL, RESAMPLES, IntervalMethod
from annotation.agreement.summary import Agreement, agreement
from annotation.labels.queries.votes import n_categories_offered, vote_table, voter_kinds
from annotation.models import Batch


def batch_agreement(
    *,
    batch: Batch,
    strict: bool = False,
    interval: IntervalMethod = IntervalMethod.QUERIES_AND_WORKERS,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
    seed: int = 0,
    everybody: bool = False,
    names: Mapping[str, str] | None = None,
) -> Agreement:
    """Every coefficient over the votes that count, with intervals and warnings.

    None of a batch whose annotators saw a model's labels: their votes are no independent readings.
    Warnings call categories by `names`; files and the API have codes throughout.
    """
    table = vote_table(batch=batch, everybody=everybody)
    return agreement(
        table,
        n_categories=n_categories_offered(batch=batch) or max(len(np.unique(table.label)), 1),
        kinds=voter_kinds(batch=batch),
        strict=strict,
        interval=interval,
        resamples=resamples,
        level=level,
        seed=seed,
        suggested_by=batch.suggested_by,
        names=names,
    )


def queries_with_pattern(*, batch: Batch, pattern: str) -> list[str]:
    """The ids of the queries whose votes fell like `pattern` ("2-1"), in the batch's order."""
    table = vote_table(batch=batch)
    # A unanimous pattern is written with a zero, as in 3-0.
    sizes = sorted((int(part) for part in pattern.split("-") if int(part)), reverse=True)
    if len(sizes) > len(table.labels):
        return []
    sizes += [0] * (len(table.labels) - len(sizes))
    found = -np.sort(-table.counts(), axis=1) == np.array(sizes)
    return [table.queries[place] for place in np.flatnonzero(found.all(axis=1))]


def queries_with_confusion(*, batch: Batch, first: str, second: str) -> list[str]:
    """The ids of the queries on which somebody said `first` and somebody else `second`."""
    table = vote_table(batch=batch)
    counts = table.counts()
    a, b = table.labels.index(first), table.labels.index(second)
    needed = 2 if a == b else 1
    found = (counts[:, a] >= needed) & (counts[:, b] >= needed)
    return [table.queries[place] for place in np.flatnonzero(found)]
