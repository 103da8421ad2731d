"""Adjudication: one query at a time, blind, with the keyboard alone if wanted."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from annotation.core.versions import StaleError
from annotation.labels.operations.adjudication import adjudication_withdraw, query_adjudicate
from annotation.labels.queries.adjudicated import adjudication_page
from annotation.models import Batch
from annotation.vocabulary import Action, Category
from annotation.web.access import actor_of, batch_view
from annotation.web.pages import after_batch, batch_act, batch_page
from metrics.errors import InputError


@batch_view(Action.ADJUDICATE)
def adjudication(request: HttpRequest, batch: Batch) -> HttpResponse:
    return _page(request, batch, request.GET.get("query", ""))


@require_POST
@batch_view(Action.ADJUDICATE)
def adjudicate(request: HttpRequest, batch: Batch) -> HttpResponse:
    """Decide; where somebody has decided since, both decisions are shown, and what was typed."""
    qid = request.POST.get("qid", "")
    try:
        label = query_adjudicate(
            batch=batch,
            qid=qid,
            category=request.POST.get("category", ""),
            reason=request.POST.get("reason", ""),
            by=actor_of(request),
            version=request.POST.get("version"),
        )
    except StaleError as error:
        return _page(request, batch, qid, stale=error, typed=request.POST)
    except InputError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, f"Decided: {Category(label.value).label.lower()}.")
    return redirect(after_batch(request), batch.pk)


@batch_act(Action.ADJUDICATE)
def withdraw(request: HttpRequest, batch: Batch) -> str:
    adjudication_withdraw(
        batch=batch,
        qid=request.POST.get("qid", ""),
        reason=request.POST.get("reason", ""),
        by=actor_of(request),
        version=request.POST.get("version"),
    )
    return "Decision withdrawn: the votes decide again."


def _page(request: HttpRequest, batch: Batch, qid: str, **more: Any) -> HttpResponse:
    page = adjudication_page(batch=batch, qid=qid)
    shown = {"page": page, "categories": Category.choices, **more}
    return batch_page(request, "adjudication", batch, "adjudication", **shown)
