"""The page of a new pool of pairs: its size and what judging it costs, before it is built."""

from dataclasses import replace
from math import ceil
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from annotation.batches.operations.planning import BatchPlan
from annotation.batches.queries.pay import CHARACTERS_PER_WORD, proposed_reward
from annotation.core.access import User, batches_open_to
from annotation.core.forms import add_errors, form_of, sent_parameters
from annotation.core.parameters import ParametersError
from annotation.core.perform import estimate
from annotation.models import Study
from annotation.studies.operations.pool_pairs import POOL_PAIRS, PairsEstimate
from annotation.vocabulary import Action
from annotation.web.access import checks_query, person_of, study_view, who
from annotation.web.buttons import look, press
from metrics.errors import InputError


@study_view(Action.MANAGE)
@checks_query
def pool_pairs(request: HttpRequest, study: Study) -> HttpResponse:
    """Show how large a pool of these terms would be, or build it; one form does both."""
    kind = form_of(POOL_PAIRS)
    form_data = request.POST if request.method == "POST" else request.GET
    usual = {name: field.initial for name, field in kind.base_fields.items()}
    form = kind(usual | form_data.dict())
    context: dict[str, Any] = {"form": form, "operation": POOL_PAIRS}
    try:
        values = sent_parameters(kind, form_data or usual)
        if looked := look(request, values):
            return looked
        if request.method == "POST":
            messages.success(request, press(request, POOL_PAIRS, study))
            return redirect("study-detail", study.pk)
        plan = estimate(POOL_PAIRS, study, values, who(request))
        assert isinstance(plan, PairsEstimate)  # noqa: S101 - tells its type
        usual = _usual_batch(plan, person_of(request))
        context |= {"plan": plan, "batch": usual}
    except ParametersError as error:
        add_errors(form, error)
    except InputError as error:
        context["problem"] = str(error)
    return render(request, "web/pool_pairs.html", context)


def _usual_batch(plan: PairsEstimate, user: User) -> dict[str, Any]:
    """A batch of these pairs on the terms that a new batch proposes: its HITs, and their cost."""
    usual = BatchPlan(name="", queries=[])
    if plan.n_queries and plan.n_words:
        reward = proposed_reward(
            usual=usual.reward,
            n_pairs=plan.n_queries,
            pairs_per_hit=usual.queries_per_hit,
            n_characters=CHARACTERS_PER_WORD * plan.n_words / plan.n_queries,
            batches=batches_open_to(user=user, action=Action.VIEW),
        )
        usual = replace(usual, reward=reward)
    n_hits, workers = ceil(plan.n_queries / usual.queries_per_hit), usual.assignments_per_hit
    cost = n_hits * workers * usual.unit_cost
    return {"n_hits": n_hits, "workers": workers, "reward": usual.reward, "cost": cost}
