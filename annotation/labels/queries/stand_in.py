"""May a model stand in for an annotator? The alternative-annotator test on a batch's votes."""

from dataclasses import dataclass
from math import isfinite
from typing import Any

from django.db.models import QuerySet

from annotation.core.parameters import parameter
from annotation.labels.queries.questions import subset_question
from annotation.labels.queries.votes import votes_that_count
from annotation.models import Batch, ModelLabel, ModelRater
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


@dataclass(frozen=True)
class StandIn:
    """The test of one model; without one, `why_not` says why. `sentence` is to be printed."""

    model: str
    test: AlternativeAnnotator | None
    why_not: str = ""
    sentence: str = ""


def stand_in_tests(*, batch: Batch, parameters: StandInParameters) -> list[StandIn]:
    """The test of each model of the batch's study, against the people whose votes count."""
    if batch.suggested_by:
        why = f"Annotators saw what the model {batch.suggested_by!r} says."
        return [StandIn(rater.name, None, why_not=why) for rater in _whole_raters(batch)]
    if not subset_question(batch=batch).asks_for_categories:
        why = "The models chose among the four categories, and the batch asks other questions."
        return [StandIn(rater.name, None, why_not=why) for rater in _whole_raters(batch)]
    votes = list(
        votes_that_count(batch=batch)
        .exclude(worker__kind=WorkerKind.MODEL)
        .values_list("query__qid", "worker_id", "choices__option")
    )
    return [
        _test(rater.name, dict(_labels(rater.pk)), votes, parameters)
        for rater in _whole_raters(batch)
    ]


def _whole_raters(batch: Batch) -> QuerySet[ModelRater]:
    """The models that choose among all categories."""
    return batch.study.model_raters.filter(category="")


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
