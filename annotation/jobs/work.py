"""What each kind of task does."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from annotation.core.operations import Advance, AnyOperation
from annotation.core.parameters import read_parameters
from annotation.core.perform import job_subject, perform_job
from annotation.jobs.registry import JOBS
from annotation.models import Batch, Task
from annotation.vocabulary import TaskKind
from annotation.workers.operations.exclusion import exclusions_send
from metrics.errors import InputError


class Outcome(NamedTuple):
    """The service's report, and why a person should look at it, if so."""

    result: dict[str, Any]
    problem: str = ""


class Work(NamedTuple):
    """One kind of work. `total` is the number of units that `do` will advance by, if known."""

    total: Callable[[Task], int | None]
    do: Callable[[Task, Advance], Outcome]


def _of_batch(
    total: Callable[[Batch], int | None], do: Callable[[Batch, Task, Advance], Outcome]
) -> Work:
    def batch_of(task: Task) -> Batch:
        if task.batch is None:
            raise InputError(f"a task {task.kind!r} is about a batch.", remedy="Name the batch.")
        return task.batch

    return Work(
        lambda task: total(batch_of(task)),
        lambda task, advance: do(batch_of(task), task, advance),
    )


def _keep_out(batch: Batch, task: Task, advance: Advance) -> Outcome:
    return Outcome({"told": exclusions_send(batch_id=batch.pk, actor=task.actor, advance=advance)})


def _unknown(_batch: Batch) -> None:
    """How much there is to do shows only on the way."""


def _of_operation(operation: AnyOperation) -> Work:
    def do(task: Task, advance: Advance) -> Outcome:
        done = perform_job(operation, task, advance)
        return Outcome(done.values, done.problem)

    def total(task: Task) -> int | None:
        terms = read_parameters(operation.parameters, task.arguments)
        return operation.units(job_subject(task), terms)

    return Work(total, do)


WORK: Mapping[str, Work] = {
    TaskKind.KEEP_OUT: _of_batch(_unknown, _keep_out),
    **{kind: _of_operation(operation) for kind, operation in JOBS.items()},
}
