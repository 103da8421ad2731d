"""Importing models' labels of a study's queries, and removing them."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.db import transaction

from annotation.core.operations import Actor, Operation, Result, Run, run_and_roll_back
from annotation.core.parameters import (
    HIDDEN,
    ROW_NUMBER,
    PathField,
    about,
    filename_parameter,
    parameter,
)
from annotation.labels.operations.imports import CHUNK, uploaded
from annotation.labels.queries.raters import prompt_digest, study_query_texts, study_question
from annotation.models import AuditEvent, ModelLabel, ModelRater, Study
from annotation.schemes import LONGEST_NAME, Question
from annotation.schemes.released import options_of
from annotation.studies.file_store import Stream
from annotation.vocabulary import LONGEST_ID, AuditAction, RaterOrigin
from metrics.errors import InputError
from metrics.io.ids import met, renamed_text
from metrics.version import VERSION
from metrics.votes.files.answers import GivenLabel
from metrics.votes.files.graded_pairs import are_qrels, read_graded_pairs
from metrics.votes.files.label_files import read_model_labels


@dataclass(frozen=True, kw_only=True)
class ModelFileParameters:
    model: str = parameter(
        "",
        max_length=LONGEST_ID,
        allow_blank=True,
        label="Name of the model",
        help_text="For labels without a model's name in the file. Empty: the file's name up to "
        "the first dot.",
    )
    question: str = parameter(
        "",
        max_length=LONGEST_NAME,
        allow_blank=True,
        label="Question",
        help_text="What the labels answer; left out, the only question with one answer and options "
        "in no order that the study's batches ask, and of qrels the only one with grades.",
    )
    prompt: str = parameter(
        "",
        max_length=20_000,
        allow_blank=True,
        label="Prompt",
        help_text="What the models were asked, so that others can ask the same.",
        style={"rows": 4},
    )


@dataclass(frozen=True, kw_only=True)
class UploadModelLabelsParameters(ModelFileParameters):
    filename: str = filename_parameter("labels.csv", "gpt.csv.gz")


@dataclass(frozen=True, kw_only=True)
class ImportModelLabelsParameters(ModelFileParameters):
    file: Path = parameter(
        kind=PathField,
        help_text="CSV with the columns qid, label and perhaps docno, score and model (or task, "
        "worker, label), Label Studio's JSON with predictions, or qrels of pairs.",
        style={"positional": True, **HIDDEN},
    )


class ImportModelLabels(Operation[Study, ImportModelLabelsParameters]):
    """Import models' labels of the study's queries, all of a file or nothing.

    They are not votes: agreement, majorities and pay never count them.
    """

    name = "import model labels"
    command = "label import-model-labels"
    example = {"file": "llm_votes_long.csv"}
    title = "Import labels of models"
    subject = Study
    parameters = ImportModelLabelsParameters

    def rehearse(
        self, subject: Study, parameters: ImportModelLabelsParameters, actor: Actor
    ) -> Result:
        return run_and_roll_back(self, subject, parameters, actor)

    def run(self, subject: Study, parameters: ImportModelLabelsParameters, run: Run) -> Result:
        path = parameters.file
        graded = are_qrels(path)
        with about("question"):
            question, _ = study_question(study=subject, name=parameters.question, graded=graded)
        model = parameters.model or path.name.partition(".")[0]
        answers: Sequence[GivenLabel]
        if graded:
            answers, notes = _of_qrels(subject, path, model, question), list[str]()
        else:
            read = read_model_labels(path, model=model, options=options_of(question))
            answers, notes = _with_known_ids(subject, read.labels)
            notes = [*read.notes, *notes]
            _check_known(subject, path, answers)
        raters, counts = store_model_labels(
            study=subject,
            question=question,
            path=path,
            answers=answers,
            prompt=parameters.prompt,
            actor=run.actor,
        )
        models = "1 model" if len(counts) == 1 else f"{len(counts)} models"
        missing = sum(answer.category is None for answer in answers)
        sentence = f"{len(answers):,} labels of {models} are imported: {', '.join(sorted(counts))}."
        return Result(
            {"labels": dict(counts), "missing": missing},
            sentence + (f" {missing:,} of them are missing answers." if missing else ""),
            note=" ".join(notes),
            made=raters,
        )


@dataclass(frozen=True, kw_only=True)
class RemoveModelLabelsParameters:
    rater: int = parameter(**ROW_NUMBER, help_text="Number of the model in the study.")


class RemoveModelLabels(Operation[Study, RemoveModelLabelsParameters]):
    """Remove a model with all its labels from the study, for good."""

    name = "remove model labels"
    path = "remove-model-labels"
    example = {"rater": 1}
    title = "Remove a model's labels"
    button = "Remove"
    subject = Study
    parameters = RemoveModelLabelsParameters

    def run(self, subject: Study, parameters: RemoveModelLabelsParameters, run: Run) -> Result:
        rater = subject.model_raters.filter(pk=parameters.rater).first()
        if rater is None:
            raise InputError("the study has no such model.", remedy="Look at its models again.")
        n_labels = rater.labels.count()
        with transaction.atomic():
            rater.delete()
            AuditEvent.objects.create(
                study=subject,
                actor=run.actor.name,
                action=AuditAction.MODEL_LABELS_REMOVED,
                detail={"model": rater.name, "labels": n_labels},
            )
        return Result({"labels": n_labels}, f"{n_labels:,} labels of {rater.name} are removed.")


IMPORT_MODEL_LABELS = ImportModelLabels()
REMOVE_MODEL_LABELS = RemoveModelLabels()


def import_upload(study: Study, stream: Stream, values: Mapping[str, Any], actor: Actor) -> Result:
    """Import a file; errors have the name that its sender gave it."""
    return uploaded(IMPORT_MODEL_LABELS, UploadModelLabelsParameters, study, stream, values, actor)


@transaction.atomic
def store_model_labels(
    *,
    study: Study,
    question: Question,
    path: Path,
    answers: Sequence[GivenLabel],
    actor: Actor,
    prompt: str = "",
) -> tuple[Mapping[str, ModelRater], Counter[str]]:
    """Store the labels of `path`; return the number of labels by model."""
    raters = _raters(study, question, answers, prompt, actor.name)
    _check_new(path, answers, raters)
    ModelLabel.objects.bulk_create(
        (
            ModelLabel(
                rater=raters[answer.model],
                qid=answer.qid,
                category=answer.category,
                belief=answer.belief,
            )
            for answer in answers
        ),
        batch_size=CHUNK,
    )
    counts = Counter(answer.model for answer in answers)
    AuditEvent.objects.create(
        study=study,
        actor=actor.name,
        action=AuditAction.MODEL_LABELS_IMPORTED,
        detail={"file": path.name, "labels": counts},
    )
    return raters, counts


def _of_qrels(study: Study, path: Path, model: str, question: Question) -> list[GivenLabel]:
    pairs = study_query_texts(study=study)
    codes = read_graded_pairs(path, options=options_of(question), pairs=pairs).codes
    numbered = enumerate(codes.items(), start=1)
    return [GivenLabel(model, pair, code, None, number) for number, (pair, code) in numbered]


def _with_known_ids(
    study: Study, answers: Sequence[GivenLabel]
) -> tuple[Sequence[GivenLabel], list[str]]:
    """The labels with the ids of the study's queries, where the file writes them otherwise."""
    ids = dict.fromkeys(answer.qid for answer in answers)
    names = met(ids, study_query_texts(study=study))
    if names is None:
        return answers, []
    renamed = [answer._replace(qid=names[answer.qid]) for answer in answers]
    return renamed, [renamed_text("The queries of the labels", ids, names)]


