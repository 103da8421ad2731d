"""The queries that a person should decide: ties and labels that a model doubts."""

from collections import Counter, defaultdict
from dataclasses import dataclass

from django.db.models import Q, QuerySet

from annotation.labels.queries.labels import check_labelled
from annotation.labels.queries.votes import study_queries, votes_that_count
from annotation.models import Batch, Label
from annotation.vocabulary import TIE, LabelMethod

#: A model's label below this probability is doubtful.
DOUBTFUL = 0.8


@dataclass(frozen=True)
class QueueItem:
    """A query to decide. Blind, it shows the text alone; else the votes by category as well.

    It never names a worker or a retrieval model. `why` is "tie" or "low confidence"; of a batch
    with a scheme it says in words what leaves `question` open, and votes are those by option.
    """

    qid: str
    text: str
    why: str
    votes: dict[str, int] | None
    confidence: float | None
    question: str = ""


def adjudication_queue(
    *, batch: Batch, below: float = DOUBTFUL, blind: bool = True, limit: int | None = None
) -> list[QueueItem]:
    """Ties first, then the least confident labels; what is adjudicated already is done.

    Blind, the votes are withheld: an adjudicator who knows them tends to follow them.
    """
    check_labelled(batch)
    open_labels = {label.query_id: label for label in _open_labels(batch, below)}
    queries = {query.pk: query for query in study_queries(batch=batch).filter(pk__in=open_labels)}
    order = sorted(
        queries.values(),
        key=lambda query: (
            open_labels[query.pk].value != TIE,
            open_labels[query.pk].confidence or 0.0,
            query.position,
        ),
    )[:limit]
    votes = {} if blind else _tallies(batch)
    return [
        QueueItem(
            qid=query.qid,
            text=query.text,
            why="tie" if open_labels[query.pk].value == TIE else "low confidence",
            votes=None if blind else dict(sorted(votes.get(query.pk, Counter()).items())),
            confidence=None if blind else open_labels[query.pk].confidence,
        )
        for query in order
    ]


def _open_labels(batch: Batch, below: float) -> QuerySet[Label]:
    """The standing ties and doubtful labels that no person has decided."""
    standing = Label.objects.standing().filter(query__batch=batch)
    by_people = (LabelMethod.ADJUDICATED, LabelMethod.RELEASED)
    return standing.exclude(method__in=by_people).filter(Q(value=TIE) | Q(confidence__lt=below))


def _tallies(batch: Batch) -> dict[int, Counter[str]]:
    found: defaultdict[int, Counter[str]] = defaultdict(Counter)
    rows = votes_that_count(batch=batch).values_list("query_id", "category")
    for query, category in rows.iterator(20_000):
        found[query][category] += 1
    return found
