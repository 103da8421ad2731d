"""Import decided labels in the released layout, as a batch without votes."""

from dataclasses import asdict, dataclass
from pathlib import Path

from django.db import transaction

from annotation.core.operations import Actor, Operation, Result, Run, run_and_roll_back
from annotation.core.parameters import HIDDEN, PathField, parameter
from annotation.labels.operations.imports import (
    CHUNK,
    ImportedQuery,
    check_batch_name,
    create_imported_batch,
)
from annotation.models import Label, Labelling, Study
from annotation.studies.operations.create import study_for
from annotation.vocabulary import (
    CATEGORY_QUESTION,
    LONGEST_ID,
    LONGEST_OWN_NAME,
    AuditAction,
    Category,
    LabelMethod,
)
from metrics.errors import InputError
from metrics.runs.queries import read_queries
from metrics.votes.files.graded_pairs import are_qrels, qrels_given


@dataclass(frozen=True)
class LabelsReport:
    """The stored labels: `labels` counts the queries of each category."""

    name: str
    n_queries: int
    labels: dict[str, int]


@dataclass(frozen=True, kw_only=True)
class ImportLabelsParameters:
    name: str = parameter(
        max_length=LONGEST_OWN_NAME, label="Name of the batch", help_text="Must be new."
    )
    file: Path = parameter(
        kind=PathField,
        help_text=f"Lines qid,query,label with a label of {', '.join(Category)}; no quoting.",
        style={"positional": True, **HIDDEN},
    )


class ImportLabels(Operation[Study, ImportLabelsParameters]):
    """Import decided labels (lines qid,query,label, no header) as a batch without votes."""

    name = "import labels"
    command = "label import"
    example = {"file": "queries_gender_annotated.csv", "name": "released"}
    title = "Import labels"
    subject = Study
    parameters = ImportLabelsParameters

    def rehearse(
        self, subject: Study | None, parameters: ImportLabelsParameters, actor: Actor
    ) -> Result:
        return run_and_roll_back(self, subject, parameters, actor)

    def run(self, subject: Study | None, parameters: ImportLabelsParameters, run: Run) -> Result:
        report = import_labels(
            path=parameters.file, name=parameters.name, actor=run.actor, study=subject
        )
        counts = ", ".join(
            f"{count:,} {Category(code).label.lower()}" for code, count in report.labels.items()
        )
        message = f"{report.n_queries:,} labelled queries are imported: {counts}."
        return Result(asdict(report), message)


IMPORT_LABELS = ImportLabels()


def import_labels(
    *, path: str | Path, name: str, actor: Actor, study: Study | None
) -> LabelsReport:
    """Store the labels of a file of lines `qid,query,label` as the batch `name`, all or nothing.

    The texts are kept byte for byte, commas included. Raises `InputError` with file and line.
    """
    check_batch_name(name=name)
    if are_qrels(path):
        raise qrels_given(path)
    read = read_queries(path, "all")
    if read.layout != "labels":
        raise InputError(
            "holds no labels.", path=path, remedy="Write one query per line: qid,query,label."
        )
    for qid, text in read.texts.items():
        if len(qid) > LONGEST_ID or "\0" in qid + text:
            raise InputError(
                f"the id is longer than {LONGEST_ID} characters, or the line holds a NUL.",
                path=path,
                line=read.lines[qid],
            )
    with transaction.atomic():
        batch, stored = create_imported_batch(
            name=name,
            study=study_for(study, name=name, actor=actor),
            queries=(ImportedQuery(qid, text) for qid, text in read.texts.items()),
            actor=actor.name,
            action=AuditAction.LABELS_IMPORTED,
            detail={"file": Path(path).name, "digest": read.digest},
        )
        Label.objects.bulk_create(
            (
                Label(
                    query=query,
                    question=CATEGORY_QUESTION,
                    method=LabelMethod.RELEASED,
                    value=read.labels[query.qid],
                )
                for query in stored
            ),
            batch_size=CHUNK,
        )
        Labelling.objects.create(
            batch=batch, question=CATEGORY_QUESTION, method=LabelMethod.RELEASED
        )
    values = list(read.labels.values())
    return LabelsReport(
        name=name,
        n_queries=len(values),
        labels={category: values.count(category) for category in Category.values},
    )
