"""What is stored about annotation. One file per noun; invariants are database constraints."""

from annotation.models.adaptive import AdaptivePolicy
from annotation.models.assignments import Assignment, Bonus, Worker
from annotation.models.audit import AuditEvent
from annotation.models.batches import HIT, Batch, BatchQuery, CodebookVersion, HITQuery
from annotation.models.comprehension import ComprehensionTry
from annotation.models.labels import Abstention, Label, Labelling, UncountedAnswer, Vote
from annotation.models.money import SiteAccount
from annotation.models.quality import DiscardedVotes, ExcludedWorker
from annotation.models.reports import StudyReport
from annotation.models.scorings import Scoring
from annotation.models.sign_in import SignInLink
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
    "DiscardedVotes",
    "ExcludedWorker",
    "HITQuery",
    "Invite",
    "Label",
    "Labelling",
    "Membership",
    "Scoring",
    "SignInLink",
    "SiteAccount",
    "Study",
    "StudyFile",
    "StudyPool",
    "StudyReport",
    "Task",
    "UncountedAnswer",
    "Vote",
    "Worker",
]
