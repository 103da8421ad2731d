"""Storing a batch: its queries and its HITs, which are lines of the ledger."""

import hashlib
import uuid
from collections.abc import Sequence
from dataclasses import asdict

from django.db import IntegrityError, transaction

from annotation.batches.operations.planning import BatchPlan, question_of, shown_items
from annotation.batches.operations.schemes import store_scheme
from annotation.core.parameters import TermError
from annotation.crowd.annotations import requester_annotation
from annotation.language_models.prompt import item_text
from annotation.models import HIT, AuditEvent, Batch, BatchQuery, HITQuery, Study
from annotation.vocabulary import AuditAction, Environment
from metrics.errors import InputError

_ROWS_AT_ONCE = 500


def create_batch(*, plan: BatchPlan, environment: str, actor: str, study: Study) -> Batch:
    """Store `plan` as a draft of `study` for `environment`; a known name raises `InputError`."""
    plan.check()
    if environment not in Environment.values:
        raise InputError(
            f"MTURK_ENVIRONMENT is {environment!r}.", remedy="Use local, sandbox or production."
        )
    if environment == Environment.PRODUCTION and plan.budget is None:
        raise InputError(
            "a batch that spends real money needs a budget.",
            remedy=f"Give one: {plan.cost} USD is the full cost.",
        )
    if Batch.objects.filter(name__iexact=plan.name).exists():
        raise name_is_taken(plan.name)
    try:
        with transaction.atomic():
            batch = _store_batch(plan, environment, study)
            store_scheme(batch=batch, scheme=plan.texts.scheme, actor=actor)
            _store_hits(batch, plan, _store_queries(batch, plan))
            AuditEvent.objects.create(
                batch=batch,
                actor=actor,
                action=AuditAction.BATCH_CREATED,
                detail={"queries": len(plan.queries), "hits": plan.n_hits, "cost": str(plan.cost)},
            )
    except IntegrityError as error:
        if Batch.objects.filter(name=plan.name).exists():
            raise name_is_taken(plan.name) from error
        raise
    return batch


def request_token(*, uid: uuid.UUID, index: int, question: str, attempt: int) -> str:
    """Return the token of a HIT's request, 64 characters, the same at each repetition."""
    parts = (uid.hex, str(index), str(attempt), question)
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def name_is_taken(name: str) -> TermError:
    return TermError("name", f"a batch named {name!r} exists.", remedy="Choose another name.")


def _store_batch(plan: BatchPlan, environment: str, study: Study) -> Batch:
    batch = Batch(
        name=plan.name,
        study=study,
        environment=environment,
        pool=plan.pool,
        title=plan.terms.title,
        description=plan.terms.description,
        keywords=plan.terms.keywords,
        reward=plan.reward,
        budget=plan.budget,
        assignments_per_hit=plan.assignments_per_hit,
        queries_per_hit=plan.queries_per_hit,
        lifetime_seconds=plan.lifetime_seconds,
        duration_seconds=plan.duration_seconds,
        auto_approval_seconds=plan.auto_approval_seconds,
        seed=plan.seed,
        together=plan.together,
        conditions=asdict(plan.conditions),
        consent=plan.texts.consent,
        contact=plan.texts.contact,
        suggested_by=plan.suggested_by,
        comprehension=[
            [item_text(query.text, query.passage), query.gold] for query in plan.comprehension
        ],
        comprehension_question=plan.comprehension_question,
    )
    batch.full_clean(exclude=["name", "pool", "study"])
    batch.save(force_insert=True)
    return batch


def _store_queries(batch: Batch, plan: BatchPlan) -> list[BatchQuery]:
    return BatchQuery.objects.bulk_create(
        (
            BatchQuery(
                batch=batch,
                qid=query.qid,
                text=query.text,
                passage=query.passage,
                gold=query.gold,
                position=position,
                suggestion=plan.texts.suggestions.get(query.qid, ""),
            )
            for position, query in enumerate(plan.ordered)
        ),
        batch_size=_ROWS_AT_ONCE,
    )


def _store_hits(batch: Batch, plan: BatchPlan, stored: Sequence[BatchQuery]) -> None:
    pages = plan.pages
    hits = HIT.objects.bulk_create(
        (
            HIT(
                batch=batch,
                index=index,
                max_assignments=batch.assignments_per_hit,
                target_answers=batch.assignments_per_hit,
                unit_cost=plan.unit_cost,
                annotation=requester_annotation(uid=batch.uid, index=index, attempt=0),
                request_token=request_token(
                    uid=batch.uid,
                    index=index,
                    attempt=0,
                    question=question_of(shown_items(page), plan.texts),
                ),
            )
            for index, page in enumerate(pages)
        ),
        batch_size=_ROWS_AT_ONCE,
    )
    remaining = iter(stored)
    HITQuery.objects.bulk_create(
        (
            HITQuery(hit=hit, query=next(remaining), place=place)
            for hit, page in zip(hits, pages, strict=True)
            for place in range(len(page))
        ),
        batch_size=_ROWS_AT_ONCE,
    )
