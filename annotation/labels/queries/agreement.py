"""Agreement of a batch, as commands and pages show it."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from annotation.labels.queries.questions import nominal_question
from annotation.labels.queries.scheme_results import scheme_results
from annotation.labels.queries.votes import votes_on
from annotation.models import Batch
from metrics.vocabulary import LEVEL, RESAMPLES
from metrics.votes.agreeing import Agreement, agree
from metrics.votes.intervals import IntervalMethod
from metrics.votes.table import Votes


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
    votes = _votes(batch, question)
    return agree(
        replace(votes, names=names or {}),
        strict=strict,
        interval=interval,
        resamples=resamples,
        level=level,
        seed=seed,
    )


def _votes(batch: Batch, question: str) -> Votes:
    nominal = nominal_question(batch=batch, name=question)
    if nominal.shown_if is None:
        return votes_on(batch=batch, question=nominal)
    results = scheme_results(batch=batch)
    return next(of.votes for of in results.questions if of.question == nominal)


def queries_with_pattern(*, batch: Batch, pattern: str, question: str = "") -> list[str]:
    """The ids of the queries whose votes fell like `pattern` ("2-1"), in the batch's order."""
    votes = _votes(batch, question).counted()
    # A unanimous pattern is written with a zero, as in 3-0.
    sizes = sorted((int(part) for part in pattern.split("-") if int(part)), reverse=True)
    if len(sizes) > len(votes.labels):
        return []
    sizes += [0] * (len(votes.labels) - len(sizes))
    is_pattern = -np.sort(-votes.counts(), axis=1) == np.array(sizes)
    return [votes.items[place] for place in np.flatnonzero(is_pattern.all(axis=1))]


def queries_with_confusion(
    *, batch: Batch, first: str, second: str, question: str = ""
) -> list[str]:
    """Return the ids of the queries on which somebody said `first` and somebody else `second`."""
    votes = _votes(batch, question).counted()
    counts = votes.counts()
    a, b = votes.labels.index(first), votes.labels.index(second)
    needed = 2 if a == b else 1
    is_confused = (counts[:, a] >= needed) & (counts[:, b] >= needed)
    return [votes.items[place] for place in np.flatnonzero(is_confused)]
