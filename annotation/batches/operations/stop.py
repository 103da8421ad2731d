"""Stop a batch."""

from dataclasses import dataclass, field

from django.utils import timezone

from annotation.batches.operations import ledger
from annotation.batches.operations.prolific.moving import pause_recruiting
from annotation.batches.operations.troubles import problem_of_hits
from annotation.core.audit import log_money_event
from annotation.core.counting import counted
from annotation.core.operations import PUBLIC_STATES, Advance, Operation, Result, Run, no_progress
from annotation.core.parameters import NoParameters
from annotation.crowd.connection import batch_gateway
from annotation.crowd.errors import CrowdRefusedError, NotThereError
from annotation.crowd.gateway import Gateway
from annotation.models import HIT, Batch
from annotation.vocabulary import AuditAction, BatchState, HITState, TaskKind
from metrics.errors import InputError


@dataclass
class StopReport:
    """`failed` maps the id of a HIT that may still be offered to the crowd's reason.

    `study` is the status of the batch's study on Prolific, "" without one; `study_problem` says why
    people may still begin there.
    """

    expired: int = 0
    study: str = ""
    study_problem: str = ""
    failed: dict[str, str] = field(default_factory=dict)


def batch_expire(*, batch_id: int, actor: str, advance: Advance = no_progress) -> StopReport:
    """Stop a running publisher, pause the study on Prolific, and expire every HIT.

    Also HITs whose outcome is unknown. Participants who come after that would find nothing to do.
    Doing it twice is not an error. `advance` is called with 1 for each HIT.
    """
    batch = Batch.objects.get(pk=batch_id)
    if batch.state == BatchState.IMPORTED:
        raise InputError(f"the batch {batch.name!r} was imported: it has no HITs to expire.")
    # First of all, so that a publisher sees it at its next HIT.
    ledger.publishing_stop(batch)
    report = StopReport()
    try:
        report.study = pause_recruiting(batch, actor)
    except InputError as error:
        report.study_problem = str(error)
    if batch.endpoint:
        gateway = batch_gateway(batch)
        _find_unknown(batch, gateway)
        for hit in batch.hits.filter(hit_id__isnull=False):
            _expire(hit, gateway, report)
            advance(1)
    log_money_event(
        batch=batch, actor=actor, action=AuditAction.EXPIRED, detail={"hits": report.expired}
    )
    return report


def _find_unknown(batch: Batch, gateway: Gateway) -> None:
    """Find HITs that were made without our knowing, which are offered as well."""
    unknown = {hit.annotation: hit for hit in batch.hits.filter(state=HITState.SENT)}
    if not unknown:
        return
    for crowd_hit in gateway.list_hits():
        if hit := unknown.get(crowd_hit.annotation):
            ledger.hit_record_published(
                hit=hit, hit_id=crowd_hit.hit_id, expires_at=crowd_hit.expires_at
            )


def _expire(hit: HIT, gateway: Gateway, report: StopReport) -> None:
    try:
        gateway.expire(str(hit.hit_id))
    except NotThereError:
        pass  # Disposed of: nobody can accept it.
    except CrowdRefusedError as error:
        report.failed[str(hit.hit_id)] = error.message
        return
    report.expired += 1
    HIT.objects.filter(pk=hit.pk, expires_at__gt=timezone.now()).update(expires_at=timezone.now())


class Stop(Operation[Batch, NoParameters]):
    """Stop offering the batch's HITs, and pause its study on Prolific.

    Workers who have accepted one may still submit it, and it is collected; whoever has begun on
    Prolific may finish, and is paid.
    """

    name = "stop"
    path = "stop"
    title = "Stop batch"
    button = "Stop the batch"
    queued = "Stopping. What was accepted may still be handed in, and is collected."
    subject = Batch
    parameters = NoParameters
    states = (BatchState.DRAFT, *PUBLIC_STATES)
    job = TaskKind.EXPIRE

    def units(self, subject: Batch, parameters: NoParameters) -> int:
        return subject.hits.filter(hit_id__isnull=False).count()

    def run(self, subject: Batch, parameters: NoParameters, run: Run) -> Result:
        report = batch_expire(batch_id=subject.pk, actor=run.actor.name, advance=run.advance)
        study = f" The study on Prolific is {report.study.lower()}." if report.study else ""
        problems = (
            problem_of_hits("may still be offered", report.failed),
            f"People may still begin on Prolific: {report.study_problem} Stop the batch again, or "
            "pause its study there." if report.study_problem else "",
        )  # fmt: skip
        of_study = {"study": report.study} if report.study else {}
        return Result(
            {"expired": report.expired, "failed": report.failed} | of_study,
            f"{counted(report.expired, 'HIT')} expired.{study}",
            problem=" ".join(filter(None, problems)),
            note="" if report.study or report.study_problem else _by_hand(subject),
        )


STOP = Stop()


def _by_hand(batch: Batch) -> str:
    """A reminder where Prolific may ask without our knowing."""
    if not (batch.uses_task_builder and batch.endpoint):
        return ""
    return "A study that was made at Prolific by hand goes on: stop it there."
