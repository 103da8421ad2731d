"""Decide a query where votes do not decide, or take such a decision back. Votes never change."""

from dataclasses import dataclass
from typing import TypeVar

from django.db import transaction

from annotation.core.operations import Operation, Result, Run
from annotation.core.parameters import parameter
from annotation.core.versions import State
from annotation.labels.queries.adjudicated import decision_state
from annotation.labels.queries.votes import votes_that_count
from annotation.models import AuditEvent, Batch, BatchQuery, Label
from annotation.vocabulary import Action, AuditAction, Category, LabelMethod
from metrics.errors import InputError


@dataclass(frozen=True, kw_only=True)
class WithdrawDecisionParameters:
    # A qid's bytes matter, so that blanks around it stay.
    qid: str = parameter(max_length=200, trim_whitespace=False, style={"positional": True})
    reason: str = parameter(max_length=1_000, help_text="Why.")


@dataclass(frozen=True, kw_only=True)
class AdjudicateParameters(WithdrawDecisionParameters):
    category: str = parameter(choices=Category.choices, style={"positional": True})


Decided = TypeVar("Decided", bound=WithdrawDecisionParameters)


class _Decision(Operation[Batch, Decided]):
    """Base of both: an adjudicator acts on the decision that they saw."""

    needs_categories = "each question is decided for itself, by “decide answer”"
    subject = Batch
    permission = Action.ADJUDICATE

    def seen(self, subject: Batch, parameters: Decided) -> State:
        return decision_state(_decision(study_query(subject, parameters.qid)))


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
            category=parameters.category,
            reason=parameters.reason,
            by=run.actor.name,
        )
        message = f"Decided: {Category(label.value).label.lower()}."
        return Result({"qid": parameters.qid, "value": label.value}, message, made=label)


class WithdrawDecision(_Decision[WithdrawDecisionParameters]):
    """Take a decision back: the votes decide again. The log keeps both."""

    name = "withdraw decision"
    command = "label withdraw-decision"
    example = {"qid": "1048725", "reason": "Decided too early."}
    title = "Withdraw decision"
    parameters = WithdrawDecisionParameters

    @transaction.atomic
    def run(self, subject: Batch, parameters: WithdrawDecisionParameters, run: Run) -> Result:
        label = _decision(query_locked(subject, parameters.qid))
        if label is None:
            raise InputError(f"the query {parameters.qid!r} is not adjudicated.")
        detail = {"qid": parameters.qid, "category": label.value, "reason": parameters.reason}
        decision_record(subject, run.actor.name, AuditAction.ADJUDICATION_WITHDRAWN, detail)
        label.delete()
        return Result(message="Decision withdrawn: the votes decide again.")


@transaction.atomic
def query_adjudicate(*, batch: Batch, qid: str, category: str, reason: str, by: str) -> Label:
    """Decide one query. Who, when and why stay with the label."""
    query = query_locked(batch, qid)
    votes = votes_that_count(batch=batch).filter(query=query)
    label, _ = Label.objects.update_or_create(
        query=query,
        method=LabelMethod.ADJUDICATED,
        defaults={
            "value": category,
            "n_votes": votes.count(),
            "n_for": votes.filter(category=category).count(),
            "reason": reason,
            "decided_by": by,
        },
    )
    detail = {"qid": qid, "category": category, "reason": reason}
    decision_record(batch, by, AuditAction.QUERY_ADJUDICATED, detail)
    return label


def _decision(query: BatchQuery) -> Label | None:
    return Label.objects.filter(query=query, method=LabelMethod.ADJUDICATED).first()


def query_locked(batch: Batch, qid: str) -> BatchQuery:
    """The query; of several who decide on it at once, one after another does."""
    return BatchQuery.objects.select_for_update().get(pk=study_query(batch, qid).pk)


def study_query(batch: Batch, qid: str) -> BatchQuery:
    """A query that is to be decided; `InputError` for a gold question, and where there is none."""
    found = BatchQuery.objects.filter(batch=batch, qid=qid, gold="").first()
    if found is None:
        raise InputError(f"the batch {batch.name!r} has no query {qid!r} to decide.")
    return found


def decision_record(batch: Batch, by: str, action: AuditAction, detail: dict[str, str]) -> None:
    """Log who decided what, or took it back."""
    AuditEvent.objects.create(batch=batch, actor=by, action=action, detail=detail)


ADJUDICATE = Adjudicate()
WITHDRAW_DECISION = WithdrawDecision()
