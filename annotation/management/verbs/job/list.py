"""Command: background jobs, and their progress."""

from argparse import ArgumentParser
from typing import Any

from annotation.batches.queries.batches import get_batch
from annotation.core.base_command import FairpoolCommand
from annotation.core.task_progress import task_list
from annotation.models import Task
from metrics.cli.numbers import whole_number


class Command(FairpoolCommand):
    help = "List the background jobs, the latest first."
    example = "job list --batch study --json"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--batch", metavar="BATCH", help="Only those of this batch.")
        parser.add_argument(
            "--limit", type=whole_number(1), default=20, help="How many jobs to show (default 20)."
        )

    def handle(self, **options: Any) -> None:
        name = options["batch"]
        batch_id = None if name is None else get_batch(name=name).pk
        tasks = list(task_list(batch_id=batch_id, limit=options["limit"]))
        result = {"tasks": [row_of(task) for task in tasks]}
        self.print_result(options, result, [line_of(task) for task in tasks] or "No jobs.")


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
    return {
        "id": task.pk,
        "kind": task.kind,
        "batch": task.batch and task.batch.name,
        "study": task.study and task.study.name,
        "arguments": task.arguments,
        "actor": task.actor,
        "state": task.state,
        "done": task.done,
        "total": task.total,
        "result": task.result,
        "error": task.error,
        "cancel_requested": task.cancel_requested,
        "attempts": task.attempts,
        "crash_count": task.crash_count,
        "worker": task.worker,
        "created_at": task.created_at,
        "started_at": task.started_at,
        "finished_at": task.finished_at,
    }
