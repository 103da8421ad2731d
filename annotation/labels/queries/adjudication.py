"""The adjudicator's view: open decisions, blind, and earlier ones."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from annotation.core.versions import State, version_of
from annotation.labels.by_question import QueryResult
from annotation.labels.queries.questions import label_words
from annotation.labels.queries.scheme_results import scheme_results
from annotation.models import Batch, BatchQuery, Label, Labelling
from annotation.schemes import About, Question, Scheme
from annotation.vocabulary import TIE, LabelMethod
from metrics.votes.deciding import Decision
from metrics.votes.deciding import State as DecisionState

#: A model's label below this probability is doubtful.
DOUBTFUL = 0.8
#: Decisions that a page shows.
_SHOWN = 100
_DOUBTED = "low confidence"


@dataclass(frozen=True)
class QueueItem:
    """A query or pair and a question to decide. Blind, it has only the texts; else also the votes.

    It never names a worker or a retrieval model. `why` is "tie", "low confidence", or says in words
    what leaves the question open.
    """

    qid: str
    text: str
    why: str
    votes: dict[str, int] | None
    confidence: float | None
    question: str
    docno: str = ""
    passage: str = ""


@dataclass(frozen=True)
class Decided:
    """A person's decision as a table shows it; `version` is that for withdrawing it."""

    stored: Label
    question: Question
    version: str


@dataclass(frozen=True)
class AdjudicationPage:
    """The question to decide now about a query, how many wait, and the latest decisions.

    `n_open` wait in all, `open_questions` of each question.

    The batch `is_labelled` once the labels of a question have been decided.
    `version` is that of the decision on the question to decide; each of `decided` has its own.
    """

    item: QueueItem | None
    question: Question | None
    n_open: int
    open_questions: dict[str, int]
    is_labelled: bool
    decided: list[Decided]
    version: str


def adjudication_queue(
    *, batch: Batch, below: float = DOUBTFUL, blind: bool = True
) -> list[QueueItem]:
    """Return open questions first, then the least confident labels; none that a person decided.

    Blind, the votes are withheld: an adjudicator who knows them tends to follow them.
    """
    queue = _open(scheme_results(batch=batch).queries, below=below, blind=blind)
    return _with_passages(batch, queue)


def adjudication_page(*, batch: Batch, qid: str = "", question: str = "") -> AdjudicationPage:
    """The next of the queue, or a question of the query of that id, also one that is decided."""
    scheme, queries = batch.scheme, scheme_results(batch=batch).queries
    queue = _open(queries)
    if qid:
        result = next((query for query in queries if query.qid == qid), None)
        item = _asked(result, question) if result else None
    else:
        item = next(iter(queue), None)
    item = next(iter(_with_passages(batch, [item] if item else [])), None)
    stored = Label.objects.filter(query__batch=batch, method=LabelMethod.ADJUDICATED)
    stored = stored.select_related("query")
    before = stored.filter(query__qid=item.qid, question=item.question).first() if item else None
    return AdjudicationPage(
        item=item,
        question=scheme.question(item.question) if item else None,
        n_open=len(queue),
        open_questions=_by_question(queue, scheme),
        is_labelled=Labelling.objects.filter(batch=batch).exists(),
        decided=[
            _decided(label, scheme) for label in stored.order_by("-decided_at", "-pk")[:_SHOWN]
        ],
        version=version_of(decision_state(before, scheme)),
    )


def waiting_by_question(*, batch: Batch) -> dict[str, int]:
    """Count the decisions that wait for an adjudicator, by title of the question."""
    return _by_question(_open(scheme_results(batch=batch).queries), batch.scheme)


def _by_question(queue: Sequence[QueueItem], scheme: Scheme) -> dict[str, int]:
    counts = Counter(item.question for item in queue)
    return {scheme.question(name).title: n for name, n in counts.items()}


def _with_passages(batch: Batch, items: list[QueueItem]) -> list[QueueItem]:
    if batch.scheme.about == About.QUERY:
        return items
    wanted_ids = [item.qid for item in items]
    by_id = {pair.qid: pair for pair in batch.queries.filter(qid__in=wanted_ids)}
    return [
        replace(item, docno=by_id[item.qid].docno, passage=by_id[item.qid].passage)
        for item in items
    ]


def decision_on(query: BatchQuery, question: str) -> Label | None:
    """A person's decision on the question about the query."""
    return Label.objects.filter(
        query=query, question=question, method=LabelMethod.ADJUDICATED
    ).first()


def decision_state(decision: Label | None, scheme: Scheme) -> State:
    """A decision as a person reads it, or that there is none."""
    if decision is None:
        return {"Decision": "none"}
    answer = label_words(scheme.question(decision.question), decision.value).lower()
    return {"Decision": f"{answer}, by {decision.decided_by}: {decision.reason}"}


def _decided(label: Label, scheme: Scheme) -> Decided:
    question = scheme.question(label.question)
    return Decided(label, question, version_of(decision_state(label, scheme)))


def _open(
    queries: Sequence[QueryResult], *, below: float = DOUBTFUL, blind: bool = True
) -> list[QueueItem]:
    doubted = [
        (_is_doubted(decision, below), decision.confidence or 0.0, query, name)
        for query in queries
        for name, decision in query.decisions.items()
        if name in query.open or _is_doubted(decision, below)
    ]
    # Sorting is stable: equal items keep the order of the queries.
    return [
        _item(query, name, blind=blind, is_doubted=is_doubted)
        for is_doubted, _, query, name in sorted(doubted, key=lambda entry: entry[:2])
    ]


def _is_doubted(decision: Decision, below: float) -> bool:
    confidence = decision.confidence
    return bool(decision.label) and confidence is not None and confidence < below


def _item(query: QueryResult, name: str, *, blind: bool, is_doubted: bool) -> QueueItem:
    decision = query.decisions[name]
    votes = {code: n for code, n in query.chosen[name].items() if n}
    return QueueItem(
        qid=query.qid,
        text=query.text,
        why=_DOUBTED if is_doubted else _why_open(decision),
        votes=None if blind else votes,
        confidence=None if blind else decision.confidence,
        question=name,
    )


def _why_open(decision: Decision) -> str:
    if not decision.n_votes:
        return "Nobody could tell."
    if decision.state == DecisionState.TOO_FEW:
        return "Too few answers beside “I cannot tell”."
    return decision.note or TIE


def _asked(query: QueryResult, name: str) -> QueueItem | None:
    """Return the requested question, else the first open one or, if none is, the first asked."""
    names = [name for name, decision in query.decisions.items() if decision.is_asked]
    chosen = name if name in names else next(iter([*query.open, *names]), "")
    if not chosen:
        return None
    return QueueItem(query.qid, query.text, "asked for", None, None, chosen)
