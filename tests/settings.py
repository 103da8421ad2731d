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
# The database in memory that threads of a test share locks whole tables: nobody looks in between.
TASK_LOOK_SECONDS = 600
MTURK_LOCAL_LOOK_SECONDS = 0  # tests change rows between two pages
WHITENOISE_AUTOREFRESH = True  # no collected files are needed
# Tests call faster than people; the one about the limit sets its own.
REST_FRAMEWORK["DEFAULT_THROTTLE_RATES"] = {"user": None, "anon": None}
