"""Settings of the tests: those of the site, with files in a throw-away folder."""

import os
import tempfile

os.environ.setdefault("FAIRPOOL_DATA_DIR", tempfile.mkdtemp(prefix="fairpool-tests-"))
os.environ.setdefault("SECRET_KEY", "only-for-tests")
os.environ.setdefault("FAIRPOOL_OPEN", "1")  # most tests are not about who may come in

from config.settings import *

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
MTURK_ENVIRONMENT = "local"
TASK_LEASE_SECONDS = 600  # on a busy machine no heartbeat comes between the steps of a test
# A database in memory locks whole tables between the threads of a test, without waiting: files,
# as sites have them, and a power cut may take them.
for name, database in DATABASES.items():
    if database["ENGINE"] == "django.db.backends.sqlite3":
        database["TEST"] = {"NAME": str(DATA_DIR / f"test-{name}.sqlite3")}
        database["OPTIONS"] = {
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF;",
            "transaction_mode": "IMMEDIATE",
            "timeout": 30,
        }
MTURK_LOCAL_KEYS_HOSTS = ["127.0.0.1"]  # where the panels of the tests listen
MTURK_LOCAL_LOOK_SECONDS = 0  # tests change rows between two pages
WHITENOISE_AUTOREFRESH = True  # no collected files are needed
# Tests call faster than people; the one about the limit sets its own.
REST_FRAMEWORK["DEFAULT_THROTTLE_RATES"] = {"user": None, "anon": None}
