"""Votes as tables, straight from the database to integer codes."""

from collections import Counter
from typing import Any

import numpy as np
from django.conf import settings
from django.db.models import Q, QuerySet

from annotation.agreement.table import VoteTable
from annotation.models import Abstention, Batch, BatchQuery, DiscardedVotes, Vote, Worker
from annotation.vocabulary import UNVERIFIED, Category, Environment, Verification, WorkerKind

_CATEGORIES = tuple(Category.values)


def votes_that_count(*, batch: Batch) -> QuerySet[Vote]:
    """Votes on queries of the study: none on a gold question, repeated or discarded.

    Nor those of participants of panels before it is proved who they are.
    """
    return all_votes(batch=batch).exclude(worker__in=_without_say(batch))


def all_votes(*, batch: Batch) -> QuerySet[Vote]:
    """The same with discarded votes, and those of workers of whom nothing is proved."""
    return Vote.objects.filter(query__batch=batch, query__gold="", counts=True)


def abstentions_that_count(*, batch: Batch) -> QuerySet[Abstention]:
    """Each "I cannot tell" on queries of the study, by workers whose votes count."""
    stored = Abstention.objects.filter(query__batch=batch, query__gold="", counts=True)
    return stored.exclude(worker__in=_without_say(batch))


def abstained_queries(*, batch: Batch) -> frozenset[str]:
    """The ids of the queries that somebody could not tell."""
    return frozenset(abstentions_that_count(batch=batch).values_list("query__qid", flat=True))


def workers_without_say(*, batch: Batch) -> frozenset[int]:
    """The keys of the workers whose votes in the batch do not count."""
    voted = Q(votes__query__batch=batch) | Q(abstentions__query__batch=batch)
    found = Worker.objects.filter(voted, pk__in=_without_say(batch))
    return frozenset(found.values_list("pk", flat=True))


def queries_awaiting_proof(*, batch: Batch) -> frozenset[int]:
    """The keys of the queries with a vote that may count once a panel's list is imported."""
    waiting = all_votes(batch=batch).filter(
        worker__verification=Verification.WAITING, worker__in=_without_say(batch)
    )
    return frozenset(waiting.values_list("query_id", flat=True))


def n_votes_awaiting_proof(*, batch: Batch) -> int:
    """How many votes of participants of panels do not count yet."""
    waiting = all_votes(batch=batch).filter(worker__verification=Verification.WAITING)
    return waiting.filter(worker__in=Worker.objects.unproved()).count()


def _without_say(batch: Batch) -> QuerySet[Worker, Any]:
    aside = DiscardedVotes.objects.active().filter(batch=batch).values("worker")
    workers = Worker.objects.filter(pk__in=aside) | Worker.objects.unproved()
    return workers.order_by().values("pk")


def study_queries(*, batch: Batch) -> QuerySet[BatchQuery]:
    """The queries to be labelled, in the batch's order; gold questions are none of them."""
    return BatchQuery.objects.filter(batch=batch, gold="").order_by("position")


def vote_table(*, batch: Batch, everybody: bool = False) -> VoteTable:
    """The votes that count, over all study queries of the batch and all categories.

    Four statements however many votes there are. With `everybody` discarded votes are in it, too.
    """
    votes = all_votes(batch=batch) if everybody else votes_that_count(batch=batch)
    return table_of(votes, study_queries(batch=batch))


def gold_table(*, batch: Batch) -> VoteTable:
    """The votes on gold questions, of everybody."""
    queries = BatchQuery.objects.filter(batch=batch).exclude(gold="").order_by("position")
    return table_of(Vote.objects.filter(query__in=queries, counts=True), queries)


def table_of(votes: QuerySet[Vote], queries: QuerySet[BatchQuery]) -> VoteTable:
    """A vote table of stored votes, in the order of the queries and then of arrival."""
    known = list(queries.values_list("pk", "qid"))
    rows = votes.order_by("query__position", "id").values_list("query_id", "worker_id", "category")
    code = {category: number for number, category in enumerate(_CATEGORIES)}
    columns = np.fromiter(
        ((query, worker, code[category]) for query, worker, category in rows.iterator(20_000)),
        dtype=np.dtype((np.int64, 3)),
    )
    worker_pks, worker_codes = np.unique(columns[:, 1], return_inverse=True)
    voters = Worker.objects.filter(pk__in=worker_pks.tolist()).order_by()
    names = dict(voters.values_list("pk", "worker_id"))
    pks = np.array([pk for pk, _ in known], dtype=np.int64)
    order = np.argsort(pks)
    query_codes = order[np.searchsorted(pks, columns[:, 0], sorter=order)] if len(pks) else pks
    return VoteTable(
        query=query_codes.astype(np.int32),
        worker=worker_codes.astype(np.int32),
        label=columns[:, 2].astype(np.int32),
        queries=tuple(qid for _, qid in known),
        workers=tuple(names[pk] for pk in worker_pks.tolist()),
        labels=_CATEGORIES,
    )


def voter_kinds(*, batch: Batch) -> dict[str, int]:
    """The votes that count by who gave them: people, simulated workers, language models.

    People of whom nothing is proved, where they count all the same, are a kind of their own.
    """
    votes = votes_that_count(batch=batch)
    kinds = Counter(votes.values_list("worker__kind", flat=True).iterator(20_000))
    unproved = votes.filter(worker__kind=WorkerKind.HUMAN)
    unproved = unproved.exclude(worker__verification=Verification.VERIFIED)
    if settings.COUNT_UNVERIFIED and (n_unproved := unproved.count()):
        kinds[UNVERIFIED] = n_unproved
        kinds[WorkerKind.HUMAN] -= n_unproved
    return {kind: count for kind, count in sorted(kinds.items()) if count}


def n_categories_offered(*, batch: Batch) -> int | None:
    """How many categories the voters could choose from; None for a file that does not say.

    Our own page offers all of them. Of an imported study only the categories in use are known.
    """
    return None if batch.environment == Environment.IMPORTED else len(_CATEGORIES)
