"""Buttons: each does one thing, reports the result, and shows a page."""

from collections.abc import Callable, Mapping
from decimal import Decimal
from functools import wraps
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST

from annotation.core.amounts import parse_amount
from annotation.core.consent import ConsentError
from annotation.core.forms import LOOK, form_of, sent_parameters
from annotation.core.operations import AnyOperation, Result
from annotation.core.perform import perform
from annotation.models import Batch, Study
from annotation.vocabulary import Action
from annotation.web.access import AnyView, batch_view, kept_or_removed_study_view, study_view, who
from metrics.errors import InputError

Do = Callable[..., str | HttpResponse]
Then = Callable[..., HttpResponse]
#: Pages to which a button may lead, by name; the first is the default.
_PAGES: dict[type[Any], tuple[str, ...]] = {
    Batch: (
        *("batch-detail", "batch-invite", "batch-labels", "batch-workers", "batch-adjudication"),
        "batch-messages",
        "batch-queries",
        "batch-prolific",
    ),
    Study: ("study-detail", "study-members", "study-models", "study-reports", "study-put-away"),
}


def page_after(request: HttpRequest, subject: Batch | Study) -> HttpResponse:
    """Return the page that a button leads to, with the `filter` of the list."""
    pages, choice = _PAGES[type(subject)], request.POST.get("then", "")
    page = choice if choice in pages else pages[0]
    query = QueryDict(request.POST.get("filter", ""))
    return redirect(reverse(page, args=[subject.pk], query=query))


def button(guard: Callable[[Any], AnyView], then: Then = page_after) -> Callable[[Do], AnyView]:
    """Let a function be a button behind `guard`, such as `batch_view(Action.MANAGE)`.

    It gets the guard's object, and returns a message, or another page than `then` does. Errors are
    shown with their reason, and change nothing.
    """

    def decorate(do: Do) -> AnyView:
        @require_POST
        @guard
        @wraps(do)
        def view(request: HttpRequest, *subject: Any, **place: Any) -> HttpResponse:
            answer = do_and_tell(request, lambda: do(request, *subject, **place))
            return answer or then(request, *subject, **place)

        return view

    return decorate


def study_button(operation: AnyOperation, then: Then = page_after) -> AnyView:
    """The button of an operation on a study."""
    view_of = kept_or_removed_study_view if operation.of_removed else study_view
    guard = view_of(operation.permission or Action.MANAGE)
    return button(guard, then)(lambda request, study: press(request, operation, study))


def batch_button(operation: AnyOperation) -> AnyView:
    """The button of an operation on a batch; with money to agree to, it leads to its page."""

    @button(batch_view(operation.permission or Action.MANAGE))
    def view(request: HttpRequest, batch: Batch) -> str | HttpResponse:
        try:
            return press(request, operation, batch)
        except ConsentError:
            terms = sent_parameters(form_of(operation), request.POST.dict())
            return redirect(reverse("batch-act", args=[batch.pk, operation.page], query=terms))

    return view


def do_and_tell(request: HttpRequest, do: Do) -> HttpResponse | None:
    """Do it, and show the message or the error; a page that it returns is shown instead."""
    try:
        answer = do()
    except InputError as error:
        messages.error(request, str(error))
        return None
    if isinstance(answer, HttpResponse):
        return answer
    messages.success(request, answer)
    return None


def look(request: HttpRequest, values: Mapping[str, Any]) -> HttpResponse | None:
    """The page of a form with what is typed in it, if its button *Show ...* was pressed."""
    if LOOK not in request.POST:
        return None
    return redirect(f"{request.path}?{urlencode(values, doseq=True)}")


def press(request: HttpRequest, operation: AnyOperation, subject: Any) -> str:
    """Do the operation of a button with its form; return the message."""
    values = sent_parameters(form_of(operation), request.POST.dict())
    agreed = amount_sent(request, "agreed")
    return do_operation(request, operation, subject, values, agreed)


def do_operation(
    request: HttpRequest,
    operation: AnyOperation,
    subject: Any,
    values: dict[str, Any],
    agreed: Decimal | None,
) -> str:
    """Do the operation on the state that the form has seen; return the message."""
    version = request.POST.get("version")
    done = perform(operation, subject, values, who(request), agreed, version=version)
    return done.message if isinstance(done, Result) else operation.queued


def press_each(
    request: HttpRequest,
    operation: AnyOperation,
    subject: Any,
    chosen: Mapping[str, Mapping[str, Any]],
    nouns: tuple[str, str],
) -> str:
    """Do the operation with each of the values, by the name of what was chosen in a list.

    `nouns` are singular and plural of the items. A failure does not stop the others; the
    `InputError` names it, and counts them.
    """
    if not chosen:
        raise InputError(f"no {nouns[0]} was chosen.", remedy="Select some in the list first.")
    failed = []
    for name, values in chosen.items():
        try:
            perform(operation, subject, values, who(request))
        except InputError as error:
            failed.append(f"{name}: {error}")
    n, noun = len(chosen), nouns[len(chosen) > 1]
    if failed:
        summary = f"{operation.title}: done for {n - len(failed)} of {n} {noun}."
        raise InputError(f"{summary} {' '.join(failed)}")
    return f"{operation.title}: done for {n} {noun}."


def amount_sent(request: HttpRequest, name: str) -> Decimal | None:
    """Return the amount in a form; None without one, NaN for an invalid one."""
    typed = request.POST.get(name)
    if typed is None:
        return None
    try:
        return parse_amount(typed.strip())
    except InputError:
        return Decimal("NaN")  # which nothing costs


def number_sent(request: HttpRequest, name: str) -> int:
    """The number of a row that a form sends, or 0, which no row has."""
    typed = request.POST.get(name, "")
    return int(typed) if typed.isdecimal() else 0
