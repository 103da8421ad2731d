"""Import the votes of an older study, from files, as a batch."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from django.db import transaction
from rest_framework.serializers import CharField, DictField, ListField

from annotation.core.operations import Actor, Operation, Result, Run
from annotation.core.parameters import HIDDEN, PathField, parameter
from annotation.core.scheme_field import SchemeField
from annotation.labels.export.file_formats import describe
from annotation.labels.operations.import_report import (
    ImportReport,
    import_report,
    known_models,
    uncounted,
)
from annotation.labels.operations.imports import (
    CHUNK,
    ImportedQuery,
    check_batch_name,
    create_imported_batch,
    record_votes,
    unpacked,
)
from annotation.labels.operations.model_labels import store_model_labels
from annotation.labels.vote_files.answers import Answer, ModelAnswer, NoVote, Votes
from annotation.labels.vote_files.people import NOTHING_CHOSEN, Choice
from annotation.labels.vote_files.reader import (
    IMPORT_FORMATS,
    read_answers,
    read_tables,
    read_votes,
)
from annotation.models import Batch, BatchQuery, Study, UncountedAnswer, Vote, Worker
from annotation.schemes import CANNOT_TELL, About, Question, Scheme, built_in_scheme
from annotation.schemes.released import file_codes, option_in_file
from annotation.studies.operations.create import study_for
from annotation.vocabulary import (
    CATEGORY_QUESTION,
    LONGEST_ID,
    AuditAction,
    Environment,
    WorkerKind,
)
from metrics.errors import InputError
from metrics.runs.queries import read_queries


def _mapping() -> Any:
    child = CharField(allow_blank=True, trim_whitespace=False)
    return parameter(dict, kind=DictField, child=child, style=HIDDEN)


def _names() -> Any:
    return parameter(tuple, kind=ListField, child=CharField(), style=HIDDEN)


@dataclass(frozen=True, kw_only=True)
class ImportVotesParameters:
    """`columns`, `labels`, `gold`, `people` and `ignore` are explained at `read_votes`."""

    name: str = parameter(max_length=100, label="Name of the batch", help_text="Must be new.")
    files: Sequence[Path] = parameter(
        kind=ListField, child=PathField(), allow_empty=False, style=HIDDEN
    )
    columns: Mapping[str, str] = _mapping()
    labels: Mapping[str, str] = _mapping()
    gold: Mapping[str, str] = _mapping()
    people: Sequence[str] = _names()
    ignore: Sequence[str] = _names()
    queries: Path | None = parameter(None, kind=PathField, allow_null=True, style=HIDDEN)
    layout: str = parameter(
        "",
        choices=["", *((layout.name, layout.title) for layout in IMPORT_FORMATS.values())],
        allow_blank=True,
        style={"option": "format", **HIDDEN},
        help_text=describe(IMPORT_FORMATS) + " Left out: what the content says.",
    )
    scheme: Scheme | None = parameter(
        None,
        kind=SchemeField,
        allow_null=True,
        style=HIDDEN,
        help_text="What was asked, if not for the gender: name of a built-in scheme, or a scheme "
        "with one question. Its codes and labels are what the files say.",
    )
    voters: str = parameter(
        WorkerKind.HUMAN,
        choices=WorkerKind.choices,
        label="Who voted",
        help_text="Simulated and model votes are always marked.",
    )

    @property
    def choice(self) -> Choice:
        return Choice(tuple(self.people), tuple(self.ignore))


class ImportVotes(Operation[Study, ImportVotesParameters]):
    """Import votes as a batch, all or nothing: a table, or what an annotation program exported.

    Answers that are no votes are kept and reported with their reasons.
    """

    name = "import votes"
    command = "label import-votes"
    title = "Import votes"
    subject = Study
    parameters = ImportVotesParameters

    def run(self, subject: Study | None, parameters: ImportVotesParameters, run: Run) -> Result:
        with unpacked(parameters.files) as paths:
            report = import_votes(
                paths=paths,
                name=parameters.name,
                columns=parameters.columns,
                labels=parameters.labels,
                gold=parameters.gold,
                voters=parameters.voters,
                layout=parameters.layout,
                choice=parameters.choice,
                queries=parameters.queries,
                scheme=parameters.scheme,
                actor=run.actor,
                study=subject,
            )
        return Result(asdict(report), " ".join(report.lines), made=report)


IMPORT_VOTES = ImportVotes()


def votes_read_as(parameters: ImportVotesParameters) -> list[str]:
    """Describe how the files would be read, in words; nothing is stored."""
    with unpacked(parameters.files) as paths:
        files = read_tables(paths, parameters.layout, parameters.choice, parameters.columns)
        read = read_answers(files, columns=parameters.columns, gold=parameters.gold)
        people = len({answer.worker for answer in read.answers})
        counts = f"{len(read.answers):,} answers of {people:,} workers."
        return [*dict.fromkeys([*files.said, *read.notes]), counts]


def import_votes(
    *,
    paths: Sequence[str | Path],
    name: str,
    columns: Mapping[str, str] | None = None,
    labels: Mapping[str, str] | None = None,
    gold: Mapping[str, str] | None = None,
    voters: str = WorkerKind.HUMAN,
    layout: str = "",
    choice: Choice = NOTHING_CHOSEN,
    queries: str | Path | None = None,
    scheme: Scheme | None = None,
    actor: Actor,
    study: Study | None = None,
) -> ImportReport:
    """Store the votes of `paths` as the batch `name`, all or nothing.

    `columns`, `labels`, `gold` and `choice` are explained at `read_votes`. `voters` says who voted,
    and stays with the votes. With a file of `queries` those are the queries of the batch, and a
    vote for any other is an error with its line; without, the queries are those with a vote.
    The answers are those to the only question of `scheme`, or to that for the categories.
    """
    check_batch_name(name=name)
    question = asked_question(scheme)
    read = read_votes(
        paths,
        categories=question.codes,
        cannot_tell=file_codes(question, [CANNOT_TELL]),
        columns=columns or {},
        labels=words_of(scheme) | dict(labels or {}),
        gold=gold or {},
        layout=layout,
        choice=choice,
    )
    if read.models and not question.is_nominal:
        read.models = []
        left_out = f"Labels of models are left out: the options of {question.name} have an order."
        read.notes = [*read.notes, left_out]
    _check_lengths([*read.votes, *read.cannot_tell])
    _check_names(Path(paths[0]), known_models(read))
    _check_about([*read.votes, *read.cannot_tell], scheme, queries)
    imported = _queries_of(read, queries)
    first = Path(paths[0])
    with transaction.atomic():
        batch, stored = create_imported_batch(
            name=name,
            study=study_for(study, name=name, actor=actor),
            queries=imported,
            actor=actor.name,
            action=AuditAction.VOTES_IMPORTED,
            detail={"files": [Path(path).name for path in paths], "voters": str(voters)},
            scheme=scheme,
        )
        workers = _workers(read, kind=voters)
        _store_votes(stored=stored, workers=workers, read=read, question=question)
        _store_uncounted(batch=batch, set_aside=uncounted(read))
        if read.models:
            store_model_labels(
                study=batch.study,
                question=question,
                path=first,
                answers=known_models(read),
                actor=actor,
            )
    return import_report(name, imported, read)


def asked_question(scheme: Scheme | None) -> Question:
    """The only question of the scheme, that for the categories without one; else `InputError`."""
    scheme = scheme or built_in_scheme(CATEGORY_QUESTION)
    question, *others = scheme.questions
    if others or not question.kind.takes_one:
        raise InputError(
            f"the scheme {scheme.name!r} asks more than one question with one answer.",
            remedy="Files of votes have one answer a line: give a scheme with that question alone.",
        )
    return question


def words_of(scheme: Scheme | None) -> dict[str, str]:
    """The code of each label of a scheme's options, as it is written and in small letters."""
    options = scheme.questions[0].options if scheme else ()
    words = [
        (word, option.code) for option in options for word in (option.label, option.label.lower())
    ]
    codes = {option.code for option in options}
    return {word: code for word, code in words if word and word not in codes}


