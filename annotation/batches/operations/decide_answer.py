"""Decide a question of a scheme about a query, or take that back. Answers never change."""

from dataclasses import dataclass
from typing import TypeVar

from django.db import transaction

from annotation.batches.queries.adjudicated_answers import answer_state, decision_on
from annotation.batches.queries.codebooks import required_scheme
from annotation.batches.queries.scheme_results import scheme_decisions
from annotation.core.operations import Operation, Result, Run
from annotation.core.parameters import parameter
from annotation.core.versions import State
from annotation.labels.operations.adjudicate import (
    WithdrawDecisionParameters,
    decision_record,
    query_locked,
    study_query,
)
from annotation.models import Batch, SchemeDecision
from annotation.schemes import JOINED, Question, Scheme, check_answer, question_named
from annotation.vocabulary import Action, AuditAction
from metrics.errors import InputError


@dataclass(frozen=True, kw_only=True)
class WithdrawAnswerParameters(WithdrawDecisionParameters):
    question: str = parameter(
        max_length=40, help_text="Name of the question.", style={"positional": True}
    )


@dataclass(frozen=True, kw_only=True)
class DecideAnswerParameters(WithdrawAnswerParameters):
    answer: str = parameter(
        max_length=2_100,
        help_text=f"Code of the option; of several, all that hold, joined by {JOINED}",
        style={"positional": True},
    )


Decided = TypeVar("Decided", bound=WithdrawAnswerParameters)


class _Decision(Operation[Batch, Decided]):
    """Base of both: an adjudicator acts on the decision that they saw."""

    needs_scheme = "its queries are decided as a whole, by “decide”"
    subject = Batch
    permission = Action.ADJUDICATE

    def seen(self, subject: Batch, parameters: Decided) -> State:
        query = study_query(subject, parameters.qid)
        return answer_state(decision_on(query, parameters.question))


class DecideAnswer(_Decision[DecideAnswerParameters]):
    """Decide a question about a query; deciding again replaces that, and the log keeps both."""

    name = "decide answer"
    path = "decide-answer"
    command = "label decide-answer"
    example = {"qid": "1048725", "question": "severity", "answer": "3", "reason": "Both read so."}
    title = "Decide answer"
    parameters = DecideAnswerParameters

    @transaction.atomic
    def run(self, subject: Batch, parameters: DecideAnswerParameters, run: Run) -> Result:
        query = query_locked(subject, parameters.qid)
        scheme = required_scheme(subject)
        question = question_named(scheme, parameters.question)
        sent = [code.strip() for code in parameters.answer.split(JOINED) if code.strip()]
        check_answer(question, sent)
        _check_asked(subject, scheme, question, query.pk)
        codes = question.in_order(sent)
        made, _ = SchemeDecision.objects.update_or_create(
            query=query,
            question=question.name,
            defaults={"codes": codes, "reason": parameters.reason, "decided_by": run.actor.name},
        )
        said = JOINED.join(codes)
        detail = {"qid": query.qid, "question": question.name, "answer": said}
        detail["reason"] = parameters.reason
        decision_record(subject, run.actor.name, AuditAction.QUERY_ADJUDICATED, detail)
        words = ", ".join(question.labels[code] or code for code in codes)
        values = {"qid": query.qid, "question": question.name, "answer": said}
        return Result(values, f"Decided: {question.name} is {words}.", made=made)


class WithdrawAnswer(_Decision[WithdrawAnswerParameters]):
    """Take a decision on a question back: the answers decide again. The log keeps both."""

    name = "withdraw answer"
    path = "withdraw-answer"
    command = "label withdraw-answer"
    example = {"qid": "1048725", "question": "severity", "reason": "Decided too early."}
    title = "Withdraw decision"
    parameters = WithdrawAnswerParameters

    @transaction.atomic
    def run(self, subject: Batch, parameters: WithdrawAnswerParameters, run: Run) -> Result:
        query = query_locked(subject, parameters.qid)
        decision = decision_on(query, parameters.question)
        if decision is None:
            raise InputError(
                f"{parameters.question!r} of the query {parameters.qid!r} is not adjudicated."
            )
        detail = {"qid": query.qid, "question": decision.question}
        detail |= {"answer": JOINED.join(decision.codes), "reason": parameters.reason}
        decision_record(subject, run.actor.name, AuditAction.ADJUDICATION_WITHDRAWN, detail)
        decision.delete()
        return Result(message="Decision withdrawn: the answers decide again.")


def _check_asked(batch: Batch, scheme: Scheme, question: Question, query: int) -> None:
    """Refuse what would never count: the question is not asked by what is decided before it."""
    decided = next(
        one for one in scheme_decisions(batch=batch, scheme=scheme) if one.number == query
    )
    codes = {name: one.codes for name, one in decided.decisions.items() if one.codes}
    if question.shown_if and not scheme.is_shown(question, codes):
        raise InputError(
            f"{question.name!r} is not asked about {decided.qid!r}, by what is decided before.",
            remedy=f"Decide {question.shown_if.question!r} first.",
        )


DECIDE_ANSWER = DecideAnswer()
WITHDRAW_ANSWER = WithdrawAnswer()
