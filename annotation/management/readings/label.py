"""Labels of a batch, and the queries that a person should decide."""

from dataclasses import dataclass

from annotation.batches.api.queries import QueryRowSerializer
from annotation.batches.queries.queries import QueryFilter, QueryRow, batch_queries
from annotation.core.counting import counted
from annotation.core.parameters import parameter
from annotation.labels.queries.adjudication import DOUBTFUL, QueueItem, adjudication_queue
from annotation.management.readings import Answer, lists, reads
from annotation.models import Batch


@dataclass(frozen=True)
class _Shown:
    """Which queries to list, and what of them."""

    show_votes: bool = parameter(
        False,
        help_text="List the votes too (default: blind, because votes sway the adjudicator).",
    )
    below: float = parameter(
        DOUBTFUL, min_value=0, max_value=1, help_text="List labels with a posterior below this."
    )


@lists(
    "label list study --label tie",
    QueryRowSerializer,
    {"qid": "qid", "label": "label", "votes": "votes", "query": "text"},
    subject="batch",
    parameters=QueryFilter,
)
def labels(batch: Batch, filters: QueryFilter) -> list[QueryRow]:
    """List the queries of a batch with their votes and the label that stands, in its order."""
    return batch_queries(batch=batch, filters=filters).rows


@reads("label queue study --below 0.8", subject="batch", parameters=_Shown)
def queue(batch: Batch, options: _Shown) -> Answer:
    """List the queries that a person should decide, ties first, without the votes on them.

    `label adjudicate` decides one; the votes never change.
    """
    items = adjudication_queue(batch=batch, below=options.below, blind=not options.show_votes)
    lines = [*map(_line, items), f"{counted(len(items), batch.scheme.item_noun)} to decide."]
    return Answer({"queue": items}, lines)


def _line(item: QueueItem) -> str:
    votes = "" if item.votes is None else f"  {item.votes}"
    return f"{item.qid}\t{item.question}\t{item.why}\t{item.text}{votes}"
