"""restore_assignment: take back the rejection of an answer."""

from annotation.batches.operations.restore_answer import RESTORE_ANSWER
from annotation.management.answers import AnswerCommand


class Command(AnswerCommand):
    operation = RESTORE_ANSWER
    example = 'restore_assignment first 3ABC --reason "We were wrong, sorry."'
