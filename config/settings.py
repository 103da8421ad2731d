"""Django settings, of the variables that `config.variables` lists: the only reader of them.

Each is described in docs/settings.md. Nothing unsafe is a default: without a variable
the site listens to this machine only, hides errors, and keeps its data under `var/`.
"""

import contextlib
import os
import secrets
from datetime import timedelta
from pathlib import Path

import environ
from kombu import Queue

from annotation.task_page.languages import languages
from config.variables import GROUPS
from metrics.io.parts import part_file
from mturk_local.environment.reading import Environment, SettingsError, read_file
from mturk_local.security import PASSWORD_VALIDATORS

BASE_DIR = Path(__file__).resolve().parent.parent

if written := read_file(BASE_DIR / ".env"):
    environ.Env.read_env(written)
#: What the variables say, for `site check` and the documentation.
VARIABLES = env = Environment(GROUPS, os.environ)

DATA_DIR = Path(env("FAIRPOOL_DATA_DIR")).resolve()
STATIC_ROOT, FILE_UPLOAD_TEMP_DIR = DATA_DIR / "static", DATA_DIR / "uploads"
# Votes, worker ids, sessions and keys are for the user alone who runs the site: databases, uploads,
# exports and backups, wherever they are written.
os.umask(0o077)
try:
    for folder in (DATA_DIR, STATIC_ROOT, FILE_UPLOAD_TEMP_DIR):
        folder.mkdir(parents=True, exist_ok=True)
except OSError as error:
    reason = f"{error.filename} cannot be made ({error.strerror})"
    raise env.refusal("FAIRPOOL_DATA_DIR", reason) from None
with contextlib.suppress(OSError):  # of somebody else, of which `check` warns, or read-only
    DATA_DIR.chmod(0o700)


def _machine_secret(path: Path) -> str:
    """The signing key kept beside the data; made once, readable by its owner only."""
    if not path.exists():
        with part_file(path) as draft:
            draft.write_text(secrets.token_urlsafe(48), encoding="ascii")
            # Linking is atomic: of two processes that start at once, one key wins.
            with contextlib.suppress(FileExistsError):
                path.hardlink_to(draft)
    return path.read_text(encoding="ascii")


DEBUG = env("DEBUG")
SECRET_KEY = env("SECRET_KEY") or _machine_secret(DATA_DIR / "secret-key")
ALLOWED_HOSTS = env("ALLOWED_HOSTS")
# Rehearsals and tests only: nobody signs in. Refuses to start where others than this machine reach.
OPEN = env("FAIRPOOL_OPEN")
LOGIN_URL = "sign-in"
CSRF_TRUSTED_ORIGINS = env("CSRF_TRUSTED_ORIGINS")
SECURE_COOKIES = env("SECURE_COOKIES")
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_COOKIES
# With secure cookies the site is an https site: plain http is redirected, and browsers remember it.
SECURE_SSL_REDIRECT = env("SECURE_SSL_REDIRECT")
# Monitoring and the signed calls to the crowd service come from inside, without cookies.
SECURE_REDIRECT_EXEMPT = [r"^(healthz|readyz|metrics|mturk/)$"]
SECURE_HSTS_SECONDS = env("HSTS_SECONDS")
# Only behind a proxy that sets this header itself: anybody else could forge it.
TRUST_PROXY = env("TRUST_PROXY")
if SECURE_SSL_REDIRECT and not TRUST_PROXY:
    raise SettingsError(
        "SECURE_COOKIES redirects plain http to https, but without TRUST_PROXY every request "
        "counts as plain http, so it would be redirected endlessly. Write TRUST_PROXY=1 behind "
        "a proxy that sets X-Forwarded-Proto, or SECURE_SSL_REDIRECT=0 where the web server "
        "ends https."
    )
if TRUST_PROXY:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
# Whether other sites of the same domain are https too is for the owner of the domain to say.
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]
# Who may read /metrics, besides members of staff.
METRICS_TOKEN = env("METRICS_TOKEN")

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.humanize",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "rest_framework",
    "knox",
    "django_filters",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "django_htmx",
    "axes",
    "django_otp",
    "django_otp.plugins.otp_static",
    "django_otp.plugins.otp_totp",
    "annotation",
    "pooling",
    "mturk_local",
]

