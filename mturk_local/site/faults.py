"""Pages of annotators for a missing page, or a form that cannot be taken."""

from urllib.parse import urlsplit

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


def came_from(request: HttpRequest, reason: str) -> str:
    """The address of a form that was refused, where that is why, for `reason` of Django's check.

    Empty where the site knows the address, or the browser does not tell it.
    """
    if not reason.startswith(("Origin checking failed", "Referer checking failed")):
        return ""
    try:
        parts = urlsplit(request.headers.get("Origin") or request.headers.get("Referer", ""))
    except ValueError:  # of no browser
        return ""
    return f"{parts.scheme}://{parts.netloc}" if parts.scheme and parts.netloc else ""


def not_known(request: HttpRequest, address: str) -> HttpResponse:
    """The page of a form whose address the site does not know as its own, as behind a proxy."""
    context = {
        "worker": session.signed_in(request),
        "title": _("Nothing was sent"),
        "text": _(
            "This site does not know that people reach it at %(address)s. Tell whoever invited "
            "you; trying again does not help."
        )
        % {"address": address},
    }
    return render(request, "mturk_local/message.html", context, status=403)


def not_trusted(request: HttpRequest, reason: str = "") -> HttpResponse:
    """The page of a form that came without its token: too old, or after signing out."""
    if address := came_from(request, reason):
        return not_known(request, address)
    worker = session.signed_in(request)
    if worker is None:
        return session.show_signed_out(request)
    reason = _("This page had been open for too long.")
    context = {
        "worker": worker,
        "title": _("Load the page again"),
        "text": f"{session.answer_stored(request)} {reason}".strip(),
        **session.typed_in(request),
    }
    return render(request, "mturk_local/message.html", context, status=403)
