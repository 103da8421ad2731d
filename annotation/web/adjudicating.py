"""Adjudication: one query at a time, blind, with the keyboard alone if wanted."""

from django.http import HttpRequest, HttpResponse

from annotation.models import Batch
from annotation.selectors.adjudicated import adjudication_page
from annotation.services.adjudication import adjudication_withdraw, query_adjudicate
from annotation.vocabulary import Action, Category
from annotation.web.access import actor_of, batch_view
from annotation.web.pages import batch_act, batch_page


@batch_view(Action.ADJUDICATE)
def adjudication(request: HttpRequest, batch: Batch) -> HttpResponse:
    return batch_page(
        request,
        "adjudication",
        batch,
        "adjudication",
        page=adjudication_page(batch=batch, qid=request.GET.get("query", "")),
        categories=Category.choices,
    )


@batch_act(Action.ADJUDICATE)
def adjudicate(request: HttpRequest, batch: Batch) -> str:
    label = query_adjudicate(
        batch=batch,
        qid=request.POST.get("qid", ""),
        category=request.POST.get("category", ""),
        reason=request.POST.get("reason", ""),
        by=actor_of(request),
    )
    return f"Decided: {Category(label.value).label.lower()}."


@batch_act(Action.ADJUDICATE)
def withdraw(request: HttpRequest, batch: Batch) -> str:
    qid = request.POST.get("qid", "")
    reason = request.POST.get("reason", "")
    adjudication_withdraw(batch=batch, qid=qid, reason=reason, by=actor_of(request))
    return "Decision withdrawn: the votes decide again."
