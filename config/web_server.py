"""gunicorn's configuration for `deploy/web.sh`: says how the site is reached, or does not start.

gunicorn calls `on_starting` before it listens.
"""

import os
import sys
from typing import Any

import django

from annotation.reach import check_bind, start_line
from config.preparing import check_is_of_1_0
from metrics.errors import InputError

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")


def on_starting(server: Any) -> None:
    """Say in one line who reaches the site.

    An open site that others could reach, and databases from before 1.0, are refused.
    """
    # An address is (host, port), or the path of a socket, which only a proxy speaks to.
    hosts = [at[0] if isinstance(at, tuple) else str(at) for at in server.cfg.address]
    try:
        check_bind(hosts)
        django.setup()
        check_is_of_1_0()
    except InputError as error:
        sys.exit(str(error))
    print(start_line(hosts), file=sys.stderr)  # noqa: T201 - the start-up line
