"""What each kind of task about a scoring on several machines does."""

from collections.abc import Callable, Mapping
from typing import Any

from annotation.core.operations import Advance
from annotation.core.task_queue import task_set_total
from annotation.jobs.work import Outcome, Work
from annotation.models import Scoring, Task
from annotation.studies.operations.scorings import (
    checksum_do,
    checksum_total,
    shard_do,
    shard_total,
)
from annotation.vocabulary import TaskKind
from metrics.errors import InputError

#: In the result of a task that failed because of the collection: no other worker would do better.
REFUSED = "refused"


def _of_scoring(
    total: Callable[[Scoring, int], int],
    do: Callable[[Scoring, int, Advance], Mapping[str, Any]],
) -> Work:
    def scoring_of(task: Task) -> Scoring:
        if task.scoring is None:
            raise InputError(f"a task {task.kind!r} is about a part of a scoring.")
        return task.scoring

    def done(task: Task, advance: Advance) -> Outcome:
        scoring = scoring_of(task)
        task_set_total(task=task, total=total(scoring, task.part))
        try:
            return Outcome(dict(do(scoring, task.part, advance)))
        except InputError as error:
            return Outcome({REFUSED: True}, str(error))

    return done


SCORING_WORK: Mapping[str, Work] = {
    TaskKind.SHARD: _of_scoring(
        lambda scoring, part: shard_total(scoring=scoring, number=part),
        lambda scoring, part, advance: shard_do(scoring=scoring, number=part, advance=advance),
    ),
    TaskKind.CHECKSUM: _of_scoring(
        lambda scoring, _part: checksum_total(scoring=scoring),
        lambda scoring, _part, advance: checksum_do(scoring=scoring, advance=advance),
    ),
}
