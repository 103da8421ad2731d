"""A batch of a bundle, stored with the votes and labels that it had where it was published."""

from collections.abc import Iterable, Sequence

from annotation.agreement.aggregation import METHODS
from annotation.batches.operations.codebooks import codebook_store
from annotation.batches.operations.schemes import scheme_store
from annotation.core.names import free_name
from annotation.labels.operations.decide import batch_label
from annotation.labels.operations.imports import (
    CHUNK,
    ImportedQuery,
    batch_name_check,
    imported_batch_create,
)
from annotation.models import (
    Abstention,
    Batch,
    BatchQuery,
    DiscardedVotes,
    Label,
    Labelling,
    SchemeDecision,
    SchemeVote,
    Study,
    Vote,
    Worker,
)
from annotation.reports.bundle.read import ReadBatch
from annotation.reports.bundle.scheme import adjudications_in
from annotation.reports.bundle.tables import AnswerRow, VoteRow
from annotation.schemes import Kind, Scheme
from annotation.task_page import CANNOT_TELL, Codebook
from annotation.vocabulary import UNVERIFIED, AuditAction, Environment, WorkerKind
from pooling.models import Pool

#: Characters of the batch's id that its pseudonyms carry: those of two bundles stay apart.
_PREFIX = 12
_TERMS = ("title", "description", "keywords")


def published_batch_store(
    *, read: ReadBatch, study: Study, pool: Pool | None, actor: str, detail: dict[str, object]
) -> Batch:
    """A batch with queries, votes, labels and codebook; call it inside a transaction.

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
    )
    for term in _TERMS:
        setattr(batch, term, str(read.terms.get(term, "")))
    batch.suggested_by = read.parameters.suggested_by
    batch.has_scheme = read.scheme is not None
    batch.pool = pool
    batch.full_clean()
    batch.save()
    if read.codebook is not None:
        codebook_store(batch=batch, codebook=Codebook.from_json(read.codebook), actor=actor)
    if read.scheme is not None:
        scheme_store(batch=batch, scheme=read.scheme, actor=actor)
        _answers_store(batch, queries, read, read.scheme)
        return batch
    _votes_store(batch, queries, read)
    _labels_store(batch, queries, read, actor)
    return batch


def _answers_store(
    batch: Batch, queries: Iterable[BatchQuery], read: ReadBatch, scheme: Scheme
) -> None:
    workers = _workers_store(batch, read.answers)
    by_qid = {query.qid: query for query in queries}
    SchemeVote.objects.bulk_create(
        (
            SchemeVote(
                query=by_qid[row.qid],
                worker=workers[row.worker],
                question=row.question,
                option=row.option,
                is_sole=scheme.question(row.question).kind != Kind.MULTI,
            )
            for row in read.answers
        ),
        batch_size=CHUNK,
    )
    SchemeDecision.objects.bulk_create(
        (
            SchemeDecision(
                query=by_qid[qid],
                question=question,
                codes=scheme.question(question).in_order(decided.codes),
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
                # What nothing proves is decided: the bundle says whose votes count.
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
    Vote.objects.bulk_create(
        (
            Vote(
                query=by_qid[row.qid],
                worker=workers[row.worker],
                category=row.category,
                counts=not row.repeated,
            )
            for row in read.votes
            if row.category != CANNOT_TELL
        ),
        batch_size=CHUNK,
    )
    Abstention.objects.bulk_create(
        (
            Abstention(query=by_qid[row.qid], worker=workers[row.worker], counts=not row.repeated)
            for row in read.votes
            if row.category == CANNOT_TELL
        ),
        batch_size=CHUNK,
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
        Labelling.objects.create(batch=batch, method=chosen.method)
    by_qid = {query.qid: query for query in queries}
    Label.objects.bulk_create(
        (
            Label(
                query=by_qid[row.qid],
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
