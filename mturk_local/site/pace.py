"""After submitting: a confirmation with the earnings, and the next task at once if wanted."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST

from mturk_local.lifecycle.assignments import WorkError, assignment_accept
from mturk_local.lifecycle.holding import assignment_hold
from mturk_local.lifecycle.visits import visit_progress
from mturk_local.models import Assignment, AssignmentState, EntryChannel, VisitState
from mturk_local.site.frame import in_language_of
from mturk_local.site.session import Visit, worker_page
from mturk_local.site.work import earned, hits_to_do, needs, next_hit

_COOKIE = "next-task"
_AT_ONCE, _LATER = "at-once", "later"
_YEAR = 365 * 86_400


def is_next_at_once(request: HttpRequest) -> bool:
    """Return whether the next task begins as soon as one is submitted: yes, unless switched off."""
    return request.COOKIES.get(_COOKIE) != _LATER


@require_POST
@worker_page
def go_on(request: HttpRequest, visit: Visit, assignment_id: str) -> HttpResponse:
    """Redirect from a task to the next one, or to the confirmation."""
    mine = _mine(visit, assignment_id)
    if mine.state == AssignmentState.ACCEPTED:
        return redirect("crowd-assignment", assignment_id)
    at_once = "at_once" in request.POST
    following = None
    if _is_visit_over(visit):
        response = redirect("crowd-my-visit")
    else:
        if at_once or "next" in request.POST:
            # A page that reports itself holds an automatic task only while it is open.
            is_asked_for = "next" in request.POST or "stays" not in request.POST
            following = _accept_next(visit, mine, is_asked_for=is_asked_for)
        response = redirect(
            f"{reverse('crowd-assignment', args=[following.assignment_id])}?submitted"
            if following
            else reverse("crowd-submitted", args=[assignment_id])
        )
    response.set_cookie(
        _COOKIE,
        _AT_ONCE if at_once else _LATER,
        max_age=_YEAR,
        path=reverse("crowd-home"),
        samesite="Lax",
    )
    return response


@require_POST
@worker_page
def stay(request: HttpRequest, visit: Visit, assignment_id: str) -> HttpResponse:
    """Hold an automatically started task while its page is open; 410 if it is gone."""
    mine = _mine(visit, assignment_id)
    is_held = assignment_hold(assignment=mine, now=visit.now, is_begun="begun" in request.POST)
    is_gone = mine.state in {AssignmentState.RETURNED, AssignmentState.ABANDONED} and not is_held
    return HttpResponse(status=410 if is_gone else 204)


@require_GET
@worker_page
def submitted(request: HttpRequest, visit: Visit, assignment_id: str) -> HttpResponse:
    """The confirmation, with what was earned so far and the way on; for a panel also its code."""
    mine = _mine(visit, assignment_id)
    if mine.state == AssignmentState.ACCEPTED:
        return redirect("crowd-assignment", assignment_id)
    hit_type = mine.hit.hit_type
    number = 0
    if not needs(visit.worker, hit_type, "Accept"):
        number = hits_to_do(visit.worker, visit.now).filter(hit_type=hit_type).count()
    if visit.worker.entry_channel == EntryChannel.PANEL and (not number or _is_visit_over(visit)):
        return redirect("crowd-my-visit")
    context = {
        "worker": visit.worker,
        "assignment": mine,
        "earned": earned(visit.worker),
        "is_next_at_once": is_next_at_once(request),
        "number": number,
    }
    with in_language_of(request, mine.hit):
        return render(request, "mturk_local/submitted.html", context)


def _mine(visit: Visit, assignment_id: str) -> Assignment:
    """The worker's assignment of that id; one that was returned may have come back to another."""
    known = Assignment.objects.filter(worker=visit.worker, assignment_id=assignment_id)
    mine = known.select_related("hit__hit_type").order_by("pk").last()
    if mine is None:
        raise Http404
    return mine


def _is_visit_over(visit: Visit) -> bool:
    """Return whether a participant of a panel has done what the panel pays for."""
    if visit.worker.entry_channel != EntryChannel.PANEL:
        return False
    latest = visit.worker.visits.select_related("panel").last()
    if latest is None or latest.state != VisitState.OPEN:
        return True
    return visit_progress(latest) >= latest.panel.tasks_per_visit


def _accept_next(visit: Visit, mine: Assignment, *, is_asked_for: bool) -> Assignment | None:
    """The next task of the same kind in hand; None where there is none for this worker."""
    hit_type = mine.hit.hit_type
    if needs(visit.worker, hit_type, "Accept"):
        return None
    for _try in range(3):
        hit = next_hit(visit.worker, visit.now, hit_type.hit_group_id)
        if hit is None:
            return None
        try:
            return assignment_accept(
                worker=visit.worker, hit=hit, now=visit.now, is_asked_for=is_asked_for
            )
        except WorkError:
            continue
    return None
