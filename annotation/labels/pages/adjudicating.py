"""Adjudication: one query at a time, blind, with the keyboard alone if wanted."""

from typing import Any

from django.http import HttpRequest, HttpResponse

from annotation.core.versions import StaleError
from annotation.labels.operations.adjudicate import ADJUDICATE
from annotation.labels.queries.adjudicated import adjudication_page
from annotation.models import Batch
from annotation.vocabulary import Action, Category
from annotation.web.access import batch_view, takes
from annotation.web.buttons import button, press
from annotation.web.pages import batch_page


@batch_view(Action.ADJUDICATE)
@takes("query")
def adjudication(request: HttpRequest, batch: Batch) -> HttpResponse:
    return _page(request, batch, request.GET.get("query", ""))


@button(batch_view(Action.ADJUDICATE))
def adjudicate(request: HttpRequest, batch: Batch) -> str | HttpResponse:
    """Decide; where somebody has decided since, both decisions are shown, and what was typed."""
    try:
        return press(request, ADJUDICATE, batch)
    except StaleError as error:
        qid = request.POST.get("qid", "")
        return _page(request, batch, qid, stale=error, typed=request.POST)


def _page(request: HttpRequest, batch: Batch, qid: str, **more: Any) -> HttpResponse:
    page = adjudication_page(batch=batch, qid=qid)
    shown = {"page": page, "categories": Category.choices, **more}
    return batch_page(request, "adjudication", batch, "adjudication", **shown)
