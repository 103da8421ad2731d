"""Local paths of files in the storage."""

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.files.storage import storages

from metrics.errors import InputError
from metrics.io.files import replacing


def stored_path(stored: Mapping[str, Any]) -> Path:
    """The file that `stored` names by its `path` in the storage and its `digest`.

    `name` is its name for people. Computing needs a local path.

    Files of a remote storage are fetched once, into a cache that may be emptied at any time.
    `InputError` if the file is gone.
    """
    storage = storages["files"]
    try:
        path = Path(storage.path(stored["path"]))
    except NotImplementedError:
        return _fetched(stored)
    if not path.is_file():
        raise _gone(stored)
    return path


def _fetched(stored: Mapping[str, Any]) -> Path:
    # The digest is the name, so that an existing file is right.
    folder = str(stored["digest"]).replace(":", "-")
    path = Path(settings.DATA_DIR, "cache", folder, Path(stored["path"]).name)
    if not path.is_file():
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with (
                storages["files"].open(stored["path"]) as source,
                replacing(path) as draft,
                draft.open("wb") as copy,
            ):
                shutil.copyfileobj(source, copy)
        except FileNotFoundError:
            raise _gone(stored) from None
    return path


def _gone(stored: Mapping[str, Any]) -> InputError:
    return InputError(
        "is gone from the storage.",
        path=stored.get("name") or Path(stored["path"]).name,
        remedy="Restore it from a backup.",
    )
