"""The ways in that a requester opens: a link with places, and a ticket for a member of its site."""

from django.core.signing import BadSignature
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import translation
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods

from annotation.mturk_local.lifecycle.channels import (
    ChannelClosedError,
    channel_check_open,
    channel_enter,
    channel_of,
)
from annotation.mturk_local.lifecycle.tickets import DeadTicketError, ticket_use
from annotation.mturk_local.models import Channel, Worker
from annotation.mturk_local.site import session
from annotation.mturk_local.site.moment import moment
from annotation.mturk_local.site.work import next_hit


@never_cache
@require_http_methods(["GET", "POST"])
def join_by_link(request: HttpRequest, token: str) -> HttpResponseBase:
    """Looking takes no place: programs that preview a link look at it, too."""
    with translation.override(translation.get_language_from_request(request)):
        try:
            channel = channel_of(token)
        except BadSignature:
            channel = None
        if channel is None:
            return _dead(request)
        here = session.signed_in(request)
        if here is not None and channel.arrivals.filter(worker=here).exists():
            return _to_work(here, channel.hit_group_id)
        try:
            channel_check_open(channel)
            if request.method == "POST":
                return _joined(channel, here if "stay" in request.POST else None)
        except ChannelClosedError as error:
            return _dead(request, error.why)
        return render(request, "mturk_local/join.html", {"here": here})


def _joined(channel: Channel, here: Worker | None) -> HttpResponseBase:
    worker = channel_enter(channel, here)
    response = _to_work(worker, channel.hit_group_id)
    session.sign_in(response, worker)
    return response


@never_cache
@require_GET
def join_by_ticket(request: HttpRequest, token: str) -> HttpResponseBase:
    """Sign in whom the requester's site has signed in; a ticket is good once."""
    try:
        worker, group = ticket_use(token)
    except DeadTicketError:
        return _dead(request)
    response = _to_work(worker, group)
    session.sign_in(response, worker)
    return response


def _to_work(worker: Worker, group: str) -> HttpResponse:
    """The first HIT of the group; where it has none for the worker, whatever there is to do."""
    if group and next_hit(worker, moment(), group) is not None:
        return redirect("crowd-group", group)
    return redirect("crowd-home")


def _dead(request: HttpRequest, why: str = "unknown") -> HttpResponse:
    reasons = {
        "full": gettext("All its places are taken."),
        "expired": gettext("It has expired."),
        "revoked": gettext("It was revoked."),
    }
    remedy = gettext("Ask whoever sent it to you for a new one.")
    text = f"{reasons.get(why, '')} {remedy}".strip()
    context = {"title": gettext("This link is not valid any more"), "text": text}
    return render(request, "mturk_local/message.html", context, status=403)
