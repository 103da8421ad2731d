"""Settings of the service on its own, of the variables that `mturk_local.variables` lists.

A site that holds the service as one of its apps has settings of its own and does not read these.
"""

import contextlib
import os
import secrets
import tempfile
from pathlib import Path
from typing import Any

from mturk_local.environment.reading import Environment
from mturk_local.security import PASSWORD_VALIDATORS
from mturk_local.variables import GROUPS

VARIABLES = env = Environment(GROUPS, os.environ)

DATA_DIR = Path(env("MTURK_LOCAL_DATA_DIR") or "mturk-local-data").resolve()
# Answers, worker ids and keys are for the user alone who runs the service.
os.umask(0o077)
try:
    DATA_DIR.mkdir(parents=True, exist_ok=True)
except OSError as error:
    reason = f"{error.filename} cannot be made ({error.strerror})"
    raise env.refusal("MTURK_LOCAL_DATA_DIR", reason) from None


def _secret(path: Path) -> str:
    """Return the signing key beside the data, made once, also by simultaneous processes."""
    if not path.exists():
        with tempfile.NamedTemporaryFile("w", dir=path.parent, encoding="ascii") as draft:
            draft.write(secrets.token_urlsafe(48))
            draft.flush()
            # Whole or not at all: of a process that is killed here no empty key stays.
            with contextlib.suppress(FileExistsError):
                path.hardlink_to(draft.name)
    return path.read_text(encoding="ascii")


SECRET_KEY = env("MTURK_LOCAL_SECRET_KEY") or _secret(DATA_DIR / "secret-key")
ALLOWED_HOSTS = env("MTURK_LOCAL_HOSTS")
CSRF_TRUSTED_ORIGINS = env("MTURK_LOCAL_TRUSTED_ORIGINS")
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = env("MTURK_LOCAL_SECURE_COOKIES")
INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.staticfiles",
    "mturk_local",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "mturk_local.middleware.AnnotatorsPolicy",
    "mturk_local.middleware.AnnotatorsLanguage",
    "mturk_local.middleware.OneEncoding",
    "mturk_local.middleware.TaskOriginMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "mturk_local.site.kept_forms.KeepForms",
]
ROOT_URLCONF = "mturk_local.urls"
CSRF_FAILURE_VIEW = "mturk_local.site.faults.not_trusted"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {"context_processors": ["django.template.context_processors.request"]},
    }
]
# All tables are in one database, which has the name that they have in a site with two.
DATABASES: dict[str, dict[str, Any]] = {
    "default": {"ENGINE": "django.db.backends.dummy"},
    "crowd": {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": DATA_DIR / "crowd.sqlite3",
        "OPTIONS": {
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
            "transaction_mode": "IMMEDIATE",
            "timeout": 30,
        },
    },
}
DATABASE_ROUTERS = ["mturk_local.routers.CrowdRouter"]
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
PASSWORD_HASHERS = ["django.contrib.auth.hashers.PBKDF2PasswordHasher"]
AUTH_PASSWORD_VALIDATORS = PASSWORD_VALIDATORS
LANGUAGE_CODE, LANGUAGES = "en", [("en", "English"), ("de", "Deutsch")]
LANGUAGE_COOKIE_NAME, LANGUAGE_COOKIE_PATH = "annotator-language", "/annotate/"
LANGUAGE_COOKIE_AGE, LANGUAGE_COOKIE_HTTPONLY = 365 * 86_400, True
LANGUAGE_COOKIE_SAMESITE, LANGUAGE_COOKIE_SECURE = "Lax", SESSION_COOKIE_SECURE
TIME_ZONE, USE_TZ = "UTC", True
STATIC_URL = "/static/"
WHITENOISE_USE_FINDERS = True
# Its address for programs; `serve` and `key` print it.
MTURK_LOCAL_ENDPOINT = env("MTURK_LOCAL_ENDPOINT")
MTURK_LOCAL_KEY_FILE = DATA_DIR / "crowd-key.json"
MTURK_LOCAL_DUPLICATE_FIELDS = env("MTURK_LOCAL_DUPLICATE_FIELDS")
MTURK_LOCAL_ALLOW_HTTP_QUESTIONS = env("MTURK_LOCAL_ALLOW_HTTP_QUESTIONS")
MTURK_LOCAL_LOOK_SECONDS = 1.0
MTURK_LOCAL_NOTIFY_HOSTS = env("MTURK_LOCAL_NOTIFY_HOSTS")
# Of this network; panels' keys come from public addresses otherwise.
MTURK_LOCAL_KEYS_HOSTS = env("MTURK_LOCAL_KEYS_HOSTS")
# A proxy of one's own names the client: failed sign-ins are counted by that address.
MTURK_LOCAL_TRUST_PROXY = env("MTURK_LOCAL_TRUST_PROXY")
MTURK_LOCAL_TASK_ORIGIN = env("MTURK_LOCAL_TASK_ORIGIN")
