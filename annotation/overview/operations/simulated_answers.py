"""Simulated workers' answers to a scheme: by a truth, known or made up, and errors of their own."""

from collections.abc import Mapping
from random import Random

from annotation.schemes import Question, Scheme

Codes = frozenset[str]


def true_answers(
    scheme: Scheme, *, seed: int, qid: str, known: Mapping[str, Codes]
) -> dict[str, Codes]:
    """The true answers of a query to the closed questions: the `known` ones, the others drawn.

    They depend on nothing but these, the seed, the query and the scheme.
    """
    return _answers(scheme, Random(f"{seed}:truth:{qid}"), known, rate=0)


def answers_of(
    scheme: Scheme, *, seed: int, worker: str, rate: float, qid: str, known: Mapping[str, Codes]
) -> dict[str, Codes]:
    """Return one worker's answers, which are wrong at `rate` (0 to 1) for each question."""
    right = true_answers(scheme, seed=seed, qid=qid, known=known)
    return _answers(scheme, Random(f"{seed}:{worker}:{qid}"), right, rate=rate)


def _answers(
    scheme: Scheme, luck: Random, right: Mapping[str, Codes], *, rate: float
) -> dict[str, Codes]:
    """Answer every question that is shown, so that the page accepts the answer."""
    answers: dict[str, Codes] = {}
    for question in scheme.questions:
        if not question.kind.has_options or not scheme.is_shown(question, answers):
            continue
        known = right.get(question.name)
        errs = luck.random() < rate
        answers[question.name] = _drawn(question, luck, known) if known is None or errs else known
    return answers


def _drawn(question: Question, luck: Random, right: Codes | None) -> Codes:
    """An answer that is not `right`."""
    if not question.kind.takes_several:
        others = [code for code in question.codes if code not in (right or ())]
        return frozenset({luck.choice(others)})
    while True:
        drawn = frozenset(luck.sample(question.codes, luck.randint(1, 2)))
        if drawn != right and question.may_be_together(drawn):
            return drawn
