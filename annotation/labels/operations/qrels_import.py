"""Import qrels as decided labels of a batch of pairs."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.db import transaction

from annotation.core.counting import counted
from annotation.core.money import lock_batch
from annotation.core.operations import Actor, Operation, Result, Run, run_and_roll_back
from annotation.core.parameters import HIDDEN, PathField, about, filename_parameter, parameter
from annotation.labels.operations.imports import CHUNK, uploaded
from annotation.labels.queries.judgments import graded_question
from annotation.labels.queries.votes import study_queries
from annotation.models import AuditEvent, Batch, Label, Labelling
from annotation.schemes import LONGEST_NAME, Question
from annotation.schemes.released import options_of
from annotation.studies.file_store import Stream
from annotation.vocabulary import AuditAction, LabelMethod
from metrics.io.digests import digest_of
from metrics.votes.files.graded_pairs import read_graded_pairs


@dataclass(frozen=True, kw_only=True)
class QrelsParameters:
    question: str = parameter(
        "",
        max_length=LONGEST_NAME,
        allow_blank=True,
        label="Question",
        help_text="What the grades answer; left out, the first question with grades.",
    )


@dataclass(frozen=True, kw_only=True)
class UploadQrelsParameters(QrelsParameters):
    filename: str = filename_parameter("qrels.txt", "2019qrels-pass.txt.gz")


@dataclass(frozen=True, kw_only=True)
class ImportQrelsParameters(QrelsParameters):
    file: Path = parameter(
        kind=PathField,
        help_text="Lines qid 0 docno grade, or another layout of judgments.",
        style={"positional": True, **HIDDEN},
    )


class ImportQrels(Operation[Batch, ImportQrelsParameters]):
    """Import qrels as decided labels of a batch of pairs, in the place of earlier imported ones.

    Judgments of pairs that the batch does not have are left out.
    """

    name = "import qrels"
    command = "label import-qrels"
    example = {"file": "2019qrels-pass.txt"}
    title = "Import qrels"
    subject = Batch
    parameters = ImportQrelsParameters

    def rehearse(self, subject: Batch, parameters: ImportQrelsParameters, actor: Actor) -> Result:
        return run_and_roll_back(self, subject, parameters, actor)

    def run(self, subject: Batch, parameters: ImportQrelsParameters, run: Run) -> Result:
        with about("question"):
            question = graded_question(batch=subject, name=parameters.question)
        keys = dict(study_queries(batch=subject).values_list("qid", "pk"))
        graded = read_graded_pairs(parameters.file, options=options_of(question), pairs=keys)
        with transaction.atomic():
            lock_batch(subject.pk)  # another import would store the same labels
            _store(subject, question, {keys[pair]: code for pair, code in graded.codes.items()})
            AuditEvent.objects.create(
                batch=subject,
                actor=run.actor.name,
                action=AuditAction.LABELS_IMPORTED,
                detail={
                    "file": parameters.file.name,
                    "digest": digest_of(parameters.file),
                    "question": question.name,
                },
            )
        values = {
            "question": question.name,
            "n_labels": len(graded.codes),
            "n_without": len(keys) - len(graded.codes),
            "n_others": graded.n_others,
        }
        return Result(values, _message(values))


IMPORT_QRELS = ImportQrels()


def import_qrels_upload(
    batch: Batch, stream: Stream, values: Mapping[str, Any], actor: Actor
) -> Result:
    """Import a file; errors have the name that its sender gave it."""
    return uploaded(IMPORT_QRELS, UploadQrelsParameters, batch, stream, values, actor)


def _store(batch: Batch, question: Question, codes: Mapping[int, str]) -> None:
    same = {"question": question.name, "method": LabelMethod.RELEASED}
    Label.objects.filter(query__batch=batch, **same).delete()
    Label.objects.bulk_create(
        (Label(query_id=query, value=code, **same) for query, code in codes.items()),
        batch_size=CHUNK,
    )
    Labelling.objects.update_or_create(
        batch=batch,
        question=question.name,
        defaults={"method": LabelMethod.RELEASED, "strict": False, "seed": 0},
    )


def _message(values: Mapping[str, Any]) -> str:
    parts = [f"{counted(values['n_labels'], 'grade')} imported"]
    if values["n_without"]:
        parts.append(f"{counted(values['n_without'], 'pair')} without one")
    if values["n_others"]:
        parts.append(f"{counted(values['n_others'], 'judgment')} of other pairs left out")
    return f"{', '.join(parts)}."
