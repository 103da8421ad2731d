"""Offer the HITs of a batch for longer."""

from dataclasses import asdict, dataclass
from datetime import datetime, timedelta

from django.db.models import Count, F, QuerySet
from django.utils import timezone

from annotation.batches.operations.prolific.study import PAUSED, known_study
from annotation.core.consent import Estimate
from annotation.core.counting import counted
from annotation.core.durations import DAY
from annotation.core.operations import PUBLIC_STATES, Advance, Operation, Result, Run, no_progress
from annotation.core.parameters import ParametersError, parameter
from annotation.crowd.connection import batch_gateway
from annotation.models import HIT, AuditEvent, Batch
from annotation.vocabulary import Action, AuditAction, BatchState, TaskKind
from metrics.errors import InputError

#: The crowd's limit on how long a HIT may still be offered.
_LONGEST = timedelta(days=365)


@dataclass
class ExtendReport:
    """`extended` HITs are offered until the new time."""

    extended: int = 0


def batch_extend(
    *,
    batch_id: int,
    until: datetime,
    actor: str,
    advance: Advance = no_progress,
) -> ExtendReport:
    """Offer every HIT that lacks answers until `until`; never shorter than it is offered now.

    The budget has the answers since the HITs were published, so that this commits nothing. A
    stopped batch goes on. Doing it twice changes nothing. What Prolific's Task Builder asks has no
    end but that of its study.
    """
    check_end(until)
    batch = Batch.objects.get(pk=batch_id)
    gateway = batch_gateway(batch)
    report = ExtendReport()
    end = None if batch.uses_task_builder else until
    is_endless = batch.uses_task_builder and batch.state != BatchState.STOPPED
    for hit in hits_lacking_answers(batch=batch):
        if not is_endless and (hit.expires_at is None or hit.expires_at < until):
            gateway.extend(str(hit.hit_id), until)
            HIT.objects.filter(pk=hit.pk).update(expires_at=end)
            report.extended += 1
        advance(1)
    if report.extended:
        Batch.objects.filter(pk=batch.pk, state=BatchState.STOPPED).update(
            state=BatchState.PUBLISHED
        )
        AuditEvent.objects.create(
            batch=batch,
            actor=actor,
            action=AuditAction.OFFERED_FOR_LONGER,
            detail={"hits": report.extended, "until": until.isoformat(timespec="minutes")},
        )
    return report


def check_end(until: datetime) -> None:
    """Raise `InputError` where the crowd would not offer a HIT until then."""
    if not timedelta() < until - timezone.now() <= _LONGEST:
        raise InputError(
            "the new end is not within the next 365 days.", remedy="Choose a later or nearer one."
        )


def hits_lacking_answers(*, batch: Batch) -> QuerySet[HIT]:
    """Return the published HITs that lack answers."""
    hits = batch.hits.filter(hit_id__isnull=False).annotate(n_answers=Count("assignments"))
    return hits.filter(n_answers__lt=F("max_assignments")).order_by("index")


@dataclass(frozen=True, kw_only=True)
class ExtendParameters:
    days: int | None = parameter(
        None,
        min_value=1,
        max_value=365,
        label="Offer the HITs for another … days, from now",
        style={"optional": False},
    )
    until: datetime | None = parameter(
        None,
        help_text="Within the next 365 days; instead of the days.",
        style={"hidden": True},
    )


class Extend(Operation[Batch, ExtendParameters]):
    """Offer the HITs that lack answers for longer, also if the batch was stopped."""

    name = "extend"
    path = "extend"
    example = {"until": "2026-12-24T18:00:00Z"}
    page = "extend"
    title = "Offer for longer"
    button = "Offer for longer"
    queued = "The HITs are being offered for longer."
    subject = Batch
    parameters = ExtendParameters
    permission = Action.PUBLISH
    states = PUBLIC_STATES
    job = TaskKind.EXTEND

    def initial(self, subject: Batch) -> dict[str, int]:
        return {"days": max(1, subject.lifetime_seconds // DAY)}

    def clean(self, subject: Batch, parameters: ExtendParameters) -> ExtendParameters:
        """Store the moment, so that a waiting job does not move it."""
        if parameters.days is not None and parameters.until is None:
            until = timezone.now() + timedelta(days=parameters.days)
            return ExtendParameters(until=until.replace(second=0, microsecond=0))
        if parameters.until is None or parameters.days is not None:
            raise ParametersError({"until": ["Give either the days or the end."]})
        check_end(parameters.until)
        return parameters

    def estimate(self, subject: Batch, parameters: ExtendParameters) -> Estimate:
        """Estimate no cost: the budget has the answers since the HITs were published."""
        number = hits_lacking_answers(batch=subject).count()
        return Estimate(
            n_hits=number,
            facts=(
                ("HITs that lack answers", f"{number:,}"),
                ("Offered until", _end(subject, parameters)),
            ),
            nothing="" if number else "Every HIT has all its answers.",
        )

    def units(self, subject: Batch, parameters: ExtendParameters) -> int:
        return hits_lacking_answers(batch=subject).count()

    def run(self, subject: Batch, parameters: ExtendParameters, run: Run) -> Result:
        assert parameters.until is not None  # noqa: S101 - `clean` sets it
        report = batch_extend(
            batch_id=subject.pk,
            until=parameters.until,
            actor=run.actor.name,
            advance=run.advance,
        )
        return Result(
            asdict(report),
            f"{counted(report.extended, 'HIT')} offered for longer.",
            note=_paused(subject),
        )


EXTEND = Extend()


def _end(batch: Batch, parameters: ExtendParameters) -> str:
    if batch.uses_task_builder:
        return "the study on Prolific ends"
    return f"{parameters.until:%Y-%m-%d %H:%M} UTC"


def _paused(batch: Batch) -> str:
    """A reminder of the study that was paused when the batch was stopped."""
    study = known_study(batch)
    if study is None or study.status != PAUSED:
        return ""
    return "Its study on Prolific is paused: resume it for people to begin."
