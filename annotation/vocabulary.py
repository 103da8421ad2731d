"""The words of the field that are stored and exported: one place."""

from typing import Self

from django.db import models

from metrics import vocabulary
from metrics.texts.magnitude import MEANINGS
from metrics.votes.deciding import ALL_METHODS

#: The categories of queries, which a site shares with the library.
Category = vocabulary.Category

TIE = vocabulary.TIE
#: No label: the question was not decided, or nobody answered it. No option has this code.
NO_LABEL = "-"

LONGEST_ID, LONGEST_OWN_NAME = vocabulary.LONGEST_ID, vocabulary.LONGEST_OWN_NAME
LONGEST_TEXT = vocabulary.LONGEST_TEXT

# Characters of what people type. Models, parameters, and pages by `{% longest "reason" %}`, have
# them from here; forms, the API and commands from the parameters.
LONGEST_USERNAME = 150
#: A reason that is kept in the log.
LONGEST_REASON = 1_000
#: What a worker reads about an answer: the limit of Mechanical Turk.
LONGEST_FEEDBACK = 1_024
LONGEST_BONUS_REASON = 500
LONGEST_CONTACT = 200
LONGEST_DESCRIPTION = 2_000
LONGEST_TITLE = 128
LONGEST_KEYWORDS = 1_000
#: A security key's name, and a code of the second factor.
LONGEST_KEY_NAME, LONGEST_CODE = 40, 20

#: How group words are counted, for people to choose.
MAGNITUDE_CHOICES = [(name, f"{name}: {meaning}") for name, meaning in MEANINGS.items()]


class Environment(models.TextChoices):
    """Where the HITs of a batch live."""

    LOCAL = "local", "Local crowd service"
    SANDBOX = "sandbox", "Mechanical Turk sandbox"
    PRODUCTION = "production", "Mechanical Turk"
    PROLIFIC = "prolific", "Prolific, without this site"
    IMPORTED = "imported", "Imported from a file"


class MarkedState(models.TextChoices):
    """States as pages show them: value, `icon` of `icons.svg`, `tone` of its colour, words.

    The tone is a `data-tone` of the style sheet, "" for the colour of text.
    """

    icon: str
    tone: str

    def __new__(cls, value: str, icon: str = "", tone: str = "") -> Self:
        member = str.__new__(cls, value)
        member._value_ = value
        member.icon, member.tone = icon, tone
        return member


class BatchState(MarkedState):
    DRAFT = "draft", "pencil", "", "Draft"
    PUBLISHING = "publishing", "activity", "accent", "Publishing"
    PUBLISHED = "published", "activity", "accent", "Published"
    STOPPED = "stopped", "ban", "warn", "Stopped"
    IMPORTED = "imported", "circle-check", "good", "Imported"


class HITState(models.TextChoices):
    """The ledger of publishing: what we intended, and what we know became of it."""

    PLANNED = "planned", "Planned"
    SENT = "sent", "Sent, outcome not known yet"
    PUBLISHED = "published", "Published"
    REFUSED = "refused", "Refused by the crowd"


class BonusSetState(models.TextChoices):
    """The ledger of bonuses at Prolific. Uncertain: paid or not, so that nobody pays it again."""

    PLANNED = "planned", "Planned"
    SET_UP = "set up", "Set up, nothing paid"
    PAYING = "paying", "Being paid"
    ACCEPTED = "accepted", "Accepted, not seen yet"
    CONFIRMED = "confirmed", "Paid"
    UNCERTAIN = "uncertain", "Uncertain"
    NOT_PAID = "not paid", "Not paid, as somebody decided"


#: Sent to be paid, and not yet seen as paid: nobody may send it again.
PENDING_BONUSES = (BonusSetState.PAYING, BonusSetState.ACCEPTED, BonusSetState.UNCERTAIN)


class BonusDecision(models.TextChoices):
    """A person's decision on bonuses whose outcome is unknown."""

    PAID = "paid", "They were paid"
    NOT_PAID = "not paid", "Those that are not listed were not paid"


class AssignmentState(models.TextChoices):
    SUBMITTED = "Submitted", "Submitted"
    APPROVED = "Approved", "Approved"
    REJECTED = "Rejected", "Rejected"


