"""Votes as tables, straight from the database to integer codes."""

from collections import Counter
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from django.conf import settings
from django.db.models import Count, QuerySet

from annotation.labels.by_question import kind_of, points_of
from annotation.models import AdaptivePolicy, Batch, BatchQuery, Vote, Worker
from annotation.schemes import CANNOT_TELL, Question
from annotation.vocabulary import (
    UNVERIFIED,
    Environment,
    Verification,
    WorkerKind,
)
from metrics.votes.adaptive import with_first_round
from metrics.votes.table import UNTOLD, Origin, Votes, joined


def votes_that_count(*, batch: Batch, question: str = "") -> QuerySet[Vote]:
    """Return votes with an answer on queries of the study, neither repeated nor discarded.

    Votes of panel participants without a proof of identity are left out. With `question` they
    answer that one.
    """
    return Vote.objects.of_study(batch).counted().told(question)


def all_votes(*, batch: Batch) -> QuerySet[Vote]:
    """Return all votes, with discarded ones and those of workers without a proof of identity."""
    return Vote.objects.of_study(batch).standing().told()


def workers_awaiting_proof(*, batch: Batch) -> frozenset[str]:
    """The ids of the workers whose votes may count once a panel's list is imported."""
    votes = Vote.objects.of_study(batch).awaiting_proof()
    return frozenset(votes.order_by().values_list("worker__worker_id", flat=True).distinct())


def workers_without_say(*, batch: Batch) -> frozenset[int]:
    """The keys of the workers whose votes in the batch do not count."""
    votes = Vote.objects.filter(query__batch=batch).without_say()
    return frozenset(votes.order_by().values_list("worker_id", flat=True).distinct())


def queries_awaiting_proof(*, batch: Batch) -> frozenset[int]:
    """The keys of the queries with a vote that may count once a panel's list is imported."""
    votes = Vote.objects.of_study(batch).awaiting_proof().told()
    return frozenset(votes.values_list("query_id", flat=True))


def study_queries(*, batch: Batch) -> QuerySet[BatchQuery]:
    """Return the queries to be labelled, in the batch's order, without gold questions."""
    return BatchQuery.objects.filter(batch=batch, gold="").order_by("position")


def question_votes(*, batch: Batch, question: Question | None = None) -> dict[str, Votes]:
    """The answers to each closed question of the batch, or to one, over all study queries.

    Votes of workers without a say are among them, and marked; repeated and rejected ones are not.
    Of a batch that asks adaptively the first round is marked. Six statements however many votes
    there are.
    """
    rule = AdaptivePolicy.objects.filter(batch=batch).first()
    questions = [question] if question and not rule else batch.scheme.closed
    votes = votes_of(
        Vote.objects.of_study(batch).standing(), study_queries(batch=batch), batch, questions
    )
    if rule:
        votes = with_first_round(votes, rule.question, share=rule.full_share, seed=rule.seed)
    return votes


def votes_on(*, batch: Batch, question: Question) -> Votes:
    """The answers to one closed question, as `question_votes`."""
    return question_votes(batch=batch, question=question)[question.name]


def votes_of(
    votes: QuerySet[Vote],
    queries: QuerySet[BatchQuery],
    batch: Batch,
    questions: Sequence[Question],
) -> dict[str, Votes]:
    """The answers of standing votes to closed `questions`, by query and arrival."""
    known = list(queries.values_list("pk", "qid", "position"))
    pks = np.array([pk for pk, *_ in known], dtype=np.int64)
    order = np.argsort(pks)
    place = {question.name: number for number, question in enumerate(questions)}
    code = {
        (question.name, option): number
        for question in questions
        for number, option in enumerate([CANNOT_TELL, *question.codes], start=UNTOLD)
    }
    # Joined from the votes: twice as fast as from the choices of a subquery.
    rows = votes.filter(choices__question__in=place).order_by("query__position", "id")
    names = ("query_id", "worker_id", "choices__question", "choices__option")
    columns = np.fromiter(
        (
            (query, worker, place[name], code[name, option])
            for query, worker, name, option in rows.values_list(*names).iterator(20_000)
            if (name, option) in code
        ),
        dtype=np.dtype((np.int64, 4)),
    )
    if len(columns):
        columns[:, 0] = order[np.searchsorted(pks, columns[:, 0], sorter=order)]
    voters = {
        worker.pk: worker
        for worker in Worker.objects.filter(pk__in=np.unique(columns[:, 1]).tolist()).order_by()
    }
    without_say = workers_without_say(batch=batch)
    by_question = {}
    for question in questions:
        of = columns[columns[:, 2] == place[question.name]]
        answers: list[frozenset[str]] = []
        if question.kind.takes_several:
            of, answers = _with_sets(of, question)
        workers, worker = np.unique(of[:, 1], return_inverse=True)
        about = [voters[pk] for pk in workers.tolist()]
        excluded = np.array([voter.pk in without_say for voter in about], dtype=bool)
        origin = np.array([Origin[voter.voter_kind.upper()] for voter in about], dtype=np.int32)
        by_question[question.name] = Votes(
            item=of[:, 0].astype(np.int32),
            worker=worker.astype(np.int32),
            answer=of[:, 3].astype(np.int32),
            items=tuple(qid for _, qid, _ in known),
            workers=tuple(voter.worker_id for voter in about),
            options=question.codes,
            kind=kind_of(question),
            answers=tuple(answers),
            points=points_of(question),
            are_all_offered=are_all_offered(batch=batch),
            origin=origin[worker],
            excluded=excluded[worker],
            # A batch's first HITs have its queries in their order.
            clusters=np.array([at // batch.queries_per_hit for *_, at in known], dtype=np.int32),
            suggested_by=batch.suggested_by,
        )
    return by_question


def _with_sets(
    rows: npt.NDArray[np.int64], question: Question
) -> tuple[npt.NDArray[np.int64], list[frozenset[str]]]:
    """One row for the options of an answer together, and the different sets that these are."""
    held: dict[tuple[int, int], set[int]] = {}
    for query, worker, _, option in rows.tolist():
        held.setdefault((query, worker), set()).add(option)
    codes = {key: frozenset(question.codes[at] for at in of if at >= 0) for key, of in held.items()}
    sets = sorted({of for of in codes.values() if of}, key=joined)
    place = {of: number for number, of in enumerate(sets)}
    together = [(*key, 0, place.get(of, UNTOLD)) for key, of in codes.items()]
    return np.array(together, dtype=np.int64).reshape(-1, 4), sets


def voter_kinds(*, batch: Batch) -> dict[str, int]:
    """The votes that count by voter: people, simulated workers, models.

    Unverified people who count all the same are a kind of their own.
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


def are_all_offered(*, batch: Batch) -> bool:
    """Return whether voters could choose all options; a file without a scheme does not say.

    Of a batch imported without one only the options in use are known.
    """
    return batch.environment != Environment.IMPORTED or batch.scheme_versions.exists()
