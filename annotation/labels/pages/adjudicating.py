"""Adjudication: one query at a time, blind, with the keyboard alone if wanted."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from annotation.batches.pages.operations import press
from annotation.core.versions import StaleError
from annotation.labels.operations.adjudicate import ADJUDICATE
from annotation.labels.queries.adjudicated import adjudication_page
from annotation.models import Batch
from annotation.vocabulary import Action, Category
from annotation.web.access import batch_view
from annotation.web.pages import after_batch, batch_page
from metrics.errors import InputError


@batch_view(Action.ADJUDICATE)
def adjudication(request: HttpRequest, batch: Batch) -> HttpResponse:
    return _page(request, batch, request.GET.get("query", ""))


@require_POST
@batch_view(Action.ADJUDICATE)
def adjudicate(request: HttpRequest, batch: Batch) -> HttpResponse:
    """Decide; where somebody has decided since, both decisions are shown, and what was typed."""
    try:
        messages.success(request, press(request, ADJUDICATE, batch))
    except StaleError as error:
        qid = request.POST.get("qid", "")
        return _page(request, batch, qid, stale=error, typed=request.POST)
    except InputError as error:
        messages.error(request, str(error))
    return redirect(after_batch(request), batch.pk)


def _page(request: HttpRequest, batch: Batch, qid: str, **more: Any) -> HttpResponse:
    page = adjudication_page(batch=batch, qid=qid)
    shown = {"page": page, "categories": Category.choices, **more}
    return batch_page(request, "adjudication", batch, "adjudication", **shown)
