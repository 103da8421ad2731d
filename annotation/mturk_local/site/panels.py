"""Participants of external panels: in by their panel's link, out with a code and a way back."""

from django.core.signing import BadSignature
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from annotation.mturk_local.lifecycle.assignments import WorkError
from annotation.mturk_local.lifecycle.visits import (
    Participant,
    invite_of,
    visit_finish,
    visit_progress,
    visit_start,
)
from annotation.mturk_local.models import Panel, PanelVisit, VisitState
from annotation.mturk_local.site import session
from annotation.mturk_local.site.moment import moment
from annotation.mturk_local.site.session import Visit, worker_page
from annotation.mturk_local.site.work import groups_to_do


@never_cache
@require_GET
def join_panel(request: HttpRequest, slug: str) -> HttpResponse:
    """The address that a panel sends its participants to."""
    panel = get_object_or_404(Panel, slug=slug, active=True)
    who = Participant(
        participant=_parameter(request, panel.participant_parameter)[:140],
        study=_parameter(request, panel.study_parameter)[:200],
        session=_parameter(request, panel.session_parameter)[:200],
    )
    try:
        visit = visit_start(panel=panel, who=who, now=moment())
    except WorkError as error:
        context = {"title": "This link is not valid", "text": str(error)}
        return render(request, "mturk_local/message.html", context, status=400)
    response = redirect("crowd-visit", visit.pk)
    session.sign_in(response, visit.worker)
    return response


def _parameter(request: HttpRequest, name: str) -> str:
    """A parameter of the panel's link, which anybody may have written by hand."""
    return request.GET.get(name, "").replace("\x00", "").strip()


@require_GET
@worker_page
def my_visit(request: HttpRequest, here: Visit) -> HttpResponse:
    """The newest visit of a participant."""
    latest = here.worker.visits.select_related("panel").last()
    return redirect("crowd-home") if latest is None else _shown(request, here, latest)


@require_GET
@worker_page
def visit(request: HttpRequest, here: Visit, visit_id: int) -> HttpResponse:
    """What is left to do in a visit; at its end the code that the panel asks for."""
    mine = get_object_or_404(
        PanelVisit.objects.select_related("panel"), pk=visit_id, worker=here.worker
    )
    return _shown(request, here, mine)


def _shown(request: HttpRequest, here: Visit, mine: PanelVisit) -> HttpResponse:
    panel = mine.panel
    mine.worker = here.worker
    groups = [
        group
        for group in groups_to_do(here.worker, here.now)
        if panel.hit_group_id in {"", group.hit_type.hit_group_id}
    ]
    done = visit_progress(mine)
    if mine.state == VisitState.OPEN and done >= panel.tasks_per_visit:
        visit_finish(visit=mine, state=VisitState.COMPLETED)
    elif mine.state == VisitState.OPEN and not groups and not done:
        visit_finish(visit=mine, state=VisitState.SCREENED_OUT)
    elif mine.state == VisitState.OPEN and not groups:
        # There was less to do than the panel pays for; that is not the participant's fault.
        visit_finish(visit=mine, state=VisitState.COMPLETED)
    context = {
        "worker": here.worker,
        "visit": mine,
        "panel": panel,
        "groups": groups,
        "done": done,
        "left": max(0, panel.tasks_per_visit - done),
    }
    return render(request, "mturk_local/visit.html", context)


@never_cache
@require_GET
def join_invited(request: HttpRequest, token: str) -> HttpResponse:
    """Let in who holds an invite link that has neither expired nor been revoked."""
    try:
        invite = invite_of(token)
    except BadSignature:
        invite = None
    if invite is None:
        context = {
            "title": "This link is not valid any more",
            "text": "Ask whoever sent it to you for a new one.",
        }
        return render(request, "mturk_local/message.html", context, status=403)
    response = redirect("crowd-home")
    session.sign_in(response, invite.worker)
    return response
