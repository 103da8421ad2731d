"""What an adjudicator sees: the next query, blind, and what was decided before."""

from dataclasses import dataclass

from annotation.models import Batch, Label, Labelling
from annotation.selectors.adjudication import QueueItem, adjudication_queue
from annotation.selectors.votes import study_queries
from annotation.vocabulary import LabelMethod

_SHOWN = 100


@dataclass(frozen=True)
class AdjudicationPage:
    """The query to decide now, how many wait, and the latest decisions.

    `is_labelled` is false where nothing can wait yet, as the batch was never labelled.
    """

    item: QueueItem | None
    n_open: int
    decided: list[Label]
    is_labelled: bool


def adjudication_page(*, batch: Batch, qid: str = "") -> AdjudicationPage:
    """The next query of the queue, or the query of that id, also one that is not in the queue."""
    labelled = Labelling.objects.filter(batch=batch).exists()
    queue = adjudication_queue(batch=batch) if labelled else []
    decisions = Label.objects.filter(query__batch=batch, method=LabelMethod.ADJUDICATED)
    return AdjudicationPage(
        item=_asked(batch, qid) if qid else next(iter(queue), None),
        n_open=len(queue),
        decided=list(decisions.select_related("query").order_by("-decided_at", "-pk")[:_SHOWN]),
        is_labelled=labelled,
    )


def _asked(batch: Batch, qid: str) -> QueueItem | None:
    query = study_queries(batch=batch).filter(qid=qid).first()
    if query is None:
        return None
    return QueueItem(qid=qid, text=query.text, why="asked for", votes=None, confidence=None)
