"""A new batch from a pool: terms, then the exact HIT and its cost, then the decision."""

from django.conf import settings
from django.contrib import messages
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.clickjacking import xframe_options_sameorigin
from django.views.decorators.http import require_POST

from annotation import task_page
from annotation.selectors.access import batches_open_to, pools_open_to
from annotation.selectors.pay import PayEstimate, hourly_estimate
from annotation.services.batches import batch_create
from annotation.services.planning import BatchPlan
from annotation.vocabulary import Action, Environment
from annotation.web.access import actor_of, person_of, somewhere_view
from annotation.web.forms import BatchForm
from metrics.errors import InputError
from pooling.models import Pool

#: The page of a HIT brings its own style, and may do nothing else inside ours.
_FRAMED = "sandbox; default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'"


@somewhere_view(Action.MANAGE)
def batch_new(request: HttpRequest) -> HttpResponse:
    """The form; with every term in the address also the preview, so that nothing is stored yet."""
    pools = _pools(request)
    form = BatchForm.asked(request.GET, pools=pools)
    plan = _plan(form)
    shown = {
        "form": form,
        "plan": plan,
        "fees": plan and plan.cost - plan.rewards,
        "kept": request.GET.items(),
        "environment": Environment(settings.MTURK_ENVIRONMENT),
        "pools": pools,
        "question": request.GET.urlencode(),
        "pay": plan and _pay(request, plan),
    }
    return render(request, "web/batch_new.html", shown)


@xframe_options_sameorigin
@somewhere_view(Action.MANAGE)
def batch_new_hit(request: HttpRequest) -> HttpResponse:
    """The page of the first HIT, to the byte."""
    plan = _plan(BatchForm.asked(request.GET, pools=_pools(request)))
    if plan is None:
        raise Http404("these terms make no batch")
    queries = [(query.qid, query.text) for query in plan.pages[0]]
    page = task_page.render(queries, consent=plan.consent)
    return HttpResponse(page, headers={"Content-Security-Policy": _FRAMED})


@require_POST
@somewhere_view(Action.MANAGE)
def batch_store(request: HttpRequest) -> HttpResponse:
    """The decision: store the batch as a draft."""
    again = f"{reverse('batch-new')}?{request.POST.urlencode()}"
    plan = _plan(BatchForm(request.POST, pools=_pools(request)))
    if plan is None:
        return redirect(again)
    try:
        environment = settings.MTURK_ENVIRONMENT
        batch = batch_create(plan=plan, environment=environment, actor=actor_of(request))
    except InputError as error:
        messages.error(request, str(error))
        return redirect(again)
    messages.success(request, "Stored as a draft. Nothing is published yet.")
    return redirect("batch-detail", batch.pk)


def _pools(request: HttpRequest) -> QuerySet[Pool]:
    """The pools of the studies in which the person may make a batch."""
    return pools_open_to(user=person_of(request), action=Action.MANAGE)


def _pay(request: HttpRequest, plan: BatchPlan) -> PayEstimate | None:
    return hourly_estimate(
        batches=batches_open_to(user=person_of(request), action=Action.VIEW),
        reward=plan.reward,
        queries_per_hit=plan.queries_per_hit,
        floor=settings.MTURK_HOURLY_FLOOR,
    )


def _plan(form: BatchForm) -> BatchPlan | None:
    """The plan of a valid form; what makes it impossible becomes the form's error."""
    if not form.is_bound or not form.is_valid():
        return None
    try:
        return form.plan()
    except InputError as error:
        form.add_error(None, str(error))
        return None
