"""gunicorn's configuration for `deploy/web.sh`: says how the site is reached, or does not start.

gunicorn calls `on_starting` before it listens.
"""

import os
import sys
from typing import Any

from annotation.reach import check_bind, start_line
from metrics.errors import InputError

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")


def on_starting(server: Any) -> None:
    """Refuse an open site that others could reach; else say in one line who reaches it."""
    # An address is (host, port), or the path of a socket, which only a proxy speaks to.
    hosts = [at[0] if isinstance(at, tuple) else str(at) for at in server.cfg.address]
    try:
        check_bind(hosts)
    except InputError as error:
        sys.exit(str(error))
    print(start_line(hosts), file=sys.stderr)  # noqa: T201 - the start-up line
