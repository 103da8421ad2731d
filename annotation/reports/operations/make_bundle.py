"""Make the bundle of a batch.

A file is named by its content, so that the same study is kept once, and one that somebody is
downloading never changes. What is remembered is the last event of the batch's log: while there is
none after it, nothing that a bundle holds has changed, and nothing is made again.
"""

import hashlib
from dataclasses import asdict, dataclass
from pathlib import Path

from annotation.core.consent import Estimate
from annotation.core.operations import Operation, Result, Run
from annotation.core.parameters import NoParameters
from annotation.models import Batch
from annotation.reports.bundle.archive import write_archive
from annotation.reports.bundle.contents import bundle_files
from annotation.reports.queries.bundle import study_bundle
from annotation.reports.queries.bundles import bundle_folder, bundle_ready, last_event
from annotation.vocabulary import Action, TaskKind


@dataclass(frozen=True)
class MadeBundle:
    """A bundle on disk: its name in the batch's folder, its size, the last event that it knows."""

    name: str
    sha256: str
    n_bytes: int
    event: int


def bundle_make(*, batch_id: int) -> MadeBundle:
    """Write the bundle of the batch, whole or not at all; earlier ones of the batch go."""
    batch = Batch.objects.get(pk=batch_id)
    # Read before the study is: what is stored meanwhile leaves the bundle out of date, not wrong.
    event = last_event(batch=batch)
    folder = bundle_folder(batch=batch)
    folder.mkdir(parents=True, exist_ok=True)
    making = folder / "making.zip"
    write_archive(making, bundle_files(study_bundle(batch=batch)))
    sha256 = _sha256(making)
    made = making.replace(folder / f"{sha256[:16]}.zip")
    for other in folder.glob("*.zip"):
        if other.name != made.name:
            other.unlink(missing_ok=True)
    return MadeBundle(made.name, sha256, made.stat().st_size, event)


def _sha256(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


class MakeBundle(Operation[Batch, NoParameters]):
    """Write everything that the numbers of the batch follow from into one zip."""

    name = "bundle"
    path = "bundle/make"
    title = "Make the bundle"
    button = "Make the bundle"
    queued = "The bundle is being made. This page tells when it is ready."
    subject = Batch
    parameters = NoParameters
    permission = Action.VIEW
    job = TaskKind.BUNDLE

    def estimate(self, subject: Batch, parameters: NoParameters) -> Estimate:
        ready = bundle_ready(batch=subject)
        is_current = ready is not None and ready.is_current
        fresh = "The bundle is ready: nothing has changed since it was made."
        return Estimate(nothing=fresh if is_current else "")

    def run(self, subject: Batch, parameters: NoParameters, run: Run) -> Result:
        return Result(asdict(bundle_make(batch_id=subject.pk)), "The bundle is ready.")


MAKE_BUNDLE = MakeBundle()
