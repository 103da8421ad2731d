"""`python -m tests.site.kills.restoring BACKUP KILLS SEED`: kill restores, and restore again.

The data folder and the databases are those of the environment (SQLite). Before each restore what it
has to bring back is changed. Prints JSON: kills, those that came after the restore had ended, what
was then not as in the backup, and databases that a kill left damaged.
"""

import contextlib
import json
import os
import random
import signal
import sqlite3
import sys
import time
from pathlib import Path

import django

django.setup()

from django.conf import settings  # noqa: E402 - Django must be set up before models are imported

from annotation.management.backups import backup_restore  # noqa: E402
from metrics.io.files import sha256_of  # noqa: E402

_DATABASES = ("fairpool.sqlite3", "crowd.sqlite3")


def state(data: Path) -> dict[str, str]:
    """Digests of the files, and of what the databases hold."""
    found = {
        str(path.relative_to(data)): sha256_of(path)
        for path in sorted(data.rglob("*"))
        if path.is_file() and not path.name.startswith(_DATABASES) and path.name != "site.log"
    }
    for name in _DATABASES:
        with contextlib.closing(sqlite3.connect(data / name)) as database:
            found[name] = "\n".join(database.iterdump())
    return found


def spoil(data: Path, names: list[str], chance: random.Random) -> None:
    """Change what the backup has: some files, and rows of both databases."""
    for name in chance.sample(names, len(names) // 2):
        (data / name).write_text("changed since")
    for name in _DATABASES:
        with contextlib.closing(sqlite3.connect(data / name)) as database, database:
            database.execute("CREATE TABLE IF NOT EXISTS since (value TEXT)")
            database.execute("INSERT INTO since VALUES ('changed')")


def is_damaged(path: Path) -> bool:
    with contextlib.closing(sqlite3.connect(path)) as database:
        return bool(database.execute("PRAGMA integrity_check").fetchone() != ("ok",))


def restore_and_kill(backup: Path, data: Path, seconds: float) -> bool:
    """Restore in a child that is killed after `seconds`; return whether it had ended before."""
    child = os.fork()
    if child == 0:
        with contextlib.suppress(BaseException):
            backup_restore(backup, data_dir=data)
            os._exit(0)
        os._exit(1)
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def main(backup: Path, kills: int, seed: int) -> dict[str, object]:
    data, chance = Path(settings.DATA_DIR), random.Random(seed)
    began = time.monotonic()
    backup_restore(backup, data_dir=data)
    seconds, expected = time.monotonic() - began, state(data)
    names = [name for name in expected if name not in _DATABASES]
    found: dict[str, object] = {"kills": kills, "seconds": round(seconds, 2)}
    ended, damaged, differing = 0, 0, 0
    for _ in range(kills):
        spoil(data, names, chance)
        ended += restore_and_kill(backup, data, chance.uniform(0, seconds))
        damaged += sum(is_damaged(data / name) for name in _DATABASES)
        if chance.random() < 1 / 2:  # otherwise the next one is killed, too
            backup_restore(backup, data_dir=data)
            differing += state(data) != expected
    backup_restore(backup, data_dir=data)
    differing += state(data) != expected
    return found | {"ended before": ended, "damaged": damaged, "differing": differing}


if __name__ == "__main__":
    folder, number, start = sys.argv[1:]
    sys.stdout.write(json.dumps(main(Path(folder), int(number), int(start))) + "\n")
