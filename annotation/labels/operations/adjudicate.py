"""Deciding a question about a query where votes do not, or withdrawing that. Votes never change."""

from dataclasses import dataclass
from typing import TypeVar

from django.db import transaction

from annotation.core.operations import Operation, Result, Run
from annotation.core.parameters import parameter
from annotation.core.versions import State
from annotation.labels.queries.adjudication import decision_on, decision_state
from annotation.labels.queries.questions import (
    closed_question,
)
from annotation.labels.queries.scheme_results import scheme_results
from annotation.labels.queries.votes import votes_that_count
from annotation.models import AuditEvent, Batch, BatchQuery, Label
from annotation.models.labels import LONGEST_VALUE
from annotation.schemes import JOINED, LONGEST_NAME, Question, check_answer
from annotation.vocabulary import (
    LONGEST_ID,
    LONGEST_REASON,
    Action,
    AuditAction,
    LabelMethod,
)
from metrics.errors import InputError


@dataclass(frozen=True, kw_only=True)
class WithdrawDecisionParameters:
    # A qid's bytes matter, so that blanks around it stay.
    qid: str = parameter(max_length=LONGEST_ID, trim_whitespace=False, style={"positional": True})
    reason: str = parameter(max_length=LONGEST_REASON, help_text="Why.")
    question: str = parameter(
        "",
        max_length=LONGEST_NAME,
        allow_blank=True,
        help_text="Which one; left out, the only question with options that the batch asks.",
    )


@dataclass(frozen=True, kw_only=True)
class AdjudicateParameters(WithdrawDecisionParameters):
    category: str = parameter(
        max_length=LONGEST_VALUE,
        help_text=f"Code of the option, as n; of several, all that hold, joined by {JOINED}",
        style={"positional": True},
    )


Decided = TypeVar("Decided", bound=WithdrawDecisionParameters)


class _Decision(Operation[Batch, Decided]):
    """Base of both: an adjudicator acts on the decision that they saw."""

    subject = Batch
    permission = Action.ADJUDICATE

    def seen(self, subject: Batch, parameters: Decided) -> State:
        query = study_query(subject, parameters.qid)
        question = closed_question(batch=subject, name=parameters.question)
        return decision_state(decision_on(query, question.name), subject.scheme)


class Adjudicate(_Decision[AdjudicateParameters]):
    """Decide a query; deciding again replaces the decision, and the log keeps both."""

    name = "adjudicate"
    command = "label adjudicate"
    example = {"qid": "1048725", "category": "m", "reason": "A man is meant."}
    title = "Decide"
    parameters = AdjudicateParameters

    def run(self, subject: Batch, parameters: AdjudicateParameters, run: Run) -> Result:
        label = query_adjudicate(
            batch=subject,
            qid=parameters.qid,
            question=parameters.question,
            category=parameters.category,
            reason=parameters.reason,
            by=run.actor.name,
        )
        question = closed_question(batch=subject, name=label.question)
        words = question.words(label.codes)
        is_one = len(subject.scheme.closed) == 1
        message = f"Decided: {words}." if is_one else f"Decided: “{question.title}” is {words}."
        values = {"qid": parameters.qid, "question": question.name, "value": label.value}
        return Result(values, message, made=label)


class WithdrawDecision(_Decision[WithdrawDecisionParameters]):
    """Withdraw a decision: the votes decide again. The log keeps both."""

    name = "withdraw decision"
    command = "label withdraw-decision"
    example = {"qid": "1048725", "reason": "Decided too early."}
    title = "Withdraw decision"
    parameters = WithdrawDecisionParameters

    @transaction.atomic
    def run(self, subject: Batch, parameters: WithdrawDecisionParameters, run: Run) -> Result:
        question = closed_question(batch=subject, name=parameters.question)
        label = decision_on(_query_locked(subject, parameters.qid), question.name)
        if label is None:
            raise InputError(
                f"“{question.title}” of the {subject.scheme.item_noun} {parameters.qid!r} is not "
                "adjudicated."
            )
        _log(subject, run.actor.name, AuditAction.ADJUDICATION_WITHDRAWN, label, parameters.reason)
        label.delete()
        return Result(message="Decision withdrawn: the votes decide again.")


@transaction.atomic
def query_adjudicate(
    *, batch: Batch, qid: str, category: str, reason: str, by: str, question: str = ""
) -> Label:
    """Decide a question about one query. Who, when and why stay with the label.

    `category` has the codes, joined. `InputError` for codes that the question does not have, and
    for a question that is not asked about the query.
    """
    query = _query_locked(batch, qid)
    closed = closed_question(batch=batch, name=question)
    codes = [code.strip() for code in category.split(JOINED) if code.strip()]
    answer = [closed.code_named(code) or code for code in codes]
    check_answer(closed, answer)
    _check_asked(batch, closed, query)
    codes = closed.in_order(answer)
    for_it = votes = votes_that_count(batch=batch, question=closed.name).filter(query=query)
    for code in codes:
        for_it = for_it.filter(choices__question=closed.name, choices__option=code)
    label, _ = Label.objects.update_or_create(
        query=query,
        question=closed.name,
        method=LabelMethod.ADJUDICATED,
        defaults={
            "value": JOINED.join(codes),
            "n_votes": votes.count(),
            "n_for": for_it.count(),
            "reason": reason,
            "decided_by": by,
        },
    )
    _log(batch, by, AuditAction.QUERY_ADJUDICATED, label, reason)
    return label


def study_query(batch: Batch, qid: str) -> BatchQuery:
    """Return the query to decide; `InputError` for a gold question, and for an unknown id."""
    query = BatchQuery.objects.filter(batch=batch, qid=qid, gold="").first()
    if query is None:
        noun = batch.scheme.item_noun
        raise InputError(f"the batch {batch.name!r} has no {noun} {qid!r} to decide.")
    return query


def _query_locked(batch: Batch, qid: str) -> BatchQuery:
    """Return the query, locked, so that simultaneous decisions come one after another."""
    return BatchQuery.objects.select_for_update().get(pk=study_query(batch, qid).pk)


def _check_asked(batch: Batch, question: Question, query: BatchQuery) -> None:
    """Refuse a decision that would never count, as earlier decisions skip the question."""
    if question.shown_if is None:
        return
    results = scheme_results(batch=batch).queries
    decided = next(result for result in results if result.number == query.pk)
    if not decided.decisions[question.name].is_asked:
        before = batch.scheme.question(question.shown_if.question)
        raise InputError(
            f"“{question.title}” is not asked about {query.qid!r}, by what is decided before.",
            remedy=f"Decide “{before.title}” first.",
        )


def _log(batch: Batch, by: str, action: AuditAction, label: Label, reason: str) -> None:
    """Log a decision, or its withdrawal."""
    detail = {"qid": label.query.qid, "question": label.question}
    detail |= {"category": label.value, "reason": reason}
    AuditEvent.objects.create(batch=batch, actor=by, action=action, detail=detail)


ADJUDICATE = Adjudicate()
WITHDRAW_DECISION = WithdrawDecision()