MIDDLEWARE = [
    "config.measuring.MeasureRequests",
    "django.middleware.security.SecurityMiddleware",
    "config.security.SecurityHeaders",
    "mturk_local.middleware.AnnotatorsPolicy",
    "mturk_local.middleware.AnnotatorsLanguage",
    "mturk_local.middleware.OneEncoding",
    "mturk_local.middleware.TaskOriginMiddleware",
    "annotation.crowd.middleware.BoundCallsMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "config.compression.CompressPages",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    # Around what reads the body first.
    "annotation.studies.pages.uploads.close_uploads",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "config.security.RememberOrigin",
    "annotation.accounts.pages.second_factor_session.SecondFactorMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "axes.middleware.AxesMiddleware",
    "config.kept_forms.KeepForms",
    "mturk_local.site.kept_forms.KeepForms",
]

ROOT_URLCONF = "config.urls"
CSRF_FAILURE_VIEW = "config.faults.handle_untrusted_form"
WSGI_APPLICATION = "config.wsgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "libraries": {"fairpool": "annotation.web.filters"},
            "builtins": ["config.kept_forms"],
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "annotation.web.access.permitted_actions",
            ],
        },
    },
]

# SQLite waits instead of failing when a second process writes, and readers never block.
_SQLITE_OPTIONS = {
    "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
    "transaction_mode": "IMMEDIATE",
    "timeout": 30,
}


def _database(variable: str, filename: str) -> dict[str, object]:
    settings: dict[str, object] = env(variable) or {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": str(DATA_DIR / filename),
    }
    if settings["ENGINE"] == "django.db.backends.sqlite3":
        settings["OPTIONS"] = _SQLITE_OPTIONS
    else:
        # A connection costs more than most pages ask of it, so each thread keeps its own for a
        # while; one that broke meanwhile, as when the server was restarted, is replaced unnoticed.
        settings |= {"CONN_MAX_AGE": 60, "CONN_HEALTH_CHECKS": True}
    return settings


