"""A batch of queries to be labelled, cut into HITs."""

import json
import uuid
from functools import lru_cache
from typing import Any

from django.db import models
from django.db.models import F, Q

from annotation.models.studies import Study
from annotation.schemes import LONGEST_NAME, Scheme, built_in_scheme, scheme_from_json
from annotation.vocabulary import (
    CATEGORY_QUESTION,
    LONGEST_CONTACT,
    LONGEST_DESCRIPTION,
    LONGEST_ID,
    LONGEST_KEYWORDS,
    LONGEST_OWN_NAME,
    LONGEST_TITLE,
    LONGEST_USERNAME,
    BatchState,
    Environment,
    HITState,
)
from metrics.io.pair_ids import split_pair_id
from pooling.removable import Removable


def scheme_of_categories() -> dict[str, Any]:
    return built_in_scheme(CATEGORY_QUESTION).as_json()


@lru_cache(maxsize=100)
def _scheme(content: str) -> Scheme:
    return scheme_from_json(json.loads(content))


class Batch(Removable):
    """Queries that people label together under one set of terms (reward, assignments, text)."""

    noun = what = "batch"

    name = models.CharField(max_length=LONGEST_OWN_NAME)
    uid = models.UUIDField(
        default=uuid.uuid4,
        unique=True,
        editable=False,
        help_text="Tells the batch's HITs from those of every other batch of the account.",
    )
    environment = models.CharField(max_length=10, choices=Environment)
    endpoint = models.CharField(
        max_length=200, blank=True, help_text="URL of the crowd that the HITs were published to."
    )
    state = models.CharField(max_length=10, choices=BatchState, default=BatchState.DRAFT)
    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="batches")
    pool = models.ForeignKey(
        "pooling.Pool", null=True, blank=True, on_delete=models.PROTECT, related_name="batches"
    )
    title = models.CharField(max_length=LONGEST_TITLE, blank=True)
    description = models.CharField(max_length=LONGEST_DESCRIPTION, blank=True)
    keywords = models.CharField(max_length=LONGEST_KEYWORDS, blank=True)
    reward = models.DecimalField(
        max_digits=8, decimal_places=2, default=0, help_text="USD per assignment of a HIT."
    )
    budget = models.DecimalField(
        max_digits=10, decimal_places=2, null=True, blank=True, help_text="USD, fees included."
    )
    committed = models.DecimalField(
        max_digits=10,
        decimal_places=2,
        default=0,
        help_text="USD that the HITs sent and the bonuses may cost, fees included.",
    )
    assignments_per_hit = models.PositiveSmallIntegerField(default=3)
    queries_per_hit = models.PositiveSmallIntegerField(default=10)
    lifetime_seconds = models.PositiveIntegerField(default=7 * 86_400)
    duration_seconds = models.PositiveIntegerField(
        default=1_800, help_text="Time that one worker has for one HIT."
    )
    auto_approval_seconds = models.PositiveIntegerField(default=3 * 86_400)
    seed = models.PositiveIntegerField(default=0, help_text="Shuffles the queries over the HITs.")
    together = models.BooleanField(
        default=False, db_default=False, help_text="Pairs of one query come one after another."
    )
    hit_type_id = models.CharField(max_length=64, blank=True)
    conditions = models.JSONField(
        default=dict, blank=True, help_text="Who may work: the fields of WorkerConditions."
    )
    exclusion_qualification_id = models.CharField(
        max_length=64,
        blank=True,
        help_text="Id of the qualification that marks workers who may not go on.",
    )
    comprehension = models.JSONField(
        default=list, blank=True, help_text="The test before the first HIT: [text, option] pairs."
    )
    comprehension_question = models.CharField(
        max_length=LONGEST_NAME,
        blank=True,
        db_default="",
        help_text="The question that the test asks.",
    )
    comprehension_type_id = models.CharField(
        max_length=64, blank=True, help_text="Id of the qualification that is the test."
    )
    consent = models.TextField(
        blank=True, help_text="What workers are told, and agree to by answering."
    )
    contact = models.CharField(
        max_length=LONGEST_CONTACT,
        blank=True,
        help_text="Whom workers may write to; shown on every HIT.",
    )
    suggested_by = models.CharField(
        max_length=LONGEST_ID,
        blank=True,
        db_default="",
        help_text="Model whose labels annotators see with the queries.",
    )
    asks = models.JSONField(
        default=scheme_of_categories,
        help_text="The scheme in force: the content of its latest version, so that no page reads "
        "that for it.",
    )
    collected_at = models.DateTimeField(
        null=True, blank=True, help_text="What was submitted by then is stored."
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("-created_at", "name")
        constraints = [
            models.UniqueConstraint(
                fields=["name"], condition=Q(removed_at=None), name="one_batch_per_name"
            ),
            models.CheckConstraint(
                condition=Q(removed_at=None) | Q(state__in=(BatchState.DRAFT, BatchState.IMPORTED)),
                name="published_batch_is_never_removed",
            ),
            models.CheckConstraint(condition=Q(reward__gte=0), name="batch_reward_not_negative"),
            models.CheckConstraint(
                condition=Q(assignments_per_hit__gte=1) & Q(queries_per_hit__gte=1),
                name="batch_asks_for_something",
            ),
            models.CheckConstraint(
                condition=Q(budget__isnull=True) | Q(budget__gt=0), name="batch_budget_positive"
            ),
            models.CheckConstraint(
                condition=Q(committed__gte=0)
                & (Q(budget__isnull=True) | Q(committed__lte=F("budget"))),
                name="batch_committed_within_budget",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def scheme(self) -> Scheme:
        return _scheme(json.dumps(self.asks))

    @property
    def uses_task_builder(self) -> bool:
        """True if Prolific's Task Builder asks the questions, without this site."""
        return self.environment == Environment.PROLIFIC


class SchemeVersion(models.Model):
    """A version of a batch's scheme; the one with the highest number is in force.

    None is added once publishing has begun: every HIT of a batch asks the same. Imported votes may
    have none: they are read as answers to the built-in scheme.
    """

    batch = models.ForeignKey(Batch, on_delete=models.CASCADE, related_name="scheme_versions")
    number = models.PositiveSmallIntegerField(help_text="From 1.")
    content = models.JSONField(help_text="The scheme as `Scheme.as_json` writes it.")
    created_by = models.CharField(max_length=LONGEST_USERNAME)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("number",)
        constraints = [
            models.UniqueConstraint(
                fields=["batch", "number"], name="one_scheme_per_batch_and_number"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.batch_id}: scheme {self.number}"


class BatchQuery(models.Model):
    """One item of a batch: a query, or a pair of query and passage.

    `text` and `passage` are untrusted wherever they are shown.
    """

    batch = models.ForeignKey(Batch, on_delete=models.CASCADE, related_name="queries")
    qid = models.CharField(max_length=LONGEST_ID, help_text="Of a pair, its `pair_id`.")
    text = models.TextField()
    passage = models.TextField(blank=True, db_default="", help_text="Text of a pair's passage.")
    position = models.PositiveIntegerField(help_text="Place in the batch's fixed shuffled order.")
    gold = models.CharField(
        max_length=2_000,
        blank=True,
        help_text="Known category, or known answers to a scheme; hidden from workers.",
    )
    suggestion = models.CharField(
        max_length=LONGEST_NAME,
        blank=True,
        db_default="",
        help_text="Option that a model said, where annotators see it.",
    )

    class Meta:
        ordering = ("position",)
        constraints = [
            models.UniqueConstraint(fields=["batch", "qid"], name="one_query_per_batch_and_qid"),
            models.UniqueConstraint(fields=["batch", "position"], name="one_query_per_position"),
        ]

    def __str__(self) -> str:
        return f"{self.qid}: {self.text}"

    @property
    def docno(self) -> str:
        """Id of the pair's passage; empty of a query."""
        return split_pair_id(self.qid)[1] if self.passage else ""


class HIT(models.Model):
    """A page of queries that one worker answers at once; also its line in the publishing ledger.

    `request_token` is committed before the crowd is called, so that a lost reply never leads to a
    second HIT: a repetition uses the same token, or looks for `annotation`.
    """

    batch = models.ForeignKey(Batch, on_delete=models.CASCADE, related_name="hits")
    index = models.PositiveIntegerField(help_text="Place in the batch, from 0.")
    state = models.CharField(max_length=10, choices=HITState, default=HITState.PLANNED)
    attempt = models.PositiveSmallIntegerField(
        default=0, help_text="Counts the times that a person had the HIT published anew."
    )
    request_token = models.CharField(max_length=64, unique=True)
    annotation = models.CharField(max_length=255, help_text="RequesterAnnotation of the HIT.")
    hit_id = models.CharField(max_length=64, null=True, blank=True, unique=True)
    max_assignments = models.PositiveSmallIntegerField()
    target_answers = models.PositiveSmallIntegerField(
        default=1, help_text="Readable, unrejected answers that the HIT is to bring."
    )
    n_held = models.PositiveSmallIntegerField(
        default=0,
        db_default=0,
        help_text="Workers who had accepted it and not submitted, when the crowd last told.",
    )
    unit_cost = models.DecimalField(
        max_digits=8, decimal_places=2, default=0, help_text="USD of one assignment with its fee."
    )
    reserved_at = models.DateTimeField(
        null=True,
        blank=True,
        help_text="Since when its money is held for a publisher that is about to send it.",
    )
    sent_at = models.DateTimeField(
        null=True, blank=True, help_text="First use of the token, which is forgotten a day later."
    )
    published_at = models.DateTimeField(null=True, blank=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    disposed_at = models.DateTimeField(
        null=True, blank=True, help_text="Since when the crowd has it no more: we had it deleted."
    )
    error = models.TextField(blank=True)

    class Meta:
        ordering = ("index",)
        constraints = [
            models.UniqueConstraint(fields=["batch", "index"], name="one_hit_per_batch_and_index"),
            models.CheckConstraint(
                condition=~Q(state=HITState.PUBLISHED) | Q(hit_id__isnull=False),
                name="published_hit_has_its_id",
            ),
            models.CheckConstraint(
                condition=Q(reserved_at=None) | Q(state__in=(HITState.PLANNED, HITState.REFUSED)),
                name="hit_is_reserved_before_it_is_sent",
            ),
        ]

    def __str__(self) -> str:
        return self.annotation


class HITQuery(models.Model):
    """A query's place (from 0) in a HIT."""

    hit = models.ForeignKey(HIT, on_delete=models.CASCADE, related_name="places")
    query = models.ForeignKey(BatchQuery, on_delete=models.CASCADE, related_name="places")
    place = models.PositiveSmallIntegerField()

    class Meta:
        ordering = (F("hit__index"), F("place"))
        constraints = [
            models.UniqueConstraint(fields=["hit", "place"], name="one_query_per_place"),
            models.UniqueConstraint(fields=["hit", "query"], name="query_once_per_hit"),
        ]

    def __str__(self) -> str:
        return f"{self.hit_id}[{self.place}]"


class AdaptivePolicy(models.Model):
    """The batch asks adaptively: two votes, a third where they differ, more on a tie."""

    batch = models.OneToOneField(Batch, on_delete=models.CASCADE, related_name="adaptive_policy")
    question = models.CharField(
        max_length=LONGEST_NAME, help_text="The question whose answers bring further votes."
    )
    full_share = models.FloatField(
        help_text="Share (0 to 1) of queries with three votes in any case."
    )
    most_votes = models.PositiveSmallIntegerField(help_text="Votes on one query, at most.")
    seed = models.PositiveIntegerField(default=0, help_text="Chooses the share.")

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(full_share__gte=0) & Q(full_share__lte=1),
                name="adaptive_share_is_a_share",
            ),
            models.CheckConstraint(
                condition=Q(most_votes__gte=3), name="adaptive_allows_three_votes"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.batch_id}: adaptive"


class CrowdSnapshot(models.Model):
    """The channels of a batch and the messages about it, as of `at`.

    Pages show this copy, so that no reader waits for the service. Messages are personal data: the
    row is deleted when somebody is erased, and made again.
    """

    batch = models.OneToOneField(Batch, on_delete=models.CASCADE, related_name="crowd_snapshot")
    at = models.DateTimeField()
    channels = models.JSONField(help_text="As on the wire, the newest first.")
    inquiries = models.JSONField(help_text="As on the wire, the oldest first.")

    def __str__(self) -> str:
        return f"of {self.batch_id} at {self.at}"
