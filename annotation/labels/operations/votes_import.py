"""Import the votes of an older study, from files, as a batch."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from django.db import transaction
from rest_framework.serializers import CharField, DictField, ListField

from annotation.core.operations import Actor, Operation, Result, Run
from annotation.core.parameters import HIDDEN, PathField, parameter
from annotation.core.scheme_field import SchemeField
from annotation.labels.export.file_formats import describe
from annotation.labels.operations.import_report import ImportReport, import_report, known_models
from annotation.labels.operations.imports import (
    ImportedQuery,
    check_batch_name,
    create_imported_batch,
    unpacked,
)
from annotation.labels.operations.model_labels import store_model_labels
from annotation.labels.operations.votes_read import (
    VoteReading,
    answers_in,
    asked_question,
    votes_in,
)
from annotation.labels.operations.votes_stored import store_read
from annotation.models import Study
from annotation.schemes import Scheme
from annotation.studies.operations.create import study_for
from annotation.vocabulary import LONGEST_OWN_NAME, AuditAction, WorkerKind
from metrics.runs.queries import read_queries
from metrics.votes.files.answers import Votes
from metrics.votes.files.people import Choice
from metrics.votes.files.query_ids import with_ids_of
from metrics.votes.files.reader import IMPORT_FORMATS


def _mapping() -> Any:
    child = CharField(allow_blank=True, trim_whitespace=False)
    return parameter(dict, kind=DictField, child=child, style=HIDDEN)


#: Explanation of a question in words, at every entry point.
OWN_QUESTION = (
    "The question that was asked, in words, if the answers of the files fit no known scheme. "
    "Its options are these answers, as they are written."
)
LONGEST_QUESTION = 300


def _names() -> Any:
    return parameter(tuple, kind=ListField, child=CharField(), style=HIDDEN)


@dataclass(frozen=True, kw_only=True)
class VoteFileParameters:
    """`columns`, `labels`, `gold`, `people` and `ignore` are explained at `read_votes`."""

    files: Sequence[Path] = parameter(
        kind=ListField, child=PathField(), allow_empty=False, style=HIDDEN
    )
    columns: Mapping[str, str] = _mapping()
    labels: Mapping[str, str] = _mapping()
    gold: Mapping[str, str] = _mapping()
    people: Sequence[str] = _names()
    ignore: Sequence[str] = _names()
    layout: str = parameter(
        "",
        choices=["", *((layout.name, layout.title) for layout in IMPORT_FORMATS.values())],
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

    @property
    def reading(self) -> VoteReading:
        """The way to read the files."""
        return VoteReading(
            columns=self.columns,
            labels=self.labels,
            gold=self.gold,
            layout=self.layout,
            choice=Choice(tuple(self.people), tuple(self.ignore)),
        )


@dataclass(frozen=True, kw_only=True)
class ImportVotesParameters(VoteFileParameters):
    """Whose batch they become, and what was asked."""

    name: str = parameter(
        max_length=LONGEST_OWN_NAME, label="Name of the batch", help_text="Must be new."
    )
    queries: Path | None = parameter(None, kind=PathField, allow_null=True, style=HIDDEN)
    scheme: Scheme | None = parameter(
        None,
        kind=SchemeField,
        allow_null=True,
        style=HIDDEN,
        help_text="What was asked, if not the gender: name of a built-in scheme, or a scheme "
        "with one question. The files use its codes or labels.",
    )
    question: str = parameter(
        "",
        max_length=LONGEST_QUESTION,
        allow_blank=True,
        style=HIDDEN,
        help_text=OWN_QUESTION,
    )

    @property
    def reading(self) -> VoteReading:
        return replace(super().reading, own=self.question)


class ImportVotes(Operation[Study, ImportVotesParameters]):
    """Import votes as a batch, all or nothing: a table, or what an annotation program exported.

    Answers that are not votes are kept and reported with their reasons.
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
                reading=parameters.reading,
                voters=parameters.voters,
                queries=parameters.queries,
                scheme=parameters.scheme,
                actor=run.actor,
                study=subject,
            )
        return Result(asdict(report), " ".join(report.lines), made=report)


IMPORT_VOTES = ImportVotes()


def votes_read_as(parameters: VoteFileParameters) -> list[str]:
    """Describe how the files would be read, in words; nothing is stored."""
    with unpacked(parameters.files) as paths:
        files, read = answers_in(paths, parameters.reading)
        people = len({answer.worker for answer in read.answers})
        counts = f"{len(read.answers):,} answers of {people:,} workers."
        return [*dict.fromkeys([*files.said, *read.notes]), counts]


def import_votes(
    *,
    paths: Sequence[str | Path],
    name: str,
    reading: VoteReading | None = None,
    voters: str = WorkerKind.HUMAN,
    queries: str | Path | None = None,
    scheme: Scheme | None = None,
    actor: Actor,
    study: Study | None = None,
) -> ImportReport:
    """Store the votes of `paths` as the batch `name`, all or nothing.

    `voters` says who voted, and stays with the votes. With a file of `queries` those are the
    queries of the batch, and a vote for any other is an error with its line; without, the queries
    are those with a vote. The answers are those to the only question of `scheme`, to the question
    in words of `reading`, or to that for the categories.
    """
    check_batch_name(name=name)
    read, scheme = votes_in(paths, scheme, reading or VoteReading())
    question = asked_question(scheme)
    if queries is not None:
        read = with_ids_of(read, read_queries(queries, "all").texts)
    imported = queries_of(read, queries)
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
        store_read(batch, stored, read, question, voters)
        if read.models:
            store_model_labels(
                study=batch.study,
                question=question,
                path=first,
                answers=known_models(read),
                actor=actor,
            )
    return import_report(name, imported, read)


def queries_of(read: Votes, known: str | Path | None) -> list[ImportedQuery]:
    """The queries of the batch: the known ones, or those of the votes in order of appearance."""
    texts: dict[str, str] = {}
    gold: dict[str, str] = {}
    passages: dict[str, str] = {}
    texts_by_qid = None if known is None else read_queries(known, "all").texts
    for vote in (*read.votes, *read.cannot_tell, *read.repeated):
        if texts_by_qid is not None and vote.docno:
            raise vote.error(
                "files of pairs already have the texts.", "Leave out the file of queries."
            )
        if texts_by_qid is not None and vote.qid not in texts_by_qid and not vote.gold:
            raise vote.error(
                f"a vote for the query {vote.qid!r}, which {known} does not have.",
                "Add the query to the file of queries, or import without that file: then the "
                "queries are those with votes.",
            )
        for what, known_values, value in (
            ("text", texts, vote.text),
            ("gold", gold, vote.gold),
            ("passage", passages, vote.passage),
        ):
            if known_values.setdefault(vote.qid, value) != value:
                raise vote.error(
                    f"the query {vote.qid!r} has another {what} on an earlier line.",
                    "Queries are told apart by their id: name its column.",
                )
    if texts_by_qid is not None:
        texts = {**texts, **texts_by_qid}
        order = [*texts_by_qid, *(qid for qid in texts if qid not in texts_by_qid)]
    else:
        order = list(texts)
    return [
        ImportedQuery(qid, texts[qid], gold.get(qid, ""), passages.get(qid, "")) for qid in order
    ]
