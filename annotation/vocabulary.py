"""The words of the field that are stored and exported: one place."""

from django.db import models

from metrics import vocabulary

#: The categories of queries, which a site shares with the library.
Category = vocabulary.Category

#: No category has strictly more votes than every other. A state, never a category.
TIE = "tie"


class Environment(models.TextChoices):
    """Where the HITs of a batch live."""

    LOCAL = "local", "Local crowd service"
    SANDBOX = "sandbox", "Mechanical Turk sandbox"
    PRODUCTION = "production", "Mechanical Turk"
    IMPORTED = "imported", "Imported from a file"


class BatchState(models.TextChoices):
    DRAFT = "draft", "Draft"
    PUBLISHING = "publishing", "Publishing"
    PUBLISHED = "published", "Published"
    STOPPED = "stopped", "Stopped"
    IMPORTED = "imported", "Imported"


class HITState(models.TextChoices):
    """The ledger of publishing: what we intended, and what we know became of it."""

    PLANNED = "planned", "Planned"
    SENT = "sent", "Sent, outcome not known yet"
    PUBLISHED = "published", "Published"
    REFUSED = "refused", "Refused by the crowd"


class AssignmentState(models.TextChoices):
    SUBMITTED = "Submitted", "Submitted"
    APPROVED = "Approved", "Approved"
    REJECTED = "Rejected", "Rejected"


class WorkerKind(models.TextChoices):
    """Who voted. Simulated and model votes are always marked."""

    HUMAN = "human", "Person"
    SIMULATED = "simulated", "Simulated worker"
    MODEL = "model", "Language model"


class Verification(models.TextChoices):
    """Whether it is proved who a worker is. Only participants of panels need a proof."""

    VERIFIED = "verified", "Verified"
    WAITING = "waiting", "Waits for the panel's list"
    REFUSED = "refused", "Not approved by the panel"


#: Among the kinds of voters: people whose votes count although nothing proves who they are.
UNVERIFIED = "unverified"


class LabelMethod(models.TextChoices):
    MAJORITY = "majority", "Majority of the votes"
    DAWID_SKENE = "dawid_skene", "Dawid-Skene"
    MACE = "mace", "MACE"
    GOLD_WEIGHTED = "gold_weighted", "Votes weighted by accuracy on gold queries"
    ADJUDICATED = "adjudicated", "Decided by an adjudicator"
    RELEASED = "released", "Imported decision"


class NoVoteReason(models.TextChoices):
    """Why an answer of an imported file did not become a vote that counts."""

    BLANK = "blank", "Blank"
    SEVERAL = "several", "Several values in one answer"
    LEFT_OUT = "left out", "Mapped to nothing on purpose"
    REJECTED = "rejected", "Assignment rejected by its requester"
    SUPERSEDED = "superseded", "Assignment given again by a later file"
    REPEATED = "repeated", "Worker had voted on the query before"


class LexicalRanker(models.TextChoices):
    """The rankers of `rankers.registry`, named here as importing them takes seconds."""

    BM25 = "BM25", "BM25 (k1 = 0.6, b = 0.8)"
    BM25L = "BM25L", "BM25L (k1 = 1.5, b = 0.75, δ = 0.5)"
    BM25PLUS = "BM25PLUS", "BM25+ (k1 = 1.5, b = 0.75, δ = 1)"
    TFIDF = "TFIDF", "TF-IDF, cosine"
    CHAR = "CHAR", "TF-IDF of character 3- to 5-grams, cosine"
    QLD = "QLD", "Query likelihood, Dirichlet smoothing (μ = 1000)"
    LSA = "LSA", "Latent semantic analysis (100 dimensions)"
    BM25_PORTER = "BM25_PORTER", "BM25 (k1 = 0.6, b = 0.8) of Porter's stems"
    BM25_SNOWBALL = "BM25_SNOWBALL", "BM25 (k1 = 0.6, b = 0.8) of Snowball's English stems"
    LSA_RND = "LSA_RND", "LSA with random directions (100 dimensions)"


class TaskKind(models.TextChoices):
    """Long work that is done in the background."""

    PUBLISH = "publish", "Publish batch"
    COLLECT = "collect", "Collect answers"
    EXPIRE = "expire", "Stop batch"
    LABEL = "label", "Decide labels"
    EXTEND = "extend", "Offer for longer"
    TOP_UP = "top up", "Request more assignments"
    ADAPTIVE_ROUND = "ask", "Adaptive round"
    APPROVE = "approve", "Approve answers"
    BONUS = "bonus", "Pay a bonus"
    APPROVE_ANSWER = "approve answer", "Approve an answer"
    REJECT_ANSWER = "reject answer", "Reject an answer"
    RESTORE_ANSWER = "restore answer", "Restore an answer"
    ANSWER_BONUS = "answer bonus", "Pay a bonus for an answer"
    EXCLUDE = "keep out", "Exclude workers"
    BUNDLE = "bundle", "Make the bundle"
    SCORE = "score", "Score the collection"
    POOL = "pool", "Build pool"
    REPORT = "report", "Measure the bias"
    SHARD = "shard", "Score a shard"
    CHECKSUM = "checksum", "Take a checksum"
    SAMPLE = "sample", "Prepare the sample"
    ERASE = "erase", "Delete personal data"
    RANK = "rank", "Rank the queries"


