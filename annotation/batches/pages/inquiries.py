"""Annotators' questions from the page of their task, and the answers."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache

from annotation.batches.operations.answer_inquiry import ANSWER_INQUIRY
from annotation.batches.operations.channels import (
    count_waiting_inquiries,
    has_channels,
    stored_snapshot,
)
from annotation.core.forms import form_of
from annotation.models import Batch, Study
from annotation.vocabulary import Action
from annotation.web.access import batch_view, study_view
from annotation.web.pages import batch_page


@never_cache
@batch_view(Action.MANAGE)
def inquiry_page(request: HttpRequest, batch: Batch) -> HttpResponse:
    """Show the messages as last read from the crowd service, those that wait first."""
    context: dict[str, Any] = {"has_channels": has_channels(batch)}
    if context["has_channels"]:
        snapshot, form = stored_snapshot(batch), form_of(ANSWER_INQUIRY)
        context["snapshot"] = snapshot
        context["inquiries"] = [
            (inquiry, None if inquiry.answer else form(auto_id=f"{inquiry.inquiry_id}-%s"))
            for inquiry in sorted(snapshot.inquiries, key=lambda inquiry: bool(inquiry.answer))
        ]
    return batch_page(request, "inquiries", batch, "inquiries", **context)


@never_cache
@batch_view(Action.MANAGE)
def waiting_part(request: HttpRequest, batch: Batch) -> HttpResponse:
    """Render the number of waiting messages, for the tab."""
    n = count_waiting_inquiries([batch]).get(batch.pk, 0)
    return render(request, "web/_messages_waiting.html", {"n": n})


@never_cache
@study_view(Action.MANAGE)
def study_messages_part(request: HttpRequest, study: Study) -> HttpResponse:
    """Show the batches of the study with waiting messages."""
    batches = list(study.batches.filter(archived_at=None).order_by("name"))
    counts = count_waiting_inquiries(batches)
    waiting = [(batch.pk, batch.name, counts[batch.pk]) for batch in batches if batch.pk in counts]
    return render(request, "web/_study_messages.html", {"waiting": waiting})
