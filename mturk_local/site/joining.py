"""Arrivals by link: members' tickets, and the first page after any arrival."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from mturk_local.lifecycle.tickets import DeadTicketError, ticket_use
from mturk_local.models import Worker
from mturk_local.site import session
from mturk_local.site.moment import moment
from mturk_local.site.work import hits_to_do, in_hand, invitation, next_hit


@never_cache
@require_GET
def join_by_ticket(request: HttpRequest, token: str) -> HttpResponse:
    """Sign in a member of the requester's site by a ticket, which works once."""
    try:
        worker = ticket_use(token)
    except DeadTicketError:
        return show_dead_link(request)
    response = go_to_work(worker)
    session.sign_in(response, worker)
    return response


def go_to_work(worker: Worker, group: str = "") -> HttpResponse:
    """Redirect to the task in hand, else to the first HIT of the group or invitation."""
    held = in_hand(worker).filter(invitation(worker.invited_to, "hit__")).first()
    if held is not None:
        return redirect("crowd-assignment", held.assignment_id)
    if group and next_hit(worker, moment(), group) is not None:
        return redirect("crowd-group", group)
    for place in worker.invited_to or ():
        hit = hits_to_do(worker, moment()).filter(invitation([place])).first()
        if hit is not None:
            return redirect("crowd-group", hit.hit_type.hit_group_id)
    return redirect("crowd-home")


def show_dead_link(request: HttpRequest, why: str = "unknown") -> HttpResponse:
    """Render the page of an invalid link, which says `why`."""
    reasons = {
        "full": gettext("All its places are taken."),
        "expired": gettext("It has expired."),
        "revoked": gettext("It was revoked."),
    }
    remedy = gettext("Ask whoever sent it to you for a new one.")
    text = f"{reasons.get(why, '')} {remedy}".strip()
    context = {"title": gettext("This link is not valid any more"), "text": text}
    return render(request, "mturk_local/message.html", context, status=403)
