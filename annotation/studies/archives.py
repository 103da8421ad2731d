"""Zips of files that belong together, such as doccano's, within limits."""

import zipfile
import zlib
from pathlib import Path

from metrics.errors import InputError
from metrics.vocabulary import LARGEST_TABLE

_MOST_FILES = 200
_BLOCK = 1 << 20
_ZIP = b"PK\x03\x04"
#: Names in a zip that is a document of an office program.
_OFFICE = ("[Content_Types].xml", "mimetype")


def is_zip(path: Path) -> bool:
    """Return whether the file is a zip of files, and not a spreadsheet, which is a zip inside."""
    with path.open("rb") as file:
        if file.read(len(_ZIP)) != _ZIP:
            return False
    try:
        with zipfile.ZipFile(path) as archive:
            return not set(_OFFICE) & set(archive.namelist())
    except (zipfile.BadZipFile, OSError, ValueError):
        return False


def unpack(path: Path, folder: Path) -> list[tuple[str, Path]]:
    """The files of a zip by their names without folders, each below `folder`, in order of names.

    Raises `InputError` for more than `LARGEST_TABLE` bytes in all, for too many files, and for what
    cannot be read. Names in the zip never become paths.
    """
    found: list[tuple[str, Path]] = []
    left = LARGEST_TABLE
    with zipfile.ZipFile(path) as archive:
        members = sorted(
            (one for one in archive.infolist() if not _is_aside(one)), key=lambda one: one.filename
        )
        if not 0 < len(members) <= _MOST_FILES:
            raise InputError(
                f"holds {len(members):,} files; 1 to {_MOST_FILES} are read.", path=path
            )
        for number, member in enumerate(members):
            # No stored file's name begins so.
            place = folder / f".unpacked-{number:03}"
            left -= _extract(archive, member, place, left, path)
            found.append((member.filename.replace("\\", "/").rpartition("/")[2], place))
    return found


def _is_aside(member: zipfile.ZipInfo) -> bool:
    """Return whether the entry is a folder, or added by an operating system."""
    name = member.filename.replace("\\", "/")
    return member.is_dir() or name.startswith("__MACOSX/") or name.rpartition("/")[2][:1] == "."


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
                        "holds too much: its files are larger than may be read.",
                        path=path,
                        remedy="Import fewer files at once.",
                    )
                file.write(block)
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError, zlib.error, EOFError) as error:
        raise InputError(
            f"cannot be unpacked ({str(error)[:60]}).",
            path=path,
            remedy="Unpack it and choose the files inside.",
        ) from None
    return size
