"""The page of an act: its terms, what follows from them, and the button that does it."""

from django.contrib import messages
from django.forms import Form
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect

from annotation.models import Batch
from annotation.vocabulary import Action, Environment
from annotation.web.access import actor_of, batch_view
from annotation.web.acts import ACTS, Act, Plan
from annotation.web.pages import batch_page
from metrics.errors import InputError


@batch_view(Action.MANAGE)
def act_page(request: HttpRequest, batch: Batch, act: str) -> HttpResponse:
    """With GET what the act would do, with the terms of the address; with POST it is done."""
    chosen = ACTS.get(act)
    if chosen is None:
        raise Http404
    given = request.POST if request.method == "POST" else request.GET
    form = chosen.form(given or chosen.start(batch))
    plan, problem = _plan(chosen, batch, form)
    if request.method == "POST" and plan and not problem:
        problem = _disagreement(request, batch, plan)
        if not problem:
            return _do(request, batch, chosen, form.cleaned_data)
    shown = {"act": chosen, "form": form, "plan": plan, "problem": problem}
    kept = [(name, form[name].value()) for name in form.fields]
    return batch_page(request, "act", batch, "progress", kept=kept, asked=bool(given), **shown)


def _plan(act: Act, batch: Batch, form: Form) -> tuple[Plan | None, str]:
    """What follows from the form, or why nothing does."""
    if batch.state not in act.states:
        return (
            None,
            f"The batch is {batch.get_state_display().lower()}: this makes no sense for it.",
        )
    if not form.is_valid():
        return None, ""
    try:
        return act.plan(batch, form.cleaned_data), ""
    except InputError as error:
        return None, str(error)


def _disagreement(request: HttpRequest, batch: Batch, plan: Plan) -> str:
    """Why the button may not act: money is spent only as it was shown and agreed to."""
    if plan.nothing:
        return plan.nothing
    if request.POST.get("cost") != str(plan.cost):
        return f"Meanwhile it costs {plan.cost} USD. Look at it again, then decide."
    typed = request.POST.get("agreed", "").strip()
    if batch.environment == Environment.PRODUCTION and plan.cost and typed != str(plan.cost):
        return f"This spends {plan.cost} USD of real money: type {plan.cost} to agree."
    return ""


def _do(request: HttpRequest, batch: Batch, act: Act, asked: dict[str, object]) -> HttpResponse:
    try:
        messages.success(request, act.do(batch, asked, actor_of(request)))
    except InputError as error:
        messages.error(request, str(error))
    return redirect("batch-detail", batch.pk)
