"""Every operation, by the kind of the job that does it. The one module that knows them all."""

from collections.abc import Mapping

from annotation.accounts.operations.enter_crowd import ENTER_CROWD
from annotation.accounts.operations.invites import INVITE_MEMBER, REVOKE_INVITATION
from annotation.accounts.operations.members import ADD_MEMBER, CHANGE_ROLE, REMOVE_MEMBER
from annotation.accounts.operations.owner_links import CREATE_OWNER_LINK
from annotation.accounts.operations.permits import SET_PERMITS
from annotation.accounts.operations.tokens import CREATE_TOKEN, REVOKE_TOKEN
from annotation.batches.operations.adaptive_round import ADAPTIVE_ROUND
from annotation.batches.operations.answer_bonus import ANSWER_BONUS
from annotation.batches.operations.answer_inquiry import ANSWER_INQUIRY
from annotation.batches.operations.approve import APPROVE
from annotation.batches.operations.approve_answer import APPROVE_ANSWER
from annotation.batches.operations.begin_adaptive import BEGIN_ADAPTIVE
from annotation.batches.operations.bonus import BONUS
from annotation.batches.operations.budget import BUDGET
from annotation.batches.operations.codebooks import CHANGE_CODEBOOK
from annotation.batches.operations.collect import COLLECT
from annotation.batches.operations.create import CREATE_BATCH
from annotation.batches.operations.disposing import DISPOSE
from annotation.batches.operations.extend import EXTEND
from annotation.batches.operations.inviting.registry import INVITATIONS
from annotation.batches.operations.plan_round import PLAN_ROUND
from annotation.batches.operations.publish import PUBLISH
from annotation.batches.operations.reject_answer import REJECT_ANSWER
from annotation.batches.operations.restore_answer import RESTORE_ANSWER
from annotation.batches.operations.revoke_channel import REVOKE_CHANNEL
from annotation.batches.operations.stop import STOP
from annotation.batches.operations.top_up import TOP_UP
from annotation.core.operations import AnyOperation
from annotation.labels.operations.adjudicate import ADJUDICATE, WITHDRAW_DECISION
from annotation.labels.operations.decide import LABEL
from annotation.labels.operations.labels_import import IMPORT_LABELS
from annotation.labels.operations.votes_import import IMPORT_VOTES
from annotation.overview.operations.adopt import ADOPT
from annotation.overview.operations.archive import ARCHIVE, UNARCHIVE
from annotation.overview.operations.duplicate_study import DUPLICATE_STUDY
from annotation.overview.operations.remove import REMOVE
from annotation.overview.operations.rename import RENAME
from annotation.overview.operations.retention import APPLY_RETENTION
from annotation.overview.operations.sample import PREPARE_SAMPLE
from annotation.overview.operations.undo_removal import UNDO_REMOVAL
from annotation.reports.operations.create import CREATE_REPORT
from annotation.reports.operations.make_bundle import MAKE_BUNDLE
from annotation.reports.operations.make_report import MAKE_REPORT
from annotation.studies.operations.add_file import ADD_FILE, POINT_TO_FILE
from annotation.studies.operations.create import CREATE_STUDY
from annotation.studies.operations.pool import BUILD_POOL
from annotation.studies.operations.rank import RANK
from annotation.studies.operations.score import SCORE
from annotation.studies.operations.studies import CHANGE_STUDY
from annotation.workers.operations.approvals import IMPORT_APPROVALS
from annotation.workers.operations.discard_votes import DISCARD_VOTES
from annotation.workers.operations.erase_person import ERASE_PERSON
from annotation.workers.operations.exclude import EXCLUDE
from annotation.workers.operations.readmit import READMIT
from annotation.workers.operations.restore_votes import RESTORE_VOTES

OPERATIONS: tuple[AnyOperation, ...] = (
    CREATE_STUDY,
    CHANGE_STUDY,
    PREPARE_SAMPLE,
    ENTER_CROWD,
    ADD_MEMBER,
    CHANGE_ROLE,
    REMOVE_MEMBER,
    INVITE_MEMBER,
    REVOKE_INVITATION,
    SET_PERMITS,
    APPLY_RETENTION,
    CREATE_OWNER_LINK,
    CREATE_TOKEN,
    REVOKE_TOKEN,
    RENAME,
    ARCHIVE,
    UNARCHIVE,
    REMOVE,
    UNDO_REMOVAL,
    DUPLICATE_STUDY,
    ADOPT,
    ADD_FILE,
    POINT_TO_FILE,
    RANK,
    SCORE,
    BUILD_POOL,
    CREATE_BATCH,
    CHANGE_CODEBOOK,
    PUBLISH,
    *INVITATIONS.values(),
    REVOKE_CHANNEL,
    ANSWER_INQUIRY,
    COLLECT,
    APPROVE,
    BONUS,
    BUDGET,
    EXTEND,
    TOP_UP,
    BEGIN_ADAPTIVE,
    PLAN_ROUND,
    ADAPTIVE_ROUND,
    STOP,
    DISPOSE,
    LABEL,
    IMPORT_LABELS,
    IMPORT_VOTES,
    ADJUDICATE,
    WITHDRAW_DECISION,
    MAKE_BUNDLE,
    CREATE_REPORT,
    MAKE_REPORT,
    APPROVE_ANSWER,
    REJECT_ANSWER,
    RESTORE_ANSWER,
    ANSWER_BONUS,
    DISCARD_VOTES,
    RESTORE_VOTES,
    EXCLUDE,
    READMIT,
    IMPORT_APPROVALS,
    ERASE_PERSON,
)

#: By the kind of job, as stored.
JOBS: Mapping[str, AnyOperation] = {
    operation.job: operation for operation in OPERATIONS if operation.job is not None
}
