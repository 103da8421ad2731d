"""Let the votes of a worker count again."""

from annotation.batches.queries.answers import worker_of
from annotation.core.operations import Operation, Result, Run
from annotation.core.versions import State
from annotation.models import Batch
from annotation.workers.operations.about_worker import WorkerParameters, decisions_about
from annotation.workers.operations.quality import worker_bring_back


class RestoreVotes(Operation[Batch, WorkerParameters]):
    """The worker's votes count again; decided labels are decided again."""

    name = "restore votes"
    title = "Restore votes"
    subject = Batch
    parameters = WorkerParameters

    def seen(self, subject: Batch, parameters: WorkerParameters) -> State:
        return decisions_about(subject, parameters.worker)

    def run(self, subject: Batch, parameters: WorkerParameters, run: Run) -> Result:
        worker = worker_of(batch=subject, number=parameters.worker)
        worker_bring_back(
            batch=subject,
            worker_id=worker.worker_id,
            reason=parameters.reason,
            actor=run.actor.name,
        )
        return Result(message="The worker's votes count again; decided labels were decided again.")


RESTORE_VOTES = RestoreVotes()
