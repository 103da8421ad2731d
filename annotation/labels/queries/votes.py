"""Votes as tables, straight from the database to integer codes."""

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from django.conf import settings
from django.db.models import Count, QuerySet

from annotation.agreement.table import VoteTable
from annotation.models import Abstention, Batch, BatchQuery, SchemeVote, Vote, Worker
from annotation.models.places import has_say, vote_state
from annotation.schemes import CANNOT_TELL as SCHEME_CANNOT_TELL
from annotation.schemes import JOINED
from annotation.vocabulary import (
    UNVERIFIED,
    AssignmentState,
    Category,
    Environment,
    Verification,
    VoteState,
    WorkerKind,
)

_CATEGORIES = tuple(Category.values)


def votes_that_count(*, batch: Batch) -> QuerySet[Vote]:
    """Votes on queries of the study: none on a gold question, repeated or discarded.

    Nor those of participants of panels before it is proved who they are.
    """
    return all_votes(batch=batch).filter(has_say())


def all_votes(*, batch: Batch) -> QuerySet[Vote]:
    """The same with discarded votes, and those of workers of whom nothing is proved."""
    return Vote.objects.filter(query__batch=batch, query__gold="", counts=True)


def votes_awaiting_proof(*, batch: Batch) -> QuerySet[Vote]:
    """Votes on queries of the study that may count once a panel's list is imported."""
    return all_votes(batch=batch).alias(of=vote_state()).filter(of=VoteState.UNVERIFIED)


def abstentions_that_count(*, batch: Batch) -> QuerySet[Abstention]:
    """Each "I cannot tell" on queries of the study, by workers whose votes count."""
    stored = Abstention.objects.filter(query__batch=batch, query__gold="", counts=True)
    return stored.filter(has_say())


def abstentions_awaiting_proof(*, batch: Batch) -> QuerySet[Abstention]:
    """Each "I cannot tell" that may count once a panel's list is imported."""
    stored = Abstention.objects.filter(query__batch=batch, query__gold="", counts=True)
    return stored.alias(of=vote_state()).filter(of=VoteState.UNVERIFIED)


def abstained_queries(*, batch: Batch) -> frozenset[str]:
    """The ids of the queries that somebody could not tell."""
    return frozenset(abstentions_that_count(batch=batch).values_list("query__qid", flat=True))


def workers_without_say(*, batch: Batch) -> frozenset[int]:
    """The keys of the workers whose votes in the batch do not count."""
    given = (model.objects.filter(query__batch=batch) for model in (Vote, Abstention, SchemeVote))
    found = (rows.filter(~has_say()).values_list("worker_id", flat=True) for rows in given)
    return frozenset(worker for workers in found for worker in workers.distinct().order_by())


def queries_awaiting_proof(*, batch: Batch) -> frozenset[int]:
    """The keys of the queries with a vote that may count once a panel's list is imported."""
    return frozenset(votes_awaiting_proof(batch=batch).values_list("query_id", flat=True))


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


def scheme_table(*, batch: Batch, everybody: bool = False) -> VoteTable:
    """The answers to the question of a batch's scheme that makes its subset, as a vote table."""
    latest = batch.scheme_versions.latest("number")
    name = latest.content["subset"]["question"]
    rows = SchemeVote.objects.filter(query__batch=batch, query__gold="", question=name)
    given = scheme_answers(rows if everybody else rows.filter(has_say()))
    return answer_table(
        {(qid, worker): answer for (qid, _, worker), answer in given.items()},
        list(study_queries(batch=batch).values_list("qid", flat=True)),
    )


def answer_table(given: Mapping[tuple[str, str], str], queries: Sequence[str]) -> VoteTable:
    """The answers by query and worker as votes on `queries`."""
    return VoteTable.of(
        [query for query, _ in given],
        [worker for _, worker in given],
        list(given.values()),
        queries=queries,
    )


def scheme_answers(rows: QuerySet[SchemeVote]) -> dict[tuple[str, str, str], str]:
    """Each unrejected answer by id of the query, question and id of the worker.

    Several options that somebody chose are one label, joined in alphabetical order. Free texts and
    "I cannot tell" are left out.
    """
    rows = rows.exclude(assignment__state=AssignmentState.REJECTED)
    given: dict[tuple[str, str, str], list[str]] = {}
    for *key, option in (
        rows.exclude(option__in=["", SCHEME_CANNOT_TELL])
        .order_by("query__position", "pk")
        .values_list("query__qid", "question", "worker__worker_id", "option")
    ):
        qid, question, worker = key
        given.setdefault((qid, question, worker), []).append(option)
    return {key: JOINED.join(sorted(options)) for key, options in given.items()}


def table_of(votes: QuerySet[Vote], queries: QuerySet[BatchQuery]) -> VoteTable:
    """A vote table of stored votes, in the order of the queries and then of arrival."""
    known = list(queries.values_list("pk", "qid", "position", "batch__queries_per_hit"))
    rows = votes.order_by("query__position", "id").values_list("query_id", "worker_id", "category")
    code = {category: number for number, category in enumerate(_CATEGORIES)}
    columns = np.fromiter(
        ((query, worker, code[category]) for query, worker, category in rows.iterator(20_000)),
        dtype=np.dtype((np.int64, 3)),
    )
    worker_pks, worker_codes = np.unique(columns[:, 1], return_inverse=True)
    voters = Worker.objects.filter(pk__in=worker_pks.tolist()).order_by()
    names = dict(voters.values_list("pk", "worker_id"))
    pks = np.array([pk for pk, *_ in known], dtype=np.int64)
    order = np.argsort(pks)
    query_codes = order[np.searchsorted(pks, columns[:, 0], sorter=order)] if len(pks) else pks
    return VoteTable(
        query=query_codes.astype(np.int32),
        worker=worker_codes.astype(np.int32),
        label=columns[:, 2].astype(np.int32),
        queries=tuple(qid for _, qid, *_ in known),
        workers=tuple(names[pk] for pk in worker_pks.tolist()),
        labels=_CATEGORIES,
        # A batch's first HITs have its queries in their order.
        hits=np.array([position // size for *_, position, size in known], dtype=np.int32),
    )


def voter_kinds(*, batch: Batch) -> dict[str, int]:
    """The votes that count by who gave them: people, simulated workers, language models.

    People of whom nothing is proved, where they count all the same, are a kind of their own.
    """
    votes = votes_that_count(batch=batch)
    counted = votes.order_by().values_list("worker__kind").annotate(n=Count("pk"))
    kinds = Counter(dict(counted))
    unproved = votes.filter(worker__kind=WorkerKind.HUMAN)
    unproved = unproved.exclude(worker__verification=Verification.VERIFIED)
    if settings.COUNT_UNVERIFIED and (n_unproved := unproved.count()):
        kinds[UNVERIFIED] = n_unproved
        kinds[WorkerKind.HUMAN] -= n_unproved
    return {kind: count for kind, count in sorted(kinds.items()) if count}


def n_categories_offered(*, batch: Batch) -> int | None:
    """How many categories the voters could choose from; None for a file that does not say.

    A codebook offers all of them. Of a batch imported without one only those in use are known.
    """
    is_known = batch.environment != Environment.IMPORTED or batch.codebook_versions.exists()
    return len(_CATEGORIES) if is_known else None
