"""Decisions of a person where votes do not decide. The votes themselves never change."""

from django.db import transaction

from annotation.models import AuditEvent, Batch, BatchQuery, Label
from annotation.selectors.votes import votes_that_count
from annotation.vocabulary import Category, LabelMethod
from metrics.errors import InputError


def query_adjudicate(*, batch: Batch, qid: str, category: str, reason: str, by: str) -> Label:
    """Decide one query. Who, when and why stay with the label; deciding again replaces it.

    Every decision, also a replaced one, is in the batch's audit trail.
    """
    if category not in Category.values:
        raise InputError(
            f"unknown category {category!r}.", remedy=f"Use {', '.join(Category.values)}."
        )
    if not reason.strip() or not by.strip():
        raise InputError("say who decides, and why.", remedy="Give --by and --reason.")
    query = _study_query(batch, qid)
    votes = votes_that_count(batch=batch).filter(query=query)
    with transaction.atomic():
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
        _record(batch, by, "query adjudicated", qid=qid, category=category, reason=reason)
    return label


def adjudication_withdraw(*, batch: Batch, qid: str, reason: str, by: str) -> None:
    """Take a decision back: the method's label stands again. The audit trail keeps both."""
    query = _study_query(batch, qid)
    with transaction.atomic():
        label = Label.objects.filter(query=query, method=LabelMethod.ADJUDICATED).first()
        if label is None:
            raise InputError(f"the query {qid!r} is not adjudicated.")
        _record(batch, by, "adjudication withdrawn", qid=qid, category=label.value, reason=reason)
        label.delete()


def _study_query(batch: Batch, qid: str) -> BatchQuery:
    found = BatchQuery.objects.filter(batch=batch, qid=qid, gold="").first()
    if found is None:
        raise InputError(f"the batch {batch.name!r} has no query {qid!r} to decide.")
    return found


def _record(batch: Batch, by: str, action: str, **detail: str) -> None:
    AuditEvent.objects.create(batch=batch, actor=by, action=action, detail=detail)
