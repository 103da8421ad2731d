"""What the pages of a batch share: its heading, its tabs, and how errors reach a person."""

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, TypeVar

from django.contrib import messages
from django.core.paginator import Page, Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST

from annotation.batches.queries.batches import batch_progress
from annotation.core.task_progress import live_kinds, tasks_to_tell
from annotation.models import Batch, Study
from annotation.vocabulary import Action
from annotation.web.access import AnyView, batch_view, study_view
from metrics.errors import InputError

Row = TypeVar("Row")
PER_PAGE = 50


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
    wanted = request.GET.get("name", "").replace("\x00", "").strip()
    return {"wanted": wanted, "sort": request.GET.get("sort", "")}


def query_without_page(request: HttpRequest) -> str:
    """The address's question without its page, to build links to other pages."""
    asked = request.GET.copy()
    asked.pop("page", None)
    return asked.urlencode()


#: Where a button of a batch may lead, by the name of the page.
_AFTER_BATCH = (
    *("batch-detail", "batch-invite", "batch-labels", "batch-workers", "batch-adjudication"),
    "batch-messages",
)
#: Where a button of a study may lead.
_AFTER_STUDY = ("study-detail", "study-members", "study-reports", "study-put-away")


def batch_act(action: Action) -> Callable[[Callable[[HttpRequest, Batch], str]], AnyView]:
    """A button of a batch: does what it says, tells what came of it, shows the page it stands on.

    The decorated function returns what to tell. What cannot be done is told with the reason, and
    changes nothing.
    """

    def decorate(act: Callable[[HttpRequest, Batch], str]) -> AnyView:
        @require_POST
        @batch_view(action)
        @wraps(act)
        def view(request: HttpRequest, batch: Batch) -> HttpResponse:
            do_and_tell(request, lambda: act(request, batch))
            return redirect(after_batch(request), batch.pk)

        return view

    return decorate


def study_act(action: Action) -> Callable[[Callable[[HttpRequest, Study], str]], AnyView]:
    """A button of a study, in the same way."""

    def decorate(act: Callable[[HttpRequest, Study], str]) -> AnyView:
        @require_POST
        @study_view(action)
        @wraps(act)
        def view(request: HttpRequest, study: Study) -> HttpResponse:
            do_and_tell(request, lambda: act(request, study))
            return redirect(_then(request, _AFTER_STUDY), study.pk)

        return view

    return decorate


def do_and_tell(request: HttpRequest, act: Callable[[], str]) -> None:
    try:
        messages.success(request, act())
    except InputError as error:
        messages.error(request, str(error))


def after_batch(request: HttpRequest) -> str:
    """The page of the batch that a button leads to."""
    return _then(request, _AFTER_BATCH)


def _then(request: HttpRequest, known: Sequence[str]) -> str:
    """The page that the button asks for, if it is one of those; else the first of them."""
    wanted = request.POST.get("then", "")
    return wanted if wanted in known else known[0]
