"""reject_assignment: refuse to pay for one answer. A person's act; no program calls it."""

from annotation.batches.operations.reject_answer import REJECT_ANSWER
from annotation.management.answers import AnswerCommand

Command = AnswerCommand.of(
    REJECT_ANSWER, 'reject_assignment first 3ABC --reason "All ten answers were left at the first."'
)
