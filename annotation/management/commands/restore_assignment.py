"""restore_assignment: take back the rejection of an answer."""

from annotation.batches.operations.restore_answer import RESTORE_ANSWER
from annotation.management.answers import AnswerCommand

Command = AnswerCommand.of(
    RESTORE_ANSWER, 'restore_assignment first 3ABC --reason "We were wrong, sorry."'
)
