"""The adjudicator's view of a batch with a scheme: the next open question, and decisions."""

from collections.abc import Sequence
from dataclasses import dataclass

from annotation.agreement.scheme_results import NOT_SHOWN, QueryResult
from annotation.batches.queries.scheme_results import scheme_decisions
from annotation.core.versions import State, version_of
from annotation.labels.queries.adjudication import QueueItem
from annotation.models import Batch, BatchQuery, SchemeDecision
from annotation.schemes import JOINED, Question, Scheme

_SHOWN = 100
_CANNOT_TELL = "Nobody could tell."


@dataclass(frozen=True)
class DecidedAnswer:
    """A decision as a table shows it; `version` is what taking it back acts on."""

    stored: SchemeDecision
    answer: str
    version: str


@dataclass(frozen=True)
class AnswerAdjudicationPage:
    """The question to decide now about a query, how many wait, and the latest decisions.

    `version` is that of the decision on the question to decide; each of `decided` has its own.
    """

    item: QueueItem | None
    question: Question | None
    n_open: int
    decided: list[DecidedAnswer]
    version: str


def answer_adjudication_page(
    *, batch: Batch, scheme: Scheme, qid: str = "", question: str = ""
) -> AnswerAdjudicationPage:
    """The next open question, or that of the query asked for, also one that is decided."""
    queries = scheme_decisions(batch=batch, scheme=scheme)
    queue = _open(queries, blind=True)
    if qid:
        found = next((query for query in queries if query.qid == qid), None)
        item = _asked(found, question) if found else None
    else:
        item = next(iter(queue), None)
    stored = SchemeDecision.objects.filter(query__batch=batch).select_related("query")
    before = stored.filter(query__qid=item.qid, question=item.question).first() if item else None
    return AnswerAdjudicationPage(
        item=item,
        question=scheme.question(item.question) if item else None,
        n_open=len(queue),
        decided=[
            DecidedAnswer(one, _words(scheme, one), version_of(answer_state(one)))
            for one in stored.order_by("-decided_at", "-pk")[:_SHOWN]
        ],
        version=version_of(answer_state(before)),
    )


def answer_queue(*, batch: Batch, scheme: Scheme, blind: bool = True) -> list[QueueItem]:
    """Each question that answers leave open, query by query in the order of the scheme.

    Blind, the answers are withheld, as they are of the queue of a batch without a scheme.
    """
    return _open(scheme_decisions(batch=batch, scheme=scheme), blind=blind)


def decision_on(query: BatchQuery, question: str) -> SchemeDecision | None:
    return SchemeDecision.objects.filter(query=query, question=question).first()


def answer_state(decision: SchemeDecision | None) -> State:
    """The decision on a question as a person reads it, or that there is none."""
    if decision is None:
        return {"Decision": "none"}
    answer = JOINED.join(decision.codes)
    return {"Decision": f"{answer}, by {decision.decided_by}: {decision.reason}"}


def _open(queries: Sequence[QueryResult], *, blind: bool) -> list[QueueItem]:
    return [
        QueueItem(
            qid=query.qid,
            text=query.text,
            why=query.decisions[name].note if query.decisions[name].n_answers else _CANNOT_TELL,
            votes=None if blind else dict(query.chosen[name]),
            confidence=None,
            question=name,
        )
        for query in queries
        for name in query.open
    ]


def _asked(query: QueryResult, name: str) -> QueueItem | None:
    """The question asked for, else the first that is open or, if none is, the first asked."""
    asked = [name for name, one in query.decisions.items() if one.note != NOT_SHOWN]
    chosen = name if name in asked else next(iter([*query.open, *asked]), "")
    if not chosen:
        return None
    return QueueItem(query.qid, query.text, "asked for", None, None, chosen)


def _words(scheme: Scheme, decision: SchemeDecision) -> str:
    labels = scheme.question(decision.question).labels
    return ", ".join(labels.get(code) or code for code in decision.codes)
