"""The codebook of a batch: every edit is a new version, until publishing begins."""

from dataclasses import dataclass

from django.db import transaction

from annotation.batches.operations.codebook_field import CodebookField
from annotation.batches.operations.planning import question_of
from annotation.batches.queries.codebooks import codebook_state, page_texts
from annotation.core.money import batch_lock
from annotation.core.operations import Operation, Result, Run
from annotation.core.parameters import HIDDEN, parameter
from annotation.core.perform import check_state
from annotation.core.versions import State
from annotation.crowd.questions import MAX_BYTES, size_in_bytes
from annotation.models import AuditEvent, Batch, CodebookVersion
from annotation.task_page import Codebook, codebook_problems
from annotation.vocabulary import AuditAction, BatchState
from metrics.errors import InputError


def codebook_store(*, batch: Batch, codebook: Codebook, actor: str) -> CodebookVersion:
    """Store the texts as the next version, unless they are those of the latest one."""
    latest = batch.codebook_versions.order_by("-number").first()
    if latest is not None and latest.texts == codebook.as_json():
        return latest
    number = latest.number + 1 if latest else 1
    return CodebookVersion.objects.create(
        batch=batch, number=number, texts=codebook.as_json(), created_by=actor
    )


@dataclass(frozen=True, kw_only=True)
class ChangeCodebookParameters:
    codebook: Codebook = parameter(kind=CodebookField, style=HIDDEN)
    contact: str | None = parameter(
        None,
        max_length=200,
        allow_null=True,
        allow_blank=True,
        help_text="Whom workers may write to. Shown on every HIT.",
    )


class ChangeCodebook(Operation[Batch, ChangeCodebookParameters]):
    """Give a draft other texts, as a new version of its codebook."""

    name = "change codebook"
    title = "Edit codebook"
    subject = Batch
    parameters = ChangeCodebookParameters
    states = (BatchState.DRAFT,)

    def seen(self, subject: Batch, parameters: ChangeCodebookParameters) -> State:
        del parameters
        return codebook_state(subject)

    @transaction.atomic
    def run(self, subject: Batch, parameters: ChangeCodebookParameters, run: Run) -> Result:
        locked = batch_lock(subject.pk)
        check_state(self, locked)
        if problems := codebook_problems(parameters.codebook):
            raise InputError(f"the codebook cannot be used: {'; '.join(problems)}.")
        if parameters.contact is not None:
            locked.contact = parameters.contact
            locked.save(update_fields=["contact"])
        actor = run.actor.name
        stored = codebook_store(batch=locked, codebook=parameters.codebook, actor=actor)
        check_pages(locked)
        number = stored.number
        AuditEvent.objects.create(
            batch=locked,
            actor=actor,
            action=AuditAction.CODEBOOK_CHANGED,
            detail={"version": number},
        )
        return Result({"version": number}, f"Saved as version {number} of the codebook.")


def check_pages(batch: Batch) -> None:
    """Refuse texts with which the page of a HIT is too large for the crowd."""
    texts = page_texts(batch)
    for hit in batch.hits.prefetch_related("places__query"):
        pairs = [(place.query.qid, place.query.text) for place in hit.places.all()]
        size = size_in_bytes(question_of(pairs, texts))
        if size > MAX_BYTES:
            raise InputError(
                f"with these texts HIT {hit.index + 1} has {size:,} bytes; at most {MAX_BYTES:,} "
                "are allowed.",
                remedy="Shorten the definitions or the consent text.",
            )


CHANGE_CODEBOOK = ChangeCodebook()
