"""The bundle that was made of a batch last, and whether it still is the batch's."""

from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.db.models import Max

from annotation.models import Batch, Task
from annotation.vocabulary import TaskKind, TaskState


@dataclass(frozen=True)
class ReadyBundle:
    """A file to download; `is_current` unless something was done to the batch since."""

    path: Path
    sha256: str
    n_bytes: int
    is_current: bool


def bundle_folder(*, batch: Batch) -> Path:
    """Where the batch's bundles lie."""
    return Path(settings.DATA_DIR) / "bundles" / batch.uid.hex


def last_event(*, batch: Batch) -> int:
    """The number of the latest event in the batch's log."""
    return batch.events.aggregate(last=Max("pk"))["last"] or 0


def bundle_ready(*, batch: Batch) -> ReadyBundle | None:
    """The bundle that was made last, if its file is there; two statements."""
    task = (
        Task.objects.filter(batch=batch, kind=TaskKind.BUNDLE, state=TaskState.DONE)
        .order_by("-pk")
        .first()
    )
    if task is None or "name" not in task.result:
        return None
    made = task.result
    path = bundle_folder(batch=batch) / Path(str(made["name"])).name
    if not path.is_file():
        return None
    is_current = made["event"] == last_event(batch=batch)
    return ReadyBundle(path, str(made["sha256"]), int(made["n_bytes"]), is_current)


def bundle_task(*, batch: Batch) -> Task | None:
    """The work on the next bundle: under way, or failed since the last one was made."""
    task = Task.objects.filter(batch=batch, kind=TaskKind.BUNDLE).order_by("-pk").first()
    return None if task is None or task.state == TaskState.DONE else task
