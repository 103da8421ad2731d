"""Exclude a worker from the further HITs of a batch."""

from annotation.batches.queries.answers import worker_of
from annotation.core.operations import Operation, Result, Run
from annotation.core.queue import task_send
from annotation.core.versions import State
from annotation.models import Batch
from annotation.vocabulary import TaskKind
from annotation.workers.operations.about_worker import WorkerParameters, decisions_about
from annotation.workers.operations.kept_out import worker_keep_out


class Exclude(Operation[Batch, WorkerParameters]):
    """The worker gets no further HIT of this batch, as soon as the crowd knows."""

    name = "exclude"
    title = "Exclude"
    subject = Batch
    parameters = WorkerParameters

    def seen(self, subject: Batch, parameters: WorkerParameters) -> State:
        return decisions_about(subject, parameters.worker)

    def run(self, subject: Batch, parameters: WorkerParameters, run: Run) -> Result:
        worker = worker_of(batch=subject, number=parameters.worker)
        worker_keep_out(
            batch=subject, worker=worker, reason=parameters.reason, actor=run.actor.name
        )
        task_send(kind=TaskKind.KEEP_OUT, batch_id=subject.pk, actor=run.actor.name)
        return Result(
            message="The worker gets no further HIT of this batch, as soon as the crowd knows."
        )


EXCLUDE = Exclude()
