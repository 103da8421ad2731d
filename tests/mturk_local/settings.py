"""Settings of the service's own tests: its own, with files in a throw-away folder.

`make test T=tests/mturk_local` runs them so; with all other tests they run as one of a site's apps.
"""

import os
import sys
import tempfile

_OTHERS = {"annotation", "config", "metrics", "pooling", "rankers"}


class _Alone:
    """Refuses to import anything else of ours."""

    @staticmethod
    def find_spec(name: str, *_where: object) -> None:
        if name.partition(".")[0] in _OTHERS:
            raise ModuleNotFoundError(f"the service alone has no {name}")


sys.meta_path.insert(0, _Alone)
os.environ.setdefault("MTURK_LOCAL_DATA_DIR", tempfile.mkdtemp(prefix="mturk-local-tests-"))

from mturk_local.settings import *  # noqa: E402, F403
from mturk_local.settings import DATA_DIR, DATABASES  # noqa: E402

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
MTURK_LOCAL_LOOK_SECONDS = 0  # tests change rows between two pages
MTURK_LOCAL_NOTIFY_HOSTS = ["127.0.0.1", "localhost"]  # where the receivers of the tests listen
MTURK_LOCAL_KEYS_HOSTS = ["127.0.0.1"]  # and their panels
# The threads of a test share a file, as those of the service do; a power cut may take it.
DATABASES["crowd"] |= {
    "TEST": {"NAME": str(DATA_DIR / "test-crowd.sqlite3"), "DEPENDENCIES": []},
    "OPTIONS": {
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF;",
        "transaction_mode": "IMMEDIATE",
        "timeout": 30,
    },
}
