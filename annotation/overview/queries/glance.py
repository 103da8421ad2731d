"""A study at a glance: how far it is, what it has cost, what came out, who is working."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from annotation.batches.queries.batches import BatchProgress
from annotation.batches.queries.codebooks import batch_scheme
from annotation.batches.queries.scheme_results import scheme_decisions
from annotation.core.spent import where_paid
from annotation.models import Batch
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
class SubsetShare:
    """The queries of a batch that are in its scheme's subset, of those that it decides about."""

    words: str
    n_decided: int
    share: float


@dataclass(frozen=True)
class Glance:
    """`share` of the labels is of queries that name no gender; a tie is no label.

    Of a study without labels `subset` has what its latest batch with a scheme comes to. Money in US
    dollars, fees included, of the batches that are not archived, and in words where it was paid, if
    not only here; `awaited` are those to which answers are still to come.
    """

    n_done: int
    parts: list[LabelPart]
    n_labels: int
    share: float | None
    spent: Decimal
    where_paid: str
    committed: Decimal
    awaited: list[BatchProgress]
    subset: SubsetShare | None


def glance_at(flow: Flow, steps: Sequence[Step]) -> Glance:
    """What a reader wants to know first; statements beyond those of `flow` for a scheme alone."""
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
        subset=None if n_labels else _subset(flow),
    )


def _subset(flow: Flow) -> SubsetShare | None:
    answered = [batch.number for batch in flow.batches if batch.has_scheme and batch.n_votes]
    if not answered:
        return None
    batch = Batch.objects.get(pk=answered[0])
    scheme = batch_scheme(batch)
    if scheme is None:
        return None
    decided = scheme_decisions(batch=batch, scheme=scheme)
    known = [one for one in decided if one.decisions[scheme.subset.question].codes is not None]
    if not known:
        return None
    share = sum(one.is_in_subset for one in known) / len(known)
    return SubsetShare(scheme.subset.words, len(known), share)


def _parts(counts: dict[str, int]) -> list[LabelPart]:
    total = sum(counts.values())
    parts: list[LabelPart] = []
    left = 0.0
    for code, n in counts.items():
        if n:
            parts.append(LabelPart(code, n, left, n / total))
            left += n / total
    return parts
