"""Exclude a worker from the further HITs of a batch."""

from annotation.core.queue import task_send
from annotation.models import Batch, Worker
from annotation.vocabulary import TaskKind
from annotation.workers.operations.about_worker import WorkerOperation
from annotation.workers.operations.exclusion import worker_exclude


class Exclude(WorkerOperation):
    """The worker gets no further HIT of this batch, as soon as the crowd knows."""

    name = "exclude"
    title = "Exclude"
    done = "The worker gets no further HIT of this batch, as soon as the crowd knows."

    def decide(self, batch: Batch, worker: Worker, reason: str, actor: str) -> None:
        worker_exclude(batch=batch, worker=worker, reason=reason, actor=actor)
        task_send(kind=TaskKind.EXCLUDE, batch_id=batch.pk, actor=actor)


EXCLUDE = Exclude()
