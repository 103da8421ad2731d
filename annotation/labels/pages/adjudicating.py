"""Adjudication: one query at a time, blind, with the keyboard alone if wanted."""

from typing import Any

from django.http import HttpRequest, HttpResponse

from annotation.batches.operations.decide_answer import DECIDE_ANSWER
from annotation.batches.queries.adjudicated_answers import answer_adjudication_page
from annotation.batches.queries.codebooks import batch_scheme
from annotation.core.operations import AnyOperation
from annotation.core.versions import StaleError
from annotation.labels.operations.adjudicate import ADJUDICATE, WITHDRAW_DECISION
from annotation.labels.queries.adjudicated import adjudication_page
from annotation.models import Batch
from annotation.schemes import JOINED, Scheme
from annotation.vocabulary import Action, Category
from annotation.web.access import batch_view, takes
from annotation.web.buttons import button, do_operation, press, press_each
from annotation.web.pages import batch_page
from metrics.errors import InputError

#: Chosen in the list in place of a category: the votes decide again.
WITHDRAWN = "votes"


@batch_view(Action.ADJUDICATE)
@takes("query", "question")
def adjudication(request: HttpRequest, batch: Batch) -> HttpResponse:
    if scheme := batch_scheme(batch):
        asked = {name: request.GET.get(name, "") for name in ("query", "question")}
        return _answers_page(request, batch, scheme, asked["query"], asked["question"])
    return _page(request, batch, request.GET.get("query", ""))


@button(batch_view(Action.ADJUDICATE))
def adjudicate(request: HttpRequest, batch: Batch) -> str | HttpResponse:
    """Decide; where somebody has decided since, both decisions are shown, and what was typed."""
    try:
        return press(request, ADJUDICATE, batch)
    except StaleError as error:
        qid = request.POST.get("qid", "")
        return _page(request, batch, qid, stale=error, typed=request.POST)


@button(batch_view(Action.ADJUDICATE))
@takes(several=["answer"])
def decide_answer(request: HttpRequest, batch: Batch) -> str | HttpResponse:
    """As `adjudicate`, for a question of a scheme; of several options each comes for itself."""
    sent = {name: request.POST.get(name, "") for name in ("qid", "question", "reason")}
    answer = JOINED.join(request.POST.getlist("answer"))
    try:
        return do_operation(request, DECIDE_ANSWER, batch, {**sent, "answer": answer}, None)
    except StaleError as error:
        scheme = batch_scheme(batch)
        if scheme is None:
            raise
        typed = {**sent, "answers": request.POST.getlist("answer")}
        asked = (sent["qid"], sent["question"])
        return _answers_page(request, batch, scheme, *asked, stale=error, typed=typed)


@button(batch_view(Action.ADJUDICATE))
@takes(several=["qid"])
def queries_chosen(request: HttpRequest, batch: Batch) -> str:
    """One decision about each query that was chosen in the list, for one reason."""
    decision = request.POST.get("decision", "")
    if decision not in (*Category.values, WITHDRAWN):
        raise InputError("no decision was chosen.", remedy="Choose what to do with the queries.")
    operation: AnyOperation = WITHDRAW_DECISION if decision == WITHDRAWN else ADJUDICATE
    what = {"reason": request.POST.get("reason", "")}
    what |= {} if decision == WITHDRAWN else {"category": decision}
    chosen = {qid: {"qid": qid, **what} for qid in request.POST.getlist("qid")}
    return press_each(request, operation, batch, chosen, ("query", "queries"))


def _answers_page(
    request: HttpRequest, batch: Batch, scheme: Scheme, qid: str, question: str, **more: Any
) -> HttpResponse:
    page = answer_adjudication_page(batch=batch, scheme=scheme, qid=qid, question=question)
    return batch_page(request, "scheme_adjudication", batch, "adjudication", page=page, **more)


def _page(request: HttpRequest, batch: Batch, qid: str, **more: Any) -> HttpResponse:
    page = adjudication_page(batch=batch, qid=qid)
    shown = {"page": page, "categories": Category.choices, **more}
    return batch_page(request, "adjudication", batch, "adjudication", **shown)
