"""Decisions on a question from the votes that count, by any method."""

from annotation.core.counting import about_items
from annotation.labels.queries.gold import gold_of_question
from annotation.labels.queries.scheme_results import decisions_by_kind
from annotation.labels.queries.votes import abstained_queries, vote_table
from annotation.models import Batch
from annotation.schemes import JOINED, Question
from annotation.vocabulary import LabelMethod
from metrics.errors import InputError
from metrics.votes.deciding import (
    ALL_METHODS,
    METHODS,
    ORDERED_METHODS,
    Decision,
    Decisions,
    decide,
)


def methods_of(question: Question) -> tuple[str, ...]:
    """The methods that decide such a question, the usual one first."""
    if question.kind.takes_several:
        return (LabelMethod.MAJORITY,)
    return METHODS if question.is_nominal else ORDERED_METHODS


def method_choices(question: Question, noun: str) -> tuple[tuple[str, str], ...]:
    """Return `methods_of` the question, each with its words about items of this `noun`."""
    return tuple(
        (method, about_items(LabelMethod(method).label, noun)) for method in methods_of(question)
    )


def method_chosen(question: Question, method: str) -> str:
    """The named method, or the usual one; `InputError` for one that does not decide `question`."""
    fitting = methods_of(question)
    if method and method not in ALL_METHODS:
        raise InputError(f"unknown method {method!r}.", remedy=f"Use {', '.join(fitting)}.")
    if method and method not in fitting:
        order = "in no order" if method in METHODS else "in an order"
        raise InputError(
            f"{question.name!r} is no question with one answer and options {order}, and "
            f"{method} decides no other.",
            remedy=f"Use {', '.join(fitting)}.",
        )
    return method or fitting[0]


def decisions_of_votes(
    *, batch: Batch, question: Question, method: str, strict: bool = False, seed: int = 0
) -> Decisions:
    """The decisions by one of `methods_of`; an option of several needs more than half of them."""
    if question.kind.takes_several:
        return _per_option(batch, question)
    answered, known = gold_of_question(batch=batch, question=question)
    return decide(
        vote_table(batch=batch, question=question),
        method=method,
        strict=strict,
        seed=seed,
        gold_table=answered,
        gold=known,
        abstained=abstained_queries(batch=batch, question=question),
    )


def _per_option(batch: Batch, question: Question) -> Decisions:
    decided = [
        (result.qid, result.decisions[question.name]) for result in decisions_by_kind(batch=batch)
    ]
    rows = [
        Decision(
            query=qid,
            label=JOINED.join(question.in_order(decision.codes)) if decision.codes else None,
            n_votes=decision.n_answers,
            n_for=decision.n_for,
            confidence=None,
        )
        for qid, decision in decided
        if decision.codes or decision.is_tie
    ]
    return Decisions(rows, len(decided) - len(rows))
