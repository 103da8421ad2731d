"""Let the votes of a worker no longer count."""

from annotation.models import Batch, Worker
from annotation.workers.operations.about_worker import WorkerOperation
from annotation.workers.operations.quality import votes_discard


class DiscardVotes(WorkerOperation):
    """The worker's votes do not count any more; decided labels are decided again."""

    name = "discard votes"
    title = "Discard votes"
    done = "The worker's votes do not count any more; decided labels were decided again."

    def decide(self, batch: Batch, worker: Worker, reason: str, actor: str) -> None:
        votes_discard(batch=batch, worker_id=worker.worker_id, reason=reason, actor=actor)


DISCARD_VOTES = DiscardVotes()
