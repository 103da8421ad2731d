"""Causes why a database or a disk refuses, each with a remedy."""

import errno
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from http import HTTPStatus
from pathlib import Path
from typing import Any

from django.db import DatabaseError, InterfaceError, OperationalError, connections, transaction
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder


@dataclass(frozen=True)
class DatabaseFault:
    """A state of the site that no request can mend; its texts name neither paths nor passwords."""

    name: str
    message: str
    remedy: str
    status: int = HTTPStatus.SERVICE_UNAVAILABLE

    def __str__(self) -> str:
        return f"{self.message} {self.remedy}"


AWAY = DatabaseFault(
    "away",
    "The database does not answer.",
    "Start it, or correct DATABASE_URL and CROWD_DATABASE_URL.",
)
READ_ONLY = DatabaseFault(
    "read-only",
    "The database cannot be written.",
    "Let the user who runs the site write the file of SQLite and its folder, or name a server that "
    "takes writes.",
)
FULL = DatabaseFault(
    "full",
    "The disk is full.",
    "Make room on it: `df -h` shows how much is left.",
    HTTPStatus.INSUFFICIENT_STORAGE,
)
BUSY = DatabaseFault(
    "busy",
    "Another process has locked the database for too long.",
    "Try again when it is done.",
)
EARLIER = DatabaseFault(
    "earlier version",
    "The database is of an earlier version of Fairpool.",
    "Back it up, then run `python manage.py migrate` and `python manage.py migrate --database "
    "crowd`.",
)
LATER = DatabaseFault(
    "later version",
    "The database is of a later version of Fairpool.",
    "Run that version, or restore the backup of before the upgrade.",
)
BEFORE_1_0 = DatabaseFault(
    "before 1.0",
    "The database was made before version 1.0, which begins with new tables.",
    "Set FAIRPOOL_DATA_DIR to a new folder (or DATABASE_URL and CROWD_DATABASE_URL to new "
    "databases). Move labels and votes as files: export them with the version that made the "
    "database, then run `manage.py label import` and `manage.py label import-votes` here.",
)
DATABASE_ERRORS = (DatabaseError, InterfaceError)
#: By the beginning of SQLite's names of its errors, and of the codes of PostgreSQL.
_BY_CODE = {
    **dict.fromkeys(("SQLITE_FULL", "SQLITE_IOERR", "53100"), FULL),
    **dict.fromkeys(("SQLITE_READONLY", "25006", "42501"), READ_ONLY),
    **dict.fromkeys(("SQLITE_BUSY", "SQLITE_LOCKED", "55P03"), BUSY),
    **dict.fromkeys(("SQLITE_CANTOPEN", "SQLITE_NOTADB", "08", "28", "3D000"), AWAY),
    **dict.fromkeys(("53300", "57P"), AWAY),
}
_BY_ERRNO = {errno.ENOSPC: FULL, errno.EDQUOT: FULL, errno.EROFS: READ_ONLY}
#: A statement that changes nothing, but has to be written.
_WRITE = "UPDATE django_migrations SET app = app WHERE id = (SELECT MIN(id) FROM django_migrations)"
#: Bytes that must be free on the disk. `_WRITE` is so small that it fits into SQLite's log even
#: when nothing else does.
_ROOM = 1 << 18


def fault_of(error: BaseException | None) -> DatabaseFault | None:
    """Return the cause of an unforeseen error; None if it is not one of these."""
    errors = list(_chain(error))
    for cause in errors:
        if isinstance(cause, OSError) and (fault := _BY_ERRNO.get(cause.errno or 0)):
            return fault
        if isinstance(cause, DATABASE_ERRORS) and (fault := _by_code(cause)):
            return fault
    return _of_versions() if any(isinstance(cause, DATABASE_ERRORS) for cause in errors) else None


def fault_in(alias: str) -> DatabaseFault | None:
    """Try to write, and return why the database `alias` cannot serve; None if it can.

    A database of a later version may still serve, as during an upgrade.
    """
    try:
        fault = _of_version(alias)
        if fault in (EARLIER, BEFORE_1_0):
            return fault
        with transaction.atomic(using=alias), connections[alias].cursor() as cursor:
            cursor.execute(_WRITE)
        _take_room(alias)
    except DATABASE_ERRORS as error:
        return _by_code(error) or AWAY
    except OSError as error:
        return _BY_ERRNO.get(error.errno or 0, READ_ONLY)
    return fault


def is_before_1_0(alias: str) -> bool:
    """Return whether the tables are from before 1.0: no migration changes those.

    False where there are no tables, or no database: the code that needs them reports that.
    """
    try:
        return _begins_otherwise(MigrationRecorder(connections[alias]).applied_migrations())
    except DATABASE_ERRORS:
        return False
    finally:  # the web server forks afterwards
        connections[alias].close()


def _take_room(alias: str) -> None:
    """Fill a little of the disk for a moment, if the database is a file on it."""
    connection: Any = connections[alias]
    if connection.vendor == "sqlite" and not connection.is_in_memory_db():
        folder = Path(connection.settings_dict["NAME"]).parent
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(bytes(_ROOM))
            file.flush()


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _by_code(error: Exception) -> DatabaseFault | None:
    cause = error.__cause__
    code = getattr(cause, "sqlite_errorname", None) or getattr(cause, "sqlstate", None)
    if code is None:  # psycopg has no code for a server that it did not reach
        return AWAY if isinstance(error, OperationalError | InterfaceError) else None
    return next((fault for start, fault in _BY_CODE.items() if code.startswith(start)), None)


def _of_versions() -> DatabaseFault | None:
    try:
        return next(filter(None, map(_of_version, connections)), None)
    except DATABASE_ERRORS:
        return None


def _of_version(alias: str) -> DatabaseFault | None:
    """Return the fault of tables that were made by other migrations than ours, if any."""
    applied = MigrationRecorder(connections[alias]).applied_migrations()
    if _begins_otherwise(applied):
        return BEFORE_1_0
    latest = _latest_migrations()
    if not latest.items() <= {(app, name) for app, name in applied}:
        return EARLIER
    if any(name[:4] > latest.get(app, name)[:4] for app, name in applied):
        return LATER
    return None


def _begins_otherwise(applied: Iterable[tuple[str, str]]) -> bool:
    """Return whether the tables' first migrations are not those of 1.0."""
    by_app: defaultdict[str, set[str]] = defaultdict(set)
    for app, name in applied:
        by_app[app].add(name)
    firsts = _first_migrations().items()
    return any(by_app[app] and first not in by_app[app] for app, first in firsts)


@cache
def _first_migrations() -> dict[str, str]:
    """Return the names of the migrations that create the tables of site and crowd service."""
    graph = MigrationLoader(None).graph
    roots = (node for app in ("annotation", "mturk_local") for node in graph.root_nodes(app))
    return dict(roots)


@cache
def _latest_migrations() -> dict[str, str]:
    """Return the name of each app's last migration; names begin with four digits."""
    return dict(MigrationLoader(None).graph.leaf_nodes())
