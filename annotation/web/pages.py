"""Shared parts of pages: heading and tabs of a batch, and lists."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, ParamSpec, TypeVar

from django.core.paginator import Page, Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from annotation.core.parameters import ParametersError
from annotation.core.task_progress import live_kinds, tasks_to_tell
from annotation.models import Batch
from annotation.web.access import may_in
from metrics.errors import InputError

Row = TypeVar("Row")
Asked = ParamSpec("Asked")
PER_PAGE = 50


class Chip(NamedTuple):
    """An active filter as people read it, and the address without it."""

    title: str
    value: str
    question: str


#: The tab of each page of a batch; the menu leads to all other pages.
_TABS = {
    **dict.fromkeys(("progress", "costs", "log"), "overview"),
    **dict.fromkeys(("invite", "workers", "inquiries"), "people"),
    **dict.fromkeys(("queries", "adjudication"), "answers"),
    "agreement": "agreement",
    **dict.fromkeys(("labels", "figures"), "labels"),
}
#: Readers of the heading of every page of a batch, by name in the templates.
_BESIDE_BATCHES: dict[str, Callable[[Batch, Any], object]] = {}


def show_with_batches(name: str, read: Callable[[Batch, Any], object]) -> None:
    """Register a reader for the heading of all pages of a batch, since `web` cannot import nouns.

    `read` gets the batch and, by name, what was read before; `batch_page` calls it.
    """
    _BESIDE_BATCHES[name] = read


def found_or_404(find: Callable[Asked, Row], *places: Asked.args, **arguments: Asked.kwargs) -> Row:
    """Result of `find` with these arguments; its `InputError` is a page that does not exist."""
    try:
        return find(*places, **arguments)
    except InputError as error:
        raise Http404(str(error)) from None


def batch_page(
    request: HttpRequest, template: str, batch: Batch, tab: str, **context: Any
) -> HttpResponse:
    """A page of the batch, under its heading."""
    tasks = tasks_to_tell(batch=batch)
    beside: dict[str, object] = {"may": may_in(request)}
    for name, read in _BESIDE_BATCHES.items():
        beside[name] = read(batch, beside)
    page_context = {
        **beside,
        "batch": batch,
        "tab": tab,
        "group": _TABS.get(tab, ""),
        "tasks": tasks,
        "live_kinds": live_kinds(tasks),
    }
    return render(request, f"web/{template}.html", page_context | context)


def page_of(request: HttpRequest, rows: Any, *, per_page: int = PER_PAGE) -> Page[Any]:
    """Return the page `?page=`, or the last one where there are fewer."""
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


def chips_of(
    request: HttpRequest, titles: Mapping[str, str], words: Callable[[str, str], str]
) -> list[Chip]:
    """The filters of the address among `titles`, by parameter; `words` says a value of one."""
    chips = []
    for name, title in titles.items():
        if value := request.GET.get(name, ""):
            query = request.GET.copy()
            for gone in (name, "page"):
                query.pop(gone, None)
            chips.append(Chip(title, words(name, value), query.urlencode()))
    return chips
