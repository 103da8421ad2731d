"""A scored collection that one file should not hold: a folder of parts with a manifest."""

import json
import re
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory

from ...errors import InputError
from ...io import storage as places
from ...io.digests import AND, digest_of
from ...io.file_kinds import MANIFEST
from ...io.files import write_text
from ..magnitude_store import Metadata
from .plan import Plan

_PART = re.compile(r"part-[0-9a-f]{16}-[0-9]{6}\.parquet")


def check_folder(folder: str) -> None:
    """Raise `InputError` where the folder holds other files than parts and a manifest."""
    others = [path for path in _files_in(folder) if not _is_ours(path)]
    if others:
        raise InputError(
            f"holds other files than parts of a scored collection: {places.name_of(others[0])}.",
            path=folder,
            remedy="Write to a new folder.",
        )


def _is_ours(path: str) -> bool:
    name = places.name_of(path)
    return name == MANIFEST or bool(_PART.fullmatch(name)) or name.startswith(".")


def _files_in(folder: str) -> list[str]:
    if places.is_url(folder):
        return places.files_below(folder) or []
    if Path(folder).is_file():
        raise InputError("is a file, not a folder.", path=folder)
    return [str(path) for path in Path(folder).iterdir()] if Path(folder).is_dir() else []


def write_manifest(folder: str, plan: Plan, parts: Sequence[str], metadata: Metadata) -> None:
    """Write, last of all, what the folder holds: only then it is a scored collection.

    Parts of other plans that lie there are removed.
    """
    for path in set(_files_in(folder)) - set(parts):
        if _PART.fullmatch(places.name_of(path)):
            places.remove(path)
    manifest = {
        "metadata": asdict(metadata),
        "inputs": [
            {"path": file.path, "size": file.size, "digest": digest}
            for file, digest in zip(plan.files, metadata.collection_digest.split(AND), strict=True)
        ],
        "parts": [{"name": places.name_of(part), "digest": digest_of(part)} for part in parts],
    }
    text = json.dumps(manifest, indent=1, ensure_ascii=False) + "\n"
    path = f"{folder}/{MANIFEST}"
    if not places.is_url(path):
        write_text(path, text)
        return
    with TemporaryDirectory(prefix="fairpool-out-") as here:
        write_text(Path(here) / MANIFEST, text)
        places.put(Path(here) / MANIFEST, path)
