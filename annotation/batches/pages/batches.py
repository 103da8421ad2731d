"""The list of batches, and the progress and costs of one of them."""

from collections.abc import Sequence
from datetime import timedelta
from decimal import Decimal
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.urls import reverse

from annotation.batches.operations.channels import stored_snapshot
from annotation.batches.operations.choose_crowd import (
    ABOUT_CROWDS,
    CROWDS,
    MTURK,
    PROLIFIC_ALONE,
    SERVICE,
)
from annotation.batches.operations.preflight import charges_to_come
from annotation.batches.queries.batches import (
    batch_progress,
    batch_progress_list,
    batch_seconds_left,
)
from annotation.batches.queries.costs import batch_costs, money_events, pay_distribution
from annotation.batches.queries.next_action import next_action
from annotation.batches.queries.pay import hourly_pay, pay_forecast
from annotation.batches.queries.task_builder import parts_left_out
from annotation.batches.queries.vote_times import vote_times
from annotation.core.access import batches_open_to
from annotation.core.counting import counted
from annotation.core.site_budget import site_budget
from annotation.core.task_progress import live_kinds, tasks_to_tell
from annotation.models import Batch, Task
from annotation.models.tasks import LIVE_STATES
from annotation.overview.queries.happened import happenings
from annotation.overview.queries.log import log_table, pseudonymised_events
from annotation.vocabulary import Action, BatchState, Environment
from annotation.web.access import (
    batch_view,
    may_in,
    may_somewhere,
    person_of,
    person_view,
    takes,
)
from annotation.web.charts.bars import Bar, bar_chart
from annotation.web.charts.shapes import Chart
from annotation.web.downloads import RAW, download_table
from annotation.web.logs import EVENT_COLUMNS, page_of_log
from annotation.web.pages import batch_page, list_filter
from annotation.web.sorting import Column, sorted_query, sorted_rows
from metrics.errors import InputError

_DAY = timedelta(days=1)
_LABELS = 6
#: Moments in an address, which are in UTC.
_ISO = "%Y-%m-%dT%H:%MZ"


def votes_chart(batch: Batch) -> Chart | None:
    """A bar for each span of time; None without two of them."""
    times = vote_times(batch=batch)
    if times is None or len(times.counts) == 1:
        return None
    whole_days = times.span >= _DAY
    every = -(-len(times.counts) // _LABELS)
    bars = []
    for number, (start, count) in enumerate(times.counts):
        day = f"{start.day} {start:%b}"
        words = f"{day} {start:%Y}" if whole_days else f"{day} {start:%Y, %H:%M} UTC"
        label = day if whole_days else f"{day}, {start:%H:%M}"
        tick_label = label if number % every == every // 2 else ""
        parameters = {"since": f"{start:{_ISO}}", "until": f"{start + times.span:{_ISO}}"}
        address = f"{reverse('batch-queries', args=[batch.pk])}?{urlencode(parameters)}"
        moment = "" if whole_days else f"{start:{_ISO}}"
        description = f"From {words}: {counted(count, 'vote')}"
        bars.append(Bar(count, description, address, tick_label, moment))
    hours = times.span / timedelta(hours=1)
    per = f"{hours / 24:g} day" if whole_days else f"{hours:g} hour"
    if hours < 1:
        per = f"{hours * 60:.0f} minute"
    plural = "" if per.startswith("1 ") else "s"
    return bar_chart(
        "Votes over time", bars, x_label="handed in (UTC)", y_label=f"votes in {per}{plural}"
    )


#: Events in the time line of the first page.
_LATEST = 8
#: Entries of the log from which they are made.
_LATEST_READ = 100
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
    context = {
        "batches": rows,
        "heads": heads,
        **filters,
        "may_make": may_somewhere(request, Action.MANAGE),
    }
    return render(request, "web/batch_list.html", context)


@batch_view(Action.VIEW)
def batch_detail(request: HttpRequest, batch: Batch) -> HttpResponse:
    charges = charges_to_come(batch)
    return batch_page(
        request,
        "batch_detail",
        batch,
        "progress",
        to_come=sum((charge.cost for charge in charges), Decimal(0)),
        charges=charges,
        forecast=pay_forecast(batch=batch),
        crowds=CROWDS,
        about_crowds=ABOUT_CROWDS,
        crowd=_crowd_of(batch),
        left_out=_left_out(batch),
        chart=votes_chart(batch),
        **_counted(batch),
    )


def _crowd_of(batch: Batch) -> str:
    """The first choice of the form about where a draft runs."""
    if batch.uses_task_builder:
        return PROLIFIC_ALONE
    return SERVICE if batch.environment == Environment.LOCAL else MTURK


def _left_out(batch: Batch) -> Sequence[str]:
    """Parts of a draft that Prolific's Task Builder leaves out, or why it cannot ask them."""
    if batch.state != BatchState.DRAFT:
        return ()
    try:
        return parts_left_out(batch=batch)
    except InputError as error:
        return (str(error),)


@batch_view(Action.VIEW)
@takes("state")
def batch_progress_part(request: HttpRequest, batch: Batch) -> HttpResponse:
    """Render the part of the page that updates live while answers come in.

    In another state than the page knows there are other buttons: then the whole page is reloaded.
    """
    progress = batch_progress(batch=batch)
    context = {
        "progress": progress,
        "next": next_action(batch=batch, progress=progress, may=may_in(request)),
        "tasks": tasks_to_tell(batch=batch),
        "hourly": hourly_pay(batch=batch),
        "batch": batch,
        "is_part": True,
        **_counted(batch),
    }
    response = render(request, "web/_progress.html", context)
    if request.GET.get("state", batch.state) != batch.state:
        response["HX-Refresh"] = "true"
    return response


@batch_view(Action.VIEW)
@takes("live")
def batch_tasks_part(request: HttpRequest, batch: Batch) -> HttpResponse:
    """Show the tasks of the batch; once one of them is done, the whole page is reloaded."""
    tasks = tasks_to_tell(batch=batch)
    response = render(request, "web/_batch_tasks.html", {"tasks": tasks})
    if request.GET.get("live", "") != live_kinds(tasks):
        response["HX-Refresh"] = "true"
    return response


@batch_view(Action.VIEW)
@takes("sort", "page", "as", RAW)
def batch_log(request: HttpRequest, batch: Batch) -> HttpResponseBase:
    """Show a page of the log, or with `?as=csv` send all of it as a file."""
    events = batch.events.order_by("-at", "-id")
    if request.GET.get("as") == "csv":
        sorted_events, _ = sorted_query(request, events.select_related("batch"), EVENT_COLUMNS)
        return download_table(request, log_table(sorted_events), f"{batch.name}-log.csv")
    return batch_page(
        request, "log", batch, "log", **page_of_log(request, events, pseudonymised_events)
    )


def _counted(batch: Batch) -> dict[str, Any]:
    """Progress: the part that changes while answers come in."""
    latest = batch.events.order_by("-at", "-id")[:_LATEST_READ]
    is_busy = Task.objects.filter(batch=batch, state__in=LIVE_STATES).exists()
    return {
        "happened": happenings(
            pseudonymised_events(latest), is_busy=is_busy, noun=batch.scheme.item_noun
        )[:_LATEST],
        "seconds_left": batch_seconds_left(batch=batch),
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
