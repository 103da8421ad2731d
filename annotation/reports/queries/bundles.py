"""The latest bundle of a study, and whether it is current."""

from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.db.models import Max, Q

from annotation.models import AuditEvent, Study, Task
from annotation.vocabulary import TaskKind, TaskState


@dataclass(frozen=True)
class ReadyBundle:
    """A file to download; `is_current` unless the study has changed since."""

    path: Path
    sha256: str
    n_bytes: int
    includes_files: bool
    is_current: bool


def bundle_name(study: Study) -> str:
    """Return the name of the file as it is downloaded."""
    return f"{study.name}.zip"


def bundle_folder(*, study_id: int) -> Path:
    """Return the folder of the study's bundles."""
    return Path(settings.DATA_DIR) / "bundles" / str(study_id)


def state_bundled(*, study: Study) -> list[int]:
    """The last event of the study and its batches, and the number of its reports.

    While these are the same, the contents of a bundle have not changed.
    """
    events = AuditEvent.objects.filter(Q(study=study) | Q(batch__study=study))
    last = events.aggregate(last=Max("pk"))["last"] or 0
    return [last, study.reports.filter(made_at__isnull=False).count()]


def bundle_ready(*, study: Study) -> ReadyBundle | None:
    """The bundle that was made last, if its file is there; three statements."""
    task = (
        Task.objects.filter(study=study, kind=TaskKind.BUNDLE, state=TaskState.DONE)
        .order_by("-pk")
        .first()
    )
    if task is None:
        return None
    bundle = task.result
    path = bundle_folder(study_id=study.pk) / Path(str(bundle["name"])).name
    if not path.is_file():
        return None
    return ReadyBundle(
        path,
        str(bundle["sha256"]),
        int(bundle["n_bytes"]),
        bool(bundle["includes_files"]),
        bundle["state"] == state_bundled(study=study),
    )


def bundle_task(*, study: Study) -> Task | None:
    """Return the task of the next bundle: running, or failed since the last one was made."""
    task = Task.objects.filter(study=study, kind=TaskKind.BUNDLE).order_by("-pk").first()
    return None if task is None or task.state == TaskState.DONE else task


def bundle_state(*, study: Study) -> dict[str, ReadyBundle | Task | None]:
    """A bundle on a page: the file that is ready, and the work on the next one."""
    return {"bundle": bundle_ready(study=study), "making": bundle_task(study=study)}