class PlaceState(models.TextChoices):
    """State of one assignment that a HIT asks for: a place for one worker's answer.

    Labels follow a number. Only our own crowd service tells whether somebody holds a place:
    elsewhere it is open, or withdrawn, and may still be filled by whoever had accepted the HIT.
    """

    UNPUBLISHED = "unpublished", "not published"
    OPEN = "open", "open"
    HELD = "held", "held"
    SUBMITTED = "submitted", "submitted"
    WITHDRAWN = "withdrawn", "withdrawn or expired"


#: Places without an answer to which one is still to come.
TO_COME = (PlaceState.UNPUBLISHED, PlaceState.OPEN, PlaceState.HELD)


CATEGORY_QUESTION = vocabulary.CATEGORY_QUESTION


class VoteState(models.TextChoices):
    """State of one vote that the HITs ask for: each place brings one for each study query.

    Labels follow a number. A worker who was excluded gets no further HIT; only discarding takes
    away votes.
    """

    COUNTED = "counted", "counted"
    CANNOT_TELL = "cannot_tell", "cannot tell"
    UNVERIFIED = "unverified", "waiting for the panel's list"
    NOT_APPROVED = "not_approved", "not approved by the panel"
    DISCARDED = "discarded", "discarded"
    REJECTED = "rejected", "rejected"
    REPEATED = "repeated", "repeated by the same worker"
    LEFT_OUT = "left_out", "left out by the annotator"
    UNREADABLE = "unreadable", "unreadable"
    TO_COME = "to_come", "still to come"
    WITHDRAWN = "withdrawn", "withdrawn or expired"


#: Votes that were given and do not count, whatever the reason.
NOT_COUNTED = (
    VoteState.UNVERIFIED,
    VoteState.NOT_APPROVED,
    VoteState.DISCARDED,
    VoteState.REJECTED,
    VoteState.REPEATED,
    VoteState.UNREADABLE,
)


class WorkerKind(models.TextChoices):
    """Kinds of voters. Simulated and model votes are always marked."""

    HUMAN = "human", "Person"
    SIMULATED = "simulated", "Simulated worker"
    MODEL = "model", "Language model"


class RaterOrigin(models.TextChoices):
    """Origins of a model's labels."""

    IMPORTED = "imported", "Imported from a file"
    ASKED = "asked", "Asked by this site"
    CLASSIFIER = "classifier", "Classifier trained here"


#: Name of the raters of the classifier that is trained here, one for each category.
OWN_CLASSIFIER = "Own classifier"


class Verification(models.TextChoices):
    """Proof of a worker's identity. Only participants of panels need one."""

    VERIFIED = "verified", "Verified"
    WAITING = "waiting", "Waits for the panel's list"
    REFUSED = "refused", "Not approved by the panel"


#: Among the kinds of voters: people whose votes count although nothing proves who they are.
UNVERIFIED = "unverified"


class LabelMethod(models.TextChoices):
    """Methods of labels that nobody's votes imply."""

    ADJUDICATED = "adjudicated", "Decided by an adjudicator"
    RELEASED = "released", "Imported decision"


#: The methods that decide labels from votes, with their words; and every method of a label.
DECIDING = [(name, method.title) for name, method in ALL_METHODS.items()]
LABEL_METHODS = [*DECIDING, *LabelMethod.choices]


class NoVoteReason(models.TextChoices):
    """Why an answer of an imported file did not become a vote that counts."""

    BLANK = "blank", "Blank"
    SEVERAL = "several", "Several values in one answer"
    LEFT_OUT = "left out", "Mapped to nothing on purpose"
    REJECTED = "rejected", "Assignment rejected by its requester"
    SUPERSEDED = "superseded", "Assignment given again by a later file"
    REPEATED = "repeated", "Worker had voted on the query before"


