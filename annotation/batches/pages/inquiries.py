"""What annotators asked the requester from the page of their task, and the answers."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache

from annotation.batches.operations.answer_inquiry import ANSWER_INQUIRY
from annotation.batches.operations.channels import (
    batch_inquiries,
    count_waiting_inquiries,
    has_channels,
)
from annotation.core.forms import form_of
from annotation.models import Batch, Study
from annotation.vocabulary import Action
from annotation.web.access import batch_view, study_view
from annotation.web.pages import batch_page
from metrics.errors import InputError


@never_cache
@batch_view(Action.MANAGE)
def inquiry_page(request: HttpRequest, batch: Batch) -> HttpResponse:
    """Those that wait first. They are on the crowd service, and only there."""
    shown: dict[str, Any] = {"has_channels": has_channels(batch)}
    if shown["has_channels"]:
        try:
            found = batch_inquiries(batch)
        except InputError as error:
            shown["problem"] = str(error)
        else:
            form = form_of(ANSWER_INQUIRY)
            shown["inquiries"] = [
                (one, None if one.answer else form(auto_id=f"{one.inquiry_id}-%s"))
                for one in sorted(found, key=lambda one: bool(one.answer))
            ]
    return batch_page(request, "inquiries", batch, "inquiries", **shown)


@never_cache
@batch_view(Action.MANAGE)
def waiting_part(request: HttpRequest, batch: Batch) -> HttpResponse:
    """How many messages wait, for the tab; a part of its own, as the crowd service is asked."""
    n = _waiting([batch]).get(batch.pk, 0)
    return render(request, "web/_messages_waiting.html", {"n": n})


@never_cache
@study_view(Action.MANAGE)
def study_messages_part(request: HttpRequest, study: Study) -> HttpResponse:
    """The batches of the study with messages that wait."""
    batches = list(study.batches.filter(archived_at=None).order_by("name"))
    counts = _waiting(batches)
    waiting = [(one.pk, one.name, counts[one.pk]) for one in batches if one.pk in counts]
    return render(request, "web/_study_messages.html", {"waiting": waiting})


def _waiting(batches: list[Batch]) -> dict[int, int]:
    """None where the crowd service does not answer: the page of the messages says why."""
    try:
        return count_waiting_inquiries(batches)
    except InputError:
        return {}
