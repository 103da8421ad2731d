"""Zips of several files, such as the runs of a track or doccano's exports, within limits."""

import zipfile
from pathlib import Path
from typing import BinaryIO

from annotation.studies.file_checks import most_unpacked
from metrics.errors import InputError
from metrics.io.packing import DAMAGED
from metrics.io.zips import open_zip
from metrics.vocabulary import LARGEST_TABLE

_MOST_FILES = 200
#: With folders, and what operating systems add to each file.
_MOST_ENTRIES = 10_000
_BLOCK = 1 << 20
_ZIP = b"PK\x03\x04"
#: Names in a zip that is a document of an office program.
_OFFICE = ("[Content_Types].xml", "mimetype")


def is_zip(path: Path) -> bool:
    """Return whether the file is a zip of files, and not a spreadsheet, which is a zip inside."""
    return bool(_names_at(path))


def is_zip_of_several(path: Path) -> bool:
    """Return whether the file is a zip that is more than one packed file."""
    return len(_names_at(path)) > 1


def _names_at(path: Path) -> list[str]:
    try:
        with path.open("rb") as file:
            return names_in_zip(file)
    except InputError as error:
        raise InputError(error.message, path=path, remedy=error.remedy) from None


def names_in_zip(file: BinaryIO) -> list[str]:
    """The files in a zip, in order, by their names without folders; none for any other file.

    Of a large one its beginning and its end are enough. Raises `InputError` for one that lists too
    many.
    """
    if file.read(len(_ZIP)) != _ZIP:
        return []
    try:
        with open_zip(file, most=_MOST_ENTRIES) as archive:
            is_office = bool(set(_OFFICE) & set(archive.namelist()))
            return [] if is_office else list(map(_own_name, _members(archive)))
    except (zipfile.BadZipFile, OSError, ValueError):
        return []


def unpack_files(path: Path, folder: Path) -> list[tuple[str, Path]]:
    """The files in a zip of several as `unpack` has them; the file itself of any other.

    Raises `InputError` that says that nothing in the zip is used.
    """
    if not is_zip_of_several(path):
        return [(path.name, path)]
    folder.mkdir()
    try:
        return unpack(path, folder, most_unpacked(path.stat().st_size))
    except InputError as error:
        message = f"{error.message} Nothing in it was stored."
        raise InputError(message, path=path, remedy=error.remedy) from error


def unpack(path: Path, folder: Path, largest: int = LARGEST_TABLE) -> list[tuple[str, Path]]:
    """The files of a zip by their names without folders, each below `folder`, in order of names.

    Raises `InputError` for more than `largest` bytes in all, for too many files, and for what
    cannot be read. Names in the zip never become paths.
    """
    unpacked: list[tuple[str, Path]] = []
    left = largest
    with open_zip(path, most=_MOST_ENTRIES) as archive:
        members = _members(archive)
        if not 0 < len(members) <= _MOST_FILES:
            raise InputError(
                f"holds {len(members):,} files; 1 to {_MOST_FILES} are read.", path=path
            )
        for number, member in enumerate(members):
            # No stored file's name begins so.
            place = folder / f".unpacked-{number:03}"
            left -= _extract(archive, member, place, left, path)
            unpacked.append((_own_name(member), place))
    return unpacked


def _members(archive: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
    """The files of a zip in order of names, without those added by operating systems."""
    members = (member for member in archive.infolist() if not _is_aside(member))
    return sorted(members, key=lambda member: member.filename)


def _is_aside(member: zipfile.ZipInfo) -> bool:
    """Return whether the entry is a folder, or added by an operating system."""
    name = member.filename.replace("\\", "/")
    return member.is_dir() or name.startswith("__MACOSX/") or _own_name(member)[:1] == "."


def _own_name(member: zipfile.ZipInfo) -> str:
    return member.filename.replace("\\", "/").rpartition("/")[2]


def _extract(
    archive: zipfile.ZipFile, member: zipfile.ZipInfo, place: Path, left: int, path: Path
) -> int:
    size = 0
    try:
        with archive.open(member) as packed, place.open("xb") as file:
            while block := packed.read(_BLOCK):
                size += len(block)
                if size > left:
                    raise InputError(
                        "its files are too large to be read.",
                        path=path,
                        remedy="Unpack it and choose fewer of its files at once.",
                    )
                file.write(block)
    except (*DAMAGED, RuntimeError) as error:  # type: ignore[misc] # isal has no types
        raise InputError(
            f"cannot be unpacked ({str(error)[:60]}).",
            path=path,
            remedy="Unpack it and choose the files inside.",
        ) from None
    return size
