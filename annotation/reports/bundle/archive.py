"""Zips with the same bytes for the same files, and a reader that trusts nothing in them."""

import contextlib
import hashlib
import io
import json
import re
import shutil
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import IO, Any, TextIO

from metrics.errors import InputError
from metrics.io.digests import Digest
from metrics.io.file_kinds import FileKind
from metrics.io.files import replacing, sha256_of
from metrics.io.zips import open_zip

MANIFEST = "manifest.json"
#: Format that this version reads and writes. Every later version reads it, too.
FORMAT = 3
#: How numbers are counted, which the format does not tell: 1 in version 1.0, which names none.
#: Since 2 votes after a model's labels have no agreement by question either, and a tie has no
#: votes for it.
CONVENTIONS = 2
#: The earliest time that a zip can hold: the files' own times say nothing about the study.
_TIME = (1980, 1, 1, 0, 0, 0)
_BLOCK = 1 << 18
_MEGABYTE = 1 << 20
#: Errors of `zipfile` for bytes that are not a zip.
_DAMAGED = (
    zipfile.BadZipFile, zlib.error, struct.error, EOFError, NotImplementedError, UnicodeDecodeError,
)  # fmt: skip
_MOST_FILES = 2_000
_MOST_FOLDERS = 100
#: Unpacked bytes of all files, and of a single one by its suffix. JSON is held in memory as a
#: whole, at some 25 times its size where it is hostile; tables are read line by line.
_MOST_BYTES = 512 * _MEGABYTE
_LARGEST = {".json": 2 * _MEGABYTE, ".csv": 256 * _MEGABYTE}
_LARGEST_OTHER = 64 * _MEGABYTE
#: Suffixes of files that are stored uncompressed: whatever their size, they unpack to no more than
#: the zip itself has.
_AS_THEY_ARE = re.compile(
    r"files/.*|reports/[^/]+/(report\.zip|per_query\.parquet|statistics\.json)"
)


def _is_bundle(path: Path) -> bool:
    if not zipfile.is_zipfile(path):
        return False
    try:
        with open_zip(path, most=_MOST_FILES) as archive:
            return MANIFEST in archive.namelist()
    except (InputError, *_DAMAGED):
        return False


BUNDLE = FileKind("a bundle", _is_bundle)


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def write_archive(path: str | Path, files: Mapping[str, bytes | Path]) -> None:
    """Write `files` in the order of their names, whole or not at all.

    Bytes are compressed; files given by path are copied as they are. `InputError` beyond 4 GB.
    """
    try:
        with (
            replacing(path) as temporary,
            zipfile.ZipFile(temporary, "w", allowZip64=False, compresslevel=6) as archive,
        ):
            for name in sorted(files):
                _write_entry(archive, name, files[name])
    except zipfile.LargeZipFile:
        raise InputError(
            "would have more than 4 GB.", path=path, remedy="Leave the files of the study out."
        ) from None


def _write_entry(archive: zipfile.ZipFile, name: str, content: bytes | Path) -> None:
    entry = zipfile.ZipInfo(name, date_time=_TIME)
    entry.external_attr = 0o644 << 16
    # Without this the byte depends on the system that writes.
    entry.create_system = 3
    if isinstance(content, bytes):
        entry.compress_type = zipfile.ZIP_DEFLATED
        archive.writestr(entry, content)
        return
    entry.file_size = content.stat().st_size
    with content.open("rb") as source, archive.open(entry, "w") as target:
        shutil.copyfileobj(source, target, _BLOCK)


def content_sha256(content: bytes | Path) -> str:
    """Return the SHA-256 of the files for `write_archive`."""
    return sha256(content) if isinstance(content, bytes) else sha256_of(content)


class Archive:
    """The files of a bundle, or of a folder in it, read piece by piece; see `open_archive`."""

    def __init__(self, archive: zipfile.ZipFile, folder: str = "") -> None:
        self._archive, self._folder = archive, folder
        names = archive.namelist()
        self.names = tuple(name[len(folder) :] for name in names if name.startswith(folder))

    def within(self, folder: str) -> "Archive":
        """The files of a folder, named as `place/`, by their names there."""
        return Archive(self._archive, self._folder + folder)

    def place(self, name: str) -> str:
        """The name that a file has in the whole bundle."""
        return self._folder + name

    def folders(self, kind: str) -> list["Archive"]:
        """The folders `kind/1/`, `kind/2/` and so on, in the order of their numbers."""
        named = (re.fullmatch(rf"{kind}/([1-9][0-9]{{0,3}})/.+", name) for name in self.names)
        numbers = sorted({int(match[1]) for match in named if match})
        if len(numbers) > _MOST_FOLDERS:
            raise _too_large(f"{len(numbers):,} {kind}", MANIFEST)
        return [self.within(f"{kind}/{number}/") for number in numbers]

    def open(self, name: str) -> IO[bytes]:
        """A file to read from; `InputError` where there is none of this name."""
        if name not in self.names:
            raise InputError("is not in the bundle.", path=self.place(name))
        return self._archive.open(self.place(name))

    def sha256(self, name: str) -> str:
        """The SHA-256 of a file, in lower-case hexadecimal."""
        digest = hashlib.sha256()
        for block in self._blocks(name):
            digest.update(block)
        return digest.hexdigest()

    def digest(self, name: str) -> str:
        """The digest by which results name a file."""
        digest = Digest()
        for block in self._blocks(name):
            digest.update(block)
        return str(digest)

    def extract(self, name: str, path: Path) -> Path:
        """Write a file to `path`, which is returned."""
        with path.open("xb") as file:
            file.writelines(self._blocks(name))
        return path

    @contextlib.contextmanager
    def text(self, name: str) -> Iterator[TextIO]:
        """A file as UTF-8 text with the line ends that it has."""
        with self.open(name) as file:
            yield io.TextIOWrapper(file, encoding="utf-8", newline="")

    def json(self, name: str) -> Any:
        """The value of a JSON file. Raises `InputError` for anything else."""
        try:
            with self.open(name) as file:
                return json.loads(file.read())
        except (ValueError, RecursionError) as error:
            raise InputError(f"is not JSON ({error}).", path=self.place(name)) from None

    def _blocks(self, name: str) -> Iterator[bytes]:
        with self.open(name) as file:
            while block := file.read(_BLOCK):
                yield block


