"""The list of batches, and how far one of them is."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from annotation.models import Batch
from annotation.selectors.access import batches_open_to
from annotation.selectors.batches import batch_progress, batch_progress_list, batch_seconds_left
from annotation.selectors.log import told
from annotation.selectors.tasks import tasks_to_tell
from annotation.services.preflight import cost_to_come
from annotation.vocabulary import Action, BatchState
from annotation.web.access import batch_view, may_somewhere, person_of, person_view
from annotation.web.acts import ACTS
from annotation.web.pages import batch_page, page_of, query_without_page


@person_view
def batch_list(request: HttpRequest) -> HttpResponse:
    batches = batches_open_to(user=person_of(request), action=Action.VIEW)
    shown = {
        "batches": batch_progress_list(batches=batches),
        "may_make": may_somewhere(request, Action.MANAGE),
    }
    return render(request, "web/batch_list.html", shown)


@batch_view(Action.VIEW)
def batch_detail(request: HttpRequest, batch: Batch) -> HttpResponse:
    acts = [(name, act) for name, act in ACTS.items() if batch.state in act.states]
    return batch_page(
        request,
        "batch_detail",
        batch,
        "progress",
        to_come=cost_to_come(batch),
        acts=acts,
        is_adaptive=hasattr(batch, "redundancy"),
        **_counted(batch),
    )


@batch_view(Action.VIEW)
def batch_progress_part(request: HttpRequest, batch: Batch) -> HttpResponse:
    """The part of the page that counts along while answers come in.

    In another state than the page knows there are other buttons: then the whole page comes anew.
    """
    shown = {"progress": batch_progress(batch=batch), **_counted(batch)}
    response = render(request, "web/_progress.html", shown)
    if request.GET.get("state", batch.state) != batch.state:
        response["HX-Refresh"] = "true"
    return response


@batch_view(Action.VIEW)
def batch_log(request: HttpRequest, batch: Batch) -> HttpResponse:
    page = page_of(request, batch.events.order_by("-at", "-id"))
    events = told(batch=batch, events=page.object_list)
    question = query_without_page(request)
    return batch_page(request, "log", batch, "log", page=page, events=events, question=question)


def _counted(batch: Batch) -> dict[str, Any]:
    """What changes while answers come in."""
    return {
        "tasks": tasks_to_tell(batch=batch),
        "seconds_left": batch_seconds_left(batch=batch),
        "is_live": batch.state in (BatchState.PUBLISHING, BatchState.PUBLISHED, BatchState.DRAFT),
    }
