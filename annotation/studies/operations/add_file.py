"""Adding a file to a study: an upload, or a file on the server."""

from dataclasses import dataclass
from typing import Any

from rest_framework.serializers import Field, ValidationError

from annotation.core.counting import counted
from annotation.core.operations import Actor, Operation, Result, Run, run_and_roll_back
from annotation.core.parameters import HIDDEN, parameter
from annotation.models import Study, StudyFile
from annotation.studies.file_checks import FIRST_LINES
from annotation.studies.file_store import Stream
from annotation.studies.operations.files import add_study_file, study_file_point_to
from annotation.vocabulary import KIND_BY_CONTENT, LONGEST_OWN_NAME, FileKind


class StreamField(Field[Stream, Any, str, Any]):
    """An upload read in pieces, so that no process holds a whole file."""

    def to_internal_value(self, data: Any) -> Stream:
        if not hasattr(data, "read"):
            raise ValidationError("Send the file itself.")
        stream: Stream = data
        return stream

    def to_representation(self, value: Stream) -> str:
        return str(getattr(value, "name", ""))


@dataclass(frozen=True, kw_only=True)
class FileParameters:
    kind: str = parameter(
        KIND_BY_CONTENT,
        choices=[(KIND_BY_CONTENT, "Detect what they hold"), *FileKind.choices],
        label="What they hold",
    )
    name: str = parameter(
        "",
        max_length=LONGEST_OWN_NAME,
        allow_blank=True,
        label="Name of the run",
        help_text="Only for a run. Empty: its file's name without .run, .gz and the like.",
    )


@dataclass(frozen=True, kw_only=True)
class UploadParameters(FileParameters):
    filename: str = parameter(
        max_length=200,
        allow_blank=True,
        help_text="What the file is called, as in bm25.run.gz.",
        style=HIDDEN,
    )


@dataclass(frozen=True, kw_only=True)
class AddFileParameters(UploadParameters):
    stream: Stream = parameter(kind=StreamField, style=HIDDEN)


@dataclass(frozen=True, kw_only=True)
class PointToFileParameters(FileParameters):
    """A file in the folder of the server that people may point to."""

    where: str = parameter(max_length=400, trim_whitespace=False, label="File on the server")


class AddFile(Operation[Study, AddFileParameters]):
    """Add a file to the study, which is checked by its content, and added whole or not at all."""

    name = "add file"
    command = "study add-files"
    title = "Add a file"
    subject = Study
    parameters = AddFileParameters

    def run(self, subject: Study, parameters: AddFileParameters, run: Run) -> Result:
        return _result(
            add_study_file(
                study=subject,
                kind=parameters.kind,
                stream=parameters.stream,
                filename=parameters.filename,
                name=parameters.name,
                actor=run.actor.name,
                advance=run.advance,
            )
        )


class PointToFile(Operation[Study, PointToFileParameters]):
    """Use a file on the server without copying it."""

    name = "point to file"
    example = {"kind": "run", "where": "runs/bm25.run"}
    title = "Use a file of the server"
    subject = Study
    parameters = PointToFileParameters

    def rehearse(self, subject: Study, parameters: PointToFileParameters, actor: Actor) -> Result:
        return run_and_roll_back(self, subject, parameters, actor)

    def run(self, subject: Study, parameters: PointToFileParameters, run: Run) -> Result:
        return _result(
            study_file_point_to(
                study=subject,
                kind=parameters.kind,
                where=parameters.where,
                name=parameters.name,
                actor=run.actor.name,
            )
        )


def _result(file: StudyFile) -> Result:
    values = {"kind": file.kind, "name": file.name, "size": file.size, "digest": file.digest}
    kind, why = file.get_kind_display().lower(), file.summary.get("recognised_by", "")
    known = f"{kind}, as {why}; " if why else ""
    return Result(values, f"{file.name}: {known}{_found(file)}", made=file)


def _found(file: StudyFile) -> str:
    summary = file.summary
    if "made_from" in summary:
        return f"{summary['made_from']['n_documents']:,} scored passages."
    lines = counted(summary["lines"], "line")
    if file.kind in (FileKind.COLLECTION, FileKind.RUN) and summary["lines"] > FIRST_LINES:
        return f"{lines}, the first {FIRST_LINES:,} checked."
    return f"{lines}, all checked."


ADD_FILE = AddFile()
POINT_TO_FILE = PointToFile()
