"""Importing votes of another program without a study: the import makes one."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from annotation.core.names import free_name, new_among
from annotation.core.operations import Actor, AnyOperation, Operation, Result, Run
from annotation.core.parameters import HIDDEN, TermError, parameter, read_parameters
from annotation.core.perform import perform_here
from annotation.core.scheme_field import SchemeField
from annotation.labels.export.file_formats import describe
from annotation.labels.operations.votes_added import ADD_VOTES
from annotation.labels.operations.votes_import import (
    LONGEST_QUESTION,
    OWN_QUESTION,
    ImportVotesParameters,
    import_votes,
)
from annotation.models import Batch
from annotation.schemes import Scheme
from annotation.studies.file_store import Stream, receive, workplace
from annotation.studies.operations.files import in_words_of
from annotation.studies.staged_files import keep_tables
from annotation.vocabulary import LONGEST_OWN_NAME, Permit, WorkerKind
from metrics.errors import InputError
from metrics.votes.files.mapping import read_mapping, read_names
from metrics.votes.files.naming import shared_name
from metrics.votes.files.reader import IMPORT_FORMATS

_LONGEST_NAME = 90
_LONGEST_MAPPING = 5_000


@dataclass(frozen=True, kw_only=True)
class BringVotesParameters(ImportVotesParameters):
    name: str = parameter(
        "",
        max_length=LONGEST_OWN_NAME,
        allow_blank=True,
        label="Name of the study and its batch",
        help_text="Empty: the name of the file up to the first dot, or what several share.",
    )
    arrived: str = parameter("votes", max_length=200, style=HIDDEN)


@dataclass(frozen=True, kw_only=True)
class UploadedVotesParameters:
    """An uploaded file of votes, and the way to read it."""

    filename: str = parameter(
        "votes",
        max_length=200,
        help_text="What the file is called: doccano's files are named after their annotators.",
        style=HIDDEN,
    )
    layout: str = parameter(
        "",
        choices=["", *((layout.name, layout.title) for layout in IMPORT_FORMATS.values())],
        allow_blank=True,
        help_text=describe(IMPORT_FORMATS) + " Left out: what the content says.",
    )
    columns: str = parameter(
        "",
        max_length=_LONGEST_MAPPING,
        allow_blank=True,
        help_text="Where things are, as in query_id=task,label=result.gender.",
    )
    labels: str = parameter(
        "",
        max_length=_LONGEST_MAPPING,
        allow_blank=True,
        help_text="Category of each label word, as in Female=f,Male=m,Unsure=u,Spam= (left out).",
    )
    gold: str = parameter(
        "",
        max_length=_LONGEST_MAPPING,
        allow_blank=True,
        help_text="Mechanical Turk: answer columns that check the worker, and what is expected.",
    )
    people: str = parameter(
        "",
        max_length=_LONGEST_MAPPING,
        allow_blank=True,
        help_text="The columns that each hold one person's answers, as in ann,bob,cyd. Left "
        "out: as the names of the columns suggest.",
    )
    ignore: str = parameter(
        "",
        max_length=_LONGEST_MAPPING,
        allow_blank=True,
        help_text="Columns that are not a person, as in predicted,n_votes.",
    )
    voters: str = parameter(
        WorkerKind.HUMAN,
        choices=WorkerKind.choices,
        help_text="Who voted. Simulated and model votes are always marked.",
    )


@dataclass(frozen=True, kw_only=True)
class UploadVotesParameters(UploadedVotesParameters):
    """And what becomes of it."""

    name: str = parameter(
        "",
        max_length=LONGEST_OWN_NAME,
        allow_blank=True,
        help_text="Name of the study and its batch. Empty: the file's name up to the first dot; "
        "of a zip of several, what their names share.",
    )
    scheme: Scheme | None = parameter(
        None,
        kind=SchemeField,
        allow_null=True,
        help_text="What was asked, if not the gender: name of a built-in scheme, or YAML of a "
        "scheme with one question. The file uses its codes or labels.",
    )
    question: str = parameter(
        "", max_length=LONGEST_QUESTION, allow_blank=True, help_text=OWN_QUESTION
    )


class BringVotes(Operation[None, BringVotesParameters]):
    """Import votes as the batch of a new study that belongs to the person who imports them."""

    name = "bring votes"
    command = None
    title = "Bring your votes"
    subject = None
    parameters = BringVotesParameters
    permission = None
    permit = Permit.CREATE_STUDIES

    def run(self, subject: None, parameters: BringVotesParameters, run: Run) -> Result:
        shared = shared_name([file.name for file in parameters.files], parameters.arrived)
        name = parameters.name.strip() or free_batch_name(shared)
        report = import_votes(
            paths=parameters.files,
            name=name,
            reading=parameters.reading,
            voters=parameters.voters,
            queries=parameters.queries,
            scheme=parameters.scheme,
            actor=run.actor,
        )
        batch = Batch.objects.get(name=name, removed_at=None)
        numbers = {"batch": batch.pk, "study": batch.study_id}
        return Result(asdict(report) | numbers, " ".join(report.lines), made=batch)


def free_batch_name(shared: str) -> str:
    """The name that files share, or one like it that no batch has."""
    stem = shared[:_LONGEST_NAME].strip() or "votes"
    return free_name(stem, new_among(Batch.objects))


BRING_VOTES = BringVotes()


def bring_upload(stream: Stream, parameters: Mapping[str, Any], actor: Actor) -> Result:
    """Import a file, or a zip of files; errors name it as its sender does."""
    terms = read_parameters(UploadVotesParameters, parameters)
    values: dict[str, Any] = {
        "name": terms.name,
        "scheme": terms.scheme,
        "question": terms.question,
        "arrived": terms.filename.partition(".")[0].strip() or "votes",
    }
    return _upload(BRING_VOTES, None, stream, terms, values, actor)


def add_upload(batch: Batch, stream: Stream, parameters: Mapping[str, Any], actor: Actor) -> Result:
    """Add the votes of a file, or of a zip of files; errors name it as its sender does."""
    terms = read_parameters(UploadedVotesParameters, parameters)
    return _upload(ADD_VOTES, batch, stream, terms, {}, actor)


def _upload(  # noqa: PLR0917
    operation: AnyOperation,
    subject: Batch | None,
    stream: Stream,
    terms: UploadedVotesParameters,
    values: dict[str, Any],
    actor: Actor,
) -> Result:
    values |= {
        "layout": terms.layout,
        "voters": terms.voters,
        "columns": _mapping("columns", terms.columns, last=False),
        "labels": _mapping("labels", terms.labels, last=True),
        "gold": _mapping("gold", terms.gold, last=False),
        "people": read_names(terms.people),
        "ignore": read_names(terms.ignore),
    }
    with workplace() as folder:
        arrived = folder / "arrived"
        receive(stream, arrived)
        paths = keep_tables(arrived, terms.filename)
        try:
            return perform_here(operation, subject, {**values, "files": paths}, actor)
        except InputError as error:
            for path in paths:
                if error.path == str(path):
                    raise in_words_of(error, path, path.name) from error
            raise


def _mapping(name: str, text: str, *, last: bool) -> dict[str, str]:
    try:
        return read_mapping(text, last=last)
    except InputError as error:
        raise TermError.of(name, error) from error
