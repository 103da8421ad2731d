"""Uploads that a person previews before an import, kept for a day.

They are in the folder of uploads in progress, which is cleared after a day.
"""

import shutil
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.core import signing
from django.core.files.uploadedfile import UploadedFile

from annotation.core.access import User
from annotation.core.durations import DAY
from annotation.studies.archives import is_zip, unpack
from annotation.studies.file_checks import check_table, packing_of
from annotation.studies.file_store import receive, uploads_clear
from annotation.studies.operations.files import in_words_of, shown_name, stored_name
from metrics.errors import InputError

_SALT = "staged-files"


@dataclass(frozen=True)
class StagedFiles:
    """Files in the order of their upload; `token` finds them again for the same person."""

    token: str
    folder: Path
    paths: list[Path]

    def delete(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)


def stage_files(files: Iterable["UploadedFile[bytes]"], user: User) -> StagedFiles:
    """Put the tables aside for `user`; `InputError` where one is too large to be read."""
    uploads_clear()
    folder = Path(tempfile.mkdtemp(prefix="staged-", dir=settings.FILE_UPLOAD_TEMP_DIR))
    staged = StagedFiles(signing.dumps([folder.name, user.pk], salt=_SALT), folder, [])
    try:
        for number, file in enumerate(files):
            (folder / f"{number:03}").mkdir()
            arrived = folder / f"{number:03}" / "arrived"
            receive(file, arrived)
            staged.paths.extend(keep_tables(arrived, file.name or ""))
    except BaseException:
        staged.delete()
        raise
    return staged


def keep_tables(arrived: Path, filename: str) -> list[Path]:
    """Keep the uploaded table, or those of a zip, under their names in its folder.

    Raises `InputError` with the name that its sender knows, where one cannot be read.
    """
    display_name = shown_name(filename)
    try:
        if not is_zip(arrived):
            return [_keep(arrived, display_name)]
        inside = unpack(arrived, arrived.parent)
    except InputError as error:
        raise in_words_of(error, arrived, display_name) from error
    arrived.unlink()
    return [_keep(path, shown_name(name)) for name, path in inside]


def _keep(arrived: Path, display_name: str) -> Path:
    path = arrived.with_name(stored_name(display_name, packing_of(arrived)))
    if path.exists():
        raise InputError(
            "is there twice in the archive.", path=display_name, remedy="Rename one of them."
        )
    arrived.rename(path)
    try:
        check_table(path)
    except InputError as error:
        raise in_words_of(error, path, display_name) from error
    return path


def staged_files(token: str, user: User) -> StagedFiles:
    """The files of `token`; `InputError` where they are somebody else's, imported or too old."""
    gone = InputError("the files are no longer here.", remedy="Choose them again.")
    try:
        name, owner = signing.loads(token, salt=_SALT, max_age=DAY)
    except signing.BadSignature:
        raise gone from None
    folder = Path(settings.FILE_UPLOAD_TEMP_DIR) / name
    paths = sorted(folder.glob("*/*"))
    if owner != user.pk or not paths:
        raise gone
    return StagedFiles(token, folder, paths)
