"""Add votes of files to a batch that exists: more answers to its question."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from django.db import transaction
from django.db.models import Max

from annotation.core.counting import counted
from annotation.core.money import lock_batch
from annotation.core.operations import Actor, Operation, Result, Run
from annotation.labels.operations.import_report import uncounted
from annotation.labels.operations.imports import ImportedQuery, store_queries, unpacked
from annotation.labels.operations.votes_import import VoteFileParameters, queries_of
from annotation.labels.operations.votes_read import VoteReading, asked_question, votes_in
from annotation.labels.operations.votes_stored import store_read
from annotation.labels.queries.pseudonyms import worker_names
from annotation.models import AuditEvent, Batch, BatchQuery, UncountedAnswer, Vote, Worker
from annotation.schemes import Question
from annotation.schemes.released import option_in_file
from annotation.vocabulary import LONGEST_ID, AuditAction, BatchState
from metrics.votes.files.answers import Answer, NoVote, Votes

#: Who voted on what: the id of a query, and that of a worker.
_Place = tuple[str, str]


@dataclass(frozen=True)
class AddedVotes:
    """Votes that a batch got from files.

    `n_known` answers are of workers who have voted on the query: their first answers stand, and
    `n_different` of the new ones differ from them. `n_queries` are new in the batch.
    """

    name: str
    n_votes: int
    n_workers: int
    n_queries: int
    n_known: int
    n_different: int
    set_aside: dict[str, int] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    @property
    def lines(self) -> list[str]:
        """The addition in words."""
        votes = f"{counted(self.n_votes, 'vote')} of {counted(self.n_workers, 'worker')}"
        sentences = [f"{votes} added, {counted(self.n_queries, 'query')} of them new in the batch."]
        if self.n_known:
            differ = f", {self.n_different:,} of them otherwise" if self.n_different else ""
            before = f"{self.n_known:,} were voted on by the same worker before{differ}"
            sentences.append(f"{before}: those votes stand.")
        return [*sentences, *self.notes]


class AddVotes(Operation[Batch, VoteFileParameters]):
    """Add votes of files to a batch, all or nothing: more answers to its question.

    Each worker has one vote on a query, so that a file that is added twice adds nothing, nor does
    one that the batch gave. Beside answers of annotators they stay marked as imported, nothing is
    paid for them, and they are about queries that the batch asks.
    """

    name = "add votes"
    command = "label add-votes"
    title = "Add votes"
    subject = Batch
    parameters = VoteFileParameters
    states = (BatchState.IMPORTED, BatchState.PUBLISHED, BatchState.STOPPED)

    def run(self, subject: Batch, parameters: VoteFileParameters, run: Run) -> Result:
        with unpacked(parameters.files) as paths:
            added = add_votes(
                batch=subject,
                paths=paths,
                reading=parameters.reading,
                voters=parameters.voters,
                actor=run.actor,
            )
        return Result(asdict(added), " ".join(added.lines), made=added)


ADD_VOTES = AddVotes()


def add_votes(
    *,
    batch: Batch,
    paths: Sequence[str | Path],
    reading: VoteReading,
    voters: str,
    actor: Actor,
) -> AddedVotes:
    """Store the votes of files that the batch does not have yet, and the queries they are on."""
    question = asked_question(batch.scheme)
    read, _ = votes_in(paths, batch.scheme, replace(reading, is_more=True))
    if read.models:
        read.models = []
        read.notes = [*read.notes, "Labels of models are left out: import them as such."]
    with transaction.atomic():
        lock_batch(batch.pk)  # another addition would store the same votes
        new, known = _unknown(batch, read)
        queries = {query.qid: query for query in batch.queries.all()}
        further = _further(queries, queries_of(new, None), new)
        if batch.state != BatchState.IMPORTED:
            _check_beside_annotators(batch, new, further)
        last = batch.queries.aggregate(last=Max("position"))["last"]
        store_queries(batch, further, first=0 if last is None else last + 1)
        store_read(batch, list(batch.queries.all()), new, question, voters)
        n_votes = len(new.votes) + len(new.cannot_tell)
        if n_votes or new.set_aside:
            AuditEvent.objects.create(
                batch=batch,
                actor=actor.name,
                action=AuditAction.VOTES_IMPORTED,
                detail={"files": [Path(path).name for path in paths], "voters": str(voters),
                        "votes": n_votes},
            )  # fmt: skip
    return AddedVotes(
        name=batch.name,
        n_votes=n_votes,
        n_workers=len({vote.worker for vote in (*new.votes, *new.cannot_tell)}),
        n_queries=len(further),
        n_known=len(known),
        n_different=_n_different(batch, question, known),
        set_aside=dict(sorted(Counter(str(aside.reason) for aside in uncounted(new)).items())),
        notes=_notes(batch, read, n_votes),
    )


def _unknown(batch: Batch, read: Votes) -> tuple[Votes, list[Answer]]:
    """Votes that the batch does not have, and the answers whose worker has voted already."""
    names, voted = worker_names(batch=batch), set()
    places = Vote.objects.filter(query__batch=batch)
    for qid, worker, key in places.values_list("query__qid", "worker__worker_id", "worker_id"):
        # Files that the batch gave have pseudonyms.
        voted |= {(qid, worker), (qid, names[key])}

    def is_new(answer: Answer) -> bool:
        return _place(answer) not in voted

    stored = set(
        UncountedAnswer.objects.filter(batch=batch).values_list(
            "reason", "source", "line", "qid", "worker", "answer"
        )
    )
    new = replace(
        read,
        votes=list(filter(is_new, read.votes)),
        cannot_tell=list(filter(is_new, read.cannot_tell)),
        repeated=list(filter(is_new, read.repeated)),
        set_aside=[aside for aside in read.set_aside if _row(aside) not in stored],
    )
    known = [vote for vote in (*read.votes, *read.cannot_tell) if not is_new(vote)]
    return new, known


def _place(answer: Answer) -> _Place:
    return answer.qid, answer.worker


def _row(aside: NoVote) -> tuple[Any, ...]:
    """The answer as `votes_stored` stores it."""
    answer = aside.answer
    source = Path(answer.path).name[:300]
    ids = (answer.qid[:LONGEST_ID], answer.worker[:LONGEST_ID])
    return (str(aside.reason), source, answer.line, *ids, answer.answer)


def _further(
    known: Mapping[str, BatchQuery], queries: Iterable[ImportedQuery], read: Votes
) -> list[ImportedQuery]:
    """The queries that the batch lacks; `InputError` for one that it has otherwise."""
    first = _first(read)
    further = []
    for query in queries:
        mine = known.get(query.qid)
        if mine is None:
            further.append(query)
            continue
        for what, theirs, ours in (
            ("text", query.text, mine.text),
            ("passage", query.passage, mine.passage),
            ("gold answer", query.gold, mine.gold),
        ):
            if theirs and theirs != ours:
                raise first[query.qid].error(
                    f"the query {query.qid!r} has another {what} in the batch.",
                    "Import the file as a batch of its own, or correct its ids.",
                )
    return further


def _check_beside_annotators(batch: Batch, new: Votes, further: Sequence[ImportedQuery]) -> None:
    """Refuse votes on queries that are not asked, and of somebody called as an annotator is."""
    if further:
        raise _first(new)[further[0].qid].error(
            f"the batch {batch.name!r} has no query {further[0].qid!r}.",
            "Import votes on other queries as a batch of their own.",
        )
    annotators = Worker.objects.filter(assignments__hit__batch=batch)
    names = {*annotators.values_list("worker_id", flat=True)}
    for vote in (*new.votes, *new.cannot_tell):
        if vote.worker in names:
            raise vote.error(
                f"{vote.worker!r} is an annotator of the batch {batch.name!r}, with answers there.",
                "Rename the voter in the file, if it is somebody else.",
            )


def _first(read: Votes) -> dict[str, Answer]:
    """An answer to each query, which an error about the query names."""
    return {vote.qid: vote for vote in (*read.repeated, *read.cannot_tell, *read.votes)}


def _n_different(batch: Batch, question: Question, known: Iterable[Answer]) -> int:
    columns = ("query__qid", "worker__worker_id", "worker_id", "choices__option")
    votes = Vote.objects.filter(query__batch=batch, choices__question=question.name)
    names = worker_names(batch=batch)
    standing = {
        (qid, name): option
        for qid, worker, key, option in votes.standing().values_list(*columns)
        for name in (worker, names[key])
    }
    return sum(
        standing.get(_place(answer)) != option_in_file(question, answer.answer) for answer in known
    )


def _notes(batch: Batch, read: Votes, n_votes: int) -> list[str]:
    labels = batch.labellings.exists() and n_votes
    again = ["Its labels were decided without these votes: decide them again."] if labels else []
    return [*read.notes, *again]