# The crowd service keeps a database of its own, so that it can serve while the platform writes.
DATABASES = {
    "default": _database("DATABASE_URL", "fairpool.sqlite3"),
    "crowd": _database("CROWD_DATABASE_URL", "crowd.sqlite3"),
}
DATABASE_ROUTERS = ["mturk_local.routers.CrowdRouter"]
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# New passwords get the first; others are still read, and stored anew at the next sign-in.
PASSWORD_HASHERS = [
    "config.hashers.Argon2idHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
AUTH_PASSWORD_VALIDATORS = PASSWORD_VALIDATORS

AUTHENTICATION_BACKENDS = [
    "annotation.accounts.pages.lockout.GuessesCount",
    "django.contrib.auth.backends.ModelBackend",
]
# Repeated failures under one name from one address lock it there. By the name alone, anybody could
# lock anybody out; by the address alone, one person all others behind the same proxy, so that an
# address may fail far more often, see `AXES_HANDLER`.
AXES_HANDLER = "annotation.accounts.pages.lockout.FailuresByAddress"
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_FAILURE_LIMIT = env("SIGN_IN_FAILURES")
AXES_COOLOFF_TIME = timedelta(minutes=env("SIGN_IN_PAUSE_MINUTES"))
# The wait that the page promises does not grow by trying again, and ends with a right password.
AXES_RESET_COOL_OFF_ON_FAILURE_DURING_LOCKOUT = False
AXES_RESET_ON_SUCCESS = True
AXES_LOCKOUT_CALLABLE = "annotation.accounts.pages.lockout.locked_out"
AXES_USERNAME_CALLABLE = "config.security.name_tried"
AXES_CLIENT_IP_CALLABLE = "config.security.client_address"
# Kept are only the failures that still count: no register of who was here, no passwords typed
# into the field of the name in a log.
AXES_DISABLE_ACCESS_LOG = True
AXES_SENSITIVE_PARAMETERS = ["username", "password1", "password2", "csrfmiddlewaretoken"]
AXES_CLIENT_STR_CALLABLE = "config.security.client_name"
AXES_VERBOSE = False
#: Seconds for which the link in a mail to somebody who has forgotten the password works.
PASSWORD_RESET_TIMEOUT = 3_600

LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_I18N = True
#: English, and the catalogues that ship; the annotators' pages are translated, the others are not.
LANGUAGES = list(languages().items())
LANGUAGE_COOKIE_NAME, LANGUAGE_COOKIE_PATH = "annotator-language", "/annotate/"
LANGUAGE_COOKIE_AGE, LANGUAGE_COOKIE_HTTPONLY = 365 * 86_400, True
LANGUAGE_COOKIE_SAMESITE, LANGUAGE_COOKIE_SECURE = "Lax", SECURE_COOKIES
USE_TZ = True

STATIC_URL = "/static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
WHITENOISE_USE_FINDERS = True

# The files of studies: a folder, or whatever storage Django knows; see docs/operations.md.
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
    "files": {
        "BACKEND": env("FILES_STORAGE"),
        "OPTIONS": env("FILES_STORAGE_OPTIONS")
        if env.is_set("FILES_STORAGE_OPTIONS")
        else {"location": str(DATA_DIR / "studies")},
    },
}
# A folder of the server whose files people may point to; without one they can only upload.
FILES_DIR = str(env("FAIRPOOL_FILES_DIR") or "")
# A folder of models, each a folder of its own, that studies may re-rank their runs with.
MODELS_DIR = str(env("FAIRPOOL_MODELS_DIR") or "")
# Megabytes of text that a collection may have for a study to be ranked here, in memory.
RANKING_LIMIT_MB = env("RANKING_LIMIT_MB")
# Scores collections, else threads of the worker: `processes`, `dask` or `ray`, and its address.
SCORE_ENGINE = env("SCORE_ENGINE")
SCORE_SCHEDULER = env("SCORE_SCHEDULER")
# Megabytes that one uploaded file may have, and that one file may grow to when it is unpacked.
UPLOAD_LIMIT_MB = env("UPLOAD_LIMIT_MB")
UNPACKED_LIMIT_MB = env("UNPACKED_LIMIT_MB")
# The editor of a scheme sends a field for everything that the largest one says.
DATA_UPLOAD_MAX_NUMBER_FIELDS = 8_000
# Uploads go to disk as they come in, in the folder of the data: a whole one is moved, not copied.
FILE_UPLOAD_PERMISSIONS, FILE_UPLOAD_DIRECTORY_PERMISSIONS = 0o600, 0o700
FILE_UPLOAD_HANDLERS = ["annotation.studies.pages.uploads.UploadHandler"]

# The mail server that tells members what became of their batches; without its name nothing is sent.
EMAIL_HOST = env("EMAIL_HOST")
EMAIL_USE_SSL = env("EMAIL_USE_SSL")
EMAIL_USE_TLS = env("EMAIL_USE_TLS")
EMAIL_PORT = env("EMAIL_PORT")
EMAIL_HOST_USER = env("EMAIL_HOST_USER")
EMAIL_HOST_PASSWORD = env("EMAIL_HOST_PASSWORD")
EMAIL_TIMEOUT = 10
if EMAIL_USE_SSL and EMAIL_USE_TLS:
    raise SettingsError("EMAIL_USE_SSL and EMAIL_USE_TLS are both on. Write one of them.")
DEFAULT_FROM_EMAIL = env("EMAIL_FROM")
# Where people reach the site, for the links in mails.
SITE_ADDRESS = env("FAIRPOOL_SITE")

# Long work. Rows of the database hold it; a broker, where there is one, only wakes workers.
# Seconds without a heartbeat after which a worker is taken for dead and its task taken up again.
TASK_LEASE_SECONDS = env("TASK_LEASE_SECONDS")
# Seconds after which running work hears at the latest that somebody has cancelled it.
TASK_LOOK_SECONDS = 1.0
# Seconds after which a task is stopped; what it has done stays.
TASK_TIME_LIMIT_SECONDS = env("TASK_TIME_LIMIT_SECONDS")
# Megabytes that one job may take; 0: half of what the machine has.
JOB_MEMORY_MB = env("JOB_MEMORY_MB")
# Seconds between two collections of a batch's answers; 0 leaves collecting to people.
COLLECT_EVERY_SECONDS = env("COLLECT_EVERY_SECONDS")
# Days after a batch's last work until who worked on it is forgotten; 0 keeps everybody.
RETENTION_DAYS = env("FAIRPOOL_RETENTION_DAYS")
CELERY_BROKER_URL = env("CELERY_BROKER_URL")
# The name of the queue, so that several installations can share a broker.
CELERY_TASK_DEFAULT_QUEUE = env("CELERY_QUEUE")
# Of jobs that take minutes; a worker that is told nothing else (deploy/worker.sh) takes from both.
CELERY_LONG_QUEUE = f"{CELERY_TASK_DEFAULT_QUEUE}-long"
CELERY_TASK_QUEUES = [
    Queue(name, routing_key=name) for name in (CELERY_TASK_DEFAULT_QUEUE, CELERY_LONG_QUEUE)
]
if CELERY_BROKER_URL.startswith("redis"):
    # Redis keeps more than the queue: what is on its way must not meet that of another site.
    CELERY_BROKER_TRANSPORT_OPTIONS = {"global_keyprefix": f"{CELERY_TASK_DEFAULT_QUEUE}:"}
