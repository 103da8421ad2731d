"""A zip with the same bytes for the same files, and a reader that trusts nothing in it."""

import hashlib
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path

from metrics.errors import InputError
from metrics.files import replacing

MANIFEST = "manifest.json"
#: The earliest time that a zip can hold: the files' own times say nothing about the study.
_TIME = (1980, 1, 1, 0, 0, 0)
_MOST_FILES = 100
_MOST_BYTES = 4 << 30


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def write_archive(path: str | Path, files: Mapping[str, bytes]) -> None:
    """Write `files` in the order of their names, whole or not at all."""
    with (
        replacing(path) as temporary,
        zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive,
    ):
        for name in sorted(files):
            entry = zipfile.ZipInfo(name, date_time=_TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            # Without this the byte depends on the system that writes.
            entry.create_system = 3
            archive.writestr(entry, files[name])


def read_archive(path: str | Path) -> dict[str, bytes]:
    """The files of a bundle. Raises `InputError` for what is no bundle, or is far too large."""
    try:
        with zipfile.ZipFile(path) as archive:
            entries = archive.infolist()
            if len(entries) > _MOST_FILES or sum(one.file_size for one in entries) > _MOST_BYTES:
                raise InputError("is larger than any bundle.", path=path)
            files = {one.filename: archive.read(one) for one in entries}
    except FileNotFoundError:
        raise InputError("no such file.", path=path) from None
    except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError) as error:
        raise InputError(f"is no zip, or a damaged one ({error}).", path=path) from error
    if MANIFEST not in files:
        raise InputError("is no bundle: it has no manifest.json.", path=path)
    return files


def read_manifest(files: Mapping[str, bytes], path: str | Path) -> dict[str, object]:
    try:
        manifest = json.loads(files[MANIFEST])
    except ValueError as error:
        raise InputError(f"its manifest.json is no JSON ({error}).", path=path) from None
    if not isinstance(manifest, dict) or not isinstance(manifest.get("files"), dict):
        raise InputError("its manifest.json is not that of a bundle.", path=path)
    return manifest