def _check_known(study: Study, path: Path, answers: Sequence[GivenLabel]) -> None:
    known = study_query_texts(study=study)
    unknown = [answer for answer in answers if answer.qid not in known]
    if unknown:
        n_queries = len({answer.qid for answer in unknown})
        first = f"the query {unknown[0].qid} is in no pool, batch or file of queries of the study"
        raise InputError(
            f"{first}; so are {n_queries - 1:,} others." if n_queries > 1 else f"{first}.",
            path=path,
            line=unknown[0].place,
            remedy="Add the queries first, or remove these lines.",
        )


def _raters(
    study: Study, question: Question, answers: Sequence[GivenLabel], prompt: str, actor: str
) -> dict[str, ModelRater]:
    """Return the models of the answers by name, after storing new ones."""
    return {
        name: ModelRater.objects.get_or_create(
            study=study,
            name=name,
            prompt_sha256=prompt_digest(prompt),
            question=question.name,
            options=list(question.codes),
            category="",
            defaults={
                "origin": RaterOrigin.IMPORTED,
                "prompt": prompt,
                "program_version": VERSION,
                "actor": actor,
            },
        )[0]
        for name in sorted({answer.model for answer in answers})
    }


def _check_new(path: Path, answers: Sequence[GivenLabel], raters: Mapping[str, ModelRater]) -> None:
    """Check that the file has no second label of a model for a query."""
    stored = ModelLabel.objects.filter(rater__in=raters.values())
    labelled = set(stored.values_list("rater__name", "qid"))
    twice = next((answer for answer in answers if (answer.model, answer.qid) in labelled), None)
    if twice is not None:
        raise InputError(
            f"the study has a label of {twice.model} for the query {twice.qid} already.",
            path=path,
            line=twice.place,
            remedy="Remove the model's labels first, or give this attempt a name of its own.",
        )
