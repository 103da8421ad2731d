"""Decisions of a person where votes do not decide. The votes themselves never change."""

from django.db import transaction

from annotation.core.versions import check_version
from annotation.labels.queries.adjudicated import decision_state
from annotation.labels.queries.votes import votes_that_count
from annotation.models import AuditEvent, Batch, BatchQuery, Label
from annotation.vocabulary import Category, LabelMethod
from metrics.errors import InputError


def query_adjudicate(
    *, batch: Batch, qid: str, category: str, reason: str, by: str, version: str | None = None
) -> Label:
    """Decide one query. Who, when and why stay with the label; deciding again replaces it.

    With the `version` that was seen, `StaleError` if somebody has decided since. Every decision,
    also a replaced one, is in the batch's audit trail.
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
        check_version(version, decision_state(_decision_for_update(query)))
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


def adjudication_withdraw(
    *, batch: Batch, qid: str, reason: str, by: str, version: str | None = None
) -> None:
    """Take a decision back: the method's label stands again. The audit trail keeps both.

    With the `version` that was seen, `StaleError` if somebody has decided otherwise since.
    """
    query = _study_query(batch, qid)
    with transaction.atomic():
        label = _decision_for_update(query)
        check_version(version, decision_state(label))
        if label is None:
            raise InputError(f"the query {qid!r} is not adjudicated.")
        _record(batch, by, "adjudication withdrawn", qid=qid, category=label.value, reason=reason)
        label.delete()


def _decision_for_update(query: BatchQuery) -> Label | None:
    """The decision on a query; of several who decide at once, one after another sees it."""
    BatchQuery.objects.select_for_update().get(pk=query.pk)
    return Label.objects.filter(query=query, method=LabelMethod.ADJUDICATED).first()


def _study_query(batch: Batch, qid: str) -> BatchQuery:
    found = BatchQuery.objects.filter(batch=batch, qid=qid, gold="").first()
    if found is None:
        raise InputError(f"the batch {batch.name!r} has no query {qid!r} to decide.")
    return found


def _record(batch: Batch, by: str, action: str, **detail: str) -> None:
    AuditEvent.objects.create(batch=batch, actor=by, action=action, detail=detail)