class TaskKind(models.TextChoices):
    """Long work that is done in the background."""

    PUBLISH = "publish", "Publish batch"
    COLLECT = "collect", "Collect answers"
    EXPIRE = "expire", "Stop batch"
    LABEL = "label", "Decide labels"
    EXTEND = "extend", "Offer for longer"
    TOP_UP = "top up", "Request more assignments"
    ADAPTIVE_ROUND = "adaptive round", "Adaptive round"
    APPROVE = "approve", "Approve answers"
    BONUS = "bonus", "Pay a bonus"
    APPROVE_ANSWER = "approve answer", "Approve an answer"
    REJECT_ANSWER = "reject answer", "Reject an answer"
    RESTORE_ANSWER = "restore answer", "Restore an answer"
    ANSWER_BONUS = "answer bonus", "Pay a bonus for an answer"
    EXCLUDE = "exclude", "Exclude workers"
    BUNDLE = "bundle", "Make the bundle"
    RELEASE = "release", "Make the release"
    SCORE = "score", "Score the collection"
    POOL = "pool", "Build pool"
    POOL_PAIRS = "pool pairs", "Build pool of pairs"
    REPORT = "report", "Measure the bias"
    SAMPLE = "sample", "Prepare the sample"
    ERASE = "erase", "Delete personal data"
    RANK = "rank", "Rank the queries"
    ASK_MODEL = "ask model", "Ask a model"
    CLASSIFY = "classify", "Train a classifier"
    READ_PROLIFIC = "read prolific", "Read submissions from Prolific"
    UPLOAD_TASKS = "upload tasks", "Have Prolific ask the questions"


class Lane(models.TextChoices):
    """Queue of a job. Short jobs have workers of their own, so none waits behind a long one."""

    SHORT = "short"
    LONG = "long"


#: Jobs that read whole files, or wait for a model, for minutes; all others are short.
LONG_KINDS = frozenset(
    {
        TaskKind.BUNDLE,
        TaskKind.RELEASE,
        TaskKind.SCORE,
        TaskKind.POOL,
        TaskKind.POOL_PAIRS,
        TaskKind.REPORT,
        TaskKind.SAMPLE,
        TaskKind.RANK,
        TaskKind.ASK_MODEL,
        TaskKind.CLASSIFY,
    }
)


#: Jobs that store all of their result at their end; of others, what is done stays.
WHOLE_KINDS = LONG_KINDS - {TaskKind.SAMPLE, TaskKind.ASK_MODEL}


def what_stays(kind: str) -> str:
    """Return, in words, the part of a job of this kind that remains if it is ended early."""
    return "nothing of it is kept" if kind in WHOLE_KINDS else "what is done stays"


class FileKind(models.TextChoices):
    """Kind of a file of a study."""

    COLLECTION = "collection", "Collection"
    QUERIES = "queries", "Queries"
    RUN = "run", "Run"
    QRELS = "qrels", "Relevance judgements"
    LEXICON = "lexicon", "Word list"
    MAGNITUDES = "magnitudes", "Scored collection"


#: Stands for a kind that the content of the file decides.
KIND_BY_CONTENT = "auto"


class MissingRule(models.TextChoices):
    """Treatment of a ranked document that the scored collection does not have."""

    ERROR = "error", "Stop with an error"
    ZERO = "zero", "Count it as neutral"
    SKIP = "skip", "Leave it out"


class PopulationRule(models.TextChoices):
    """The queries that a value is about where none are asked for; see `metrics.vocabulary`."""

    DEFAULT = "default", "Those of each run, or those judged"
    ANY_RUN = "any-run", "Those that any run has, as in version 1.0"


class OrderRule(models.TextChoices):
    """Order of the documents of a run; see `metrics.runs.definition`."""

    DEFAULT = "default", "By score, then rank"
    RANK = "rank", "By rank, then score"
    TREC_EVAL = "trec_eval", "By score alone, as trec_eval does"


class PairedTestRule(models.TextChoices):
    """Tests of runs against each other; see `metrics.statistics.inference`."""

    RANDOMIZATION = "randomization", "Randomization: sign flips"
    PAIRED_T = "paired-t", "Paired t-test"


class CorrectionRule(models.TextChoices):
    """Corrections of p-values of tests that are read together."""

    HOLM = "holm", "Holm"
    BONFERRONI = "bonferroni", "Bonferroni"


class FamilyRule(models.TextChoices):
    """Which tests are read together."""

    MEASURE = "measure+cutoff", "One measure, magnitude and cut-off"
    TABLE = "table", "A table"
    REPORT = "report", "The whole report"


