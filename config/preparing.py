"""Makes the databases of an empty data folder before the first command that needs them."""

import fcntl
from collections.abc import Sequence
from pathlib import Path

import django
from django.conf import settings
from django.core.management import call_command, get_commands, load_command_class

#: The apps whose commands use the databases.
_APPS = ("annotation", "pooling")


def prepare_data_folder(arguments: Sequence[str]) -> None:
    """Create the tables of SQLite databases that are not there yet, if the command needs any."""
    if len(arguments) < 2 or {"-h", "--help"} & set(arguments):  # noqa: PLR2004 - program, command
        return
    missing = _missing_databases()
    if not missing:
        return
    django.setup()
    app = str(get_commands().get(arguments[1], ""))
    if not app.startswith(_APPS):
        return
    options = getattr(load_command_class(app, arguments[1]), "databases_with", None)
    if options is not None and not options & set(arguments):
        return
    with (settings.DATA_DIR / ".preparing").open("w") as lock:
        # Somebody else may be about it: whoever comes second finds nothing missing any more.
        fcntl.flock(lock, fcntl.LOCK_EX)
        for alias in _missing_databases():
            call_command("migrate", database=alias, verbosity=0, interactive=False)


def _missing_databases() -> list[str]:
    return [
        alias
        for alias, database in settings.DATABASES.items()
        if str(database["ENGINE"]).endswith("sqlite3")
        and not _has_content(Path(str(database["NAME"])))
    ]


def _has_content(path: Path) -> bool:
    return path.exists() and path.stat().st_size > 0
