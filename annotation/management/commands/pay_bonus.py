"""pay_bonus: pay money on top for one answer."""

from annotation.batches.operations.answer_bonus import ANSWER_BONUS
from annotation.management.answers import AnswerCommand

Command = AnswerCommand.of(
    ANSWER_BONUS, 'pay_bonus first 3ABC --amount 0.50 --reason "It took longer than we had said."'
)
