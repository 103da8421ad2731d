"""`mturk-local`: the crowd service on its own, with a database of its own."""

import importlib
import os
import pkgutil
import sys
import threading
from argparse import ArgumentParser
from collections.abc import Sequence
from typing import Any

import django
from django.conf import settings
from django.core.management import BaseCommand, call_command
from django.core.wsgi import get_wsgi_application
from django.db import DatabaseError, close_old_connections, connections
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone
from gunicorn.app.base import BaseApplication

from mturk_local import commands
from mturk_local.addresses import served_note
from mturk_local.environment.reading import SettingsError
from mturk_local.version import VERSION

_SECONDS_BETWEEN_SWEEPS = 1.0
#: Commands for developers of the service.
_HIDDEN = {"operations"}


class Server(BaseApplication):  # type: ignore[misc] # gunicorn has no types
    """gunicorn with the service in one process of several threads, and its sweeps beside them."""

    def __init__(self, bind: str, threads: int) -> None:
        self._options = {"bind": bind, "threads": threads, "post_worker_init": _sweep_beside}
        super().__init__()

    def load_config(self) -> None:
        for name, value in self._options.items():
            self.cfg.set(name, value)

    def load(self) -> Any:
        return get_wsgi_application()


def _sweep_beside(_worker: object) -> None:
    threading.Thread(target=_sweep, daemon=True).start()


def _sweep() -> None:
    # Models are imported once Django is set up.
    from mturk_local.lifecycle.events import deliver_due  # noqa: PLC0415
    from mturk_local.lifecycle.sweep import sweep  # noqa: PLC0415

    waiting = threading.Event()
    while not waiting.wait(_SECONDS_BETWEEN_SWEEPS):
        try:
            close_old_connections()
            sweep(timezone.now())
            deliver_due()
        except DatabaseError as error:
            sys.stderr.write(f"The database does not answer: {error}\n")


def _serve(arguments: Sequence[str]) -> None:
    parser = ArgumentParser(
        prog="mturk-local serve", description="Serve the API at /mturk/ and the annotators' pages."
    )
    parser.add_argument("--host", default="127.0.0.1", help="Address to listen at.")
    parser.add_argument("--port", type=int, default=8000, help="Port to listen at (default 8000).")
    parser.add_argument("--threads", type=int, default=8, help="Requests answered at once.")
    options = parser.parse_args(arguments)
    # Behind a proxy the public address differs from the one listened at.
    if not settings.VARIABLES.is_set("MTURK_LOCAL_ENDPOINT"):
        settings.MTURK_LOCAL_ENDPOINT = f"http://{options.host}:{options.port}/mturk/"
    served_note()
    call_command(_command("key"), quiet=True)
    sys.stdout.write(
        f"API:        {settings.MTURK_LOCAL_ENDPOINT}\n"
        f"Annotators: http://{options.host}:{options.port}/annotate/\n"
        f"Key pair:   {settings.MTURK_LOCAL_KEY_FILE}\n"
    )
    sys.stdout.flush()
    Server(f"{options.host}:{options.port}", options.threads).run()


def main() -> None:
    """Run a verb: `serve`, or a module of `mturk_local.commands`."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "mturk_local.settings")
    try:
        django.setup()
    except SettingsError as error:
        sys.exit(str(error))
    verb, arguments = (sys.argv[1:2] or ["--help"])[0], sys.argv[2:]
    verbs = [module.name for module in pkgutil.iter_modules(commands.__path__)]
    if verb not in {"serve", *verbs} - _HIDDEN:
        named = ", ".join(name for name in verbs if name not in _HIDDEN)
        sys.stdout.write(f"usage: mturk-local VERB [--help], VERB of serve, {named}\n")
        sys.exit(0 if verb in {"--help", "-h", "help"} else 2)
    _check_database()
    call_command("migrate", database="crowd", verbosity=0)
    if verb == "serve":
        sys.argv = sys.argv[:1]  # gunicorn reads them, too
        _serve(arguments)
    else:
        _command(verb).run_from_argv(["mturk-local", verb, *arguments])


def _check_database() -> None:
    """End with a sentence where the tables were made by migrations that this version lacks."""
    ours = MigrationLoader(None).disk_migrations
    applied = MigrationRecorder(connections["crowd"]).applied_migrations()
    if unknown := sorted(name for app, name in set(applied) - set(ours) if app == "mturk_local"):
        sys.exit(
            f"The database in {settings.DATA_DIR} was made before version 1.0, or by a later "
            f"one than {VERSION} (migration {unknown[-1]}). Run the version that made it, or set "
            "MTURK_LOCAL_DATA_DIR to a new folder."
        )


def _command(verb: str) -> BaseCommand:
    command: BaseCommand = importlib.import_module(f"{commands.__name__}.{verb}").Command()
    return command


if __name__ == "__main__":
    main()
