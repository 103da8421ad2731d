"""What the pages of a batch share: its heading, its tabs, and how errors reach a person."""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from django.contrib import messages
from django.core.paginator import Page, Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST

from annotation.models import Batch
from annotation.selectors.batches import batch_progress
from annotation.web.access import requester_page
from metrics.errors import InputError

Row = TypeVar("Row")
PER_PAGE = 50


def batch_or_404(number: int) -> Batch:
    return get_object_or_404(Batch, pk=number)


def found_or_404(find: Callable[..., Row], **asked: Any) -> Row:
    """What a selector finds; its `InputError` is a page that does not exist."""
    try:
        return find(**asked)
    except InputError as error:
        raise Http404(str(error)) from None


def batch_page(
    request: HttpRequest, template: str, batch: Batch, tab: str, **context: Any
) -> HttpResponse:
    """A page of the batch, under its heading."""
    shown = {"progress": batch_progress(batch=batch), "batch": batch, "tab": tab}
    return render(request, f"web/{template}.html", shown | context)


def page_of(request: HttpRequest, rows: Any, *, per_page: int = PER_PAGE) -> Page[Any]:
    """The page that `?page=` asks for; the nearest one where there is none such."""
    return Paginator(rows, per_page).get_page(request.GET.get("page"))


def query_without_page(request: HttpRequest) -> str:
    """The address's question without its page, to build links to other pages."""
    asked = request.GET.copy()
    asked.pop("page", None)
    return asked.urlencode()


#: Where a button of a batch may lead, by the name of the page.
_AFTERWARDS = ("batch-detail", "batch-labels", "batch-agreement", "batch-adjudication")


def batch_act(act: Callable[[HttpRequest, Batch], str]) -> Callable[..., Any]:
    """A button of a batch: does `act`, says what came of it, and shows the page it stands on.

    `act` returns what to say. What cannot be done is said with the reason, and changes nothing.
    """

    @require_POST
    @requester_page
    @wraps(act)
    def view(request: HttpRequest, number: int) -> HttpResponse:
        batch = batch_or_404(number)
        try:
            messages.success(request, act(request, batch))
        except InputError as error:
            messages.error(request, str(error))
        then = request.POST.get("then", "")
        return redirect(then if then in _AFTERWARDS else "batch-detail", number)

    return view
