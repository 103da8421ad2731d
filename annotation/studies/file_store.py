"""Places of a study's files: uploads, the storage, and the folder to point to."""

import contextlib
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from django.conf import settings
from django.core.files import File
from django.core.files.storage import Storage, storages

from annotation.core.durations import DAY
from annotation.models import StudyFile
from annotation.studies.queries.stored_files import stored_path
from metrics.errors import InputError

_MEGABYTE = 1_000_000
_BLOCK = 1 << 20
#: Most files offered on the page; of a larger folder the name is typed.
_MOST_OFFERED = 500


class Stream(Protocol):
    """Anything that is read in pieces: an upload, an open file."""

    def read(self, size: int = -1, /) -> bytes: ...


class _Whole(File):  # type: ignore[type-arg] # takes none when it runs
    """A finished file of this machine, which a storage on the same disk can move."""

    def temporary_file_path(self) -> str:
        return str(self.name)


def store() -> Storage:
    """The storage of files, as the settings say."""
    return storages["files"]


@contextlib.contextmanager
def workplace() -> Iterator[Path]:
    """Provide an empty folder on the disk of the data, and delete it afterwards.

    A day later what a killed process left is deleted.
    """
    uploads_clear()
    with tempfile.TemporaryDirectory(dir=settings.FILE_UPLOAD_TEMP_DIR) as folder:
        yield Path(folder)


def uploads_clear() -> int:
    """Delete what killed processes left of uploads more than a day ago; return the number."""
    gone = 0
    for left in Path(settings.FILE_UPLOAD_TEMP_DIR).iterdir():
        with contextlib.suppress(OSError):
            if time.time() - left.stat().st_mtime > DAY:
                shutil.rmtree(left) if left.is_dir() else left.unlink()
                gone += 1
    return gone


def receive(stream: Stream, path: Path) -> None:
    """Write a stream to `path`, within the limit of uploads, without holding it in memory."""
    uploaded = getattr(stream, "temporary_file_path", None)
    if uploaded is not None:
        # Already on this disk, within the limit: a second name for it costs nothing.
        os.link(uploaded(), path)
        return
    limit, size = settings.UPLOAD_LIMIT_MB * _MEGABYTE, 0
    with path.open("xb") as file:
        while block := stream.read(_BLOCK):
            size += len(block)
            if size > limit:
                raise file_too_large(path.name)
            file.write(block)


def file_too_large(name: str, limit: int | None = None) -> InputError:
    """The error of an upload beyond `limit` bytes, by default that of a study's files."""
    megabytes = settings.UPLOAD_LIMIT_MB if limit is None else limit // _MEGABYTE
    return InputError(
        f"has more than {megabytes:,} MB.",
        path=name,
        remedy="Pack it with gzip or zstd, or put it on the server and point to it.",
    )


def keep(path: Path, name: str) -> str:
    """Move a finished file into the storage, whole or not at all; return its name there."""
    with path.open("rb") as file:
        os.fsync(file.fileno())
        return store().save(name, _Whole(file, name=str(path)))


def local_path(file: StudyFile) -> Path:
    """Where this machine can read the file; `InputError` if it is gone or not what it was."""
    if file.is_pointed:
        path = path_pointed_to(file.path)
        if path.stat().st_size != file.size:
            raise InputError(
                "has changed since it was added.",
                path=file.path,
                remedy="Remove it from the study and add it again.",
            )
        return path
    return stored_path({"path": file.path, "digest": file.digest, "name": file.name})


def path_pointed_to(name: str) -> Path:
    """The file `name` within the folder that people may point to, and nowhere else."""
    refused = InputError(
        "is not a file of the folder that the site offers.",
        path=name,
        remedy="Choose one that the page offers.",
    )
    if not settings.FILES_DIR or "\0" in name:
        raise refused
    root = Path(settings.FILES_DIR).resolve()
    try:
        # Links are resolved first, so that one that leads out is noticed.
        path = (root / name).resolve(strict=True)
    except (OSError, RuntimeError):
        raise refused from None
    if not path.is_relative_to(root) or not path.is_file():
        raise refused
    return path


def files_to_point_to() -> list[str]:
    """Files of the folder by their path within; hidden files are not offered."""
    if not settings.FILES_DIR:
        return []
    root = Path(settings.FILES_DIR)
    files: list[str] = []
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        here = Path(folder).relative_to(root)
        files += [str(here / name) for name in sorted(names) if not name.startswith(".")]
        if len(files) >= _MOST_OFFERED:
            break
    return files[:_MOST_OFFERED]
