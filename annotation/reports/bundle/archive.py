"""A zip with the same bytes for the same files, and a reader that trusts nothing in it."""

import contextlib
import hashlib
import io
import json
import os
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any, TextIO

from metrics.errors import InputError
from metrics.io.file_kinds import FileKind
from metrics.io.files import replacing

MANIFEST = "manifest.json"
#: The earliest time that a zip can hold: the files' own times say nothing about the study.
_TIME = (1980, 1, 1, 0, 0, 0)
_BLOCK = 1 << 18
_MEGABYTE = 1 << 20
#: What `zipfile` raises for bytes that are no zip.
_DAMAGED = (
    zipfile.BadZipFile, zlib.error, struct.error, EOFError, NotImplementedError, UnicodeDecodeError,
)  # fmt: skip
_MOST_FILES = 100
#: Bytes of the list of files at the end of a zip, which is read as a whole.
_LARGEST_DIRECTORY = 1 << 16
#: Bytes of the record at the end of a zip without comment, and of what announces a 64-bit one.
_END_RECORD, _LOCATOR = 22, 20
#: Unpacked bytes of all files, and of a single one by its suffix. JSON is held in memory as a
#: whole, at some 25 times its size where it is hostile; tables are read line by line.
_MOST_BYTES = 512 * _MEGABYTE
_LARGEST = {".json": 2 * _MEGABYTE, ".csv": 256 * _MEGABYTE}
_LARGEST_OTHER = 64 * _MEGABYTE


def _is_bundle(path: Path) -> bool:
    return zipfile.is_zipfile(path) and MANIFEST in zipfile.ZipFile(path).namelist()


BUNDLE = FileKind("a bundle", _is_bundle)


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


class Archive:
    """The files of a bundle, read piece by piece; get one from `open_archive`."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        self.names = tuple(archive.namelist())

    def sha256(self, name: str) -> str:
        """The SHA-256 of a file, in lower-case hexadecimal."""
        digest = hashlib.sha256()
        with self._archive.open(name) as file:
            while block := file.read(_BLOCK):
                digest.update(block)
        return digest.hexdigest()

    @contextlib.contextmanager
    def text(self, name: str) -> Iterator[TextIO]:
        """A file as UTF-8 text with the line ends that it has."""
        with self._archive.open(name) as file:
            yield io.TextIOWrapper(file, encoding="utf-8", newline="")

    def json(self, name: str) -> Any:
        """The value of a JSON file. Raises `InputError` for anything else."""
        try:
            return json.loads(self._archive.read(name))
        except (ValueError, RecursionError) as error:
            raise InputError(f"is no JSON ({error}).", path=name) from None


@contextlib.contextmanager
def open_archive(path: str | Path) -> Iterator[Archive]:
    """A bundle to read from. Raises `InputError` for what is no bundle, damaged or too large.

    Names and sizes are checked before anything is unpacked, and no more is unpacked than they say.
    """
    if Path(path).exists() and not Path(path).is_file():
        raise InputError("is no file.", path=path)  # a device may never end
    try:
        with Path(path).open("rb") as file:
            _check_directory(file, path)
            with zipfile.ZipFile(file) as archive:
                _check_entries(archive.infolist(), path)
                yield Archive(archive)
    except FileNotFoundError:
        raise InputError("no such file.", path=path) from None
    except _DAMAGED as error:
        raise InputError(f"is no zip, or a damaged one ({error}).", path=path) from error


def read_manifest(bundle: Archive, path: str | Path) -> dict[str, Any]:
    """What the bundle says about itself."""
    manifest = bundle.json(MANIFEST)
    if not isinstance(manifest, dict) or not isinstance(manifest.get("files"), dict):
        raise InputError("its manifest.json is not that of a bundle.", path=path)
    return manifest


def _check_directory(file: IO[bytes], path: str | Path) -> None:
    """The list of files is parsed as a whole, so its size is looked up first.

    It stands in the record at the end, which is found as `zipfile` finds it. Bundles have no
    64-bit record before it, which would say something else.
    """
    size = file.seek(0, os.SEEK_END)
    begin = file.seek(max(0, size - _END_RECORD - (1 << 16)))
    end = file.read()
    place = len(end) - _END_RECORD
    if not (end[place:].startswith(b"PK\5\6") and end.endswith(b"\0\0")):
        place = end.rfind(b"PK\5\6")
    file.seek(max(0, begin + place - _LOCATOR))
    before = file.read(_LOCATOR)
    announced = int.from_bytes(end[place + 12 : place + 16], "little")
    if place >= 0 and (announced > _LARGEST_DIRECTORY or before.startswith(b"PK\6\7")):
        raise _too_large("its list of files", path)
    file.seek(0)


def _check_entries(entries: list[zipfile.ZipInfo], path: str | Path) -> None:
    names = [entry.filename for entry in entries]
    if len(entries) > _MOST_FILES:
        raise _too_large(f"{len(entries):,} files", path)
    if len(set(names)) < len(names):
        raise InputError("is no bundle: it has two files of one name.", path=path)
    if MANIFEST not in names:
        raise InputError("is no bundle: it has no manifest.json.", path=path)
    for entry in entries:
        # What else a zip may be packed with lets the file decide how much memory that takes.
        if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise InputError(f"is no bundle: {entry.filename!r} is packed otherwise.", path=path)
        if entry.header_offset < 0:
            raise InputError(f"is no zip, or a damaged one: {entry.filename!r}.", path=path)
        if entry.flag_bits & 1:
            raise InputError(f"is no bundle: {entry.filename!r} is encrypted.", path=path)
        if entry.file_size > _LARGEST.get(Path(entry.filename).suffix, _LARGEST_OTHER):
            raise _too_large(f"{entry.filename!r} with {entry.file_size:,} bytes", path)
    if (total := sum(entry.file_size for entry in entries)) > _MOST_BYTES:
        raise _too_large(f"{total:,} bytes unpacked", path)


def _too_large(what: str, path: str | Path) -> InputError:
    return InputError(f"is larger than any bundle: {what}.", path=path)
