"""Adjudication: one query at a time, blind, with the keyboard alone if wanted."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from annotation.core.operations import AnyOperation
from annotation.core.versions import StaleError
from annotation.labels.operations.adjudicate import ADJUDICATE, WITHDRAW_DECISION
from annotation.labels.queries.adjudicated import adjudication_page
from annotation.models import Batch
from annotation.vocabulary import Action, Category
from annotation.web.access import batch_view, takes
from annotation.web.buttons import button, press, press_each
from annotation.web.pages import batch_page
from metrics.errors import InputError

#: Chosen in the list in place of a category: the votes decide again.
WITHDRAWN = "votes"


@batch_view(Action.ADJUDICATE)
@takes("query")
def adjudication(request: HttpRequest, batch: Batch) -> HttpResponse:
    if batch.has_scheme:
        return redirect("batch-labels", batch.pk)
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


def _page(request: HttpRequest, batch: Batch, qid: str, **more: Any) -> HttpResponse:
    page = adjudication_page(batch=batch, qid=qid)
    shown = {"page": page, "categories": Category.choices, **more}
    return batch_page(request, "adjudication", batch, "adjudication", **shown)
