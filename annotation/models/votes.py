"""Votes: workers' answers about the queries of a batch."""

from typing import Any, Self

from django.db import models
from django.db.models import Case, CharField, Exists, OuterRef, Q, Value, When

from annotation.models.assignments import Assignment, Worker, is_unproved
from annotation.models.batches import Batch, BatchQuery
from annotation.models.quality import DiscardedVotes
from annotation.schemes import CANNOT_TELL, LONGEST_NAME
from annotation.vocabulary import AssignmentState, Verification, VoteState


class VoteQuerySet(models.QuerySet["Vote"]):
    def of_study(self, batch: Batch) -> Self:
        """Votes of a batch on queries of the study, none on a gold question."""
        return self.filter(query__batch=batch, query__gold="")

    def standing(self) -> Self:
        """Votes that are neither repeated nor rejected, also of workers without a say."""
        return self.filter(counts=True)

    def counted(self) -> Self:
        """Votes that count: those that stand, of workers who have a say in the batch.

        Workers whose votes are discarded there, or from a panel without proof yet, have none.
        """
        return self.standing().filter(~_is_discarded() & ~is_unproved("worker__"))

    def without_say(self) -> Self:
        """Votes of workers who have no say in the batch."""
        return self.filter(_is_discarded() | is_unproved("worker__"))

    def awaiting_proof(self) -> Self:
        """Votes that may count once a panel's list is imported."""
        waiting: Self = self.with_state().filter(state=VoteState.UNVERIFIED)
        return waiting

    def told(self, question: str = "") -> Self:
        """Votes that choose an option; of `question`, where one is named."""
        return self.filter(_tells(question))

    def with_state(self) -> Any:
        """Votes with their `VoteState` as `state`.

        One that waits, or does not count, has that state, whether or not its worker could tell.
        """
        unproved = is_unproved("worker__")
        refused = unproved & Q(worker__verification=Verification.REFUSED)
        rejected = Q(counts=False, assignment__state=AssignmentState.REJECTED)
        state = Case(
            When(rejected, then=Value(VoteState.REJECTED)),
            When(counts=False, then=Value(VoteState.REPEATED)),
            When(_is_discarded(), then=Value(VoteState.DISCARDED)),
            When(refused, then=Value(VoteState.NOT_APPROVED)),
            When(unproved, then=Value(VoteState.UNVERIFIED)),
            When(_says_cannot_tell() & ~_tells(), then=Value(VoteState.CANNOT_TELL)),
            default=Value(VoteState.COUNTED),
            output_field=CharField(),
        )
        return self.annotate(state=state)


class Vote(models.Model):
    """A worker's answer about one query, to all questions of the batch together.

    Only a worker's first vote on a query that was not rejected counts; others are kept with
    `counts=False`. Imported votes have no assignment.
    """

    query = models.ForeignKey(BatchQuery, on_delete=models.CASCADE, related_name="votes")
    worker = models.ForeignKey(Worker, on_delete=models.PROTECT, related_name="votes")
    assignment = models.ForeignKey(
        Assignment, null=True, blank=True, on_delete=models.CASCADE, related_name="votes"
    )
    counts = models.BooleanField(default=True)
    seconds = models.FloatField(
        null=True,
        blank=True,
        help_text="Time for the query in an imported file: its share of the assignment's.",
    )
    answered_at = models.DateTimeField(
        null=True, blank=True, help_text="When, in an imported file that says so."
    )

    objects = VoteQuerySet.as_manager()

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
        ]

    def __str__(self) -> str:
        return f"{self.query_id}: {', '.join(map(str, self.choices.all()))}"

    @property
    def day(self) -> str:
        """Day of the vote, in ISO 8601; empty if unknown."""
        at = self.answered_at or (self.assignment.submitted_at if self.assignment else None)
        return at.date().isoformat() if at else ""


class ChoiceQuerySet(models.QuerySet["Choice"]):
    def options(self) -> Self:
        """Options that were chosen, without "I cannot tell" and free texts."""
        return self.exclude(option__in=("", CANNOT_TELL))


class Choice(models.Model):
    """One option that a vote chooses, or its free text; "I cannot tell" may have a comment.

    A question with several options has a row for each that was chosen, any other one row. The
    scheme of the batch defines the codes.
    """

    vote = models.ForeignKey(Vote, on_delete=models.CASCADE, related_name="choices")
    question = models.CharField(max_length=LONGEST_NAME)
    option = models.CharField(
        max_length=LONGEST_NAME, blank=True, help_text="Code; empty for free text."
    )
    text = models.TextField(blank=True)

    objects = ChoiceQuerySet.as_manager()

    class Meta:
        ordering = ("vote", "id")
        constraints = [
            models.UniqueConstraint(
                fields=["vote", "question", "option"], name="one_choice_of_an_option_in_a_vote"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.question} {self.option}"


def _is_discarded() -> Q:
    discarded = DiscardedVotes.objects.active().filter(
        batch=OuterRef("query__batch"), worker=OuterRef("worker")
    )
    return Q(Exists(discarded))


def _tells(question: str = "") -> Q:
    choices = Choice.objects.options().filter(vote=OuterRef("pk"))
    return Q(Exists(choices.filter(question=question) if question else choices))


def _says_cannot_tell() -> Q:
    return Q(Exists(Choice.objects.filter(vote=OuterRef("pk"), option=CANNOT_TELL)))
