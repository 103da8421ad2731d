"""What decisions about a worker of a batch have in common."""

from dataclasses import dataclass

from annotation.core.parameters import ROW_NUMBER, parameter
from annotation.core.versions import State
from annotation.models import Batch, KeptOutWorker, SetAsideWorker


@dataclass(frozen=True, kw_only=True)
class WorkerParameters:
    worker: int = parameter(**ROW_NUMBER, help_text="Number of the worker.")
    reason: str = parameter(
        max_length=1_000, help_text="Why; kept with the decision.", style={"rows": 3}
    )


def decisions_about(batch: Batch, worker: int) -> State:
    """What was decided about a worker of the batch, as a person reads it."""
    aside = SetAsideWorker.objects.active().filter(batch=batch, worker=worker).first()
    out = KeptOutWorker.objects.active().filter(batch=batch, worker=worker).first()
    return {
        "Votes": f"set aside by {aside.by}: {aside.reason}" if aside else "count",
        "Further HITs": f"kept out by {out.by}: {out.reason}" if out else "may go on",
    }
