"""What the pages of a batch share: its heading and tabs; and pages of lists."""

from collections.abc import Callable
from typing import Any, TypeVar

from django.core.paginator import Page, Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from annotation.batches.queries.batches import batch_progress
from annotation.core.task_progress import live_kinds, tasks_to_tell
from annotation.models import Batch
from metrics.errors import InputError

Row = TypeVar("Row")
PER_PAGE = 50


def found_or_404(find: Callable[..., Row], **arguments: Any) -> Row:
    """What a selector finds; its `InputError` is a page that does not exist."""
    try:
        return find(**arguments)
    except InputError as error:
        raise Http404(str(error)) from None


def batch_page(
    request: HttpRequest, template: str, batch: Batch, tab: str, **context: Any
) -> HttpResponse:
    """A page of the batch, under its heading."""
    tasks = tasks_to_tell(batch=batch)
    shown = {
        "progress": batch_progress(batch=batch),
        "batch": batch,
        "tab": tab,
        "tasks": tasks,
        "live_kinds": live_kinds(tasks),
    }
    return render(request, f"web/{template}.html", shown | context)


def page_of(request: HttpRequest, rows: Any, *, per_page: int = PER_PAGE) -> Page[Any]:
    """The page that `?page=` asks for; the nearest one where there is none such."""
    return Paginator(rows, per_page).get_page(request.GET.get("page"))


def list_filter(request: HttpRequest) -> dict[str, str]:
    """What the address of a list asks for: the `wanted` part of a name, and how to `sort`."""
    name = request.GET.get("name", "").replace("\x00", "").strip()
    return {"wanted": name, "sort": request.GET.get("sort", "")}


def query_without_page(request: HttpRequest) -> str:
    """The address's question without its page, to build links to other pages."""
    query = request.GET.copy()
    query.pop("page", None)
    return query.urlencode()