def _check_lengths(votes: Iterable[Answer]) -> None:
    for vote in votes:
        if len(vote.qid) > LONGEST_ID or len(vote.worker) > LONGEST_ID:
            raise vote.error(f"an id is longer than {LONGEST_ID} characters.")


def _check_about(
    votes: Iterable[Answer], scheme: Scheme | None, queries: str | Path | None
) -> None:
    """`InputError` for votes on pairs where the scheme is about queries, and the reverse."""
    about = scheme.about if scheme else About.QUERY
    for vote in votes:
        if vote.docno and about == About.QUERY:
            raise vote.error(
                f"the vote is on the passage {vote.docno!r}, and the scheme asks about queries.",
                "Name a scheme about passages, as --scheme relevance.",
            )
        if not vote.docno and about == About.PASSAGE:
            raise vote.error(
                "the vote names no passage, and the scheme asks about passages.",
                "Votes on pairs have the columns docno and passage.",
            )
        if vote.docno and queries is not None:
            raise vote.error(
                "pairs bring their texts themselves.", "Leave out the file of queries."
            )


def _check_names(path: Path, labels: Iterable[ModelAnswer]) -> None:
    for label in labels:
        if len(label.model) > LONGEST_ID:
            raise InputError(
                f"the name of the model {label.model[:20]!r}... has over {LONGEST_ID} characters.",
                path=path,
                line=label.place,
                remedy="Give it a shorter name.",
            )


def _queries_of(read: Votes, known: str | Path | None) -> list[ImportedQuery]:
    """The queries of the batch: the known ones, or those of the votes in order of appearance."""
    texts: dict[str, str] = {}
    gold: dict[str, str] = {}
    passages: dict[str, str] = {}
    texts_by_qid = None if known is None else read_queries(known, "all").texts
    for vote in (*read.votes, *read.cannot_tell, *read.repeated):
        if texts_by_qid is not None and vote.qid not in texts_by_qid and not vote.gold:
            raise vote.error(
                f"a vote for the query {vote.qid!r}, which {known} does not have.",
                "Add the query to the file of queries, or import without one: then the queries "
                "are those with votes.",
            )
        for what, known_values, value in (
            ("text", texts, vote.text),
            ("gold", gold, vote.gold),
            ("passage", passages, vote.passage),
        ):
            if known_values.setdefault(vote.qid, value) != value:
                raise vote.error(
                    f"the query {vote.qid!r} has another {what} on an earlier line.",
                    "Say with --columns which column tells the queries apart.",
                )
    if texts_by_qid is not None:
        texts = {**texts, **texts_by_qid}
        order = [*texts_by_qid, *(qid for qid in texts if qid not in texts_by_qid)]
    else:
        order = list(texts)
    return [
        ImportedQuery(qid, texts[qid], gold.get(qid, ""), passages.get(qid, "")) for qid in order
    ]


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
            remedy=f"Say --voters {other.kind} if they are, or rename the voters in the file.",
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
