"""tasks: the long work in the background, and how far it is."""

from argparse import ArgumentParser
from typing import Any

from annotation.batches.queries.batches import batch_get
from annotation.core.task_progress import task_list
from annotation.core.task_queue import task_cancel
from annotation.models import Task
from metrics.cli.numbers import whole_number
from metrics.management.command import FairpoolCommand


class Command(FairpoolCommand):
    help = "List the background tasks, the latest first, or cancel one."
    example = "tasks --batch study --json"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--batch", metavar="B", help="Only those of this batch.")
        parser.add_argument(
            "--limit", type=whole_number(1), default=20, help="How many tasks to show (default 20)."
        )
        parser.add_argument(
            "--cancel",
            type=whole_number(1),
            metavar="ID",
            help="End this task at its next step; what it has done stays done.",
        )

    def handle(self, **options: Any) -> None:
        if options["cancel"] is not None:
            tasks = [task_cancel(task_id=options["cancel"])]
        else:
            name = options["batch"]
            batch_id = None if name is None else batch_get(name=name).pk
            tasks = list(task_list(batch_id=batch_id, limit=options["limit"]))
        shown = {"tasks": [_row(task) for task in tasks]}
        self.print_result(options, shown, [_line(task) for task in tasks] or "No tasks.")


def _line(task: Task) -> str:
    of_total = f" of {task.total:,}" if task.total else ""
    progress = f", {task.done:,}{of_total} done" if task.done or task.total else ""
    ending = " (cancelling)" if task.state == "running" and task.cancel_requested else ""
    why = f": {task.error}" if task.error else ""
    state = f"{task.get_state_display().lower()}{ending}"
    return f"{task.pk}  {task.get_kind_display()}, {task.subject}: {state}{progress}{why}"


def _row(task: Task) -> dict[str, Any]:
    return {
        "id": task.pk,
        "kind": task.kind,
        "batch": task.batch and task.batch.name,
        "study": task.study and task.study.name,
        "scoring": task.scoring and str(task.scoring),
        "part": task.part,
        "arguments": task.arguments,
        "actor": task.actor,
        "state": task.state,
        "done": task.done,
        "total": task.total,
        "result": task.result,
        "error": task.error,
        "cancel_requested": task.cancel_requested,
        "attempts": task.attempts,
        "deaths": task.crash_count,
        "worker": task.worker,
        "created_at": task.created_at,
        "started_at": task.started_at,
        "finished_at": task.finished_at,
    }
