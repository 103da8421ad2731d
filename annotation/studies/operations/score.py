"""Score the collection of a study."""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet

from annotation.core.operations import Advance, Operation, Result, Run, checkpoint, no_progress
from annotation.core.parameters import parameter
from annotation.models import AuditEvent, Study, StudyFile
from annotation.studies.file_store import keep, local_path, store, workplace
from annotation.studies.operations.files import in_words_of
from annotation.studies.queries.scoring_time import UNIT
from annotation.vocabulary import LONGEST_OWN_NAME, AuditAction, FileKind, TaskKind
from metrics.errors import InputError
from metrics.io.digests import AND, digest_of
from metrics.texts.lexicon import Lexicon, read_lexicon
from metrics.texts.magnitude_store import Metadata
from metrics.texts.repair import repair_name
from metrics.texts.scoring import score_collection
from metrics.version import VERSION
from metrics.vocabulary import TOKENIZERS, Tokenizer

SCORING_TOKENIZERS: list[Any] = [
    ("word", "Words (for new studies)"),
    ("whitespace", "Whitespace (to reproduce published tables)"),
]


def scoring_total(study: Study) -> int:
    """Return the amount to score, in thousands of bytes on disk."""
    return sum(file.size for file in _used(study, FileKind.COLLECTION)) // UNIT


def _used(study: Study, kind: FileKind) -> QuerySet[StudyFile]:
    return study.files.filter(kind=kind, archived_at=None)


def study_score(
    *,
    study: Study,
    actor: str,
    name: str = "",
    tokenizer: Tokenizer = "word",
    repair_encoding: bool = False,
    advance: Advance = no_progress,
) -> StudyFile:
    """Return the scored collection of the study, made now or before from the same files.

    The word list is the study's own or the built-in one. `InputError` with file and line for a
    collection that cannot be read. The file and its row appear together, whole.
    """
    parts = list(_used(study, FileKind.COLLECTION))
    if not parts:
        raise InputError("the study has no collection.", remedy="Add its file first.")
    if tokenizer not in TOKENIZERS:
        raise InputError(
            f"unknown tokeniser {tokenizer!r}.", remedy=f"Use {' or '.join(TOKENIZERS)}."
        )
    words = _used(study, FileKind.LEXICON).first()
    made_from = [file.digest for file in [*parts, words] if file is not None]
    file_name = _file_name(tokenizer, made_from, repair_name() if repair_encoding else "")
    stored = f"{study.pk}/scored/{file_name}"
    # People may have renamed it, or duplicated the study: its path identifies its inputs.
    scored = study.files.filter(kind=FileKind.MAGNITUDES, archived_at=None)
    done = scored.filter(path__endswith=f"/scored/{file_name}").first()
    if done is not None:
        return done
    lexicon = read_lexicon(local_path(words) if words else None)
    with workplace() as folder:
        output = folder / file_name
        how: dict[str, Any] = {"tokenizer": tokenizer, "repair_encoding": repair_encoding}
        metadata = _score(parts, output, lexicon, how, Kilobytes(advance))
        row = {"size": output.stat().st_size, "digest": digest_of(output)}
        checkpoint(advance)
        # The name identifies the bytes, so that a killed worker's file can be used.
        if not store().exists(stored):
            stored = keep(output, stored)
    summary = {"made_from": vars(metadata), "files": made_from}
    row |= {"name": name or file_name, "summary": summary}
    return _stored_once(study, actor, advance, stored, **row)


class Kilobytes:
    """Counts bytes, and reports whole thousands."""

    def __init__(self, advance: Advance) -> None:
        self._advance = advance
        self._rest = 0

    def __call__(self, size: int) -> None:
        units, self._rest = divmod(self._rest + size, UNIT)
        if units:
            self._advance(units)


