"""The latest release of a study, and whether it is current."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from annotation.models import Study, Task
from annotation.reports.queries.bundles import bundle_folder, state_bundled
from annotation.vocabulary import TaskKind, TaskState


@dataclass(frozen=True)
class ReadyRelease:
    """A zip to download; `is_current` unless the study has changed since."""

    path: Path
    sha256: str
    n_bytes: int
    files: list[str]
    is_current: bool


def release_name(study: Study) -> str:
    """Return the name of the file as it is downloaded."""
    return f"{study.name}-release.zip"


def release_folder(*, study_id: int) -> Path:
    """Return the folder of the study's release: that of its bundles, deleted likewise."""
    return bundle_folder(study_id=study_id) / "release"


def release_ready(*, study: Study) -> ReadyRelease | None:
    """Return the latest release, if its file is there; three statements."""
    task = _last(study, TaskState.DONE)
    if task is None:
        return None
    release = task.result
    path = release_folder(study_id=study.pk) / Path(str(release["name"])).name
    if not path.is_file():
        return None
    return ReadyRelease(
        path,
        str(release["sha256"]),
        int(release["n_bytes"]),
        list(release["files"]),
        release["state"] == state_bundled(study=study),
    )


def last_terms(*, study: Study) -> dict[str, Any]:
    """Return the parameters of the last release that was requested."""
    task = _last(study)
    return dict(task.arguments) if task else {}


def release_state(*, study: Study) -> dict[str, ReadyRelease | Task | None]:
    """A release on a page: the file that is ready, and the work on the next one."""
    task = _last(study)
    making = None if task is None or task.state == TaskState.DONE else task
    return {"release": release_ready(study=study), "making": making}


def _last(study: Study, *states: TaskState) -> Task | None:
    tasks = Task.objects.filter(study=study, kind=TaskKind.RELEASE)
    return (tasks.filter(state__in=states) if states else tasks).order_by("-pk").first()
