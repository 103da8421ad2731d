"""Qualifications: requested, tested, granted, revoked."""

from datetime import datetime, timedelta

from django.db import IntegrityError, transaction
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from mturk_local.errors import RequestError, does_not_exist
from mturk_local.forms import score_of
from mturk_local.lifecycle.assignments import WorkError
from mturk_local.models import (
    Message,
    Qualification,
    QualificationRequest,
    QualificationType,
    RequestState,
    Worker,
)


@transaction.atomic(using="crowd")
def qualification_grant(
    *, kind: QualificationType, worker: Worker, value: int, tell: bool, now: datetime
) -> None:
    """Give `worker` the qualification, or another value of it; an open request is granted."""
    Qualification.objects.update_or_create(
        type=kind,
        worker=worker,
        defaults={"value": value, "granted": True, "granted_at": now, "reason": ""},
    )
    kind.requests.filter(
        worker=worker, state__in=(RequestState.STARTED, RequestState.PENDING)
    ).update(state=RequestState.GRANTED)
    if tell:
        Message.objects.create(
            requester=kind.requester,
            worker=worker,
            subject=f"You have the qualification {kind.name}"[:200],
            text=f"{kind.requester.name} has given you the value {value}.",
            sent_at=now,
        )


@transaction.atomic(using="crowd")
def qualification_revoke(
    *, kind: QualificationType, worker: Worker, reason: str, now: datetime
) -> None:
    """Take the qualification away; the worker is told why, if a reason is given."""
    revoked = Qualification.objects.filter(type=kind, worker=worker, granted=True).update(
        granted=False, reason=reason
    )
    if not revoked:
        raise does_not_exist("Qualification", f"{kind.qualification_type_id}/{worker.worker_id}")
    Message.objects.create(
        requester=kind.requester,
        worker=worker,
        subject=f"You no longer have the qualification {kind.name}"[:200],
        text=reason or "No reason was given.",
        sent_at=now,
    )


def request_start(
    *, kind: QualificationType, worker: Worker, now: datetime
) -> QualificationRequest:
    """Let `worker` ask for a qualification: the test opens, or the request is made at once."""
    if (open_one := _open_request(kind, worker)) is not None:
        return open_one
    _check_may_ask(kind, worker, now)
    state = RequestState.STARTED if kind.test else RequestState.PENDING
    try:
        with transaction.atomic(using="crowd"):
            request = QualificationRequest.objects.create(
                type=kind,
                worker=worker,
                state=state,
                started_at=now,
                submitted_at=None if kind.test else now,
            )
            if kind.auto_granted:
                qualification_grant(
                    kind=kind, worker=worker, value=kind.auto_granted_value, tell=False, now=now
                )
    except IntegrityError:
        raise WorkError(_("You have already asked for this qualification.")) from None
    request.refresh_from_db()
    return request


@transaction.atomic(using="crowd")
def request_submit(*, request: QualificationRequest, answer: str, now: datetime) -> None:
    """Hand in a test. With an answer key the value is computed and granted at once."""
    kind = request.type
    if kind.test_duration is not None and now > request.started_at + timedelta(
        seconds=kind.test_duration
    ):
        raise WorkError(_("The time for this test has run out."))
    handed_in = QualificationRequest.objects.filter(
        pk=request.pk, state=RequestState.STARTED
    ).update(state=RequestState.PENDING, answer=answer, submitted_at=now)
    if handed_in and kind.answer_key:
        value = score_of(kind.answer_key, answer)
        qualification_grant(kind=kind, worker=request.worker, value=value, tell=False, now=now)


@transaction.atomic(using="crowd")
def request_reject(*, request: QualificationRequest, reason: str, now: datetime) -> None:
    """Refuse a request; the worker is told why, if a reason is given."""
    rejected = QualificationRequest.objects.filter(
        pk=request.pk, state=RequestState.PENDING
    ).update(state=RequestState.REJECTED, reason=reason)
    if not rejected:
        raise request_not_open(request.request_id)
    Message.objects.create(
        requester=request.type.requester,
        worker=request.worker,
        subject=f"Your request for the qualification {request.type.name} was declined"[:200],
        text=reason or "No reason was given.",
        sent_at=now,
    )


def request_not_open(request_id: str) -> RequestError:
    return RequestError(
        f"QualificationRequest {request_id} has already been processed.",
        turk_code="InvalidQualificationRequestState",
    )


def _open_request(kind: QualificationType, worker: Worker) -> QualificationRequest | None:
    return kind.requests.filter(
        worker=worker, state__in=(RequestState.STARTED, RequestState.PENDING)
    ).first()


def _check_may_ask(kind: QualificationType, worker: Worker, now: datetime) -> None:
    if not kind.active:
        raise WorkError(_("This qualification cannot be asked for now."))
    last = kind.requests.filter(worker=worker).last()
    if last is None:
        return
    if kind.retry_delay is None:
        raise WorkError(_("This qualification can be asked for only once."))
    again = (last.submitted_at or last.started_at) + timedelta(seconds=kind.retry_delay)
    if now < again:
        raise WorkError(_("You can ask again from %s UTC on.") % date_format(again, "j F, H:i"))
