"""Known answers to a scheme, with which gold questions check the workers."""

from collections.abc import Mapping

from annotation.schemes.scheme import Question, Scheme
from annotation.schemes.validation import check_answer
from metrics.errors import InputError
from metrics.vocabulary import JOINED

#: Between the answers to several questions; no code has it, nor an equals sign.
_NEXT = "|"
KNOWN_ANSWERS = (
    "a code of the question that makes the subset, or question=code with | between questions and "
    f"{JOINED} between several codes of one"
)


def question_named(scheme: Scheme, name: str) -> Question:
    """The question of that name; `InputError` naming those that the scheme has."""
    question = next((question for question in scheme.questions if question.name == name), None)
    if question is None:
        known = ", ".join(question.name for question in scheme.questions)
        raise InputError(f"the scheme has no question {name!r}.", remedy=f"It has {known}.")
    return question


def known_answers(scheme: Scheme, text: str) -> dict[str, frozenset[str]]:
    """The codes by question that `text` says, as in `yes` or `named=yes | which=islam;judaism`.

    A code without a question answers the one that makes the subset. `InputError` for a question or
    code that the scheme does not have, for one answered twice, and for one that would not be asked.
    """
    answers: dict[str, frozenset[str]] = {}
    for part in text.split(_NEXT):
        name, is_named, codes = part.partition("=")
        if not is_named:
            name, codes = scheme.subset.question, part
        question = question_named(scheme, name.strip())
        if question.name in answers:
            raise InputError(f"{text!r} answers {question.name!r} twice.")
        answer = frozenset(
            question.code_named(code) or code.strip()
            for code in codes.split(JOINED)
            if code.strip()
        )
        check_answer(question, answer)
        answers[question.name] = answer
    for name in answers:
        condition = scheme.question(name).shown_if
        if condition and condition.question in answers and not scheme.is_shown(
            scheme.question(name), answers
        ):  # fmt: skip
            raise InputError(f"{text!r}: by its other answers {name!r} is not asked.")
    return answers


def known_text(scheme: Scheme, answers: Mapping[str, frozenset[str]]) -> str:
    """Known answers as they are stored: every question by name, in the order of the scheme.

    Of the only question of a scheme they are the codes alone.
    """
    if len(scheme.questions) == 1:
        only = scheme.questions[0]
        return JOINED.join(only.in_order(answers[only.name]))
    return f" {_NEXT} ".join(
        f"{question.name}={JOINED.join(question.in_order(answers[question.name]))}"
        for question in scheme.questions
        if question.name in answers
    )
