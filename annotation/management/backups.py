"""A backup is a folder: both databases, the files of the data folder, and their checksums."""

import contextlib
import json
import os
import sqlite3
import subprocess
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.db import connections

from metrics.errors import InputError
from metrics.io.files import sha256_of
from metrics.io.parts import is_part, part_folder

DATABASES = ("default", "crowd")
_MANIFEST, _FILES = "manifest.json", "data.tar.gz"
#: Left out: the databases are copied separately, static files are collected again.
_LEFT_OUT = {"static"}


def write_backup(folder: Path, *, data_dir: Path) -> dict[str, str]:
    """Write a backup into the new `folder`; the SHA-256 of each of its files by name.

    The databases may be in use: each copy is of one moment. The folder holds the secret key and
    people's answers, so only its owner may read it.
    """
    if folder.exists():
        raise InputError("exists already.", path=folder, remedy="Choose another folder.")
    with part_folder(folder) as draft:
        for alias in DATABASES:
            _dump(alias, draft)
        # Of a link, what it leads to: a folder that was moved to another disk is kept as well.
        with tarfile.open(draft / _FILES, "w:gz", dereference=True) as archive:
            for path in sorted(data_dir.iterdir()):
                if path.name not in _LEFT_OUT and not _is_database(path):
                    archive.add(path, arcname=path.name, filter=_unless_part)
        checksums = {path.name: sha256_of(path) for path in sorted(draft.iterdir())}
        (draft / _MANIFEST).write_text(json.dumps(checksums, indent=2), encoding="utf-8")
        draft.rename(folder)
    return checksums


def _unless_part(member: tarfile.TarInfo) -> tarfile.TarInfo | None:
    """Leave out what a process is writing, such as this backup."""
    return None if is_part(Path(member.name)) else member


def backup_verify(folder: Path) -> None:
    """Raise `InputError` unless every file of the backup is as it was written."""
    try:
        checksums = json.loads((folder / _MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise InputError("is not a backup, or its manifest is lost.", path=folder) from None
    for name, checksum in checksums.items():
        path = folder / name
        if not path.is_file() or sha256_of(path) != checksum:
            raise InputError("is damaged or missing.", path=path, remedy="Use another backup.")


def backup_restore(folder: Path, *, data_dir: Path) -> None:
    """Restore both databases and the files; the present ones are lost."""
    backup_verify(folder)
    with tarfile.open(folder / _FILES, "r:gz") as archive:
        members = [_checked(member, folder / _FILES) for member in archive]
        for alias in DATABASES:
            _load(alias, folder)
        # Python's own filter refuses links that are in the folder; before 3.11.4 there is none.
        archive.extraction_filter = lambda member, _folder: member
        archive.extractall(data_dir, members)  # noqa: S202 - all were checked


def _checked(member: tarfile.TarInfo, path: Path) -> tarfile.TarInfo:
    """Return the member as a file or folder of ours.

    Raise `InputError` where it is something else, or not below the folder it is unpacked into.
    """
    name = Path(member.name)
    if name.is_absolute() or ".." in name.parts or not (member.isfile() or member.isdir()):
        raise InputError(
            f"has a member that a backup cannot have: {member.name!r}.",
            path=path,
            remedy="Nothing was restored. Use a backup that you know comes from a Fairpool site.",
        )
    member.uid, member.gid, member.uname, member.gname = os.getuid(), os.getgid(), "", ""
    member.mode &= 0o755
    return member


def _dump(alias: str, folder: Path) -> None:
    if connections[alias].vendor == "sqlite":
        with _sqlite(_sqlite_path(alias)) as source, _sqlite(folder / f"{alias}.sqlite3") as copy:
            source.backup(copy)
            # A copy in WAL mode would leave files of its own beside it.
            copy.execute("PRAGMA journal_mode=DELETE")
    else:
        _postgres(alias, "pg_dump", "--format=custom", f"--file={folder / f'{alias}.dump'}")


def _load(alias: str, folder: Path) -> None:
    kept = folder / f"{alias}.sqlite3"
    if connections[alias].vendor == "sqlite":
        if not kept.exists():
            raise InputError(
                "is a backup of PostgreSQL, but the settings name SQLite.",
                path=folder,
                remedy="Restore with the DATABASE_URL of the same kind.",
            )
        connections[alias].close()
        with _sqlite(kept) as source, _sqlite(_sqlite_path(alias)) as target:
            source.backup(target)
        return
    if kept.exists():
        raise InputError(
            "is a backup of SQLite, but the settings name PostgreSQL.",
            path=folder,
            remedy="Restore without DATABASE_URL.",
        )
    name = str(connections[alias].settings_dict["NAME"])
    options = ("--clean", "--if-exists", "--no-owner", "--single-transaction", f"--dbname={name}")
    _postgres(alias, "pg_restore", *options, str(folder / f"{alias}.dump"))


def _postgres(alias: str, program: str, *arguments: str) -> None:
    settings: dict[str, Any] = connections[alias].settings_dict
    connections[alias].close()
    known = {
        "PGHOST": settings["HOST"],
        "PGPORT": str(settings["PORT"] or ""),
        "PGUSER": settings["USER"],
        "PGPASSWORD": settings["PASSWORD"],
        "PGDATABASE": str(settings["NAME"]),
    }
    try:
        done = subprocess.run(  # noqa: S603 - our own arguments; the password goes by environment
            [program, *arguments],
            env=os.environ | {name: value for name, value in known.items() if value},
            capture_output=True,
            text=True,
            check=False,
        )
    except FileNotFoundError:
        raise InputError(
            f"{program} is not installed.", remedy="Install the client programs of PostgreSQL."
        ) from None
    if done.returncode:
        raise InputError(f"{program} failed: {done.stderr.strip()[-500:]}")


@contextlib.contextmanager
def _sqlite(path: Path) -> Iterator[sqlite3.Connection]:
    with contextlib.closing(sqlite3.connect(path, timeout=30)) as database, database:
        yield database


def _sqlite_path(alias: str) -> Path:
    return Path(str(connections[alias].settings_dict["NAME"]))


def _is_database(path: Path) -> bool:
    own = [_sqlite_path(alias) for alias in DATABASES if connections[alias].vendor == "sqlite"]
    return any(path.name.startswith(database.name) for database in own)
