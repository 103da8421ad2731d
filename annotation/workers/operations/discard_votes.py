"""Let the votes of a worker no longer count."""

from annotation.batches.queries.answers import worker_of
from annotation.core.operations import Operation, Result, Run
from annotation.core.versions import State
from annotation.models import Batch
from annotation.workers.operations.about_worker import WorkerParameters, decisions_about
from annotation.workers.operations.quality import worker_set_aside


class DiscardVotes(Operation[Batch, WorkerParameters]):
    """The worker's votes do not count any more; decided labels are decided again."""

    name = "discard votes"
    title = "Discard votes"
    subject = Batch
    parameters = WorkerParameters

    def seen(self, subject: Batch, parameters: WorkerParameters) -> State:
        return decisions_about(subject, parameters.worker)

    def run(self, subject: Batch, parameters: WorkerParameters, run: Run) -> Result:
        worker = worker_of(batch=subject, number=parameters.worker)
        worker_set_aside(
            batch=subject,
            worker_id=worker.worker_id,
            reason=parameters.reason,
            actor=run.actor.name,
        )
        return Result(
            message="The worker's votes do not count any more; decided labels were decided again."
        )


DISCARD_VOTES = DiscardVotes()
