"""Readmit an excluded worker."""

from annotation.batches.queries.answers import worker_of
from annotation.core.operations import Operation, Result, Run
from annotation.core.queue import task_send
from annotation.core.versions import State
from annotation.models import Batch
from annotation.vocabulary import TaskKind
from annotation.workers.operations.about_worker import WorkerParameters, decisions_about
from annotation.workers.operations.kept_out import worker_let_in


class Readmit(Operation[Batch, WorkerParameters]):
    """The worker may go on, as soon as the crowd knows."""

    name = "readmit"
    title = "Readmit"
    subject = Batch
    parameters = WorkerParameters

    def seen(self, subject: Batch, parameters: WorkerParameters) -> State:
        return decisions_about(subject, parameters.worker)

    def run(self, subject: Batch, parameters: WorkerParameters, run: Run) -> Result:
        worker = worker_of(batch=subject, number=parameters.worker)
        worker_let_in(batch=subject, worker=worker, reason=parameters.reason, actor=run.actor.name)
        task_send(kind=TaskKind.KEEP_OUT, batch_id=subject.pk, actor=run.actor.name)
        return Result(message="The worker may go on, as soon as the crowd knows.")


READMIT = Readmit()
