"""The list of batches, how far one of them is, and what it costs."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from annotation.batches.operations.channels import stored_snapshot
from annotation.batches.operations.preflight import cost_to_come
from annotation.batches.pages.operations import LISTED
from annotation.batches.queries.batches import (
    batch_progress,
    batch_progress_list,
    batch_seconds_left,
)
from annotation.batches.queries.costs import batch_costs, money_events, pay_distribution
from annotation.batches.queries.pay import pay_forecast
from annotation.core.access import batches_open_to
from annotation.core.site_budget import site_budget
from annotation.core.task_progress import live_kinds, tasks_to_tell
from annotation.labels.queries.exporting import labels_overview
from annotation.models import Batch
from annotation.overview.queries.log import pseudonymised_events
from annotation.vocabulary import Action, BatchState
from annotation.web.access import (
    batch_view,
    may_in,
    may_somewhere,
    person_of,
    person_view,
    takes,
)
from annotation.web.logs import page_of_log
from annotation.web.pages import batch_page, list_filter
from annotation.web.sorting import Column, sorted_rows

_COLUMNS = {
    "name": Column("Batch", lambda row: row.name.casefold()),
    "where": Column("Where", lambda row: row.environment),
    "state": Column("State", lambda row: row.state_name),
    "queries": Column("Queries", lambda row: row.n_queries, is_number=True),
    "hits": Column("HITs out", lambda row: row.n_hits_published, is_number=True),
    "votes": Column("Votes", lambda row: row.n_votes),
    "committed": Column("Committed", lambda row: row.committed, is_number=True),
    "spent": Column("Spent", lambda row: row.spent, is_number=True),
}


@person_view
@takes("name", "sort")
def batch_list(request: HttpRequest) -> HttpResponse:
    opened = batches_open_to(user=person_of(request), action=Action.VIEW)
    filters = list_filter(request)
    batches = opened.filter(
        archived_at=None, study__archived_at=None, name__icontains=filters["wanted"]
    )
    rows, heads = sorted_rows(request, batch_progress_list(batches=batches), _COLUMNS)
    shown = {
        "batches": rows,
        "heads": heads,
        **filters,
        "may_make": may_somewhere(request, Action.MANAGE),
    }
    return render(request, "web/batch_list.html", shown)


@batch_view(Action.VIEW)
def batch_detail(request: HttpRequest, batch: Batch) -> HttpResponse:
    may = may_in(request)
    listed = [
        operation
        for operation in LISTED
        if batch.state in operation.states and operation.permission in may
    ]
    return batch_page(
        request,
        "batch_detail",
        batch,
        "progress",
        to_come=cost_to_come(batch),
        forecast=pay_forecast(batch=batch),
        operations=listed,
        is_adaptive=hasattr(batch, "adaptive_policy"),
        **_counted(batch),
    )


@batch_view(Action.VIEW)
@takes("state")
def batch_progress_part(request: HttpRequest, batch: Batch) -> HttpResponse:
    """The part of the page that counts along while answers come in.

    In another state than the page knows there are other buttons: then the whole page comes anew.
    """
    shown = {
        "progress": batch_progress(batch=batch),
        "tasks": tasks_to_tell(batch=batch),
        **_counted(batch),
    }
    response = render(request, "web/_progress.html", shown)
    if request.GET.get("state", batch.state) != batch.state:
        response["HX-Refresh"] = "true"
    return response


@batch_view(Action.VIEW)
@takes("live")
def batch_tasks_part(request: HttpRequest, batch: Batch) -> HttpResponse:
    """Work on the batch; once some of it is done, the whole page comes anew."""
    tasks = tasks_to_tell(batch=batch)
    response = render(request, "web/_batch_tasks.html", {"tasks": tasks})
    if request.GET.get("live", "") != live_kinds(tasks):
        response["HX-Refresh"] = "true"
    return response


@batch_view(Action.VIEW)
@takes("sort", "page")
def batch_log(request: HttpRequest, batch: Batch) -> HttpResponse:
    events = batch.events.order_by("-at", "-id")
    return batch_page(
        request, "log", batch, "log", **page_of_log(request, events, pseudonymised_events)
    )


def _counted(batch: Batch) -> dict[str, Any]:
    """Progress: the part that changes while answers come in."""
    return {
        "seconds_left": batch_seconds_left(batch=batch),
        "labels": labels_overview(batch=batch),
        "is_invited": bool(stored_snapshot(batch).channels),
        "is_live": batch.state in (BatchState.PUBLISHING, BatchState.PUBLISHED, BatchState.DRAFT),
    }


@batch_view(Action.VIEW)
@takes("sort", "page")
def cost_page(request: HttpRequest, batch: Batch) -> HttpResponse:
    """Costs of a batch."""
    return batch_page(
        request,
        "costs",
        batch,
        "costs",
        costs=batch_costs(batch=batch),
        pay=pay_distribution(batch=batch),
        site=site_budget(environment=batch.environment),
        **page_of_log(request, money_events(batch=batch), pseudonymised_events),
    )
