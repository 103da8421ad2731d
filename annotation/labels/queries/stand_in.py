"""May a model stand in for an annotator? The alternative-annotator test on a batch's votes."""

from dataclasses import dataclass
from math import isfinite
from typing import Any

from annotation.core.parameters import TermError, parameter
from annotation.labels.queries.questions import modelled_question, modelled_question_parameter
from annotation.labels.queries.raters import raters_for
from annotation.labels.queries.votes import votes_that_count
from annotation.models import Batch, Choice, ModelLabel
from annotation.vocabulary import WorkerKind
from metrics.errors import InputError
from metrics.statistics.alternative_annotator import (
    CROWD,
    AlternativeAnnotator,
    alternative_annotator_test,
)

NOT_VALIDITY = (
    "That a model may stand in for an annotator does not make figures of its labels valid: for "
    "those, see the corrected figures."
)


@dataclass(frozen=True, kw_only=True)
class StandInParameters:
    """Allowed disadvantage of a model against an annotator, and the annotators to compare with."""

    epsilon: float = parameter(
        CROWD,
        min_value=0,
        max_value=1,
        label="Allowed disadvantage",
        help_text=".1 for workers of a crowd, .15 for skilled annotators, .2 for experts.",
    )
    least_items: int = parameter(
        30,
        min_value=1,
        max_value=100_000,
        label="Queries of an annotator, at least",
        help_text="Annotators with fewer comparable queries are skipped.",
    )
    question: str = modelled_question_parameter("Whose answers")


@dataclass(frozen=True)
class StandIn:
    """The test of one model; without one, `why_not` says why. `sentence` is to be printed."""

    model: str
    test: AlternativeAnnotator | None
    why_not: str = ""
    sentence: str = ""


def stand_in_tests(*, batch: Batch, parameters: StandInParameters) -> list[StandIn]:
    """The test of each model of the batch's study, against the people whose votes count."""
    raters = batch.study.model_raters.filter(category="")
    try:
        question = modelled_question(batch=batch, name=parameters.question)
    except InputError as error:
        if parameters.question:
            raise TermError.of("question", error) from None
        return [StandIn(rater.name, None, why_not=str(error)) for rater in raters]
    raters = raters_for(study=batch.study, question=question).filter(category="")
    if batch.suggested_by:
        why = f"Annotators saw what the model {batch.suggested_by!r} says."
        return [StandIn(rater.name, None, why_not=why) for rater in raters]
    counting_votes = votes_that_count(batch=batch, question=question.name)
    of_people = counting_votes.exclude(worker__kind=WorkerKind.MODEL)
    choices = Choice.objects.filter(vote__in=of_people, question=question.name).order_by()
    votes = list(choices.values_list("vote__query__qid", "vote__worker_id", "option"))
    return [_test(rater.name, dict(_labels(rater.pk)), votes, parameters) for rater in raters]


def _labels(rater: int) -> list[tuple[str, str]]:
    rows = ModelLabel.objects.filter(rater=rater).values_list("qid", "category")
    return [(qid, label) for qid, label in rows if label is not None]


def _test(
    name: str,
    labels: dict[str, str],
    votes: list[tuple[str, int, str]],
    parameters: StandInParameters,
) -> StandIn:
    try:
        test = alternative_annotator_test(
            votes, labels, epsilon=parameters.epsilon, least_items=parameters.least_items
        )
    except InputError as error:
        return StandIn(name, None, why_not=str(error))
    verdict = "may" if test.may_stand_in else "may not"
    sentence = (
        f"By the alternative-annotator test (Calderon, Reichart and Dror, 2025; epsilon "
        f"{test.epsilon:g}, {len(test.tests)} annotators with {parameters.least_items} or more "
        f"queries, {test.skipped} skipped), {name} {verdict} stand in for an annotator: winning "
        f"rate {test.winning_rate:.2f}, advantage probability {test.advantage:.2f}."
    )
    return StandIn(name, test, sentence=sentence)


def stand_in_rows(tests: list[StandIn]) -> list[dict[str, Any]]:
    """The tests as rows, one for each model, without the names of annotators."""
    return [
        {
            "model": outcome.model,
            "may_stand_in": outcome.test.may_stand_in if outcome.test else None,
            "winning_rate": outcome.test.winning_rate if outcome.test else None,
            "advantage": outcome.test.advantage if outcome.test else None,
            "n_annotators": len(outcome.test.tests) if outcome.test else 0,
            "n_skipped": outcome.test.skipped if outcome.test else 0,
            "p": [test.p if isfinite(test.p) else None for test in outcome.test.tests]
            if outcome.test
            else [],
            "sentence": outcome.sentence,
            "why_not": outcome.why_not,
        }
        for outcome in tests
    ]
