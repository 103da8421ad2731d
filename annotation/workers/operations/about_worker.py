"""Base of decisions about a worker of a batch."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from annotation.batches.queries.answers import worker_of
from annotation.core.operations import Operation, Result, Run
from annotation.core.parameters import ROW_NUMBER, parameter
from annotation.core.versions import State
from annotation.labels.operations.decide_again import LabelChanges
from annotation.models import Batch, DiscardedVotes, ExcludedWorker, Worker
from annotation.vocabulary import LONGEST_REASON


@dataclass(frozen=True, kw_only=True)
class WorkerParameters:
    worker: int = parameter(**ROW_NUMBER, help_text="Number of the worker.")
    reason: str = parameter(
        max_length=LONGEST_REASON, help_text="Why; kept with the decision.", style={"rows": 3}
    )


class WorkerOperation(Operation[Batch, WorkerParameters]):
    """A decision about a worker of a batch, made with the earlier ones in view."""

    subject = Batch
    parameters = WorkerParameters
    #: Message after the decision.
    done: ClassVar[str]

    def seen(self, subject: Batch, parameters: WorkerParameters) -> State:
        return decisions_about(subject, parameters.worker)

    def run(self, subject: Batch, parameters: WorkerParameters, run: Run) -> Result:
        worker = worker_of(batch=subject, number=parameters.worker)
        changes = self.decide(subject, worker, parameters.reason, run.actor.name)
        if changes is None:
            return Result(message=self.done)
        return Result({"labels_changed": changes.n_changed}, f"{self.done} {changes.in_words}")

    @abstractmethod
    def decide(self, batch: Batch, worker: Worker, reason: str, actor: str) -> LabelChanges | None:
        """Store the decision and its consequences; return the changes of labels, if any."""


def decisions_about(batch: Batch, worker: int) -> State:
    """Return the decisions about a worker of the batch, in words."""
    aside = DiscardedVotes.objects.active().filter(batch=batch, worker=worker).first()
    out = ExcludedWorker.objects.active().filter(batch=batch, worker=worker).first()
    return {
        "Votes": f"discarded by {aside.by}: {aside.reason}" if aside else "count",
        "Further HITs": f"excluded by {out.by}: {out.reason}" if out else "may go on",
    }
