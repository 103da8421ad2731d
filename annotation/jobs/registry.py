"""Every operation, by the kind of the job that does it. The one module that knows them all."""

from collections.abc import Mapping

from annotation.accounts.operations.email_address import SET_EMAIL
from annotation.accounts.operations.enter_crowd import ENTER_CROWD
from annotation.accounts.operations.invites import INVITE_MEMBER, REVOKE_INVITATION
from annotation.accounts.operations.members import ADD_MEMBER, CHANGE_ROLE, REMOVE_MEMBER
from annotation.accounts.operations.owner_links import CREATE_OWNER_LINK
from annotation.accounts.operations.permits import SET_PERMITS
from annotation.accounts.operations.second_factor import (
    RENEW_RECOVERY_CODES,
    RESET_SECOND_FACTOR,
    TURN_OFF_SECOND_FACTOR,
    TURN_ON_SECOND_FACTOR,
)
from annotation.accounts.operations.security_keys import ADD_SECURITY_KEY, REMOVE_SECURITY_KEY
from annotation.accounts.operations.tokens import CREATE_TOKEN, REVOKE_TOKEN
from annotation.batches.operations.adaptive_policy import BEGIN_ADAPTIVE
from annotation.batches.operations.adaptive_round import ADAPTIVE_ROUND
from annotation.batches.operations.answer_bonus import ANSWER_BONUS
from annotation.batches.operations.answer_inquiry import ANSWER_INQUIRY
from annotation.batches.operations.approve import APPROVE
from annotation.batches.operations.approve_answer import APPROVE_ANSWER
from annotation.batches.operations.ask_model import ASK_MODEL
from annotation.batches.operations.bonus import BONUS
from annotation.batches.operations.budget import BUDGET
from annotation.batches.operations.choose_crowd import CHOOSE_CROWD
from annotation.batches.operations.collect import COLLECT
from annotation.batches.operations.create import CREATE_BATCH
from annotation.batches.operations.disposing import DISPOSE
from annotation.batches.operations.extend import EXTEND
from annotation.batches.operations.inviting.registry import INVITATIONS
from annotation.batches.operations.plan_round import PLAN_ROUND
from annotation.batches.operations.prolific.add_places import ADD_PLACES
from annotation.batches.operations.prolific.approve_submissions import APPROVE_SUBMISSIONS
from annotation.batches.operations.prolific.connect import CONNECT_PROLIFIC
from annotation.batches.operations.prolific.decide_bonuses import DECIDE_BONUSES
from annotation.batches.operations.prolific.draft import DRAFT_STUDY
from annotation.batches.operations.prolific.import_responses import IMPORT_RESPONSES
from annotation.batches.operations.prolific.moving import PAUSE_STUDY, RESUME_STUDY, STOP_STUDY
from annotation.batches.operations.prolific.pay_bonuses import PAY_BONUSES
from annotation.batches.operations.prolific.publish_study import PUBLISH_STUDY
from annotation.batches.operations.prolific.read_study import READ_STUDY
from annotation.batches.operations.prolific.reject_submission import (
    REJECT_SUBMISSION,
    REQUEST_RETURN,
)
from annotation.batches.operations.prolific.set_up_bonuses import SET_UP_BONUSES
from annotation.batches.operations.prolific.upload_tasks import UPLOAD_TASKS
from annotation.batches.operations.publish import PUBLISH
from annotation.batches.operations.read_again import READ_AGAIN
from annotation.batches.operations.refresh import REFRESH
from annotation.batches.operations.reject_answer import REJECT_ANSWER, RESTORE_ANSWER
from annotation.batches.operations.revoke_channel import REVOKE_CHANNEL
from annotation.batches.operations.schemes import CHANGE_SCHEME
from annotation.batches.operations.stop import STOP
from annotation.batches.operations.top_up import TOP_UP
from annotation.core.operations import AnyOperation
from annotation.labels.operations.adjudicate import ADJUDICATE, WITHDRAW_DECISION
from annotation.labels.operations.bring_votes import BRING_VOTES
from annotation.labels.operations.classifier import TRAIN_CLASSIFIER
from annotation.labels.operations.decide import LABEL
from annotation.labels.operations.draw_sample import DRAW_SAMPLE
from annotation.labels.operations.labels_import import IMPORT_LABELS
from annotation.labels.operations.model_labels import IMPORT_MODEL_LABELS, REMOVE_MODEL_LABELS
from annotation.labels.operations.qrels_import import IMPORT_QRELS
from annotation.labels.operations.votes_added import ADD_VOTES
from annotation.labels.operations.votes_import import IMPORT_VOTES
from annotation.overview.operations.archive import ARCHIVE, UNARCHIVE
from annotation.overview.operations.duplicate_study import DUPLICATE_STUDY
from annotation.overview.operations.remove import REMOVE, UNDO_REMOVAL
from annotation.overview.operations.rename import RENAME
from annotation.overview.operations.retention import APPLY_RETENTION
from annotation.overview.operations.sample import PREPARE_SAMPLE
from annotation.reports.operations.create import CREATE_REPORT
from annotation.reports.operations.import_bundle import IMPORT_BUNDLE
from annotation.reports.operations.make_bundle import MAKE_BUNDLE
from annotation.reports.operations.make_release import MAKE_RELEASE
from annotation.reports.operations.make_report import MAKE_REPORT
from annotation.studies.operations.add_file import ADD_FILE, POINT_TO_FILE
from annotation.studies.operations.create import CREATE_STUDY
from annotation.studies.operations.pool import BUILD_POOL
from annotation.studies.operations.pool_pairs import POOL_PAIRS
from annotation.studies.operations.rank import RANK
from annotation.studies.operations.score import SCORE
from annotation.studies.operations.studies import CHANGE_STUDY
from annotation.workers.operations.approvals import IMPORT_APPROVALS
from annotation.workers.operations.discard_votes import DISCARD_VOTES, RESTORE_VOTES
from annotation.workers.operations.erase_person import ERASE_PERSON
from annotation.workers.operations.exclude import EXCLUDE, READMIT, SEND_EXCLUSIONS

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
    SET_EMAIL,
    TURN_ON_SECOND_FACTOR,
    RENEW_RECOVERY_CODES,
    TURN_OFF_SECOND_FACTOR,
    ADD_SECURITY_KEY,
    REMOVE_SECURITY_KEY,
    RESET_SECOND_FACTOR,
    RENAME,
    ARCHIVE,
    UNARCHIVE,
    REMOVE,
    UNDO_REMOVAL,
    DUPLICATE_STUDY,
    ADD_FILE,
    POINT_TO_FILE,
    RANK,
    SCORE,
    BUILD_POOL,
    POOL_PAIRS,
    DRAW_SAMPLE,
    CREATE_BATCH,
    CHOOSE_CROWD,
    CHANGE_SCHEME,
    PUBLISH,
    *INVITATIONS.values(),
    REVOKE_CHANNEL,
    CONNECT_PROLIFIC,
    DRAFT_STUDY,
    PUBLISH_STUDY,
    PAUSE_STUDY,
    RESUME_STUDY,
    STOP_STUDY,
    ADD_PLACES,
    UPLOAD_TASKS,
    IMPORT_RESPONSES,
    READ_STUDY,
    APPROVE_SUBMISSIONS,
    REJECT_SUBMISSION,
    REQUEST_RETURN,
    SET_UP_BONUSES,
    PAY_BONUSES,
    DECIDE_BONUSES,
    ANSWER_INQUIRY,
    REFRESH,
    COLLECT,
    READ_AGAIN,
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
    ASK_MODEL,
    TRAIN_CLASSIFIER,
    LABEL,
    IMPORT_LABELS,
    IMPORT_VOTES,
    ADD_VOTES,
    BRING_VOTES,
    IMPORT_MODEL_LABELS,
    IMPORT_QRELS,
    REMOVE_MODEL_LABELS,
    ADJUDICATE,
    WITHDRAW_DECISION,
    IMPORT_BUNDLE,
    MAKE_BUNDLE,
    MAKE_RELEASE,
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
    SEND_EXCLUSIONS,
    IMPORT_APPROVALS,
    ERASE_PERSON,
)

#: By the kind of job, as stored.
JOBS: Mapping[str, AnyOperation] = {
    operation.job: operation for operation in OPERATIONS if operation.job is not None
}
