"""Shared parts of pages: heading and tabs of a batch, and lists."""

from collections.abc import Callable
from typing import Any, TypeVar

from django.core.paginator import Page, Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from annotation.core.parameters import ParametersError
from annotation.core.task_progress import live_kinds, tasks_to_tell
from annotation.models import Batch
from metrics.errors import InputError

Row = TypeVar("Row")
PER_PAGE = 50
#: What the heading of every page of a batch needs, by its name in the templates.
_BESIDE_BATCHES: dict[str, Callable[[Batch], object]] = {}


def show_with_batches(name: str, read: Callable[[Batch], object]) -> None:
    """Let every page of a batch show what `read` gives: this room knows no noun that could."""
    _BESIDE_BATCHES[name] = read


def found_or_404(find: Callable[..., Row], **arguments: Any) -> Row:
    """Result of a selector; its `InputError` is a page that does not exist."""
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
        **{name: read(batch) for name, read in _BESIDE_BATCHES.items()},
        "batch": batch,
        "tab": tab,
        "tasks": tasks,
        "live_kinds": live_kinds(tasks),
    }
    return render(request, f"web/{template}.html", shown | context)


def page_of(request: HttpRequest, rows: Any, *, per_page: int = PER_PAGE) -> Page[Any]:
    """The page that `?page=` asks for; the last one where there are fewer."""
    typed = request.GET.get("page", "1")
    if not typed.isascii() or not typed.isdecimal():
        raise ParametersError({"page": ["A whole number, from 1."]})
    return Paginator(rows, per_page).get_page(typed)


def list_filter(request: HttpRequest) -> dict[str, str]:
    """The list that an address selects: the `wanted` part of a name, and how to `sort`."""
    name = request.GET.get("name", "").replace("\x00", "").strip()
    return {"wanted": name, "sort": request.GET.get("sort", "")}


def query_without_page(request: HttpRequest) -> str:
    """The address's question without its page, to build links to other pages."""
    query = request.GET.copy()
    query.pop("page", None)
    return query.urlencode()
