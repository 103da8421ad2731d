"""The tables of the crowd service, in the database `crowd`. They know nothing of the platform."""

from mturk_local.models.assignments import (
    DONE_STATES,
    LIVE_STATES,
    Assignment,
    AssignmentState,
)
from mturk_local.models.channels import Arrival, Channel, Ticket
from mturk_local.models.hits import (
    HIT,
    HITType,
    Notification,
    NotificationSetting,
    PolicyLevel,
    ReviewResult,
)
from mturk_local.models.invites import (
    Invite,
    Panel,
    PanelKeys,
    PanelVisit,
    UsedLink,
    VisitState,
)
from mturk_local.models.qualifications import (
    Qualification,
    QualificationRequest,
    QualificationType,
    RequestState,
)
from mturk_local.models.relations import Block, Bonus, Inquiry, Message, Withdrawal
from mturk_local.models.requesters import KeyPair, Requester, RequestToken
from mturk_local.models.workers import EntryChannel, SignInFailures, Verification, Worker

__all__ = [
    "DONE_STATES",
    "HIT",
    "LIVE_STATES",
    "Arrival",
    "Assignment",
    "AssignmentState",
    "Block",
    "Bonus",
    "Channel",
    "EntryChannel",
    "HITType",
    "Inquiry",
    "Invite",
    "KeyPair",
    "Message",
    "Notification",
    "NotificationSetting",
    "Panel",
    "PanelKeys",
    "PanelVisit",
    "PolicyLevel",
    "Qualification",
    "QualificationRequest",
    "QualificationType",
    "RequestState",
    "RequestToken",
    "Requester",
    "ReviewResult",
    "SignInFailures",
    "Ticket",
    "UsedLink",
    "Verification",
    "VisitState",
    "Withdrawal",
    "Worker",
]
