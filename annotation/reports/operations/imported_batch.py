"""Storing a batch of a bundle, with its votes and labels."""

from collections.abc import Iterable, Sequence
from typing import Any

from annotation.core.names import free_name, new_among
from annotation.labels.operations.decide import batch_label
from annotation.labels.operations.imports import (
    CHUNK,
    ImportedQuery,
    check_batch_name,
    create_imported_batch,
    record_votes,
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
from annotation.reports.bundle.batch import BatchTables
from annotation.reports.bundle.read import ReadBatch
from annotation.reports.bundle.tables import AnswerRow, TextRow
from annotation.schemes import JOINED
from annotation.vocabulary import UNVERIFIED, AuditAction, Environment, WorkerKind
from metrics.io.pair_ids import split_pair_id
from metrics.votes.adaptive import MOST
from metrics.votes.deciding import ALL_METHODS
from pooling.models import Pool

#: Characters of the batch's id in its pseudonyms, so that two bundles have different ones.
_PREFIX = 12
_TERMS = ("title", "description", "keywords")


def store_published_batch(
    *, read: ReadBatch, study: Study, pool: Pool | None, actor: str, detail: dict[str, object]
) -> Batch:
    """A batch with queries, votes, labels and scheme; call it inside a transaction.

    `detail` is what the log says about the bundle.
    """
    parameters = read.tables.parameters
    name = free_name(read.name, new_among(Batch.objects))
    check_batch_name(name=name)
    batch, queries = create_imported_batch(
        name=name,
        study=study,
        queries=_queries(read.tables),
        actor=actor,
        action=AuditAction.BUNDLE_IMPORTED,
        detail=detail,
        queries_per_hit=parameters.queries_per_hit,
        scheme=read.tables.scheme if read.is_scheme_known else None,
    )
    for term in _TERMS:
        setattr(batch, term, str(read.terms.get(term, "")))
    batch.suggested_by = parameters.suggested_by
    batch.pool = pool
    batch.full_clean()
    batch.save()
    if parameters.adaptive_share is not None:
        AdaptivePolicy.objects.create(
            batch=batch,
            question=parameters.adaptive_question or batch.scheme.subset.question,
            full_share=parameters.adaptive_share,
            most_votes=MOST,
            seed=parameters.adaptive_seed,
        )
    _store_answers(batch, queries, read.tables)
    _store_labels(batch, queries, read.tables, actor)
    return batch


def _queries(tables: BatchTables) -> list[ImportedQuery]:
    passages = {row.docno: row.passage for row in tables.passages}
    return [
        ImportedQuery(row.qid, row.query, row.gold, passages.get(split_pair_id(row.qid)[1], ""))
        for row in tables.queries
    ]


#: A vote as (question, option) with what was written about it.
_Chosen = dict[tuple[str, str], str]


def _store_answers(batch: Batch, queries: Iterable[BatchQuery], tables: BatchTables) -> None:
    """Answers with those that do not count: each vote has the options of all its questions."""
    workers = _store_workers(batch, [*tables.answers, *tables.texts])
    by_qid = {query.qid: query for query in queries}
    several = {question.name for question in batch.scheme.closed if question.kind.takes_several}
    votes_by_worker: dict[tuple[str, str, int], list[_Chosen]] = {}
    for row in tables.answers:
        chosen = (row.question, row.option)
        votes = votes_by_worker.setdefault((row.qid, row.worker, row.repeated), [])
        # Only of votes that do not count may one worker have several on a query.
        for vote in votes:
            is_open = row.question in several or row.question not in dict(vote.keys())
            if chosen not in vote and is_open:
                vote[chosen] = ""
                break
        else:
            votes.append({chosen: ""})
    for text in tables.texts:
        if text.qid:  # else a comment on a task, which an imported batch does not have
            key = (text.qid, text.worker, text.repeated)
            _write(votes_by_worker.setdefault(key, []), text)
    record_votes(
        (
            Vote(query=by_qid[qid], worker=workers[worker], counts=not repeated),
            [(*chosen, text) for chosen, text in vote.items()],
        )
        for (qid, worker, repeated), votes in votes_by_worker.items()
        for vote in votes
    )


def _write(votes: list[_Chosen], row: TextRow) -> None:
    """Put an answer in words, or a comment on a chosen option, into the vote that lacks it."""
    chosen = (row.question, row.option)
    if row.option:
        commented = next((vote for vote in votes if vote.get(chosen) == ""), None)
        if commented is not None:
            commented[chosen] = row.text
        return
    vote = next((vote for vote in votes if chosen not in vote), None)
    if vote is None:
        votes.append(vote := {})
    vote[chosen] = row.text


def _store_workers(batch: Batch, rows: Sequence[AnswerRow | TextRow]) -> dict[str, Worker]:
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


def _store_labels(
    batch: Batch, queries: Iterable[BatchQuery], tables: BatchTables, actor: str
) -> None:
    """Labels decided by a method are decided again; the others are stored on top."""
    labelled = {row.question for row in tables.decisions if row.method in ALL_METHODS}
    for question, (method, strict, seed) in tables.parameters.terms.items():
        terms: dict[str, Any] = {"method": method, "strict": strict, "seed": seed}
        if question in labelled:
            batch_label(batch=batch, question=question, actor=actor, **terms)
        else:
            Labelling.objects.create(batch=batch, question=question, **terms)
    by_qid, scheme = {query.qid: query for query in queries}, batch.scheme
    Label.objects.bulk_create(
        (
            Label(
                query=by_qid[row.qid],
                question=row.question,
                method=row.method,
                value=JOINED.join(
                    scheme.question(row.question).in_order(row.decided.split(JOINED))
                ),
                n_votes=row.n_answers,
                n_for=row.n_for,
                reason=row.reason,
                decided_by=row.decided_by,
            )
            for row in tables.decisions
            if row.method and row.method not in ALL_METHODS
        ),
        batch_size=CHUNK,
    )
