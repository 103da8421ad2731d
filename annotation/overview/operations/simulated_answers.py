"""Simulated workers' answers to a scheme: an invented truth, and errors of their own."""

from random import Random

from annotation.schemes import Kind, Question, Scheme

Codes = frozenset[str]


def made_up_answers(scheme: Scheme, *, seed: int, qid: str) -> dict[str, Codes]:
    """Draw the true answers of a query to the closed questions, for a rehearsal.

    It depends on nothing but the seed, the query and the scheme.
    """
    return _answers(scheme, Random(f"{seed}:truth:{qid}"), {}, rate=1.0)


def answers_of(
    scheme: Scheme, *, seed: int, worker: str, rate: float, qid: str
) -> dict[str, Codes]:
    """Return one worker's answers, which are wrong at `rate` (0 to 1) for each question."""
    right = made_up_answers(scheme, seed=seed, qid=qid)
    return _answers(scheme, Random(f"{seed}:{worker}:{qid}"), right, rate=rate)


def _answers(
    scheme: Scheme, luck: Random, right: dict[str, Codes], *, rate: float
) -> dict[str, Codes]:
    """Answer every question that is shown, so that the page accepts the answer."""
    answers: dict[str, Codes] = {}
    for question in scheme.questions:
        if question.kind == Kind.TEXT or not scheme.is_shown(question, answers):
            continue
        known = right.get(question.name)
        errs = luck.random() < rate
        answers[question.name] = _drawn(question, luck) if known is None or errs else known
    return answers


def _drawn(question: Question, luck: Random) -> Codes:
    most = min(2, len(question.codes)) if question.kind == Kind.MULTI else 1
    return frozenset(luck.sample(question.codes, luck.randint(1, most)))
