"""A study at a glance: how far it is, what it has cost, what came out, who is working."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from annotation.batches.queries.batches import BatchProgress
from annotation.core.spent import where_paid
from annotation.overview.queries.flow import Flow
from annotation.overview.queries.steps import Step, StepState
from annotation.vocabulary import TIE, Category


@dataclass(frozen=True)
class LabelPart:
    """The labels of one value: `share` of all, beginning at `left`, both from 0 to 1."""

    code: str
    n: int
    left: float
    share: float


@dataclass(frozen=True)
class Glance:
    """`share` of the labels is of queries that name no gender; a tie is no label.

    Money in US dollars, fees included, of the batches that are not archived, and in words where it
    was paid, if not only here; `awaited` are those to
    which answers are still to come.
    """

    n_done: int
    parts: list[LabelPart]
    n_labels: int
    share: float | None
    spent: Decimal
    where_paid: str
    committed: Decimal
    awaited: list[BatchProgress]


def glance_at(flow: Flow, steps: Sequence[Step]) -> Glance:
    """What a reader wants to know first; no statement beyond those of `flow`."""
    on_prolific: defaultdict[str, Decimal] = defaultdict(Decimal)
    for batch in flow.batches:
        for currency, amount in batch.on_prolific.items():
            on_prolific[currency] += amount
    counts = {code: flow.labels.get(code, 0) for code in (*Category.values, TIE)}
    n_labels = sum(counts.values()) - counts[TIE]
    return Glance(
        n_done=sum(step.state == StepState.DONE for step in steps),
        parts=_parts(counts),
        n_labels=n_labels,
        share=counts[Category.NON_GENDERED] / n_labels if n_labels else None,
        spent=sum((batch.spent for batch in flow.batches), Decimal(0)),
        where_paid=where_paid(
            sum((batch.spent_here for batch in flow.batches), Decimal(0)), on_prolific
        ),
        committed=sum((batch.committed for batch in flow.batches), Decimal(0)),
        awaited=[batch for batch in flow.batches if batch.is_awaited],
    )


def _parts(counts: dict[str, int]) -> list[LabelPart]:
    total = sum(counts.values())
    parts: list[LabelPart] = []
    left = 0.0
    for code, n in counts.items():
        if n:
            parts.append(LabelPart(code, n, left, n / total))
            left += n / total
    return parts
