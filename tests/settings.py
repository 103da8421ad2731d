"""Settings of the tests: those of the site, with files in a throw-away folder."""

import os
import tempfile

os.environ.setdefault("FAIRPOOL_DATA_DIR", tempfile.mkdtemp(prefix="fairpool-tests-"))
os.environ.setdefault("SECRET_KEY", "only-for-tests")

from config.settings import *

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
MTURK_ENVIRONMENT = "local"
WHITENOISE_AUTOREFRESH = True  # no collected files are needed
