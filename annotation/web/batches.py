"""The list of batches, and how far one of them is."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from annotation.models import Batch
from annotation.selectors.batches import batch_progress, batch_progress_list, batch_seconds_left
from annotation.selectors.tasks import tasks_to_tell
from annotation.services.preflight import cost_to_come
from annotation.vocabulary import BatchState
from annotation.web.access import requester_page
from annotation.web.pages import batch_or_404, batch_page, page_of, query_without_page


@requester_page
def batch_list(request: HttpRequest) -> HttpResponse:
    return render(request, "web/batch_list.html", {"batches": batch_progress_list()})


@requester_page
def batch_detail(request: HttpRequest, number: int) -> HttpResponse:
    batch = batch_or_404(number)
    counted = _counted(batch)
    return batch_page(
        request, "batch_detail", batch, "progress", to_come=cost_to_come(batch), **counted
    )


@requester_page
def batch_progress_part(request: HttpRequest, number: int) -> HttpResponse:
    """The part of the page that counts along while answers come in.

    In another state than the page knows there are other buttons: then the whole page comes anew.
    """
    batch = batch_or_404(number)
    shown = {"progress": batch_progress(batch=batch), **_counted(batch)}
    response = render(request, "web/_progress.html", shown)
    if request.GET.get("state", batch.state) != batch.state:
        response["HX-Refresh"] = "true"
    return response


@requester_page
def batch_log(request: HttpRequest, number: int) -> HttpResponse:
    batch = batch_or_404(number)
    page = page_of(request, batch.events.order_by("-at", "-id"))
    return batch_page(request, "log", batch, "log", page=page, question=query_without_page(request))


def _counted(batch: Batch) -> dict[str, Any]:
    """What changes while answers come in."""
    return {
        "tasks": tasks_to_tell(batch=batch),
        "seconds_left": batch_seconds_left(batch=batch),
        "is_live": batch.state in (BatchState.PUBLISHING, BatchState.PUBLISHED, BatchState.DRAFT),
    }
