"""Pages of annotators for a missing page, or a form that cannot be taken."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from mturk_local.site import session


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """The page of an address below the annotators' pages that leads nowhere."""
    del exception
    context = {
        "worker": session.signed_in(request),
        "title": _("There is no such page"),
        "text": _("The address may be wrong, or what was there is gone."),
    }
    return render(request, "mturk_local/message.html", context, status=404)


def not_trusted(request: HttpRequest, reason: str = "") -> HttpResponse:
    """The page of a form that came without its token: too old, or after signing out."""
    worker = session.signed_in(request)
    if worker is None:
        return session.show_signed_out(request)
    reason = _("This page had been open for too long.")
    context = {
        "worker": worker,
        "title": _("Load the page again"),
        "text": f"{session.answer_stored(request)} {reason}".strip(),
    }
    return render(request, "mturk_local/message.html", context, status=403)
