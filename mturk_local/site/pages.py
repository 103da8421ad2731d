"""The worker's pages: the list, the preview of a HIT, the HIT in hand."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import NoReverseMatch
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from mturk_local import money
from mturk_local.eligibility import has_left
from mturk_local.lifecycle.assignments import (
    LeftError,
    WorkError,
    assignment_accept,
    assignment_return,
)
from mturk_local.models import HIT, Assignment, AssignmentState
from mturk_local.site.frame import frame_of, in_language_of
from mturk_local.site.pace import is_next_at_once
from mturk_local.site.session import Visit, worker_page
from mturk_local.site.work import (
    done,
    earned,
    groups_to_do,
    hits_to_accept,
    hits_to_do,
    in_hand,
    needs,
    next_hit,
    taken,
)

_RECENT = 200


@require_GET
@worker_page
def home(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Show HITs on offer and assignments in hand, or the way back to a panel that was left."""
    held = in_hand(visit.worker)
    if has_left(visit.worker) and not held:
        return redirect("crowd-my-visit")
    context = {
        "worker": visit.worker,
        "groups": groups_to_do(visit.worker, visit.now),
        "in_hand": held,
    }
    return render(request, "mturk_local/home.html", context)


@require_GET
@worker_page
def group(request: HttpRequest, visit: Visit, group_id: str) -> HttpResponse:
    """The preview of a HIT of a group that the worker may do.

    Shown here, not at the HIT's own address, since the HIT might be gone after a redirect.
    """
    hit_to_do = next_hit(visit.worker, visit.now, group_id)
    if hit_to_do is None:
        if has_left(visit.worker):
            return redirect("crowd-my-visit")
        text = _("There is no task of this kind now.")
        return message(request, visit, _("Nothing left here"), text)
    return _preview(request, visit, hit_to_do)


@require_GET
def preview(request: HttpRequest) -> HttpResponse:
    """The address of a group's preview as Mechanical Turk writes it."""
    try:
        return redirect("crowd-group", request.GET.get("groupId") or "none")
    except NoReverseMatch:
        raise Http404 from None


@require_GET
@worker_page
def hit(request: HttpRequest, visit: Visit, hit_id: str) -> HttpResponse:
    """A HIT to look at before it is accepted."""
    hit_to_do = hits_to_do(visit.worker, visit.now).filter(hit_id=hit_id).first()
    if hit_to_do is None:
        known = get_object_or_404(HIT, hit_id=hit_id)
        mine = in_hand(visit.worker).filter(hit=known).first()
        if mine is not None:
            return redirect("crowd-assignment", mine.assignment_id)
        if has_left(visit.worker):
            return redirect("crowd-my-visit")
        text = _("This task cannot be done by you now.")
        return message(request, visit, _("Not available"), text)
    return _preview(request, visit, hit_to_do)


def _preview(request: HttpRequest, visit: Visit, hit_to_do: HIT) -> HttpResponse:
    if lacking := needs(visit.worker, hit_to_do.hit_type, "Preview"):
        context = {"worker": visit.worker, "hit": hit_to_do, "needs": lacking}
        return render(request, "mturk_local/hit.html", context, status=403)
    context = {
        "worker": visit.worker,
        "hit": hit_to_do,
        "reward": money.amount(hit_to_do.hit_type.reward_cents),
        "frame": frame_of(request, hit_to_do),
        "needs": needs(visit.worker, hit_to_do.hit_type, "Accept"),
    }
    with in_language_of(request, hit_to_do):
        return render(request, "mturk_local/hit.html", context)


@require_POST
@worker_page
def accept(request: HttpRequest, visit: Visit, hit_id: str) -> HttpResponse:
    """Accept this HIT, or, when it is gone, the next one of its group."""
    hit = get_object_or_404(HIT.objects.select_related("hit_type"), hit_id=hit_id)
    if needs(visit.worker, hit.hit_type, "Accept"):
        return redirect("crowd-hit", hit_id)
    refusal = WorkError(_("This task cannot be done by you now."))
    if has_left(visit.worker):
        refusal = LeftError()
    if mine := taken(visit.worker, hit):
        if mine.worker_id == visit.worker.pk and mine.state == AssignmentState.ACCEPTED:
            # The button was pressed twice.
            return redirect("crowd-assignment", mine.assignment_id)
        return message(request, visit, _("Not accepted"), str(refusal), status=409)
    for candidate in hits_to_accept(visit.worker, visit.now, hit):
        try:
            assignment = assignment_accept(worker=visit.worker, hit=candidate, now=visit.now)
        except WorkError as error:
            refusal = error
            continue
        return redirect("crowd-assignment", assignment.assignment_id)
    return message(request, visit, _("Not accepted"), str(refusal), status=409)


@require_GET
@worker_page
def assignment(request: HttpRequest, visit: Visit, assignment_id: str) -> HttpResponse:
    """The HIT in hand, to be answered or returned."""
    mine = in_hand(visit.worker).filter(assignment_id=assignment_id).first()
    if mine is None:
        return _ended(request, visit, assignment_id)
    mine.worker = visit.worker
    context = {
        "worker": visit.worker,
        "assignment": mine,
        "reward": money.amount(mine.hit.hit_type.reward_cents),
        "minutes_left": max(0, int((mine.last_moment - visit.now).total_seconds() // 60)),
        "frame": frame_of(request, mine.hit, mine),
        "earned": earned(visit.worker) if "submitted" in request.GET else None,
        "is_next_at_once": is_next_at_once(request),
    }
    with in_language_of(request, mine.hit):
        return render(request, "mturk_local/assignment.html", context)


def _ended(request: HttpRequest, visit: Visit, assignment_id: str) -> HttpResponse:
    mine = Assignment.objects.filter(worker=visit.worker, assignment_id=assignment_id)
    ended = mine.select_related("hit__hit_type").last()
    if ended is None:
        return message(request, visit, _("Not yours"), _("You have no such task."), status=404)
    texts = {
        AssignmentState.RETURNED: _("You have returned this task."),
        AssignmentState.ABANDONED: _("The time for this task has run out."),
    }
    text = texts.get(AssignmentState(ended.state), _("Your answer to this task is stored."))
    if ended.state == AssignmentState.ABANDONED and ended.deadline < ended.last_moment:
        text = _("Its page was left for two minutes, so this task was offered to others.")
    return message(request, visit, _("Done"), text)


@require_POST
@worker_page
def give_back(_request: HttpRequest, visit: Visit, assignment_id: str) -> HttpResponse:
    """Return a HIT unanswered."""
    mine = in_hand(visit.worker).filter(assignment_id=assignment_id).first()
    if mine is not None:
        assignment_return(assignment=mine, now=visit.now)
    return redirect("crowd-home")


@require_GET
@worker_page
def work(request: HttpRequest, visit: Visit) -> HttpResponse:
    """The worker's assignments, qualifications and messages."""
    worker = visit.worker
    context = {
        "worker": worker,
        "done": done(worker, visit.now),
        "earned": earned(worker),
        "inquiries": worker.inquiries.select_related("requester")[:_RECENT],
        "messages_received": worker.messages.select_related("requester")[:_RECENT],
        "qualifications": worker.qualifications.select_related("type__requester"),
    }
    return render(request, "mturk_local/work.html", context)


def message(
    request: HttpRequest, visit: Visit, title: str, text: str, status: int = 200
) -> HttpResponse:
    context = {"worker": visit.worker, "title": title, "text": text}
    return render(request, "mturk_local/message.html", context, status=status)