@contextlib.contextmanager
def open_archive(path: str | Path, needed: str = MANIFEST) -> Iterator[Archive]:
    """A bundle to read from. Raises `InputError` for what is not a bundle, damaged or too large.

    An archive without the file `needed` is not a bundle.

    Names and sizes are checked before anything is unpacked, and bound what is unpacked.
    """
    if Path(path).exists() and not Path(path).is_file():
        raise InputError("is not a file.", path=path)  # a device may never end
    try:
        with open_zip(path, most=_MOST_FILES) as archive:
            if needed not in archive.namelist():
                raise InputError(f"is not a bundle: it has no {needed}.", path=path)
            _check_entries(archive.infolist(), path)
            yield Archive(archive)
    except FileNotFoundError:
        raise InputError("no such file.", path=path) from None
    except _DAMAGED as error:
        raise InputError(f"is not a zip, or a damaged one ({error}).", path=path) from error


def read_manifest(bundle: Archive, path: str | Path) -> dict[str, Any]:
    """The bundle's description of itself. Raises `InputError` for one of a later format."""
    manifest = bundle.json(MANIFEST)
    if not isinstance(manifest, dict) or not isinstance(manifest.get("files"), dict):
        raise InputError("its manifest.json is not that of a bundle.", path=path)
    if manifest.get("format") != FORMAT:
        raise InputError(
            f"is a bundle of format {manifest.get('format')!r}.",
            path=path,
            remedy="Install a later version of Fairpool.",
        )
    return manifest


def _check_entries(entries: list[zipfile.ZipInfo], path: str | Path) -> None:
    names = {entry.filename for entry in entries}
    if len(entries) > _MOST_FILES:
        raise _too_large(f"{len(entries):,} files", path)
    if len(names) < len(entries):
        raise InputError("is not a bundle: it has two files of one name.", path=path)
    for entry in entries:
        _check_entry(entry, path)
    # Files that share bytes in the zip would add up to more than it has.
    if sum(entry.compress_size for entry in entries) > Path(path).stat().st_size:
        raise InputError("is not a zip, or a damaged one: its files overlap.", path=path)
    packed = [entry for entry in entries if not _AS_THEY_ARE.fullmatch(entry.filename)]
    if (total := sum(entry.file_size for entry in packed)) > _MOST_BYTES:
        raise _too_large(f"{total:,} bytes unpacked", path)


def _check_entry(entry: zipfile.ZipInfo, path: str | Path) -> None:
    name = entry.filename
    place = PurePosixPath(name)
    if place.is_absolute() or ".." in place.parts or "\\" in name:
        raise InputError(f"is not a bundle: {name!r} leads out of it.", path=path)
    if stat.S_ISLNK(entry.external_attr >> 16):
        raise InputError(f"is not a bundle: {name!r} is a link.", path=path)
    # With other compressions the file itself decides how much memory unpacking takes.
    if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise InputError(f"is not a bundle: {name!r} is packed otherwise.", path=path)
    if entry.header_offset < 0:
        raise InputError(f"is not a zip, or a damaged one: {name!r}.", path=path)
    if entry.flag_bits & 1:
        raise InputError(f"is not a bundle: {name!r} is encrypted.", path=path)
    if _AS_THEY_ARE.fullmatch(name):
        if entry.compress_type != zipfile.ZIP_STORED or entry.file_size != entry.compress_size:
            raise InputError(f"is not a bundle: {name!r} is packed.", path=path)
    elif entry.file_size > _LARGEST.get(place.suffix, _LARGEST_OTHER):
        raise _too_large(f"{name!r} with {entry.file_size:,} bytes", path)


def _too_large(what: str, path: str | Path) -> InputError:
    return InputError(f"is larger than any bundle: {what}.", path=path)
