"""A study at a glance: progress, cost, results, and current work."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from annotation.batches.queries.batches import BatchProgress
from annotation.core.spent import where_paid
from annotation.labels.queries.labels import LabelPart, label_parts
from annotation.overview.queries.flow import Flow
from annotation.overview.queries.steps import Step, StepState
from annotation.vocabulary import TIE


@dataclass(frozen=True)
class BatchResult:
    """The labels of one batch: `share` of them puts a query into the subset, `subset` in words.

    `question` is the title of the one that they answer. A tie is not a label. `pool_name` is empty
    for queries that come from no pool.
    """

    batch: BatchProgress
    question: str
    pool_name: str
    parts: list[LabelPart]
    n_labels: int
    labelled_noun: str
    share: float | None
    subset: str


@dataclass(frozen=True)
class Glance:
    """`results` are those of each batch with labels, never added up; the largest is the first.

    Money is in US dollars, fees included, of the batches that are not archived, with the places of
    payment in words, if not only here; `awaited` are the batches with answers to come.
    """

    n_done: int
    results: list[BatchResult]
    spent: Decimal
    where_paid: str
    committed: Decimal
    awaited: list[BatchProgress]


def glance_at(flow: Flow, steps: Sequence[Step]) -> Glance:
    """Return the figures that a reader wants first, without further statements."""
    on_prolific: defaultdict[str, Decimal] = defaultdict(Decimal)
    for batch in flow.batches:
        for currency, amount in batch.on_prolific.items():
            on_prolific[currency] += amount
    return Glance(
        n_done=sum(step.state == StepState.DONE for step in steps),
        results=[_result(flow, batch) for batch in flow.labelled],
        spent=sum((batch.spent for batch in flow.batches), Decimal(0)),
        where_paid=where_paid(
            sum((batch.spent_here for batch in flow.batches), Decimal(0)), on_prolific
        ),
        committed=sum((batch.committed for batch in flow.batches), Decimal(0)),
        awaited=[batch for batch in flow.batches if batch.is_awaited],
    )


def _result(flow: Flow, batch: BatchProgress) -> BatchResult:
    labels, scheme = flow.labels[batch.number], flow.schemes[batch.number]
    question = scheme.subset_question
    n_labels = sum(labels.values()) - labels.get(TIE, 0)
    return BatchResult(
        batch=batch,
        question=question.title,
        pool_name=flow.pool_names.get(batch.number, ""),
        parts=label_parts(question, labels),
        n_labels=n_labels,
        labelled_noun=f"labelled {scheme.item_noun}",
        share=flow.n_in_subset(batch) / n_labels if n_labels else None,
        subset=scheme.subset.words,
    )