class WidthOf(models.TextChoices):
    """Figures of a sample whose intervals must reach the wanted width."""

    ALL = "all", "All of them"
    SHARE = "share", "The share of the category"
    MEAN = "mean", "The mean bias over the category"
    DIFFERENCE = "difference", "The differences of the runs"


class SampleDesign(models.TextChoices):
    """Designs for drawing queries to label; see `metrics.statistics.drawing`."""

    SIMPLE = "simple", "All with the same chance"
    STRATIFIED = "stratified", "From strata of the models' belief"
    NEYMAN = "neyman", "From strata of the models' belief, more of the doubtful"
    UNEQUAL = "unequal", "Rather those that tell more"
    QUERIES = "queries", "Whole queries with all their passages"


class AccountAction(models.TextChoices):
    """Acts on an account of the site, as its log names them."""

    MADE = "account made"
    RENAMED = "account renamed"
    CLOSED = "account closed"
    REOPENED = "account opened again"
    DELETED = "account deleted"
    ERASED = "account erased"
    SIGNED_IN = "signed in"
    SIGNED_OUT = "signed out"
    SIGN_IN_FAILED = "sign-in failed"
    SECOND_STEP_PASSED = "second step passed"
    SECOND_STEP_FAILED = "second step failed"
    OWNER_LINK_MADE = "owner's link made"
    OWNER_LINK_USED = "owner's link used"
    PASSWORD_CHANGED = "password changed"  # noqa: S105 - what was done
    RESET_REQUESTED = "new password requested"
    EMAIL_CHANGED = "e-mail address changed"
    TOKEN_MADE = "token made"  # noqa: S105 - what was done
    TOKEN_ENDED = "token ended"  # noqa: S105 - what was done
    SECOND_FACTOR_ON = "two-step sign-in turned on"
    SECOND_FACTOR_OFF = "two-step sign-in turned off"
    RECOVERY_CODES_MADE = "recovery codes made"
    KEY_ADDED = "security key added"
    KEY_REMOVED = "security key removed"
    STAFF_CHANGED = "staff status changed"
    PERMITS_GIVEN = "permissions given"
    PERMITS_WITHDRAWN = "permissions withdrawn"


class Role(models.TextChoices):
    """Role of a member of a study; everybody else does not learn that the study exists."""

    OWNER = "owner", "Owner"
    ADJUDICATOR = "adjudicator", "Adjudicator"
    VIEWER = "viewer", "Viewer"
    ANNOTATOR = "annotator", "Annotator"


class Action(models.TextChoices):
    """Permission that a role gives, and a page or an operation requires."""

    ANNOTATE = "annotate", "answer HITs"
    VIEW = "view", "see votes, agreement and results"
    ADJUDICATE = "adjudicate", "decide labels"
    MANAGE = "manage", "change the study"
    PUBLISH = "publish", "publish and ask for answers"
    PAY = "pay", "approve and pay"


class Permit(models.TextChoices):
    """Permission of an account beside its roles; members of staff give it."""

    CREATE_STUDIES = "create_studies", "begin studies"
    PUBLISH = "publish", "publish and ask for answers"
    PAY = "pay", "approve and pay"
    RECRUIT = "recruit", "recruit on Prolific"


#: What commits or spends money takes a permit beside the role.
TAKES_PERMIT: dict[str, Permit] = {Action.PUBLISH: Permit.PUBLISH, Action.PAY: Permit.PAY}


#: An annotator sees nothing that could sway an answer: no votes, no agreement, no results.
ROLE_PERMISSIONS: dict[str, frozenset[str]] = {
    Role.OWNER: frozenset(Action),
    Role.ADJUDICATOR: frozenset({Action.ANNOTATE, Action.VIEW, Action.ADJUDICATE}),
    Role.VIEWER: frozenset({Action.VIEW}),
    Role.ANNOTATOR: frozenset({Action.ANNOTATE}),
}


class TaskState(models.TextChoices):
    QUEUED = "queued", "Waiting"
    RUNNING = "running", "Running"
    DONE = "done", "Done"
    FAILED = "failed", "Failed"
    CANCELLED = "cancelled", "Cancelled"


