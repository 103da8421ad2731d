"""A new batch: terms, then the exact HIT and its cost, then the decision."""

import hashlib
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST

from annotation import task_page
from annotation.batches.operations.create import CREATE_BATCH
from annotation.batches.operations.planning import BatchPlan, shown_items
from annotation.batches.pages.batch_form import BatchForm
from annotation.batches.pages.pasted import file_names
from annotation.batches.queries.pay import hourly_estimate
from annotation.core.access import batches_open_to
from annotation.core.forms import add_errors, sent_parameters
from annotation.core.parameters import ParametersError
from annotation.core.perform import perform_here
from annotation.core.site_budget import site_budget
from annotation.schemes import is_blank
from annotation.studies.pages.uploads import too_large
from annotation.vocabulary import Action, Environment
from annotation.web.access import checks_query, person_of, somewhere_view, who
from metrics.errors import InputError
from pooling.pool import ties_in_words


@somewhere_view(Action.MANAGE)
@checks_query
def batch_new(request: HttpRequest) -> HttpResponse:
    """Show the form and, with terms in the address or with files, the preview. Stores nothing."""
    form = _sent(request) if request.method == "POST" else _asked(request)
    return _page(request, form, form.plan())


@require_POST
@somewhere_view(Action.MANAGE)
def batch_new_cost(request: HttpRequest) -> HttpResponse:
    """Cost of the batch with the terms so far, while they are typed."""
    form = BatchForm(request.POST, who=who(request), is_sketch=True)
    context = {**_priced(request, form, form.plan()), "is_part": True}
    return render(request, "web/_batch_cost.html", context)


@require_POST
@somewhere_view(Action.MANAGE)
def batch_store(request: HttpRequest) -> HttpResponse:
    """Store the batch as a draft, as it was shown."""
    form = _sent(request)
    plan = form.plan()
    if plan is None:
        return _page(request, form, plan)
    if request.POST.get("seen", _digest(plan)) != _digest(plan):
        messages.error(request, "The terms have changed since the preview. Look at it once more.")
        return _page(request, form, plan)
    try:
        done = perform_here(CREATE_BATCH, form.batch_study, form.parameters(), who(request))
    except InputError as error:
        messages.error(request, str(error))
        return _page(request, form, None)
    messages.success(request, done.message)
    is_edited = "edit" in request.POST or is_blank(done.made.scheme)
    return redirect("batch-scheme" if is_edited else "batch-detail", done.made.pk)


def _asked(request: HttpRequest) -> BatchForm:
    return BatchForm.asked(sent_parameters(BatchForm, request.GET), who=who(request))


def _sent(request: HttpRequest) -> BatchForm:
    form = BatchForm(request.POST, request.FILES, who=who(request))
    for name in too_large(request):
        form.add_error(None, f"The file {name} is too large for this form.")
    files = file_names(BatchForm)
    try:
        sent_parameters(
            BatchForm, {n: value for n, value in request.POST.items() if n not in files}
        )
    except ParametersError as error:
        add_errors(form, error)
    return form


def _page(request: HttpRequest, form: BatchForm, plan: BatchPlan | None) -> HttpResponse:
    context = _priced(request, form, plan)
    if plan is not None:
        context["hit"] = task_page.render(shown_items(plan.pages[0]), plan.texts)
        context["seen"] = _digest(plan)
    is_refused = request.method == "POST" and bool(form.errors)
    response = render(request, "web/batch_new.html", context, status=400 if is_refused else 200)
    # The frame shows the page's own bytes, under the policy of the page around it.
    response.inline_hashes = task_page.inline_hashes()  # type: ignore[attr-defined]
    return response


def _priced(request: HttpRequest, form: BatchForm, plan: BatchPlan | None) -> dict[str, Any]:
    context = {
        "form": form,
        "plan": plan,
        "study": form.named_study,
        "environment": Environment(settings.MTURK_ENVIRONMENT),
    }
    if plan is None:
        return context
    opened = batches_open_to(user=person_of(request), action=Action.VIEW)
    pay = hourly_estimate(terms=plan, batches=opened)
    left = site_budget(environment=settings.MTURK_ENVIRONMENT).left
    ties = ties_in_words(plan.pool.summary) if plan.pool else ""
    return {**context, "fees": plan.cost - plan.rewards, "pay": pay, "left": left, "ties": ties}


def _digest(plan: BatchPlan) -> str:
    """Identify a plan."""
    return hashlib.sha256(repr(plan).encode("utf-8", "surrogatepass")).hexdigest()
