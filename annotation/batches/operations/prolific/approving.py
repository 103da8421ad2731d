"""Requests for approval, sent as soon as Prolific can approve the submissions."""

from annotation.models import ProlificStudy
from annotation.prolific.client import MOST_APPROVED, Prolific
from annotation.prolific.statuses import ACTIVE, AWAITING_REVIEW, RESERVED

#: Status of submissions that are neither approved nor rejected.
WAITING = AWAITING_REVIEW
#: Statuses of people at work, whose submissions cannot be approved yet.
AT_WORK = (RESERVED, ACTIVE)


def send_approvals(*, row: ProlificStudy, prolific: Prolific) -> int:
    """Request the approvals that are wanted and not seen yet; return their number.

    Prolific approves later; reading the study shows it. Asking twice approves once.
    """
    outstanding = row.submissions.filter(status=WAITING).exclude(approved_by="")
    ids = list(outstanding.values_list("submission_id", flat=True))
    for start in range(0, len(ids), MOST_APPROVED):
        prolific.approve(ids[start : start + MOST_APPROVED])
    return len(ids)
