"""Readmit an excluded worker."""

from annotation.core.queue import task_send
from annotation.models import Batch, Worker
from annotation.vocabulary import TaskKind
from annotation.workers.operations.about_worker import WorkerOperation
from annotation.workers.operations.exclusion import worker_readmit


class Readmit(WorkerOperation):
    """The worker may go on, as soon as the crowd knows."""

    name = "readmit"
    title = "Readmit"
    done = "The worker may go on, as soon as the crowd knows."

    def decide(self, batch: Batch, worker: Worker, reason: str, actor: str) -> None:
        worker_readmit(batch=batch, worker=worker, reason=reason, actor=actor)
        task_send(kind=TaskKind.EXCLUDE, batch_id=batch.pk, actor=actor)


READMIT = Readmit()
