"""Adjudication: one question about one query at a time, blind, with the keyboard if wanted."""

from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse

from annotation.core.operations import AnyOperation
from annotation.core.versions import StaleError
from annotation.labels.operations.adjudicate import ADJUDICATE, WITHDRAW_DECISION
from annotation.labels.queries.adjudication import adjudication_page
from annotation.labels.queries.exporting import USUAL_QRELS
from annotation.labels.queries.judgments import has_grades
from annotation.labels.queries.questions import closed_question
from annotation.models import Batch
from annotation.schemes import JOINED
from annotation.vocabulary import Action
from annotation.web.access import batch_view, takes
from annotation.web.buttons import button, do_operation, press_each
from annotation.web.pages import batch_page
from metrics.errors import InputError

#: Choice of the list that lets the votes decide again. No option has this code.
WITHDRAWN = "="


@batch_view(Action.ADJUDICATE)
@takes("query", "question")
def adjudication(request: HttpRequest, batch: Batch) -> HttpResponse:
    return _page(request, batch, request.GET.get("query", ""), request.GET.get("question", ""))


@button(batch_view(Action.ADJUDICATE))
@takes(several=["category"])
def adjudicate(request: HttpRequest, batch: Batch) -> str | HttpResponse:
    """Store a decision; several options come one by one.

    If somebody else has decided since, both decisions are shown, with what was typed.
    """
    values = {name: request.POST.get(name, "") for name in ("qid", "question", "reason")}
    codes = request.POST.getlist("category")
    try:
        what = {**values, "category": JOINED.join(codes)}
        return do_operation(request, ADJUDICATE, batch, what, None)
    except StaleError as error:
        typed = {**values, "codes": codes}
        return _page(request, batch, values["qid"], values["question"], stale=error, typed=typed)


@button(batch_view(Action.ADJUDICATE))
@takes(several=["qid"])
def queries_chosen(request: HttpRequest, batch: Batch) -> str:
    """Store one decision, with one reason, for each query chosen in the list."""
    question = closed_question(batch=batch, name=request.POST.get("question", ""))
    decision = request.POST.get("decision", "")
    if decision not in (*question.codes, WITHDRAWN):
        raise InputError("no decision was chosen.", remedy="Choose what to do with the queries.")
    operation: AnyOperation = WITHDRAW_DECISION if decision == WITHDRAWN else ADJUDICATE
    what = {"reason": request.POST.get("reason", ""), "question": question.name}
    what |= {} if decision == WITHDRAWN else {"category": decision}
    chosen = {qid: {"qid": qid, **what} for qid in request.POST.getlist("qid")}
    return press_each(request, operation, batch, chosen, ("query", "queries"))


def _page(request: HttpRequest, batch: Batch, qid: str, question: str, **more: Any) -> HttpResponse:
    page = adjudication_page(batch=batch, qid=qid, question=question)
    graded = batch.scheme.subset_question
    if has_grades(batch=batch, question=graded):
        more["qrels"] = urlencode({"question": graded.name, **USUAL_QRELS})
    return batch_page(request, "adjudication", batch, "adjudication", page=page, **more)
