"""Storing a batch of a bundle, with its votes and labels."""

from collections.abc import Iterable, Sequence

from annotation.agreement.adaptive import MOST
from annotation.agreement.aggregation import METHODS
from annotation.core.names import free_name
from annotation.labels.operations.decide import batch_label
from annotation.labels.operations.imports import (
    CHUNK,
    ImportedQuery,
    batch_name_check,
    imported_batch_create,
    votes_store,
)
from annotation.models import (
    AdaptivePolicy,
    Batch,
    BatchQuery,
    DiscardedVotes,
    Label,
    Labelling,
    Study,
    Vote,
    Worker,
)
from annotation.reports.bundle.read import ReadBatch
from annotation.reports.bundle.scheme import adjudications_in
from annotation.reports.bundle.tables import AnswerRow, VoteRow
from annotation.schemes import JOINED
from annotation.task_page import stored_option
from annotation.vocabulary import (
    CATEGORY_QUESTION,
    UNVERIFIED,
    AuditAction,
    Environment,
    LabelMethod,
    WorkerKind,
)
from pooling.models import Pool

#: Characters of the batch's id in its pseudonyms, so that two bundles have different ones.
_PREFIX = 12
_TERMS = ("title", "description", "keywords")


def published_batch_store(
    *, read: ReadBatch, study: Study, pool: Pool | None, actor: str, detail: dict[str, object]
) -> Batch:
    """A batch with queries, votes, labels and scheme; call it inside a transaction.

    `detail` is what the log says about the bundle.
    """
    name = free_name(read.name, lambda name: not Batch.objects.filter(name=name).exists())
    batch_name_check(name=name)
    batch, queries = imported_batch_create(
        name=name,
        study=study,
        queries=[ImportedQuery(row.qid, row.query, row.gold) for row in read.queries],
        actor=actor,
        action=AuditAction.BUNDLE_IMPORTED,
        detail=detail,
        queries_per_hit=read.parameters.queries_per_hit,
        scheme=read.scheme,
    )
    for term in _TERMS:
        setattr(batch, term, str(read.terms.get(term, "")))
    batch.suggested_by = read.parameters.suggested_by
    batch.pool = pool
    batch.full_clean()
    batch.save()
    if read.parameters.adaptive_share is not None:
        AdaptivePolicy.objects.create(
            batch=batch,
            full_share=read.parameters.adaptive_share,
            most_votes=MOST,
            seed=read.parameters.adaptive_seed,
        )
    if not batch.scheme.asks_for_categories:
        _answers_store(batch, queries, read)
        for question, (method, strict, seed) in read.parameters.labelled.items():
            batch_label(
                batch=batch,
                question=question,
                method=method,
                strict=strict,
                seed=seed,
                actor=actor,
            )
        return batch
    _votes_store(batch, queries, read)
    _labels_store(batch, queries, read, actor)
    return batch


def _answers_store(batch: Batch, queries: Iterable[BatchQuery], read: ReadBatch) -> None:
    scheme = batch.scheme
    workers = _workers_store(batch, read.answers)
    by_qid = {query.qid: query for query in queries}
    given: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for row in read.answers:
        given.setdefault((row.qid, row.worker), []).append((row.question, row.option))
    votes_store(
        (Vote(query=by_qid[qid], worker=workers[worker]), choices)
        for (qid, worker), choices in given.items()
    )
    Label.objects.bulk_create(
        (
            Label(
                query=by_qid[qid],
                question=question,
                method=LabelMethod.ADJUDICATED,
                value=JOINED.join(scheme.question(question).in_order(decided.codes)),
                reason=decided.reason,
                decided_by=decided.by,
            )
            for (question, qid), decided in adjudications_in(scheme, read.decisions).items()
        ),
        batch_size=CHUNK,
    )


def _workers_store(batch: Batch, rows: Sequence[VoteRow | AnswerRow]) -> dict[str, Worker]:
    """Pseudonyms that are this batch's own, by their names in the bundle; some have no say."""
    prefix = batch.uid.hex[:_PREFIX]
    kinds = {row.worker: row.kind for row in rows}
    workers = {
        worker.worker_id.removeprefix(f"{prefix}-"): worker
        for worker in Worker.objects.bulk_create(
            Worker(
                environment=Environment.IMPORTED,
                worker_id=f"{prefix}-{name}",
                # No proofs are needed: the bundle says whose votes count.
                kind=WorkerKind.HUMAN if kind == UNVERIFIED else kind,
            )
            for name, kind in sorted(kinds.items())
        )
    }
    discarded = sorted({row.worker for row in rows if row.set_aside})
    DiscardedVotes.objects.bulk_create(
        DiscardedVotes(
            batch=batch, worker=workers[name], reason="Did not count as published.", by="bundle"
        )
        for name in discarded
    )
    return workers


def _votes_store(batch: Batch, queries: Iterable[BatchQuery], read: ReadBatch) -> None:
    """Votes with those that do not count."""
    workers = _workers_store(batch, read.votes)
    by_qid = {query.qid: query for query in queries}
    votes_store(
        (
            Vote(query=by_qid[row.qid], worker=workers[row.worker], counts=not row.repeated),
            [(CATEGORY_QUESTION, stored_option(row.category))],
        )
        for row in read.votes
    )


def _labels_store(batch: Batch, queries: Iterable[BatchQuery], read: ReadBatch, actor: str) -> None:
    """Labels decided by a method are decided again; people's decisions are stored on top."""
    chosen = read.parameters
    if not read.labels:
        return
    if chosen.method in METHODS:
        batch_label(
            batch=batch,
            method=chosen.method,
            strict=chosen.strict,
            seed=chosen.label_seed,
            actor=actor,
        )
    else:
        Labelling.objects.create(batch=batch, question=CATEGORY_QUESTION, method=chosen.method)
    by_qid = {query.qid: query for query in queries}
    Label.objects.bulk_create(
        (
            Label(
                query=by_qid[row.qid],
                question=CATEGORY_QUESTION,
                method=row.method,
                value=row.label,
                n_votes=row.n_votes,
                n_for=row.n_for,
                confidence=row.confidence,
                reason=row.reason,
                decided_by=row.decided_by,
            )
            for row in read.labels
            if row.method not in METHODS
        ),
        batch_size=CHUNK,
    )
