"""The tables of the crowd service, in the database `crowd`. They know nothing of the platform."""

from annotation.mturk_local.models.assignments import LIVE_STATES, Assignment, AssignmentState
from annotation.mturk_local.models.channels import Arrival, Channel, Ticket
from annotation.mturk_local.models.hits import HIT, HITType
from annotation.mturk_local.models.invites import (
    Invite,
    Panel,
    PanelKeys,
    PanelVisit,
    VisitState,
)
from annotation.mturk_local.models.notifications import Notification, NotificationSetting
from annotation.mturk_local.models.qualifications import (
    Qualification,
    QualificationRequest,
    QualificationType,
    RequestState,
)
from annotation.mturk_local.models.relations import Block, Bonus, Inquiry, Message
from annotation.mturk_local.models.requesters import KeyPair, Requester, RequestToken
from annotation.mturk_local.models.reviews import PolicyLevel, ReviewResult
from annotation.mturk_local.models.workers import EntryChannel, Verification, Worker

__all__ = [
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
    "Ticket",
    "Verification",
    "VisitState",
    "Worker",
]
