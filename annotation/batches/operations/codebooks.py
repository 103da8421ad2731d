"""The codebook of a batch: every edit is a new version, until publishing begins."""

from typing import Any

from django.db import transaction
from rest_framework import serializers

from annotation.batches.operations.planning import question_of
from annotation.batches.queries.codebooks import codebook_state, page_texts
from annotation.core.versions import check_version
from annotation.crowd.questions import MAX_BYTES, size_in_bytes
from annotation.models import AuditEvent, Batch, CodebookVersion
from annotation.task_page import Codebook, CodebookError, languages, problems_of_codebook
from annotation.vocabulary import AuditAction, BatchState
from metrics.errors import InputError


class CategoryText(serializers.Serializer[Any]):
    """One category of a codebook."""

    name = serializers.CharField(max_length=40)
    definition = serializers.CharField(max_length=500)
    examples = serializers.ListField(child=serializers.CharField(max_length=200), max_length=5)
    borderline = serializers.CharField(max_length=200, allow_blank=True, default="")
    reason = serializers.CharField(max_length=300, allow_blank=True, default="")


class CategoryTexts(serializers.Serializer[Any]):
    """The text of each category; the codes never change."""

    n = CategoryText()
    f = CategoryText()
    m = CategoryText()
    o = CategoryText()


class CodebookField(serializers.Serializer[Any]):
    """The texts of a task page; becomes a `Codebook`."""

    language = serializers.ChoiceField(choices=list(languages().items()))
    question = serializers.CharField(max_length=120)
    instructions = serializers.CharField(max_length=1_000)
    categories = CategoryTexts()

    def to_internal_value(self, data: Any) -> Any:
        texts = super().to_internal_value(data)
        try:
            return Codebook.from_json(texts)
        except CodebookError as error:
            raise serializers.ValidationError(str(error)) from None


def codebook_store(*, batch: Batch, codebook: Codebook, actor: str) -> CodebookVersion:
    """Store the texts as the next version, unless they are those of the latest one."""
    latest = batch.codebook_versions.order_by("-number").first()
    if latest is not None and latest.texts == codebook.as_json():
        return latest
    number = latest.number + 1 if latest else 1
    return CodebookVersion.objects.create(
        batch=batch, number=number, texts=codebook.as_json(), created_by=actor
    )


@transaction.atomic
def codebook_change(
    *,
    batch: Batch,
    codebook: Codebook,
    contact: str | None = None,
    actor: str,
    version: str | None = None,
) -> CodebookVersion:
    """Give a draft other texts. Raises `InputError` where the batch or the texts forbid it.

    With the `version` of the state that was seen, `StaleError` if somebody changed them since.
    """
    locked = Batch.objects.select_for_update().get(pk=batch.pk)
    check_version(version, codebook_state(locked))
    if locked.state != BatchState.DRAFT:
        raise InputError(
            f"the batch {locked.name!r} is {locked.get_state_display().lower()}: all its HITs show "
            "the same codebook.",
            remedy="Make another batch for other texts.",
        )
    if problems := problems_of_codebook(codebook):
        raise InputError(f"the codebook cannot be used: {'; '.join(problems)}.")
    if contact is not None:
        locked.contact = contact
        locked.full_clean(exclude=["name", "pool", "study"])
        locked.save(update_fields=["contact"])
    stored = codebook_store(batch=locked, codebook=codebook, actor=actor)
    _check_pages(locked)
    AuditEvent.objects.create(
        batch=locked,
        actor=actor,
        action=AuditAction.CODEBOOK_CHANGED,
        detail={"version": stored.number},
    )
    return stored


def _check_pages(batch: Batch) -> None:
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
