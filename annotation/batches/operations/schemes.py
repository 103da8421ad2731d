"""The scheme of a batch: every edit is a new version, until publishing begins."""

from dataclasses import dataclass

from django.db import transaction

from annotation.batches.operations.codebooks import check_pages
from annotation.batches.queries.codebooks import latest_scheme, scheme_state
from annotation.core.money import batch_lock
from annotation.core.operations import Operation, Result, Run
from annotation.core.parameters import HIDDEN, parameter
from annotation.core.perform import check_state
from annotation.core.scheme_field import SchemeField
from annotation.core.versions import State
from annotation.models import AuditEvent, Batch, SchemeVersion
from annotation.schemes import Scheme, known_answers
from annotation.vocabulary import AuditAction, BatchState
from metrics.errors import InputError


def scheme_store(*, batch: Batch, scheme: Scheme, actor: str) -> SchemeVersion:
    """Store the scheme as the next version, unless it is that of the latest one."""
    latest = latest_scheme(batch)
    if latest is not None and latest.content == scheme.as_json():
        return latest
    number = latest.number + 1 if latest else 1
    return SchemeVersion.objects.create(
        batch=batch, number=number, content=scheme.as_json(), created_by=actor
    )


@dataclass(frozen=True, kw_only=True)
class ChangeSchemeParameters:
    scheme: Scheme | None = parameter(kind=SchemeField, style=HIDDEN)


class ChangeScheme(Operation[Batch, ChangeSchemeParameters]):
    """Give a draft with a scheme another one, as a new version. Published batches keep theirs."""

    name = "change scheme"
    path = "change-scheme"
    example = {"scheme": "severity"}
    title = "Edit scheme"
    subject = Batch
    parameters = ChangeSchemeParameters
    states = (BatchState.DRAFT,)

    def seen(self, subject: Batch, parameters: ChangeSchemeParameters) -> State:
        del parameters
        return scheme_state(subject)

    @transaction.atomic
    def run(self, subject: Batch, parameters: ChangeSchemeParameters, run: Run) -> Result:
        locked = batch_lock(subject.pk)
        check_state(self, locked)
        if parameters.scheme is None or not locked.has_scheme:
            raise InputError(
                "this batch asks for the paper's categories, or would from now on.",
                remedy="Make a new batch: its votes are stored in another way.",
            )
        _check_gold(locked, parameters.scheme)
        actor = run.actor.name
        number = scheme_store(batch=locked, scheme=parameters.scheme, actor=actor).number
        check_pages(locked)
        AuditEvent.objects.create(
            batch=locked,
            actor=actor,
            action=AuditAction.SCHEME_CHANGED,
            detail={"version": number},
        )
        return Result({"version": number}, f"Saved as version {number} of the scheme.")


def _check_gold(batch: Batch, scheme: Scheme) -> None:
    """Refuse a scheme to which the known answers of the batch's gold questions are none."""
    for qid, gold in batch.queries.exclude(gold="").values_list("qid", "gold"):
        try:
            known_answers(scheme, gold)
        except InputError as error:
            raise InputError(
                f"the gold question {qid!r} is known to be {gold!r}: {error.message}",
                remedy="Keep that question and its options, or make a new batch.",
            ) from None


CHANGE_SCHEME = ChangeScheme()