class AuditAction(models.TextChoices):
    """The act that an entry of the log names, as it is stored.

    Beside these there are `NAME requested` and `NAME failed`, by the name of an operation.
    """

    STUDY_CREATED = "study created"
    STUDY_CHANGED = "study changed"
    FILE_ADDED = "file added"
    COLLECTION_SCORED = "collection scored"
    QUERIES_POOLED = "queries pooled"
    SAMPLE_DRAWN = "sample drawn"
    MEMBER_ADDED = "member added"
    ROLE_CHANGED = "role changed"
    MEMBER_REMOVED = "member removed"
    INVITED = "invited"
    INVITATION_REVOKED = "invitation revoked"
    ACCOUNT_MADE = "account made"
    INVITATION_MADE = "invitation made"
    PROLIFIC_CONNECTED = "connected to prolific"
    PROLIFIC_EVENTS_REFUSED = "events refused of prolific"
    CROWD_CHOSEN = "crowd chosen"
    RESPONSES_IMPORTED = "responses imported"
    PROLIFIC_TASKS_UPLOADED = "tasks uploaded to prolific"
    PROLIFIC_STUDY_DRAFTED = "study drafted on prolific"
    PROLIFIC_STUDY_PUBLISHED = "study published on prolific"
    PROLIFIC_STUDY_MOVED = "study paused, resumed or stopped on prolific"
    PROLIFIC_PLACES_ADDED = "places added on prolific"
    PROLIFIC_SUBMISSIONS_APPROVED = "submissions approved on prolific"
    PROLIFIC_SUBMISSION_REJECTED = "submission rejected on prolific"
    PROLIFIC_RETURN_REQUESTED = "return requested on prolific"
    PROLIFIC_BONUSES_SET_UP = "bonuses set up on prolific"
    PROLIFIC_BONUSES_PAID = "bonuses paid on prolific"
    PROLIFIC_BONUSES_DECIDED = "bonuses decided on prolific"
    PROLIFIC_PAYMENTS_READ = "payments read from prolific"
    PANEL_ADDRESS_MADE = "panel address made"
    MESSAGE_ANSWERED = "message answered"
    BATCH_CREATED = "batch created"
    SCHEME_CHANGED = "scheme changed"
    LABELS_IMPORTED = "labels imported"
    VOTES_IMPORTED = "votes imported"
    MODEL_LABELS_IMPORTED = "model labels imported"
    MODEL_LABELS_REMOVED = "model labels removed"
    MODEL_ASKED = "model asked"
    CLASSIFIER_TRAINED = "classifier trained"
    BUNDLE_IMPORTED = "bundle imported"
    PUBLISHING_BEGUN = "publishing begun"
    PUBLISHING_INTERRUPTED = "publishing interrupted"
    PUBLISHED = "published"
    ANSWERS_COLLECTED = "answers collected"
    ANSWERS_WITHDRAWN = "answers withdrawn"
    ANSWERS_READ_AGAIN = "answers read again"
    APPROVED = "approved"
    REJECTED = "rejected"
    RESTORED = "restored"
    BONUS_PAID = "bonus paid"
    BUDGET_CHANGED = "budget changed"
    OFFERED_FOR_LONGER = "offered for longer"
    MORE_ANSWERS_REQUESTED = "more answers requested"
    TOPPED_UP = "topped up"
    ADAPTIVE = "adaptive"
    FURTHER_VOTES_PLANNED = "further votes planned"
    EXPIRED = "expired"
    DISPOSED = "disposed"
    PANELS_LIST_IMPORTED = "panel's list imported"
    LABELS_DECIDED = "labels decided"
    QUERY_ADJUDICATED = "query adjudicated"
    ADJUDICATION_WITHDRAWN = "adjudication withdrawn"
    VOTES_DISCARDED = "votes discarded"
    VOTES_RESTORED = "votes restored"
    WORKER_EXCLUDED = "worker excluded"
    WORKER_READMITTED = "worker readmitted"
    EXCLUDED_AT_THE_CROWD = "excluded at the crowd"
    PERSONAL_DATA_DELETED = "personal data deleted"
    REPORT_ASKED_FOR = "report asked for"
    RENAMED = "renamed"
    ARCHIVED = "archived"
    UNARCHIVED = "unarchived"
    REMOVED = "removed"
    REMOVAL_UNDONE = "removal undone"
    DELETED_FOR_GOOD = "deleted for good"
