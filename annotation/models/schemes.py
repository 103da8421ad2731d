"""The scheme of a batch that asks other questions than the paper's, and the answers to it."""

from django.db import models
from django.db.models import Q

from annotation.models.assignments import Assignment, Worker
from annotation.models.batches import Batch, BatchQuery
from annotation.models.places import has_say
from annotation.vocabulary import AssignmentState


class SchemeVersion(models.Model):
    """The scheme of a batch as of one edit; the one with the highest number is in force.

    A batch without any asks for the paper's categories, whose votes are `Vote`s. None is added
    once publishing has begun: every HIT of a batch asks the same.
    """

    batch = models.ForeignKey(Batch, on_delete=models.CASCADE, related_name="scheme_versions")
    number = models.PositiveSmallIntegerField(help_text="From 1.")
    content = models.JSONField(help_text="The scheme as `Scheme.as_json` writes it.")
    created_by = models.CharField(max_length=150)
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


class SchemeVoteQuerySet(models.QuerySet["SchemeVote"]):
    def counted(self) -> "SchemeVoteQuerySet":
        """Of answers that were not rejected, of workers who have a say in the batch."""
        return self.filter(has_say()).exclude(assignment__state=AssignmentState.REJECTED)


class SchemeVote(models.Model):
    """One option that a worker chose, or a free text; "I cannot tell" is the option `?`.

    A question with several options has a row for each that was chosen, any other a sole row. The
    first answer of a worker to a question of a query is kept; the assignment has every one. What
    was imported has no assignment.
    """

    query = models.ForeignKey(BatchQuery, on_delete=models.CASCADE, related_name="scheme_votes")
    worker = models.ForeignKey(Worker, on_delete=models.PROTECT, related_name="scheme_votes")
    assignment = models.ForeignKey(
        Assignment, null=True, blank=True, on_delete=models.CASCADE, related_name="scheme_votes"
    )
    question = models.CharField(max_length=40)
    option = models.CharField(max_length=40, blank=True, help_text="Code; empty for free text.")
    text = models.TextField(blank=True)
    is_sole = models.BooleanField(help_text="The question takes one answer.")

    objects = SchemeVoteQuerySet.as_manager()

    class Meta:
        ordering = ("query", "id")
        constraints = [
            models.UniqueConstraint(
                fields=["query", "worker", "question", "option"],
                name="one_scheme_vote_per_option",
            ),
            models.UniqueConstraint(
                fields=["query", "worker", "question"],
                condition=Q(is_sole=True),
                name="one_answer_to_a_question_with_one",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.query_id}: {self.question} {self.option}"


class SchemeDecision(models.Model):
    """What an adjudicator decided by one closed question about a query; the log has what was."""

    query = models.ForeignKey(BatchQuery, on_delete=models.CASCADE, related_name="scheme_decisions")
    question = models.CharField(max_length=40)
    codes = models.JSONField(help_text="Codes of the options, in the order of the scheme.")
    reason = models.TextField()
    decided_by = models.CharField(max_length=150)
    decided_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ("query", "id")
        constraints = [
            models.UniqueConstraint(
                fields=["query", "question"], name="one_scheme_decision_per_query_and_question"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.query_id}: {self.question} {self.codes}"
