"""Votes as tables, straight from the database to integer codes."""

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from django.conf import settings
from django.db.models import Count, QuerySet

from annotation.labels.queries.questions import nominal_question
from annotation.models import Batch, BatchQuery, Choice, Vote, Worker
from annotation.schemes import CANNOT_TELL, JOINED, Question
from annotation.vocabulary import (
    UNVERIFIED,
    Environment,
    Verification,
    WorkerKind,
)
from metrics.votes.table import VoteTable


def votes_that_count(*, batch: Batch, question: str = "") -> QuerySet[Vote]:
    """Return votes with an answer on queries of the study, neither repeated nor discarded.

    Votes of panel participants without a proof of identity are left out. With `question` they
    answer that one.
    """
    return Vote.objects.of_study(batch).counted().told(question)


def all_votes(*, batch: Batch) -> QuerySet[Vote]:
    """Return all votes, with discarded ones and those of workers without a proof of identity."""
    return Vote.objects.of_study(batch).standing().told()


def votes_awaiting_proof(*, batch: Batch) -> QuerySet[Vote]:
    """Votes on queries of the study that may count once a panel's list is imported."""
    return Vote.objects.of_study(batch).awaiting_proof().told()


def abstentions_that_count(*, batch: Batch) -> QuerySet[Vote]:
    """Each "I cannot tell" on queries of the study, by workers whose votes count."""
    return Vote.objects.of_study(batch).counted().undecided()


def abstentions_awaiting_proof(*, batch: Batch) -> QuerySet[Vote]:
    """Each "I cannot tell" that may count once a panel's list is imported."""
    return Vote.objects.of_study(batch).awaiting_proof().undecided()


def abstained_queries(*, batch: Batch, question: Question) -> frozenset[str]:
    """Return the ids of the queries for which somebody could not tell the answer."""
    votes = Vote.objects.of_study(batch).counted()
    cannot_tell = Choice.objects.filter(vote__in=votes, question=question.name, option=CANNOT_TELL)
    return frozenset(cannot_tell.order_by().values_list("vote__query__qid", flat=True))


def workers_without_say(*, batch: Batch) -> frozenset[int]:
    """The keys of the workers whose votes in the batch do not count."""
    votes = Vote.objects.filter(query__batch=batch).without_say()
    return frozenset(votes.order_by().values_list("worker_id", flat=True).distinct())


def queries_awaiting_proof(*, batch: Batch) -> frozenset[int]:
    """The keys of the queries with a vote that may count once a panel's list is imported."""
    return frozenset(votes_awaiting_proof(batch=batch).values_list("query_id", flat=True))


def study_queries(*, batch: Batch) -> QuerySet[BatchQuery]:
    """Return the queries to be labelled, in the batch's order, without gold questions."""
    return BatchQuery.objects.filter(batch=batch, gold="").order_by("position")


def vote_table(
    *, batch: Batch, question: Question | None = None, everybody: bool = False
) -> VoteTable:
    """The answers that count to a question with one answer, over all study queries and its options.

    Without `question` it is the only nominal one of the batch. Four statements however many votes
    there are. With `everybody` discarded votes are in it, too.
    """
    votes = Vote.objects.of_study(batch)
    votes = votes.standing() if everybody else votes.counted()
    return table_of(votes, study_queries(batch=batch), question or nominal_question(batch=batch))


def scheme_table(*, batch: Batch, everybody: bool = False) -> VoteTable:
    """The answers to the question of a batch's scheme that makes its subset, as a vote table."""
    scheme = batch.scheme
    question = scheme.question(scheme.subset.question)
    return question_table(batch=batch, question=question, everybody=everybody)


def question_table(*, batch: Batch, question: Question, everybody: bool = False) -> VoteTable:
    """The answers that count to any closed question; several options of one are a label, joined."""
    if not question.kind.takes_several:
        return vote_table(batch=batch, question=question, everybody=everybody)
    votes = Vote.objects.of_study(batch)
    votes = votes.standing() if everybody else votes.counted()
    answers = scheme_answers(votes, question=question.name)
    return answer_table(
        {(qid, worker): answer for (qid, _, worker), answer in answers.items()},
        list(study_queries(batch=batch).values_list("qid", flat=True)),
    )


def answer_table(answers: Mapping[tuple[str, str], str], queries: Sequence[str]) -> VoteTable:
    """The answers by query and worker as votes on `queries`."""
    return VoteTable.of(
        [query for query, _ in answers],
        [worker for _, worker in answers],
        list(answers.values()),
        queries=queries,
    )


def scheme_answers(votes: QuerySet[Vote], *, question: str = "") -> dict[tuple[str, str, str], str]:
    """Each answer of `votes` by id of the query, question and id of the worker.

    Several options of an answer are one label, joined in alphabetical order. Free texts and "I
    cannot tell" are left out; so are other questions than `question`, where one is named.
    """
    choices = Choice.objects.options().filter(vote__in=votes)
    if question:
        choices = choices.filter(question=question)
    answers: dict[tuple[str, str, str], list[str]] = {}
    for *key, option in choices.order_by("vote__query__position", "vote", "pk").values_list(
        "vote__query__qid", "question", "vote__worker__worker_id", "option"
    ):
        qid, name, worker = key
        answers.setdefault((qid, name, worker), []).append(option)
    return {key: JOINED.join(sorted(options)) for key, options in answers.items()}


def table_of(votes: QuerySet[Vote], queries: QuerySet[BatchQuery], question: Question) -> VoteTable:
    """A vote table of stored answers to `question`, in the order of queries and then of arrival."""
    known = list(queries.values_list("pk", "qid", "position", "batch__queries_per_hit"))
    # Joined from the votes: twice as fast as from the choices of a subquery.
    rows = votes.filter(choices__question=question.name).order_by("query__position", "id")
    chosen = rows.values_list("query_id", "worker_id", "choices__option").iterator(20_000)
    code = {option: number for number, option in enumerate(question.codes)}
    columns = np.fromiter(
        ((query, worker, code[option]) for query, worker, option in chosen if option in code),
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
        labels=question.codes,
        # A batch's first HITs have its queries in their order.
        hits=np.array([position // size for *_, position, size in known], dtype=np.int32),
    )


def voter_kinds(*, batch: Batch, question: str = "") -> dict[str, int]:
    """The votes that count, to `question` or any, by voter: people, simulated workers, models.

    Unverified people who count all the same are a kind of their own.
    """
    votes = votes_that_count(batch=batch, question=question)
    counted = votes.order_by().values_list("worker__kind").annotate(n=Count("pk"))
    kinds = Counter(dict(counted))
    unproved = votes.filter(worker__kind=WorkerKind.HUMAN)
    unproved = unproved.exclude(worker__verification=Verification.VERIFIED)
    if settings.COUNT_UNVERIFIED and (n_unproved := unproved.count()):
        kinds[UNVERIFIED] = n_unproved
        kinds[WorkerKind.HUMAN] -= n_unproved
    return {kind: count for kind, count in sorted(kinds.items()) if count}


def n_options_offered(*, batch: Batch, question: Question) -> int | None:
    """Number of options offered to the voters; None for a file that does not say.

    A scheme offers all of them. Of a batch imported without one only those in use are known.
    """
    is_known = batch.environment != Environment.IMPORTED
    is_known = is_known or batch.scheme_versions.exists()
    return len(question.codes) if is_known else None
