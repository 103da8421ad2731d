"""Inquiries, which requesters answer, and events: a part of the second API."""

from typing import Any

from django.utils import timezone

from mturk_local.lifecycle.events import document_of
from mturk_local.lifecycle.inquiries import inquiry_answer
from mturk_local.models import Inquiry, KeyPair, Notification
from mturk_local.protocol.paging import page_of

_PAGE = 200


def list_inquiries(key: KeyPair, params: dict[str, Any]) -> dict[str, Any]:
    """Inquiries about the HITs whose `RequesterAnnotation` begins with `Annotation`."""
    annotation = str(params.get("Annotation", ""))
    request = {"NextToken": str(params.get("NextToken") or ""), "MaxResults": _PAGE}
    inquiries = Inquiry.objects.filter(
        requester=key.requester,
        hit__requester_annotation__startswith=annotation,
    ).select_related("worker", "hit")
    page, token = page_of(inquiries, request, listing=f"inquiries {annotation}")
    return {"Inquiries": [_as_json(inquiry) for inquiry in page], "NextToken": token}


def answer_inquiry(key: KeyPair, params: dict[str, Any]) -> dict[str, Any]:
    """`InquiryId`, `Text`: the worker reads it beside the inquiry."""
    inquiry = inquiry_answer(
        requester=key.requester,
        inquiry_id=str(params["InquiryId"]),
        text=str(params["Text"]),
        now=timezone.now(),
    )
    return {"Inquiry": _as_json(inquiry)}


def receive_notifications(key: KeyPair, params: dict[str, Any]) -> dict[str, Any]:
    """`Destination`: the events in the requester's local queue of this name; they are taken out."""
    waiting = Notification.objects.filter(
        requester=key.requester, destination=params["Destination"], delivered_at=None
    )
    documents = []
    for notification in waiting:
        mine = Notification.objects.filter(pk=notification.pk, delivered_at=None)
        if mine.update(delivered_at=timezone.now()):
            documents.append(document_of(notification))
    return {"Documents": documents}


def _as_json(inquiry: Inquiry) -> dict[str, Any]:
    """An inquiry as it goes over the wire; times are seconds since 1970."""
    answered = inquiry.answered_at
    return {
        "InquiryId": inquiry.inquiry_id,
        "WorkerId": inquiry.worker.worker_id,
        "HITId": inquiry.hit.hit_id,
        "Text": inquiry.text,
        "AskedAt": inquiry.asked_at.timestamp(),
        "Answer": inquiry.answer,
        "AnsweredAt": answered.timestamp() if answered else None,
    }
