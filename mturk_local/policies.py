"""Review policies: known answers and plurality, computed. Pure.

Scores are percentages, rounded down as in the documentation's example (2 of 3 workers are 66 %).
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from mturk_local.errors import ParameterError

KNOWN_ANSWERS = "ScoreMyKnownAnswers/2011-09-01"
PLURALITY = "SimplePlurality/2011-09-01"
#: Longer answers are left out of the plurality.
_LONGEST_ANSWER = 256
_REQUIRED = {
    KNOWN_ANSWERS: ("AnswerKey",),
    PLURALITY: ("QuestionIds", "QuestionAgreementThreshold"),
}


class Parameters(NamedTuple):
    """A policy's parameters: values by name, and the map of an answer key."""

    lists: dict[str, list[str]]
    key: dict[str, list[str]]

    def values(self, name: str) -> list[str]:
        """A list, given as several values or as one with commas."""
        return [part.strip() for value in self.lists.get(name, []) for part in value.split(",")]

    def text(self, name: str) -> str:
        return "".join(self.lists.get(name, [])[:1])

    def number(self, name: str) -> int | None:
        text = self.text(name)
        return int(text) if text else None

    def flag(self, name: str) -> bool:
        return self.text(name).lower() in {"t", "true"}


def check_policy(policy: Mapping[str, Any], *, name: str) -> None:
    """Refuse a policy of another name than `name`, or one whose parameters cannot be used."""
    if policy["PolicyName"] != name:
        raise ParameterError(f"The PolicyName must be {name}.")
    parameters = parameters_of(policy)
    for required in _REQUIRED[name]:
        if not (parameters.key if required == "AnswerKey" else parameters.lists.get(required)):
            raise ParameterError(f"The review policy {name} needs the parameter {required}.")
    for parameter, values in parameters.lists.items():
        is_number = "Score" in parameter or parameter.startswith(("Extend", "QuestionAgreement"))
        if is_number and not all(value.isdecimal() for value in values):
            raise ParameterError(f"The policy parameter {parameter} must be a whole number.")


def parameters_of(policy: Mapping[str, Any]) -> Parameters:
    listed = policy.get("Parameters", [])
    values = {item.get("Key", "").strip(): item.get("Values", []) for item in listed}
    key = {
        entry.get("Key", ""): entry.get("Values", [])
        for item in listed
        for entry in item.get("MapEntries", [])
    }
    return Parameters(values, key)


def known_answer_score(
    key: Mapping[str, Sequence[str]], answer: Mapping[str, str]
) -> tuple[int, dict[str, bool]]:
    """Return the share of known answers given, and which; all values of an answer must match."""
    correct = {
        question: sorted(answer.get(question, "").split("|")) == sorted(values)
        for question, values in key.items()
    }
    return 100 * sum(correct.values()) // len(correct), correct


class Agreement(NamedTuple):
    """Per question the agreed answer and its level; per worker what was answered, and scores."""

    agreed: dict[str, tuple[str, int]]
    answers: Mapping[str, Mapping[str, str]]
    hit_score: int
    worker_scores: dict[str, int]

    def agrees(self, worker: str) -> dict[str, bool]:
        return {
            question: self.answers[worker].get(question) == answer
            for question, (answer, _) in self.agreed.items()
        }


def answers_agreed(
    questions: Sequence[str], answers: Mapping[str, Mapping[str, str]], threshold: int
) -> Agreement:
    """Where more than `threshold` percent of the workers gave the same answer.

    `answers` maps a worker to the answers by question. A question without an agreed answer is left
    out of the workers' scores; of two answers with equal support neither is agreed.
    """
    agreed = {}
    for question in questions:
        answer, level = _plurality(
            [answer_by_question.get(question, "") for answer_by_question in answers.values()]
        )
        if level > threshold:
            agreed[question] = (answer, level)
    agreement = Agreement(agreed, answers, _percent(len(agreed), len(questions)), {})
    for worker in answers:
        agrees = agreement.agrees(worker)
        agreement.worker_scores[worker] = _percent(sum(agrees.values()), len(agrees))
    return agreement


def _plurality(answers: list[str]) -> tuple[str, int]:
    counts = Counter(answer.strip() for answer in answers if 0 < len(answer) <= _LONGEST_ANSWER)
    best = counts.most_common(2)
    if not best or (len(best) > 1 and best[0][1] == best[1][1]):
        return "", 0
    return best[0][0], _percent(best[0][1], len(answers))


def _percent(part: int, whole: int) -> int:
    return 100 * part // whole if whole else 0
