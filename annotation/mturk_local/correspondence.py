"""What requesters read of their workers' inquiries, and answer: a part of the second API."""

from typing import Any

from django.utils import timezone

from annotation.mturk_local.lifecycle.inquiries import inquiry_answer
from annotation.mturk_local.models import Inquiry, KeyPair
from annotation.mturk_local.protocol.paging import page_of

_PAGE = 200


def list_inquiries(key: KeyPair, params: dict[str, Any]) -> dict[str, Any]:
    """What workers asked about the HITs whose `RequesterAnnotation` begins with `Annotation`."""
    annotation = str(params.get("Annotation", ""))
    asked = {"NextToken": str(params.get("NextToken") or ""), "MaxResults": _PAGE}
    inquiries = Inquiry.objects.filter(
        requester=key.requester,
        hit__requester_annotation__startswith=annotation,
    ).select_related("worker", "hit")
    found, token = page_of(inquiries, asked, listing=f"inquiries {annotation}")
    return {"Inquiries": [_described(one) for one in found], "NextToken": token}


def answer_inquiry(key: KeyPair, params: dict[str, Any]) -> dict[str, Any]:
    """`InquiryId`, `Text`: the worker reads it beside the inquiry."""
    inquiry = inquiry_answer(
        requester=key.requester,
        inquiry_id=str(params["InquiryId"]),
        text=str(params["Text"]),
        now=timezone.now(),
    )
    return {"Inquiry": _described(inquiry)}


def _described(inquiry: Inquiry) -> dict[str, Any]:
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
