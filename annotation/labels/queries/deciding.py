"""Decisions on a question from the votes that count, by any method."""

from annotation.core.counting import about_items
from annotation.labels.by_question import kind_of
from annotation.labels.queries.gold import gold_of_question
from annotation.labels.queries.scheme_results import results_by_kind
from annotation.labels.queries.votes import votes_on
from annotation.models import Batch
from annotation.schemes import Question
from metrics.errors import InputError
from metrics.votes import deciding
from metrics.votes.deciding import ALL_METHODS, METHODS, Decisions, decide_votes


def methods_of(question: Question) -> tuple[str, ...]:
    """The methods that decide such a question, the usual one first."""
    return deciding.methods_of(kind_of(question))


def method_choices(question: Question, noun: str) -> tuple[tuple[str, str], ...]:
    """Return `methods_of` the question, each with its words about items of this `noun`."""
    return tuple(
        (method, about_items(ALL_METHODS[method].title, noun)) for method in methods_of(question)
    )


def method_chosen(question: Question, method: str) -> str:
    """The named method, or the usual one; `InputError` for one that does not decide `question`."""
    fitting = methods_of(question)
    if method and method not in ALL_METHODS:
        raise InputError(f"unknown method {method!r}.", remedy=f"Use {', '.join(fitting)}.")
    if method and method not in fitting:
        order = "in no order" if method in METHODS else "in an order"
        raise InputError(
            f"{question.name!r} is not a question with one answer and options {order}; {method} "
            "decides no other kind.",
            remedy=f"Use {', '.join(fitting)}.",
        )
    return method or fitting[0]


def decisions_of_votes(
    *, batch: Batch, question: Question, method: str, strict: bool = False, seed: int = 0
) -> Decisions:
    """The decisions by one of `methods_of`; an option of several needs more than half of them."""
    answered, known = gold_of_question(batch=batch, question=question)
    votes = votes_on(batch=batch, question=question)
    if question.kind.takes_several and question.shown_if:
        votes = results_by_kind(batch=batch).votes[question.name]
    return decide_votes(votes, method, strict=strict, seed=seed, gold=answered, known=known)