class FileKind(models.TextChoices):
    """What a file of a study holds."""

    COLLECTION = "collection", "Collection"
    QUERIES = "queries", "Queries"
    RUN = "run", "Run"
    QRELS = "qrels", "Relevance judgements"
    LEXICON = "lexicon", "Word list"
    MAGNITUDES = "magnitudes", "Scored collection"


class MissingRule(models.TextChoices):
    """What becomes of a ranked document that the scored collection does not have."""

    ERROR = "error", "Stop with an error"
    ZERO = "zero", "Count it as neutral"
    SKIP = "skip", "Leave it out"


class OrderRule(models.TextChoices):
    """What ranks the documents of a run; see `metrics.runs.definition`."""

    DEFAULT = "default", "By score, then rank"
    RANK = "rank", "By rank, then score"
    TREC_EVAL = "trec_eval", "By score alone, as trec_eval does"


class Role(models.TextChoices):
    """What a member of a study may do; everybody else does not learn that the study exists."""

    OWNER = "owner", "Owner"
    ADJUDICATOR = "adjudicator", "Adjudicator"
    VIEWER = "viewer", "Viewer"
    ANNOTATOR = "annotator", "Annotator"


class Action(models.TextChoices):
    """What a role permits, and a page or an operation requires."""

    ANNOTATE = "annotate", "answer HITs"
    VIEW = "view", "see votes, agreement and results"
    ADJUDICATE = "adjudicate", "decide labels"
    MANAGE = "manage", "change the study"
    PUBLISH = "publish", "publish and ask for answers"
    PAY = "pay", "approve and pay"


class Permit(models.TextChoices):
    """What an account may do besides what its roles say; members of staff give it."""

    CREATE_STUDIES = "create_studies", "begin studies"
    PUBLISH = "publish", "publish and ask for answers"
    PAY = "pay", "approve and pay"


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


class ThingKind(models.TextChoices):
    """What of a study can be renamed, archived and removed."""

    STUDY = "study", "Study"
    FILE = "file", "File"
    POOL = "pool", "Pool"
    BATCH = "batch", "Batch"
    REPORT = "report", "Bias report"


class AuditAction(models.TextChoices):
    """What an entry of the log says was done, as it is stored.

    Beside these there are `NAME requested` and `NAME failed`, by the name of an operation.
    """

    STUDY_CREATED = "study created"
    STUDY_CHANGED = "study changed"
    ADOPTED = "adopted"
    FILE_ADDED = "file added"
    COLLECTION_SCORED = "collection scored"
    QUERIES_POOLED = "queries pooled"
    MEMBER_ADDED = "member added"
    ROLE_CHANGED = "role changed"
    MEMBER_REMOVED = "member removed"
    INVITED = "invited"
    INVITATION_REVOKED = "invitation revoked"
    ACCOUNT_MADE = "account made"
    INVITATION_MADE = "invitation made"
    PANEL_ADDRESS_MADE = "panel address made"
    MESSAGE_ANSWERED = "message answered"
    BATCH_CREATED = "batch created"
    CODEBOOK_CHANGED = "codebook changed"
    LABELS_IMPORTED = "labels imported"
    VOTES_IMPORTED = "votes imported"
    PUBLISHING_BEGUN = "publishing begun"
    PUBLISHING_INTERRUPTED = "publishing interrupted"
    PUBLISHED = "published"
    ANSWERS_COLLECTED = "answers collected"
    APPROVED = "approved"
    REJECTED = "rejected"
    RESTORED = "restored"
    BONUS_PAID = "bonus paid"
    BUDGET_CHANGED = "budget changed"
    OFFERED_FOR_LONGER = "offered for longer"
    MORE_ANSWERS_WANTED = "more answers wanted"
    TOPPED_UP = "topped up"
    ADAPTIVE = "adaptive"
    FURTHER_VOTES_PLANNED = "further votes planned"
    EXPIRED = "expired"
    DISPOSED = "disposed"
    PANELS_LIST_IMPORTED = "panel's list imported"
    LABELS_DECIDED = "labels decided"
    QUERY_ADJUDICATED = "query adjudicated"
    ADJUDICATION_WITHDRAWN = "adjudication withdrawn"
    WORKER_SET_ASIDE = "worker set aside"
    WORKER_BROUGHT_BACK = "worker brought back"
    WORKER_KEPT_OUT = "worker kept out"
    WORKER_LET_IN = "worker let in"
    KEPT_OUT_AT_THE_CROWD = "kept out at the crowd"
    PERSONAL_DATA_DELETED = "personal data deleted"
    REPORT_ASKED_FOR = "report asked for"
    RENAMED = "renamed"
    ARCHIVED = "archived"
    UNARCHIVED = "unarchived"
    REMOVED = "removed"
    REMOVAL_UNDONE = "removal undone"
    DELETED_FOR_GOOD = "deleted for good"
    #: Written by the upgrade that began to log amounts.
    MONEY_SO_FAR = "money so far"
