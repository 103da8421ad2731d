"""The adjudicator's view: the next query, blind, and earlier decisions."""

from dataclasses import dataclass

from annotation.core.versions import State, version_of
from annotation.labels.queries.adjudication import QueueItem, adjudication_queue
from annotation.labels.queries.votes import study_queries
from annotation.models import Batch, Label, Labelling
from annotation.vocabulary import Category, LabelMethod

_SHOWN = 100


@dataclass(frozen=True)
class AdjudicationPage:
    """The query to decide now, how many wait, and the latest decisions.

    `is_labelled` is false where nothing can wait yet, as the batch was never labelled. `version` is
    that of the decision on the query to decide; each of `decided` has its own.
    """

    item: QueueItem | None
    n_open: int
    decided: list[Label]
    is_labelled: bool
    version: str


def adjudication_page(*, batch: Batch, qid: str = "") -> AdjudicationPage:
    """The next query of the queue, or the query of that id, also one that is not in the queue."""
    labelled = Labelling.objects.filter(batch=batch).exists()
    queue = adjudication_queue(batch=batch) if labelled else []
    decisions = Label.objects.filter(query__batch=batch, method=LabelMethod.ADJUDICATED)
    item = _asked(batch, qid) if qid else next(iter(queue), None)
    decided = list(decisions.select_related("query").order_by("-decided_at", "-pk")[:_SHOWN])
    for label in decided:
        label.version = version_of(decision_state(label))  # type: ignore[attr-defined]
    before = decisions.filter(query__qid=item.qid).first() if item else None
    return AdjudicationPage(
        item=item,
        n_open=len(queue),
        decided=decided,
        is_labelled=labelled,
        version=version_of(decision_state(before)),
    )


def decision_state(label: Label | None) -> State:
    """The decision on a query as a person reads it, or that there is none."""
    if label is None:
        return {"Decision": "none"}
    name = Category(label.value).label.lower()
    return {"Decision": f"{name}, by {label.decided_by}: {label.reason}"}


def _asked(batch: Batch, qid: str) -> QueueItem | None:
    query = study_queries(batch=batch).filter(qid=qid).first()
    if query is None:
        return None
    return QueueItem(qid=qid, text=query.text, why="asked for", votes=None, confidence=None)
