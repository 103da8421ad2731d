"""The tables of annotation. One file per noun; invariants are database constraints."""

from annotation.models.assignments import Assignment, Bonus, Worker
from annotation.models.audit import AuditEvent
from annotation.models.batches import (
    HIT,
    AdaptivePolicy,
    Batch,
    BatchQuery,
    CodebookVersion,
    CrowdSnapshot,
    HITQuery,
)
from annotation.models.labels import Abstention, Label, Labelling, UncountedAnswer, Vote
from annotation.models.money import SiteAccount
from annotation.models.notices import Notice
from annotation.models.prolific import (
    ProlificBonus,
    ProlificBonusSet,
    ProlificEvent,
    ProlificStudy,
    ProlificSubmission,
    ProlificWorkspace,
)
from annotation.models.quality import ComprehensionTry, DiscardedVotes, ExcludedWorker
from annotation.models.raters import ModelLabel, ModelRater
from annotation.models.reports import StudyReport
from annotation.models.samples import DrawnSample
from annotation.models.schemes import SchemeDecision, SchemeVersion, SchemeVote
from annotation.models.scorings import Part, Scoring
from annotation.models.sign_in import SecurityKey, SignInLink, TokenUse
from annotation.models.studies import Invite, Membership, Study, StudyFile, StudyPool
from annotation.models.tasks import Task

__all__ = [
    "HIT",
    "Abstention",
    "AdaptivePolicy",
    "Assignment",
    "AuditEvent",
    "Batch",
    "BatchQuery",
    "Bonus",
    "CodebookVersion",
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
    "Part",
    "ProlificBonus",
    "ProlificBonusSet",
    "ProlificEvent",
    "ProlificStudy",
    "ProlificSubmission",
    "ProlificWorkspace",
    "SchemeDecision",
    "SchemeVersion",
    "SchemeVote",
    "Scoring",
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
