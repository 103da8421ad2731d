"""Creating the databases of an empty data folder before the first command that needs them."""

import fcntl
import sys
from collections.abc import Sequence
from pathlib import Path

import django
from django.conf import settings
from django.core.management import get_commands, load_command_class

from annotation.core.database_faults import BEFORE_1_0, is_before_1_0
from config.new_databases import create_tables
from metrics.errors import InputError

#: The apps whose commands use the databases.
_APPS = ("annotation", "pooling", "mturk_local")
#: Arguments with which `migrate` makes all tables, as a new database has them.
_OF_WHOLE_MIGRATION = {"--database", "default", "crowd", "--verbosity", "0", "1", "--noinput"}


def prepare_data_folder(arguments: Sequence[str]) -> None:
    """Create the tables of SQLite databases that are not there yet, if the command needs any.

    Databases from before 1.0 end the process with a sentence.
    """
    if len(arguments) < 2 or {"-h", "--help"} & set(arguments):  # noqa: PLR2004 - program, command
        return
    django.setup()
    is_migration = arguments[1] == "migrate"
    if not is_migration and not _uses_databases(arguments):
        return
    try:
        check_is_of_1_0()
    except InputError as error:
        sys.exit(f"CommandError: {error}")
    if is_migration and not _OF_WHOLE_MIGRATION.issuperset(arguments[2:]):
        return
    if not _missing_databases():
        return
    with (settings.DATA_DIR / ".preparing").open("w") as lock:
        # Another process may do the same: the second one finds nothing missing.
        fcntl.flock(lock, fcntl.LOCK_EX)
        for alias in _missing_databases():
            create_tables(alias)


def check_is_of_1_0() -> None:
    """Raise `InputError` for databases that were made before version 1.0."""
    missing = _missing_databases()
    if any(alias not in missing and is_before_1_0(alias) for alias in settings.DATABASES):
        raise InputError(BEFORE_1_0.message, remedy=BEFORE_1_0.remedy)


def _uses_databases(arguments: Sequence[str]) -> bool:
    app = str(get_commands().get(arguments[1], ""))
    if not app.startswith(_APPS):
        return False
    command = load_command_class(app, arguments[1])
    return bool(getattr(command, "uses_databases", lambda _: True)(arguments[2:]))


def _missing_databases() -> list[str]:
    return [
        alias
        for alias, database in settings.DATABASES.items()
        if str(database["ENGINE"]).endswith("sqlite3")
        and not _has_content(Path(str(database["NAME"])))
    ]


def _has_content(path: Path) -> bool:
    return path.exists() and path.stat().st_size > 0
