"""Labels: decisions on one question about a query, by a method or by a person."""

from django.db import models
from django.db.models import Exists, OuterRef, Q

from annotation.models.batches import Batch, BatchQuery
from annotation.schemes import JOINED, LONGEST_NAME
from annotation.schemes.kind import MOST_OPTIONS
from annotation.vocabulary import (
    LABEL_METHODS,
    LONGEST_ID,
    LONGEST_USERNAME,
    TIE,
    LabelMethod,
    NoVoteReason,
)
from metrics.votes.deciding import MAJORITY

#: Characters of a label: of several options all codes, joined.
LONGEST_VALUE = MOST_OPTIONS * (LONGEST_NAME + 2)


class LabelQuerySet(models.QuerySet["Label"]):
    def standing(self) -> "LabelQuerySet":
        """The one label that holds for each study query and question, maybe a tie.

        It is the adjudicator's decision, else that of the method by which the question is labelled.
        """
        adjudicated = Q(method=LabelMethod.ADJUDICATED)
        same = {"question": OuterRef("question")}
        decided = Label.objects.filter(adjudicated, query=OuterRef("query"), **same)
        chosen = Labelling.objects.filter(
            batch=OuterRef("query__batch"), method=OuterRef("method"), **same
        )
        by_method = Q(Exists(chosen)) & ~Exists(decided)
        return self.filter(adjudicated | by_method, query__gold="")

    def standing_for(self, batch: Batch, question: str) -> "LabelQuerySet":
        """Those of one question of a batch."""
        return self.standing().filter(query__batch=batch, question=question)


class Label(models.Model):
    """The answer to a question about a query by one method: its codes joined, or a tie.

    A query that nobody answered has no label. The scheme of the batch defines the codes.
    """

    query = models.ForeignKey(BatchQuery, on_delete=models.CASCADE, related_name="labels")
    method = models.CharField(max_length=15, choices=LABEL_METHODS)
    question = models.CharField(max_length=LONGEST_NAME)
    value = models.CharField(max_length=LONGEST_VALUE)
    n_votes = models.PositiveSmallIntegerField(default=0)
    n_for = models.PositiveSmallIntegerField(default=0, help_text="Votes for all of the label.")
    confidence = models.FloatField(null=True, blank=True, help_text="Posterior, 0 to 1.")
    reason = models.TextField(blank=True, help_text="Why a person decided so.")
    decided_by = models.CharField(max_length=LONGEST_USERNAME, blank=True)
    decided_at = models.DateTimeField(auto_now=True)

    objects = LabelQuerySet.as_manager()

    class Meta:
        ordering = ("query", "question", "method")
        constraints = [
            models.UniqueConstraint(
                fields=["query", "question", "method"], name="one_label_per_query_question_method"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.query_id}: {self.question} {self.value}"

    @property
    def codes(self) -> list[str]:
        """Codes of the options; none for a tie."""
        return [] if self.value == TIE else self.value.split(JOINED)


class Labelling(models.Model):
    """The method, with parameters, whose labels stand for a question of a batch.

    An adjudicator's decision stands before any method's.
    """

    batch = models.ForeignKey(Batch, on_delete=models.CASCADE, related_name="labellings")
    question = models.CharField(max_length=LONGEST_NAME)
    method = models.CharField(max_length=15, choices=LABEL_METHODS, default=MAJORITY)
    strict = models.BooleanField(default=False, help_text="Majority: more than half of the votes.")
    seed = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["batch", "question"], name="one_labelling_per_batch_and_question"
            ),
            models.CheckConstraint(
                condition=Q(method__in=[name for name, _ in LABEL_METHODS]),
                name="labelling_by_a_known_method",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.batch_id}: {self.question} by {self.method}"


class UncountedAnswer(models.Model):
    """An answer of an imported file that is not a vote, kept as it was, with the reason."""

    batch = models.ForeignKey(Batch, on_delete=models.CASCADE, related_name="uncounted_answers")
    reason = models.CharField(max_length=12, choices=NoVoteReason)
    source = models.CharField(max_length=300, help_text="Name of the file.")
    line = models.PositiveIntegerField(help_text="From 1.")
    qid = models.CharField(max_length=LONGEST_ID)
    worker = models.CharField(max_length=LONGEST_ID)
    answer = models.TextField(blank=True)

    class Meta:
        ordering = ("id",)

    def __str__(self) -> str:
        return f"{self.source}:{self.line}: {self.reason}"
