"""Deleting HITs at the crowd when everything about them is settled. Our own record stays."""

from dataclasses import asdict, dataclass, field

from django.utils import timezone

from annotation.batches.operations.collect import collect_batch
from annotation.core.counting import counted
from annotation.core.operations import Operation, Result, Run
from annotation.core.parameters import NoParameters
from annotation.crowd.connection import batch_gateway
from annotation.crowd.errors import CrowdRefusedError, NotThereError, WrongStateError
from annotation.crowd.gateway import Gateway
from annotation.models import HIT, AuditEvent, Batch
from annotation.vocabulary import AuditAction


@dataclass
class DisposeReport:
    """`waiting` maps the id of a HIT that cannot be deleted yet to the crowd's reason."""

    disposed: int = 0
    waiting: dict[str, str] = field(default_factory=dict)


class Dispose(Operation[Batch, NoParameters]):
    """Delete a batch's HITs at the crowd, once all work is reviewed. Our own record stays."""

    name = "dispose"
    title = "Delete HITs at the crowd"
    subject = Batch
    parameters = NoParameters

    def run(self, subject: Batch, parameters: NoParameters, run: Run) -> Result:
        report = batch_dispose(batch_id=subject.pk, actor=run.actor.name)
        problem = ""
        if report.waiting:
            hit_id, reason = next(iter(report.waiting.items()))
            problem = (
                f"{len(report.waiting)} HITs cannot be deleted yet; {hit_id}: {reason} Stop the "
                "batch, review all answers, and try again."
            )
        message = f"{counted(report.disposed, 'HIT')} deleted at the crowd."
        return Result(asdict(report), message, problem=problem)


DISPOSE = Dispose()


def batch_dispose(*, batch_id: int, actor: str) -> DisposeReport:
    """Collect once more, then delete each HIT that the crowd permits. Twice is not an error.

    HITs with unreviewed or unfinished work are not deleted but reported, to be tried again.
    """
    collect_batch(batch_id=batch_id, actor=actor)
    batch = Batch.objects.get(pk=batch_id)
    gateway = batch_gateway(batch)
    report = DisposeReport()
    for hit in batch.hits.filter(hit_id__isnull=False):
        _dispose(hit, gateway, report)
    AuditEvent.objects.create(
        batch=batch, actor=actor, action=AuditAction.DISPOSED, detail={"hits": report.disposed}
    )
    return report


def _dispose(hit: HIT, gateway: Gateway, report: DisposeReport) -> None:
    hit_id = str(hit.hit_id)
    try:
        gateway.delete(hit_id)
    except NotThereError:
        pass
    except WrongStateError as error:
        if "'Disposed'" not in error.message:
            report.waiting[hit_id] = error.message
            return
    except CrowdRefusedError as error:
        report.waiting[hit_id] = error.message
        return
    HIT.objects.filter(pk=hit.pk, disposed_at=None).update(disposed_at=timezone.now())
    report.disposed += 1
