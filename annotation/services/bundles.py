"""The bundle of a batch as a file that waits to be downloaded.

A file is named by its content, so that the same study is kept once, and one that somebody is
downloading never changes. What is remembered is the last event of the batch's log: while there is
none after it, nothing that a bundle holds has changed, and nothing is made again.
"""

import hashlib
from dataclasses import dataclass
from pathlib import Path

from annotation.bundle.archive import write_archive
from annotation.bundle.contents import bundle_files
from annotation.models import Batch
from annotation.selectors.bundle import study_bundle
from annotation.selectors.bundles import bundle_folder, last_event


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
