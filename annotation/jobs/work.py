"""What each kind of task does."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from annotation.core.operations import Advance, AnyOperation
from annotation.core.perform import perform_job
from annotation.jobs.registry import JOBS
from annotation.models import Task
from annotation.vocabulary import TaskKind
from annotation.workers.operations.exclusion import exclusions_send
from metrics.errors import InputError


class Outcome(NamedTuple):
    """What came of a task, and why a person should look at it, if so."""

    result: dict[str, Any]
    problem: str = ""


#: One kind of work. It stores how many units it will advance by, if that is known.
Work = Callable[[Task, Advance], Outcome]


def _exclude(task: Task, advance: Advance) -> Outcome:
    """How much there is to do shows only on the way."""
    if task.batch is None:
        raise InputError(f"a task {task.kind!r} is about a batch.", remedy="Name the batch.")
    sent = exclusions_send(batch_id=task.batch.pk, actor=task.actor, advance=advance)
    return Outcome({"told": sent})


def _of_operation(operation: AnyOperation) -> Work:
    def do(task: Task, advance: Advance) -> Outcome:
        done = perform_job(operation, task, advance)
        return Outcome(done.values, done.problem)

    return do


WORK: Mapping[str, Work] = {
    TaskKind.EXCLUDE: _exclude,
    **{kind: _of_operation(operation) for kind, operation in JOBS.items()},
}
