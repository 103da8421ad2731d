"""Withdrawing one answer, all unpaid ones, or all data about a person.

Each has a page that states the consequences, and a button; repeating is not an error.
"""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from mturk_local import money
from mturk_local.lifecycle.withdrawing import (
    answers_to_withdraw,
    assignment_withdraw,
    at_stake,
    participation_withdraw,
    person_erase,
)
from mturk_local.models import Assignment, AssignmentState, EntryChannel
from mturk_local.site import session
from mturk_local.site.pages import message
from mturk_local.site.session import Visit, worker_page
from mturk_local.workers import AtWorkError

_PAGE = require_http_methods(["GET", "HEAD", "POST"])


@_PAGE
@worker_page
def withdraw_answer(request: HttpRequest, visit: Visit, assignment_id: str) -> HttpResponse:
    """One answer: it is deleted, not paid, and its place is free for somebody else."""
    known = Assignment.objects.filter(worker=visit.worker, assignment_id=assignment_id)
    mine = known.select_related("hit__hit_type", "worker").order_by("pk").last()
    if mine is None:
        raise Http404
    if request.method == "POST" and assignment_withdraw(assignment=mine, now=visit.now):
        return redirect("crowd-work")
    if not answers_to_withdraw(visit.worker, visit.now).filter(pk=mine.pk).exists():
        if mine.state == AssignmentState.WITHDRAWN:
            return redirect("crowd-work")
        text = _("What is approved, rejected or given a bonus for stays as it is.")
        return message(request, visit, _("This answer cannot be withdrawn"), text, status=409)
    context = {
        "worker": visit.worker,
        "assignment": mine,
        "reward": money.amount(mine.hit.hit_type.reward_cents),
    }
    return render(request, "mturk_local/withdraw_answer.html", context)


@_PAGE
@worker_page
def withdraw_all(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Participation: every answer that is not paid, and what is in hand."""
    if request.method == "POST":
        participation_withdraw(worker=visit.worker, now=visit.now)
        is_of_panel = visit.worker.entry_channel == EntryChannel.PANEL
        return redirect("crowd-my-visit" if is_of_panel else "crowd-work")
    context = {"worker": visit.worker, "stake": at_stake(visit.worker, visit.now)}
    return render(request, "mturk_local/withdraw_all.html", context)


@_PAGE
@worker_page
def erase(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Erase the person here, and notify their requesters to delete what they hold."""
    if visit.worker.entry_channel == EntryChannel.SIMULATED:
        raise Http404
    if request.method == "POST":
        try:
            left = person_erase(worker=visit.worker, now=visit.now)
        except AtWorkError:
            text = _(
                "An answer of yours waits for its pay and cannot be withdrawn any more. "
                "Try again when it is approved."
            )
            return message(request, visit, _("Not now"), text, status=409)
        values = {
            "title": _("Your data are deleted"),
            "text": _("You are signed out. Whoever asked you is told to delete what they hold."),
            "visit": left,
        }
        response = render(request, "mturk_local/message.html", values)
        session.forget(response)
        return response
    context = {"worker": visit.worker, "stake": at_stake(visit.worker, visit.now)}
    return render(request, "mturk_local/erase.html", context)
