"""Votes of workers, and the labels made of them."""

from django.db import models
from django.db.models import Exists, F, OuterRef, Q

from annotation.models.assignments import Assignment, Worker
from annotation.models.batches import Batch, BatchQuery
from annotation.vocabulary import TIE, Category, LabelMethod, NoVoteReason


class Vote(models.Model):
    """One worker's category for one query.

    The first vote of a worker on a query counts; a later one is kept with `counts=False`.
    """

    query = models.ForeignKey(BatchQuery, on_delete=models.CASCADE, related_name="votes")
    worker = models.ForeignKey(Worker, on_delete=models.PROTECT, related_name="votes")
    assignment = models.ForeignKey(
        Assignment, null=True, blank=True, on_delete=models.CASCADE, related_name="votes"
    )
    category = models.CharField(max_length=1, choices=Category.choices)
    counts = models.BooleanField(default=True)
    seconds = models.FloatField(
        null=True,
        blank=True,
        help_text="Time for the query in an imported file: its share of the assignment's.",
    )
    answered_at = models.DateTimeField(
        null=True, blank=True, help_text="When, in an imported file that says so."
    )

    class Meta:
        ordering = ("query", "id")
        constraints = [
            models.UniqueConstraint(
                fields=["query", "worker"],
                condition=Q(counts=True),
                name="one_vote_per_query_worker",
            ),
            models.UniqueConstraint(
                fields=["query", "assignment"], name="one_vote_per_query_and_assignment"
            ),
            models.CheckConstraint(
                condition=Q(category__in=Category.values), name="vote_in_a_known_category"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.query_id}: {self.category}"


class Abstention(models.Model):
    """A worker's "I cannot tell" on one query: a paid answer that is no vote for a category."""

    query = models.ForeignKey(BatchQuery, on_delete=models.CASCADE, related_name="abstentions")
    worker = models.ForeignKey(Worker, on_delete=models.PROTECT, related_name="abstentions")
    assignment = models.ForeignKey(
        Assignment, null=True, blank=True, on_delete=models.CASCADE, related_name="abstentions"
    )
    comment = models.TextField(blank=True, help_text="Why the worker cannot tell.")
    counts = models.BooleanField(default=True, help_text="False once its assignment was rejected.")
    seconds = models.FloatField(
        null=True, blank=True, help_text="As for votes: time for the query in an imported file."
    )
    answered_at = models.DateTimeField(null=True, blank=True, help_text="As for votes.")

    class Meta:
        ordering = ("query", "id")
        constraints = [
            models.UniqueConstraint(
                fields=["query", "worker"], name="one_abstention_per_query_worker"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.query_id}: cannot tell"


class LabelQuerySet(models.QuerySet["Label"]):
    def standing(self) -> "LabelQuerySet":
        """The one label that holds for each study query, maybe a tie.

        It is the adjudicator's decision, else that of the method by which the batch is labelled.
        """
        adjudicated = Q(method=LabelMethod.ADJUDICATED)
        decided = Label.objects.filter(adjudicated, query=OuterRef("query"))
        by_method = Q(method=F("query__batch__labelling__method")) & ~Exists(decided)
        return self.filter(adjudicated | by_method, query__gold="")


class Label(models.Model):
    """The label of a query by one method: a category, or a tie."""

    query = models.ForeignKey(BatchQuery, on_delete=models.CASCADE, related_name="labels")
    method = models.CharField(max_length=15, choices=LabelMethod)
    value = models.CharField(max_length=3, choices=[*Category.choices, (TIE, "Tie")])
    n_votes = models.PositiveSmallIntegerField(default=0)
    n_for = models.PositiveSmallIntegerField(default=0, help_text="Votes for the label's category.")
    confidence = models.FloatField(null=True, blank=True, help_text="Posterior, 0 to 1.")
    reason = models.TextField(blank=True, help_text="Why a person decided so.")
    decided_by = models.CharField(max_length=150, blank=True)
    decided_at = models.DateTimeField(auto_now=True)

    objects = LabelQuerySet.as_manager()

    class Meta:
        ordering = ("query", "method")
        constraints = [
            models.UniqueConstraint(fields=["query", "method"], name="one_label_per_query_method"),
            models.CheckConstraint(
                condition=Q(value__in=[*Category.values, TIE]), name="label_is_category_or_tie"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.query_id}: {self.value}"


class Labelling(models.Model):
    """How the labels of a batch are decided: which method's labels stand, and its parameters.

    An adjudicator's decision stands before any method's.
    """

    batch = models.OneToOneField(Batch, on_delete=models.CASCADE, related_name="labelling")
    method = models.CharField(max_length=15, choices=LabelMethod, default=LabelMethod.MAJORITY)
    strict = models.BooleanField(default=False, help_text="Majority: more than half of the votes.")
    seed = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(method__in=LabelMethod.values), name="labelling_by_a_known_method"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.batch_id}: {self.method}"


class UncountedAnswer(models.Model):
    """An answer of an imported file that is no vote, kept as it was, with the reason."""

    batch = models.ForeignKey(Batch, on_delete=models.CASCADE, related_name="uncounted_answers")
    reason = models.CharField(max_length=12, choices=NoVoteReason)
    source = models.CharField(max_length=300, help_text="Name of the file.")
    line = models.PositiveIntegerField(help_text="From 1.")
    qid = models.CharField(max_length=200)
    worker = models.CharField(max_length=200)
    answer = models.TextField(blank=True)

    class Meta:
        ordering = ("id",)

    def __str__(self) -> str:
        return f"{self.source}:{self.line}: {self.reason}"
