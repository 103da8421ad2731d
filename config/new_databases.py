"""New SQLite databases from `config/tables/`, without running every migration there has ever been.

Each file has the statements that make the tables as the migrations do, and the digest of the
migrations that it was written after. `tests/site/test_new_databases.py` compares and writes them.
"""

import hashlib
import sqlite3
from contextlib import closing
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from django.apps import apps
from django.core.management import call_command
from django.db import connections
from django.db.migrations.loader import MigrationLoader

from metrics.io.files import replacing

TABLES = Path(__file__).parent / "tables"
_DIGEST = "-- migrations: "


def create_tables(alias: str, folder: Path = TABLES) -> None:
    """Make the tables of a SQLite database that is not there yet, whole or not at all.

    Where the file was written after other migrations, as with another version of a package, they
    are run.
    """
    digest, _, statements = (folder / f"{alias}.sql").read_text().partition("\n")
    if digest != _DIGEST + migrations_digest():
        call_command("migrate", database=alias, verbosity=0, interactive=False)
        return
    connections[alias].close()
    target = connections[alias].settings_dict["NAME"]
    with replacing(target) as path, closing(sqlite3.connect(path)) as connection:
        connection.executescript(statements)


def statements_of(database: Path) -> str:
    """The file of `TABLES` for a database that has just been migrated."""
    with closing(sqlite3.connect(database)) as connection:
        # When it was migrated is when its tables are made.
        connection.execute("UPDATE django_migrations SET applied = '{now}'")
        lines = "\n".join(connection.iterdump())
    now = "strftime('%Y-%m-%d %H:%M:%f', 'now')"
    return f"{_DIGEST}{migrations_digest()}\n{lines}\n".replace("'{now}'", now)


@cache
def migrations_digest() -> str:
    """A digest of the text of all migrations, for which none of them is imported."""
    digest = hashlib.sha256()
    for app in sorted(apps.get_app_configs(), key=lambda app: app.label):
        module, _is_explicit = MigrationLoader.migrations_module(app.label)
        if module is None or find_spec(module) is None:
            continue
        folder = Path(str(import_module(module).__file__)).parent
        for path in sorted(folder.glob("[!_]*.py")):
            content = path.read_bytes()
            digest.update(f"{app.label} {path.stem} {len(content)}\n".encode() + content)
    return digest.hexdigest()