CELERY_TASK_ALWAYS_EAGER = not CELERY_BROKER_URL
CELERY_TASK_EAGER_PROPAGATES = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_IGNORE_RESULT = True
# A worker takes one message at a time: the next long task is left to others.
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True

# The crowd. `local` is our own service; see docs/study-protocol.md.
MTURK_ENVIRONMENT = env("MTURK_ENVIRONMENT")
MTURK_LOCAL_ENDPOINT = env("MTURK_LOCAL_ENDPOINT")
MTURK_ALLOW_PRODUCTION = env("MTURK_ALLOW_PRODUCTION")
# Threads of a web process. While some wait for the crowd service, which may be this site, one is
# left to reply.
WEB_THREADS = env("WEB_THREADS")
# Seconds to wait for one reply of the crowd.
MTURK_TIMEOUT_SECONDS = env("MTURK_TIMEOUT_SECONDS")
# Recruiting on Prolific: the token of a researcher, and the address, which a rehearsal changes.
PROLIFIC_TOKEN = env("PROLIFIC_TOKEN")
PROLIFIC_ADDRESS = env("PROLIFIC_ADDRESS")
# Seconds between two readings of a study there that may have changed; 0 leaves reading to people.
# Where Prolific tells of changes (FAIRPOOL_SITE is an https address) it is read seldom besides.
PROLIFIC_EVERY_SECONDS = env("PROLIFIC_EVERY_SECONDS")
# What Prolific takes on top of a reward, in percent, taxes included: our side of the calculation.
PROLIFIC_FEE_PERCENT = env("PROLIFIC_FEE_PERCENT")
# The servers of language models that may be asked, as {"https://host": "key"}; a key may be empty.
MODEL_KEYS = env("FAIRPOOL_MODEL_KEYS") or {}
# Seconds to wait for one answer of a model.
MODEL_TIMEOUT_SECONDS = env("MODEL_TIMEOUT_SECONDS")
# Whether whoever may spend on the site signs in with a code of an app, too; others may.
SECOND_FACTOR_REQUIRED = env("SECOND_FACTOR_REQUIRED")
OTP_TOTP_ISSUER = "Fairpool"
# The pages of /admin/ show no keys of apps, and no recovery codes.
OTP_ADMIN_HIDE_SENSITIVE_DATA = True
# US dollars that all batches of an environment may commit together, fees included; empty: no limit.
SITE_BUDGET = env("FAIRPOOL_BUDGET")
# US dollars per hour below which a batch warns that it underpays.
MTURK_HOURLY_FLOOR = env("MTURK_HOURLY_FLOOR")
# Whether votes of participants of panels count before it is proved who they are; reports tell.
COUNT_UNVERIFIED = env("FAIRPOOL_COUNT_UNVERIFIED")
# The key pair of the local requester, written by the crowd service, read by the platform.
MTURK_LOCAL_KEY_FILE = DATA_DIR / "crowd-key.json"
# The package of the crowd service's own commands, which are verbs of `manage.py crowd` here.
CROWD_COMMANDS = "mturk_local.commands"
# A field that a page sends twice: pipe (joined with |), first, last, or strict (refused).
MTURK_LOCAL_DUPLICATE_FIELDS = env("MTURK_LOCAL_DUPLICATE_FIELDS")
# Development only: external questions may come from this machine over plain HTTP.
MTURK_LOCAL_ALLOW_HTTP_QUESTIONS = env("MTURK_LOCAL_ALLOW_HTTP_QUESTIONS")
# Seconds for which annotators' pages rely on what their process last saw of deadlines.
MTURK_LOCAL_LOOK_SECONDS = 1.0
# Hosts that the crowd service may post requesters' notifications to; others stay in its queue.
MTURK_LOCAL_NOTIFY_HOSTS = env("MTURK_LOCAL_NOTIFY_HOSTS")
# Hosts of this network that a panel's keys may come from; else they come from public addresses over
# https. Where Prolific is rehearsed, its double is one.
MTURK_LOCAL_KEYS_HOSTS = env("MTURK_LOCAL_KEYS_HOSTS")
MTURK_LOCAL_TRUST_PROXY = TRUST_PROXY
# Serves the pages of tasks from an origin of their own, e.g. https://tasks.example.org.
MTURK_LOCAL_TASK_ORIGIN = env("MTURK_LOCAL_TASK_ORIGIN")