def _file_name(tokenizer: str, made_from: list[str], repair: str) -> str:
    what = "\n".join([VERSION, tokenizer, *filter(None, [repair]), *made_from])
    how = f"{tokenizer}-repaired" if repair else tokenizer
    return f"{how}-{hashlib.sha256(what.encode()).hexdigest()[:12]}.parquet"


def _score(
    parts: list[StudyFile],
    output: Path,
    lexicon: Lexicon,
    how: Mapping[str, Any],
    progress: Callable[[int], object],
) -> Metadata:
    paths = [local_path(part) for part in parts]
    try:
        metadata = score_collection(
            paths,
            output,
            lexicon=lexicon,
            engine=settings.SCORE_ENGINE or None,
            scheduler=settings.SCORE_SCHEDULER or None,
            progress=progress,
            **how,
        )
    except InputError as error:
        for part, path in zip(parts, paths, strict=True):
            error = in_words_of(error, path, part.name)
        raise error from None
    digests = metadata.collection_digest.split(AND)
    for part, digest in zip(parts, digests, strict=True):
        if digest != part.digest:
            raise InputError(
                "has changed since it was added.",
                path=part.name,
                remedy="Remove it from the study and add it again.",
            )
    return metadata


def _stored_once(
    study: Study, actor: str, advance: Advance, stored: str, **values: Any
) -> StudyFile:
    with transaction.atomic():
        checkpoint(advance)
        file, made = StudyFile.objects.get_or_create(
            study=study,
            kind=FileKind.MAGNITUDES,
            path=stored,
            defaults={"actor": actor, **values},
        )
        if made:
            AuditEvent.objects.create(
                study=study, actor=actor, action=AuditAction.COLLECTION_SCORED, detail=_detail(file)
            )
    return file


def _detail(file: StudyFile) -> dict[str, Any]:
    made_from = file.summary["made_from"]
    named = ("tokenizer", "repair", "lexicon_name", "n_documents")
    return {"name": file.name, **{name: made_from[name] for name in named}}


@dataclass(frozen=True, kw_only=True)
class ScoreParameters:
    tokenizer: Tokenizer = parameter(
        "word",
        choices=SCORING_TOKENIZERS,
        label="Tokenizer",
    )
    repair_encoding: bool = parameter(
        False,
        label="Repair broken encodings first",
        help_text="Gender words glued to letters of a broken encoding count as well.",
    )
    name: str = parameter(
        "",
        max_length=LONGEST_OWN_NAME,
        allow_blank=True,
        label="Name of the scores",
        help_text="Left out, they are called after the tokenizer and what they are made from.",
    )


class Score(Operation[Study, ScoreParameters]):
    """Score the collection in the background; what was scored before is not scored again."""

    name = "score"
    command = "collection score"
    path = "score"
    example = {"tokenizer": "word"}
    title = "Score the collection"
    queued = "Scoring. Progress updates live."
    subject = Study
    parameters = ScoreParameters
    job = TaskKind.SCORE
    unit = "kB"

    def clean(self, subject: Study, parameters: ScoreParameters) -> ScoreParameters:
        name = parameters.name.strip()
        if not name.isprintable() or "/" in name:
            raise InputError(
                f"{name!r} is not a name for scores.", remedy="Use printable characters, no slash."
            )
        if name and subject.files.filter(kind=FileKind.MAGNITUDES, name__iexact=name).exists():
            raise InputError(f"scores named {name!r} exist.", remedy="Choose another name.")
        return replace(parameters, name=name)

    def units(self, subject: Study, parameters: ScoreParameters) -> int:
        return scoring_total(subject)

    def run(self, subject: Study, parameters: ScoreParameters, run: Run) -> Result:
        file = study_score(
            study=subject,
            actor=run.actor.name,
            tokenizer=parameters.tokenizer,
            repair_encoding=parameters.repair_encoding,
            name=parameters.name,
            advance=run.advance,
        )
        number = file.summary["made_from"]["n_documents"]
        values = {"file": file.name, "n_documents": number}
        return Result(values, f"{file.name}: {number:,} scored passages.")


SCORE = Score()
