"""Storing the votes of files: workers, votes, and answers that are none."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from annotation.labels.operations.import_report import uncounted
from annotation.labels.operations.imports import CHUNK, record_votes
from annotation.models import Batch, BatchQuery, UncountedAnswer, Vote, Worker
from annotation.schemes import Question
from annotation.schemes.released import option_in_file
from annotation.vocabulary import LONGEST_ID, Environment
from metrics.errors import InputError
from metrics.remedies import Remedy
from metrics.votes.files.answers import Answer, NoVote, Votes


def store_read(
    batch: Batch, stored: Sequence[BatchQuery], read: Votes, question: Question, voters: str
) -> None:
    """Store what was read about the queries `stored`. Call it inside a transaction."""
    workers = _workers(read, kind=voters)
    _store_votes(stored=stored, workers=workers, read=read, question=question)
    _store_uncounted(batch=batch, set_aside=uncounted(read))


def _workers(read: Votes, *, kind: str) -> dict[str, Worker]:
    """The workers of the votes by their id, new ones stored with `kind`."""
    names = list(
        dict.fromkeys(vote.worker for vote in (*read.votes, *read.cannot_tell, *read.repeated))
    )
    workers: dict[str, Worker] = {}
    for start in range(0, len(names), CHUNK):
        known = Worker.objects.filter(
            environment=Environment.IMPORTED, worker_id__in=names[start : start + CHUNK]
        )
        workers |= {worker.worker_id: worker for worker in known}
    if other := next((worker for worker in workers.values() if worker.kind != kind), None):
        raise InputError(
            f"the voter {other.worker_id!r} was imported before as: {other.get_kind_display()}.",
            remedies=[Remedy("if they are", {"voters": other.kind})],
            remedy="Otherwise rename the voters in the file.",
        )
    new = [
        Worker(environment=Environment.IMPORTED, worker_id=name, kind=kind)
        for name in names
        if name not in workers
    ]
    stored = Worker.objects.bulk_create(new, batch_size=CHUNK)
    return workers | {worker.worker_id: worker for worker in stored}


def _store_votes(
    *,
    stored: Sequence[BatchQuery],
    workers: Mapping[str, Worker],
    read: Votes,
    question: Question,
) -> None:
    query_of = {query.qid: query for query in stored}

    def row(answer: Answer, *, counts: bool = True) -> tuple[Vote, list[tuple[str, str]]]:
        vote = Vote(
            query=query_of[answer.qid],
            worker=workers[answer.worker],
            counts=counts,
            seconds=answer.seconds,
            answered_at=answer.answered_at,
        )
        return vote, [(question.name, option_in_file(question, answer.answer))]

    record_votes(
        [
            *(row(vote) for vote in (*read.votes, *read.cannot_tell)),
            *(row(vote, counts=False) for vote in read.repeated),
        ]
    )


def _store_uncounted(*, batch: Batch, set_aside: Iterable[NoVote]) -> None:
    UncountedAnswer.objects.bulk_create(
        (
            UncountedAnswer(
                batch=batch,
                reason=no_vote.reason,
                source=Path(no_vote.answer.path).name[:300],
                line=no_vote.answer.line,
                qid=no_vote.answer.qid[:LONGEST_ID],
                worker=no_vote.answer.worker[:LONGEST_ID],
                answer=no_vote.answer.answer,
            )
            for no_vote in set_aside
        ),
        batch_size=CHUNK,
    )