# The API. Calls a minute of one person, and of one address that says no name.
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "annotation.accounts.api.authentication.TokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["annotation.api.parsing.BoundedJSONParser"],
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "annotation.api.negotiation.OneFormNegotiation",
    "DEFAULT_METADATA_CLASS": None,
    "DEFAULT_PAGINATION_CLASS": "annotation.api.paging.Pages",
    "DEFAULT_FILTER_BACKENDS": ["annotation.api.filtering.Filters"],
    "DEFAULT_SCHEMA_CLASS": "annotation.api.schema.Operation",
    "DEFAULT_THROTTLE_CLASSES": [
        "rest_framework.throttling.AnonRateThrottle",
        "rest_framework.throttling.UserRateThrottle",
    ],
    "DEFAULT_THROTTLE_RATES": {
        "user": env("API_RATE"),
        "anon": env("API_RATE_ANONYMOUS"),
    },
    # Only a proxy of our own may say whom it speaks for.
    "NUM_PROXIES": int(TRUST_PROXY),
    "EXCEPTION_HANDLER": "annotation.api.problems.answer",
    "URL_FORMAT_OVERRIDE": None,
    "TEST_REQUEST_DEFAULT_FORMAT": "json",
}
KNOX_TOKEN_MODEL = "knox.AuthToken"  # noqa: S105 - a model, which our own table points to
REST_KNOX = {
    "AUTH_HEADER_PREFIX": "Bearer",
    # Scanners of leaked secrets recognise it.
    "TOKEN_PREFIX": "fairpool_",
    "TOKEN_TTL": timedelta(days=env("API_TOKEN_DAYS")),
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Fairpool",
    "VERSION": "1",
    "DESCRIPTION": "Everything that the pages do. See docs/api.md.",
    "OAS_VERSION": "3.1.1",
    "LICENSE": {"name": "GPL-3.0-or-later"},
    "SERVE_INCLUDE_SCHEMA": False,
    "SCHEMA_PATH_PREFIX": "/api/v[0-9]+/",
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "ENUM_NAME_OVERRIDES": {
        "Holding": "annotation.overview.operations.naming.CHOICES",
        "TaskKind": "annotation.vocabulary.TaskKind",
        "WorkerKind": "annotation.vocabulary.WorkerKind",
        "FileKind": "annotation.vocabulary.FileKind",
        "LabelMethod": "annotation.vocabulary.LABEL_METHODS",
        "MissingRule": "annotation.vocabulary.MissingRule",
        "Role": "annotation.vocabulary.Role",
        "TaskState": "annotation.vocabulary.TaskState",
        "BatchState": "annotation.vocabulary.BatchState",
        "HITState": "annotation.vocabulary.HITState",
        "AssignmentState": "annotation.vocabulary.AssignmentState",
        "DecidingMethod": "annotation.vocabulary.DECIDING",
        "Magnitude": "annotation.vocabulary.MAGNITUDE_CHOICES",
    },
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "annotation.api.schema.with_problems",
    ],
}

LOGGING_CONFIG = "config.logging.configure"
LOGGING = {
    "level": env("LOG_LEVEL"),
    "format": env("LOG_FORMAT"),
    "secrets": [SECRET_KEY, *env.secrets()],
}
