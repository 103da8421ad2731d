"""The answers in a vote, question by question, as pages and calls show them."""

from collections.abc import Sequence

from annotation.models import Vote
from annotation.schemes import Question, Scheme
from annotation.schemes.released import file_codes

#: A question, and the codes of its answer joined, or the free text.
GivenAnswer = tuple[Question, str]


def answers_in(vote: Vote, scheme: Scheme) -> tuple[GivenAnswer, ...]:
    """Each question that the vote answers; its choices are read already."""
    chosen: dict[str, list[str]] = {}
    for choice in vote.choices.all():
        chosen.setdefault(choice.question, []).append(choice.option or choice.text)
    return tuple(
        (question, file_codes(question, chosen[question.name]))
        for question in scheme.questions
        if question.name in chosen
    )


def codes_in(answers: Sequence[GivenAnswer], scheme: Scheme) -> str:
    """The codes in one cell: alone for the only question with options, else with their question."""
    closed = [(question, codes) for question, codes in answers if question.kind.has_options]
    if len(scheme.closed) == 1:
        return "".join(codes for _, codes in closed)
    return " | ".join(f"{question.name}={codes}" for question, codes in closed)


def comment_in(vote: Vote) -> str:
    """The comment on "I cannot tell"."""
    return "".join(choice.text for choice in vote.choices.all() if choice.option)
