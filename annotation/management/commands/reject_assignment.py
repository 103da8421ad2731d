"""reject_assignment: refuse to pay for one answer. A person's act; no program calls it."""

from annotation.batches.operations.reject_answer import REJECT_ANSWER
from annotation.management.answers import AnswerCommand


class Command(AnswerCommand):
    operation = REJECT_ANSWER
    example = 'reject_assignment first 3ABC --reason "All ten answers were left at the first."'
