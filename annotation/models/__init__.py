"""The tables of annotation. One file per noun; invariants are database constraints."""

from annotation.models.account_events import AccountEvent
from annotation.models.assignments import Assignment, Bonus, Worker
from annotation.models.audit import AuditEvent
from annotation.models.batches import (
    HIT,
    AdaptivePolicy,
    Batch,
    BatchQuery,
    CrowdSnapshot,
    HITQuery,
    SchemeVersion,
)
from annotation.models.labels import Label, Labelling, UncountedAnswer
from annotation.models.money import SiteAccount
from annotation.models.notices import Notice
from annotation.models.prolific import (
    ProlificBonus,
    ProlificBonusSet,
    ProlificEvent,
    ProlificStudy,
    ProlificSubmission,
    ProlificTasks,
    ProlificWorkspace,
)
from annotation.models.quality import ComprehensionTry, DiscardedVotes, ExcludedWorker
from annotation.models.raters import ModelLabel, ModelRater
from annotation.models.reports import StudyReport
from annotation.models.samples import DrawnSample
from annotation.models.sign_in import SecurityKey, SignInLink, TokenUse
from annotation.models.studies import Invite, Membership, Study, StudyFile, StudyPool
from annotation.models.tasks import Task
from annotation.models.votes import Choice, Vote

__all__ = [
    "HIT",
    "AccountEvent",
    "AdaptivePolicy",
    "Assignment",
    "AuditEvent",
    "Batch",
    "BatchQuery",
    "Bonus",
    "Choice",
    "ComprehensionTry",
    "CrowdSnapshot",
    "DiscardedVotes",
    "DrawnSample",
    "ExcludedWorker",
    "HITQuery",
    "Invite",
    "Label",
    "Labelling",
    "Membership",
    "ModelLabel",
    "ModelRater",
    "Notice",
    "ProlificBonus",
    "ProlificBonusSet",
    "ProlificEvent",
    "ProlificStudy",
    "ProlificSubmission",
    "ProlificTasks",
    "ProlificWorkspace",
    "SchemeVersion",
    "SecurityKey",
    "SignInLink",
    "SiteAccount",
    "Study",
    "StudyFile",
    "StudyPool",
    "StudyReport",
    "Task",
    "TokenUse",
    "UncountedAnswer",
    "Vote",
    "Worker",
]
