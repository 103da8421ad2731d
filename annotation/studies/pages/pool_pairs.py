"""The page of a new pool of pairs: its size and what judging it costs, before it is built."""

from math import ceil
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from annotation.batches.operations.planning import BatchPlan
from annotation.core.forms import add_errors, form_of, sent_parameters
from annotation.core.parameters import ParametersError
from annotation.core.perform import estimate
from annotation.models import Study
from annotation.studies.operations.pool_pairs import POOL_PAIRS
from annotation.vocabulary import Action
from annotation.web.access import checks_query, study_view, who
from annotation.web.buttons import press
from metrics.errors import InputError


@study_view(Action.MANAGE)
@checks_query
def pool_pairs(request: HttpRequest, study: Study) -> HttpResponse:
    """Show how large a pool of these terms would be; with POST, build it."""
    kind = form_of(POOL_PAIRS)
    sent = request.POST if request.method == "POST" else request.GET
    usual = {name: field.initial for name, field in kind.base_fields.items()}
    form = kind(usual | sent.dict())
    shown: dict[str, Any] = {"form": form, "operation": POOL_PAIRS}
    try:
        values = sent_parameters(kind, sent or usual)
        if request.method == "POST":
            messages.success(request, press(request, POOL_PAIRS, study))
            return redirect("study-detail", study.pk)
        plan = estimate(POOL_PAIRS, study, values, who(request))
        shown |= {"plan": plan, "values": values, "batch": _usual_batch(plan.n_queries)}
    except ParametersError as error:
        add_errors(form, error)
    except InputError as error:
        shown["problem"] = str(error)
    return render(request, "web/pool_pairs.html", shown)


def _usual_batch(n_pairs: int) -> dict[str, Any]:
    """A batch of so many pairs on the terms of a new batch: its HITs, and what they cost."""
    usual = BatchPlan(name="", queries=[])
    n_hits, workers = ceil(n_pairs / usual.queries_per_hit), usual.assignments_per_hit
    return {"n_hits": n_hits, "workers": workers, "cost": n_hits * workers * usual.unit_cost}
