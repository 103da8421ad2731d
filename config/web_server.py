"""gunicorn's configuration for `deploy/web.sh`, which states how the site is reached.

gunicorn calls `on_starting` before it listens, and takes the settings that are named as its own.
"""

import os
import sys
from typing import Any

import django

from annotation.management.heaps import share_heaps
from annotation.management.orphans import forwarder_headers, secure_scheme_headers
from annotation.reach import check_bind, start_line
from config.preparing import check_is_of_1_0
from metrics.errors import InputError
from mturk_local.environment.reading import SettingsError

__all__ = ["forwarder_headers", "on_starting", "secure_scheme_headers"]

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
_EVERYWHERE = ("", "0.0.0.0", "::")  # noqa: S104 - asked for on the command line


def on_starting(server: Any) -> None:
    """Say in one line who reaches the site, and limit the heaps of its processes.

    An open site that others could reach, and databases from before 1.0, are refused.
    """
    share_heaps()
    # An address is (host, port), or the path of a socket, which only a proxy speaks to.
    hosts = [at[0] if isinstance(at, tuple) else str(at) for at in server.cfg.address]
    try:
        check_bind(hosts)
        django.setup()
        check_is_of_1_0()
    except (InputError, SettingsError) as error:
        sys.exit(str(error))
    print(start_line(hosts), file=sys.stderr)  # noqa: T201 - the start-up line
    note_address(server.cfg.address)


def note_address(addresses: list[Any]) -> None:
    """Store the site's address for the commands that print links, or warn that it is unknown."""
    # It imports models, which are there once Django is set up.
    from annotation.management.owner_link import site_note  # noqa: PLC0415

    if warning := site_note(_first_port(addresses)):
        print(warning, file=sys.stderr)  # noqa: T201 - the start-up line


def _first_port(addresses: list[Any]) -> str | None:
    """Return the site's local address; None where it listens at sockets only."""
    for at in addresses:
        if isinstance(at, tuple):
            host, port = at[:2]
            here = "127.0.0.1" if host in _EVERYWHERE else f"[{host}]" if ":" in host else host
            return f"http://{here}:{port}"
    return None
