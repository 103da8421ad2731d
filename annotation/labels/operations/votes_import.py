"""Import the votes of an older study, from files, as a batch."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from django.db import transaction
from rest_framework.serializers import CharField, DictField, ListField

from annotation.core.operations import Actor, Operation, Result, Run
from annotation.core.parameters import HIDDEN, PathField, parameter
from annotation.labels.export.file_formats import describe
from annotation.labels.operations.imports import (
    CHUNK,
    LONGEST_ID,
    ImportedQuery,
    batch_name_check,
    imported_batch_create,
)
from annotation.labels.operations.model_labels import model_labels_store
from annotation.labels.vote_files.answers import Answer, ModelAnswer, NoVote, Votes
from annotation.labels.vote_files.reader import IMPORT_FORMATS, read_votes
from annotation.models import Abstention, Batch, BatchQuery, Study, UncountedAnswer, Vote, Worker
from annotation.studies.operations.create import study_for
from annotation.vocabulary import AuditAction, Category, Environment, NoVoteReason, WorkerKind
from metrics.errors import InputError
from metrics.runs.queries import read_queries


@dataclass(frozen=True)
class ImportReport:
    """The stored import. `set_aside` counts, by reason, answers that are kept but are no votes.

    `n_votes` are the votes that count on queries of the study, `n_gold_votes` those on check
    queries; `first_set_aside` shows one place (file:line) for each reason.
    """

    name: str
    n_queries: int
    n_votes: int
    n_workers: int
    n_gold: int
    n_gold_votes: int
    n_model_labels: int = 0
    set_aside: dict[str, int] = field(default_factory=dict)
    first_set_aside: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    @property
    def lines(self) -> list[str]:
        """The import in words."""
        votes = f"{self.n_votes:,} votes of {self.n_workers:,} workers"
        found = [f"{votes} on {self.n_queries:,} queries are imported."]
        if self.n_gold:
            found.append(f"{self.n_gold_votes:,} votes on {self.n_gold:,} gold questions.")
        if self.n_model_labels:
            found.append(f"{self.n_model_labels:,} labels of models are kept beside them.")
        for reason, count in self.set_aside.items():
            what, first = NoVoteReason(reason).label, self.first_set_aside[reason]
            found.append(f"Kept, but no votes: {count:,} ({what}; first at {first}).")
        return found + self.notes


def _mapping() -> Any:
    child = CharField(allow_blank=True, trim_whitespace=False)
    return parameter(dict, kind=DictField, child=child, style=HIDDEN)


@dataclass(frozen=True, kw_only=True)
class ImportVotesParameters:
    """`columns`, `labels` and `gold` are explained at `read_votes`."""

    name: str = parameter(max_length=100, label="Name of the batch", help_text="Must be new.")
    files: Sequence[Path] = parameter(
        kind=ListField, child=PathField(), allow_empty=False, style=HIDDEN
    )
    columns: Mapping[str, str] = _mapping()
    labels: Mapping[str, str] = _mapping()
    gold: Mapping[str, str] = _mapping()
    queries: Path | None = parameter(None, kind=PathField, allow_null=True, style=HIDDEN)
    layout: str = parameter(
        "",
        choices=["", *((one.name, one.title) for one in IMPORT_FORMATS.values())],
        allow_blank=True,
        style={"option": "format", **HIDDEN},
        help_text=describe(IMPORT_FORMATS) + " Left out: what the content says.",
    )
    voters: str = parameter(
        WorkerKind.HUMAN,
        choices=WorkerKind.choices,
        label="Who voted",
        help_text="Simulated and model votes are always marked.",
    )


class ImportVotes(Operation[Study, ImportVotesParameters]):
    """Import votes as a batch, all or nothing: a table, or what an annotation program exported.

    What is no vote is kept and reported with its reason.
    """

    name = "import votes"
    command = "label import-votes"
    title = "Import votes"
    subject = Study
    parameters = ImportVotesParameters

    def run(self, subject: Study | None, parameters: ImportVotesParameters, run: Run) -> Result:
        report = votes_import(
            paths=parameters.files,
            name=parameters.name,
            columns=parameters.columns,
            labels=parameters.labels,
            gold=parameters.gold,
            voters=parameters.voters,
            layout=parameters.layout,
            queries=parameters.queries,
            actor=run.actor,
            study=subject,
        )
        return Result(asdict(report), " ".join(report.lines), made=report)


IMPORT_VOTES = ImportVotes()


def votes_import(
    *,
    paths: Sequence[str | Path],
    name: str,
    columns: Mapping[str, str] | None = None,
    labels: Mapping[str, str] | None = None,
    gold: Mapping[str, str] | None = None,
    voters: str = WorkerKind.HUMAN,
    layout: str = "",
    queries: str | Path | None = None,
    actor: Actor,
    study: Study | None = None,
) -> ImportReport:
    """Store the votes of `paths` as the batch `name`, all or nothing.

    `columns`, `labels` and `gold` are explained at `read_votes`. `voters` says who voted, and
    stays with the votes. With a file of `queries` those are the queries of the batch, and a vote
    for any other is an error with its line; without, the queries are those with a vote.
    """
    batch_name_check(name=name)
    found = read_votes(
        paths,
        categories=Category.values,
        columns=columns or {},
        labels=labels or {},
        gold=gold or {},
        layout=layout,
    )
    _check_lengths([*found.votes, *found.cannot_tell])
    imported = _queries_of(found, queries)
    first = Path(paths[0])
    with transaction.atomic():
        batch, stored = imported_batch_create(
            name=name,
            study=study_for(study, name=name, actor=actor),
            queries=imported,
            actor=actor.name,
            action=AuditAction.VOTES_IMPORTED,
            detail={"files": [Path(path).name for path in paths], "voters": str(voters)},
        )
        workers = _workers(found, kind=voters)
        _votes_store(stored=stored, workers=workers, found=found)
        _uncounted_store(batch=batch, set_aside=_all_uncounted(found))
        if found.models:
            model_labels_store(study=batch.study, path=first, answers=_known(found), actor=actor)
    return _report(name, imported, found)


def _known(found: Votes) -> list[ModelAnswer]:
    """The labels of models for queries that are imported: of others nobody has the text."""
    known = {one.qid for one in (*found.votes, *found.cannot_tell, *found.repeated)}
    return [one for one in found.models if one.qid in known]


def _all_uncounted(found: Votes) -> list[NoVote]:
    return [*found.set_aside, *(NoVote(one, NoVoteReason.REPEATED) for one in found.repeated)]


def _check_lengths(votes: Iterable[Answer]) -> None:
    for one in votes:
        if len(one.qid) > LONGEST_ID or len(one.worker) > LONGEST_ID:
            raise one.error(f"an id is longer than {LONGEST_ID} characters.")


def _queries_of(found: Votes, known: str | Path | None) -> list[ImportedQuery]:
    """The queries of the batch: the known ones, or those of the votes in order of appearance."""
    texts: dict[str, str] = {}
    gold: dict[str, str] = {}
    texts_by_qid = None if known is None else read_queries(known, "all").texts
    for one in (*found.votes, *found.cannot_tell, *found.repeated):
        if texts_by_qid is not None and one.qid not in texts_by_qid and not one.gold:
            raise one.error(
                f"a vote for the query {one.qid!r}, which {known} does not have.",
                "Take the vote out, or add the query to the file of queries.",
            )
        for what, known_values, value in (("text", texts, one.text), ("gold", gold, one.gold)):
            if known_values.setdefault(one.qid, value) != value:
                raise one.error(
                    f"the query {one.qid!r} has another {what} on an earlier line.",
                    "Say with --columns query_id=... what tells the queries apart.",
                )
    if texts_by_qid is not None:
        texts = {**texts, **texts_by_qid}
        order = [*texts_by_qid, *(qid for qid in texts if qid not in texts_by_qid)]
    else:
        order = list(texts)
    return [ImportedQuery(qid, texts[qid], gold.get(qid, "")) for qid in order]


def _workers(found: Votes, *, kind: str) -> dict[str, Worker]:
    """The workers of the votes by their id, new ones stored with `kind`."""
    names = list(
        dict.fromkeys(one.worker for one in (*found.votes, *found.cannot_tell, *found.repeated))
    )
    workers: dict[str, Worker] = {}
    for start in range(0, len(names), CHUNK):
        known = Worker.objects.filter(
            environment=Environment.IMPORTED, worker_id__in=names[start : start + CHUNK]
        )
        workers |= {worker.worker_id: worker for worker in known}
    if other := next((one for one in workers.values() if one.kind != kind), None):
        raise InputError(
            f"the voter {other.worker_id!r} was imported before as: {other.get_kind_display()}.",
            remedy="Say with --voters who voted, or rename the voters in the file.",
        )
    new = [
        Worker(environment=Environment.IMPORTED, worker_id=name, kind=kind)
        for name in names
        if name not in workers
    ]
    stored = Worker.objects.bulk_create(new, batch_size=CHUNK)
    return workers | {worker.worker_id: worker for worker in stored}


def _votes_store(
    *, stored: Sequence[BatchQuery], workers: Mapping[str, Worker], found: Votes
) -> None:
    query_of = {query.qid: query for query in stored}
    for votes, counts in ((found.votes, True), (found.repeated, False)):
        Vote.objects.bulk_create(
            (
                Vote(
                    query=query_of[one.qid],
                    worker=workers[one.worker],
                    category=one.answer,
                    counts=counts,
                    seconds=one.seconds,
                    answered_at=one.answered_at,
                )
                for one in votes
            ),
            batch_size=CHUNK,
        )

    Abstention.objects.bulk_create(
        (
            Abstention(
                query=query_of[one.qid],
                worker=workers[one.worker],
                seconds=one.seconds,
                answered_at=one.answered_at,
            )
            for one in found.cannot_tell
        ),
        batch_size=CHUNK,
    )


def _uncounted_store(*, batch: Batch, set_aside: Iterable[NoVote]) -> None:
    UncountedAnswer.objects.bulk_create(
        (
            UncountedAnswer(
                batch=batch,
                reason=one.reason,
                source=Path(one.answer.path).name[:300],
                line=one.answer.line,
                qid=one.answer.qid[:LONGEST_ID],
                worker=one.answer.worker[:LONGEST_ID],
                answer=one.answer.answer,
            )
            for one in set_aside
        ),
        batch_size=CHUNK,
    )


def _report(name: str, queries: Sequence[ImportedQuery], found: Votes) -> ImportReport:
    set_aside = _all_uncounted(found)
    counted = Counter(str(one.reason) for one in set_aside)
    first: dict[str, str] = {}
    for one in set_aside:
        place = f"{Path(one.answer.path).name}:{one.answer.line}"
        first.setdefault(str(one.reason), place)
    gold = {one.qid for one in queries if one.gold}
    on_gold = sum(one.qid in gold for one in found.votes)
    return ImportReport(
        name=name,
        n_queries=len(queries) - len(gold),
        n_votes=len(found.votes) - on_gold,
        n_workers=len({one.worker for one in found.votes}),
        n_gold=len(gold),
        n_gold_votes=on_gold,
        n_model_labels=len(_known(found)),
        set_aside=dict(sorted(counted.items())),
        first_set_aside=first,
        notes=found.notes,
    )
