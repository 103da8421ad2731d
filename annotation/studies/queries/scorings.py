"""How far a collection is that several machines score."""

from dataclasses import dataclass

from annotation.core.task_progress import due
from annotation.models import Scoring, Task
from annotation.vocabulary import TaskKind, TaskState


@dataclass(frozen=True)
class ScoringProgress:
    """How far the shards are; `done` in thousands of bytes.

    `finished` has the kind and the part of each task that is done. `n_lost` workers died at a
    shard. `trouble` says why one waits, and `ended` is a task that will not be done: failed or
    cancelled.
    """

    n_shards: int
    n_scored: int
    is_worked_on: bool
    n_lost: int
    done: int
    finished: frozenset[tuple[str, int]]
    is_done: bool
    trouble: str
    ended: Task | None


def scoring_progress(*, scoring: Scoring) -> ScoringProgress:
    """How far all shards are, of the last time that each was asked for."""
    latest = {(task.kind, task.part): task for task in scoring.tasks.order_by("pk")}
    shards = [task for task in latest.values() if task.kind == TaskKind.SHARD]
    finished = {key for key, task in latest.items() if task.state == TaskState.DONE}
    waiting = [task for task in latest.values() if task.state == TaskState.QUEUED]
    ended = [
        task for task in latest.values() if task.state in (TaskState.FAILED, TaskState.CANCELLED)
    ]
    return ScoringProgress(
        n_shards=len(shards),
        n_scored=sum(kind == TaskKind.SHARD for kind, _ in finished),
        is_worked_on=scoring_is_worked_on(scoring=scoring),
        n_lost=sum(task.crash_count for task in latest.values()),
        done=sum(task.done for task in shards),
        finished=frozenset(finished),
        is_done=len(finished) == len(latest),
        trouble=next((task.error for task in waiting if task.error), ""),
        # What failed before what was cancelled for it, and the first of the collection.
        ended=min(
            ended, key=lambda task: (task.state != TaskState.FAILED, task.part), default=None
        ),
    )


def scoring_is_worked_on(*, scoring: Scoring) -> bool:
    """Whether a worker that lives is at one of its tasks."""
    running = scoring.tasks.filter(state=TaskState.RUNNING)
    return running.exclude(due()).exists()


def scoring_tasks_due(*, scoring: Scoring) -> list[tuple[int, int]]:
    """Id and attempts so far of each task that waits for a worker, in the order of the shards."""
    tasks = scoring.tasks.filter(due()).order_by("part", "pk")
    return list(tasks.values_list("pk", "attempts"))
