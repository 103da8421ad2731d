"""Submissions that somebody wants approved, asked of Prolific as soon as it can approve them."""

from annotation.models import ProlificStudy
from annotation.prolific.client import MOST_APPROVED, Prolific
from annotation.prolific.statuses import ACTIVE, AWAITING_REVIEW, RESERVED

#: Handed in, and neither approved nor rejected.
WAITING = AWAITING_REVIEW
#: Taken, and not handed in: they cannot be approved yet.
AT_WORK = (RESERVED, ACTIVE)


def approvals_send(*, row: ProlificStudy, prolific: Prolific) -> int:
    """Ask for the approvals that are wanted and not seen yet; how many they are.

    Prolific approves later, and reading shows it. Asking twice approves once.
    """
    wanted = row.submissions.filter(status=WAITING).exclude(approved_by="")
    ids = list(wanted.values_list("submission_id", flat=True))
    for start in range(0, len(ids), MOST_APPROVED):
        prolific.approve(ids[start : start + MOST_APPROVED])
    return len(ids)
