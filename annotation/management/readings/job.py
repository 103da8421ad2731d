"""Background jobs, and their progress."""

from dataclasses import dataclass
from typing import Any

from annotation.batches.queries.batches import get_batch
from annotation.core.parameters import parameter
from annotation.core.task_progress import task_list
from annotation.management.readings import Answer, reads
from annotation.models import Task


@dataclass(frozen=True)
class _Shown:
    """Which jobs to list."""

    batch: str | None = parameter(None, help_text="Only those of this batch.")
    limit: int = parameter(20, min_value=1, help_text="How many jobs to show.")


@reads("job list --batch study --json", parameters=_Shown)
def listed(options: _Shown) -> Answer:
    """List the background jobs, the latest first."""
    batch_id = None if options.batch is None else get_batch(name=options.batch).pk
    tasks = list(task_list(batch_id=batch_id, limit=options.limit))
    return Answer({"tasks": [row_of(task) for task in tasks]}, [*map(line_of, tasks)] or "No jobs.")


def line_of(task: Task) -> str:
    """A job as people read it."""
    of_total = f" of {task.total:,}" if task.total else ""
    progress = f", {task.done:,}{of_total} done" if task.done or task.total else ""
    ending = " (cancelling)" if task.state == "running" and task.cancel_requested else ""
    why = f": {task.error}" if task.error else ""
    state = f"{task.get_state_display().lower()}{ending}"
    return f"{task.pk}  {task.get_kind_display()}, {task.subject}: {state}{progress}{why}"


def row_of(task: Task) -> dict[str, Any]:
    """A job as programs read it."""
    names = (
        "kind", "arguments", "actor", "state", "done", "total", "result", "error",
        "cancel_requested", "attempts", "crash_count", "worker", "created_at", "started_at",
        "finished_at",
    )  # fmt: skip
    of = {"batch": task.batch and task.batch.name, "study": task.study and task.study.name}
    return {"id": task.pk, **of, **{name: getattr(task, name) for name in names}}
