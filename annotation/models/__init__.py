"""What is stored about annotation. One file per noun; invariants are database constraints."""

from annotation.models.assignments import Assignment, Bonus, Worker
from annotation.models.audit import AuditEvent
from annotation.models.batches import HIT, Batch, BatchQuery, HITQuery
from annotation.models.comprehension import ComprehensionTry
from annotation.models.labels import Label, Labelling, SetAsideAnswer, Vote
from annotation.models.quality import KeptOutWorker, SetAsideWorker
from annotation.models.redundancy import Redundancy
from annotation.models.reports import StudyReport
from annotation.models.scorings import Scoring
from annotation.models.studies import Invite, Membership, Study, StudyFile, StudyPool
from annotation.models.tasks import Task

__all__ = [
    "HIT",
    "Assignment",
    "AuditEvent",
    "Batch",
    "BatchQuery",
    "Bonus",
    "ComprehensionTry",
    "HITQuery",
    "Invite",
    "KeptOutWorker",
    "Label",
    "Labelling",
    "Membership",
    "Redundancy",
    "Scoring",
    "SetAsideAnswer",
    "SetAsideWorker",
    "Study",
    "StudyFile",
    "StudyPool",
    "StudyReport",
    "Task",
    "Vote",
    "Worker",
]
