"""Let the votes of a worker count again."""

from annotation.models import Batch, Worker
from annotation.workers.operations.about_worker import WorkerOperation
from annotation.workers.operations.quality import votes_restore


class RestoreVotes(WorkerOperation):
    """The worker's votes count again; decided labels are decided again."""

    name = "restore votes"
    title = "Restore votes"
    done = "The worker's votes count again; decided labels were decided again."

    def decide(self, batch: Batch, worker: Worker, reason: str, actor: str) -> None:
        votes_restore(batch=batch, worker_id=worker.worker_id, reason=reason, actor=actor)


RESTORE_VOTES = RestoreVotes()
