"""Django settings: the only reader of the environment.

Every variable is documented in `.env.example`. Nothing unsafe is a default: without a variable
the site listens to this machine only, hides errors, and keeps its data under `var/`.
"""

import contextlib
import os
import secrets
import tempfile
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from urllib.parse import urlsplit

import environ
from django.core.exceptions import ImproperlyConfigured
from kombu import Queue

from annotation.core.amounts import is_plain, parse_amount
from annotation.task_page.languages import languages
from metrics.errors import InputError
from mturk_local.security import PASSWORD_VALIDATORS

BASE_DIR = Path(__file__).resolve().parent.parent

env = environ.Env()
environ.Env.read_env(BASE_DIR / ".env")

DATA_DIR = Path(env.str("FAIRPOOL_DATA_DIR", default=str(BASE_DIR / "var"))).resolve()
# Votes, worker ids, sessions and keys are for the user alone who runs the site: databases, uploads,
# exports and backups, wherever they are written.
os.umask(0o077)
DATA_DIR.mkdir(parents=True, exist_ok=True)
with contextlib.suppress(OSError):  # of somebody else, of which `check` warns, or read-only
    DATA_DIR.chmod(0o700)


def _machine_secret(path: Path) -> str:
    """The signing key kept beside the data; made once, readable by its owner only."""
    if not path.exists():
        with tempfile.NamedTemporaryFile("w", dir=path.parent, encoding="ascii") as draft:
            draft.write(secrets.token_urlsafe(48))
            draft.flush()
            # Linking is atomic: of two processes that start at once, one key wins.
            with contextlib.suppress(FileExistsError):
                os.link(draft.name, path)
    return path.read_text(encoding="ascii")


def _dollars(written: str) -> Decimal | None:
    """An amount as FAIRPOOL_BUDGET writes it; None if nothing is written."""
    if not written:
        return None
    try:
        return parse_amount(written)
    except InputError:
        raise ImproperlyConfigured(
            f"FAIRPOOL_BUDGET is {written!r}. Write US dollars, such as 1200 or 1200.50."
        ) from None


def _percent(written: str) -> Decimal:
    """A share of a reward as PROLIFIC_FEE_PERCENT writes it."""
    if not is_plain(written):
        raise ImproperlyConfigured(
            f"PROLIFIC_FEE_PERCENT is {written!r}. Write percent, such as 33.3333."
        )
    return Decimal(written)


DEBUG = env.bool("DEBUG", default=False)
SECRET_KEY = env.str("SECRET_KEY", default="") or _machine_secret(DATA_DIR / "secret-key")
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=["127.0.0.1", "localhost", "[::1]"])
# Rehearsals and tests only: nobody signs in. Refuses to start where others than this machine reach.
OPEN = env.bool("FAIRPOOL_OPEN", default=False)
LOGIN_URL = "sign-in"
CSRF_TRUSTED_ORIGINS = env.list("CSRF_TRUSTED_ORIGINS", default=[])
SECURE_COOKIES = env.bool("SECURE_COOKIES", default=False)
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_COOKIES
# With secure cookies the site is an https site: plain http is redirected, and browsers remember it.
SECURE_SSL_REDIRECT = env.bool("SECURE_SSL_REDIRECT", default=SECURE_COOKIES)
# Monitoring and the signed calls to the crowd service come from inside, without cookies.
SECURE_REDIRECT_EXEMPT = [r"^(healthz|readyz|metrics|mturk/)$"]
SECURE_HSTS_SECONDS = env.int("HSTS_SECONDS", default=31_536_000 if SECURE_COOKIES else 0)
# Only behind a proxy that sets this header itself: anybody else could forge it.
TRUST_PROXY = env.bool("TRUST_PROXY", default=False)
if TRUST_PROXY:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
# Whether other sites of the same domain are https too is for the owner of the domain to say.
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]
# Who may read /metrics, besides members of staff.
METRICS_TOKEN = env.str("METRICS_TOKEN", default="")

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
    "annotation.accounts.pages.second_factor_session.SecondFactorMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "axes.middleware.AxesMiddleware",
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
    try:
        settings: dict[str, object] = env.db_url(
            variable, default=f"sqlite:///{DATA_DIR / filename}"
        )
        engine = settings["ENGINE"]
    except (ValueError, KeyError):
        # What was said holds a password: the error must not repeat any of it.
        raise ImproperlyConfigured(
            f"{variable} is not the address of a database. Write "
            "postgres://user:password@host:port/name, and in the password %23 for # and so on."
        ) from None
    if engine == "django.db.backends.sqlite3":
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
AXES_FAILURE_LIMIT = env.int("SIGN_IN_FAILURES", default=10)
AXES_COOLOFF_TIME = timedelta(minutes=env.int("SIGN_IN_PAUSE_MINUTES", default=15))
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
STATIC_ROOT = DATA_DIR / "static"
STATIC_ROOT.mkdir(exist_ok=True)
STATICFILES_DIRS = [BASE_DIR / "static"]
WHITENOISE_USE_FINDERS = True

# The files of studies: a folder, or whatever storage Django knows; see docs/operations.md.
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
    "files": {
        "BACKEND": env.str("FILES_STORAGE", default="django.core.files.storage.FileSystemStorage"),
        "OPTIONS": env.json(
            "FILES_STORAGE_OPTIONS", default={"location": str(DATA_DIR / "studies")}
        ),
    },
}
# A folder of the server whose files people may point to; without one they can only upload.
FILES_DIR = env.str("FAIRPOOL_FILES_DIR", default="")
# A folder of models, each a folder of its own, that studies may re-rank their runs with.
MODELS_DIR = env.str("FAIRPOOL_MODELS_DIR", default="")
# Megabytes of text that a collection may have for a study to be ranked here, in memory.
RANKING_LIMIT_MB = env.int("RANKING_LIMIT_MB", default=500)
# Scores collections, else threads of the worker: `processes`, `dask` or `ray`, and its address.
SCORE_ENGINE = env.str("SCORE_ENGINE", default="")
SCORE_SCHEDULER = env.str("SCORE_SCHEDULER", default="")
# Megabytes that one uploaded file may have, and that one file may grow to when it is unpacked.
UPLOAD_LIMIT_MB = env.int("UPLOAD_LIMIT_MB", default=10_000)
UNPACKED_LIMIT_MB = env.int("UNPACKED_LIMIT_MB", default=100_000)
# The editor of a scheme sends a field for everything that the largest one says.
DATA_UPLOAD_MAX_NUMBER_FIELDS = 8_000
# Uploads go to disk as they come in, in the folder of the data: a whole one is moved, not copied.
FILE_UPLOAD_TEMP_DIR = DATA_DIR / "uploads"
FILE_UPLOAD_TEMP_DIR.mkdir(exist_ok=True)
FILE_UPLOAD_PERMISSIONS, FILE_UPLOAD_DIRECTORY_PERMISSIONS = 0o600, 0o700
FILE_UPLOAD_HANDLERS = ["annotation.studies.pages.uploads.UploadHandler"]

# The mail server that tells members what became of their batches; without its name nothing is sent.
EMAIL_HOST = env.str("EMAIL_HOST", default="")
EMAIL_USE_SSL = env.bool("EMAIL_USE_SSL", default=False)
EMAIL_USE_TLS = env.bool("EMAIL_USE_TLS", default=not EMAIL_USE_SSL)
EMAIL_PORT = env.int("EMAIL_PORT", default=465 if EMAIL_USE_SSL else 587 if EMAIL_USE_TLS else 25)
EMAIL_HOST_USER = env.str("EMAIL_HOST_USER", default="")
EMAIL_HOST_PASSWORD = env.str("EMAIL_HOST_PASSWORD", default="")
EMAIL_TIMEOUT = 10
DEFAULT_FROM_EMAIL = env.str("EMAIL_FROM", default=EMAIL_HOST_USER or "fairpool@localhost")
# Where people reach the site, for the links in mails.
SITE_ADDRESS = env.str(
    "FAIRPOOL_SITE", default=(CSRF_TRUSTED_ORIGINS or ["http://127.0.0.1:8000"])[0]
).rstrip("/")

# Long work. Rows of the database hold it; a broker, where there is one, only wakes workers.
# Seconds without a heartbeat after which a worker is taken for dead and its task taken up again.
TASK_LEASE_SECONDS = env.float("TASK_LEASE_SECONDS", default=30)
# Seconds after which running work hears at the latest that somebody has cancelled it.
TASK_LOOK_SECONDS = 1.0
# Seconds after which a task is stopped; what it has done stays.
TASK_TIME_LIMIT_SECONDS = env.int("TASK_TIME_LIMIT_SECONDS", default=6 * 3_600)
# Megabytes that one job may take; 0: half of what the machine has.
JOB_MEMORY_MB = env.int("JOB_MEMORY_MB", default=0)
# Seconds between two collections of a batch's answers; 0 leaves collecting to people.
COLLECT_EVERY_SECONDS = env.int("COLLECT_EVERY_SECONDS", default=300)
# Days after a batch's last work until who worked on it is forgotten; 0 keeps everybody.
RETENTION_DAYS = env.int("FAIRPOOL_RETENTION_DAYS", default=0)
CELERY_BROKER_URL = env.str("CELERY_BROKER_URL", default="")
# The name of the queue, so that several installations can share a broker.
CELERY_TASK_DEFAULT_QUEUE = env.str("CELERY_QUEUE", default="fairpool")
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
MTURK_ENVIRONMENT = env.str("MTURK_ENVIRONMENT", default="local")
MTURK_LOCAL_ENDPOINT = env.str("MTURK_LOCAL_ENDPOINT", default="http://127.0.0.1:8000/mturk/")
MTURK_ALLOW_PRODUCTION = env.bool("MTURK_ALLOW_PRODUCTION", default=False)
# Threads of a web process. While some wait for the crowd service, which may be this site, one is
# left to reply.
WEB_THREADS = env.int("WEB_THREADS", default=20)
# Seconds to wait for one reply of the crowd.
MTURK_TIMEOUT_SECONDS = env.float("MTURK_TIMEOUT_SECONDS", default=60)
# Recruiting on Prolific: the token of a researcher, and the address, which a rehearsal changes.
PROLIFIC_TOKEN = env.str("PROLIFIC_TOKEN", default="")
PROLIFIC_ADDRESS = env.str("PROLIFIC_ADDRESS", default="https://api.prolific.com")
# Seconds between two readings of a study there that may have changed; 0 leaves reading to people.
# Where Prolific tells of changes (FAIRPOOL_SITE is an https address) it is read seldom besides.
PROLIFIC_EVERY_SECONDS = env.float("PROLIFIC_EVERY_SECONDS", default=120)
# What Prolific takes on top of a reward, in percent, taxes included: our side of the calculation.
PROLIFIC_FEE_PERCENT = _percent(env.str("PROLIFIC_FEE_PERCENT", default="33.3333"))
# The servers of language models that may be asked, as {"https://host": "key"}; a key may be empty.
MODEL_KEYS = env.json("FAIRPOOL_MODEL_KEYS", default={})
# Seconds to wait for one answer of a model.
MODEL_TIMEOUT_SECONDS = env.float("MODEL_TIMEOUT_SECONDS", default=60)
# Whether whoever may spend on the site signs in with a code of an app, too; others may.
SECOND_FACTOR_REQUIRED = env.bool("SECOND_FACTOR_REQUIRED", default=MTURK_ALLOW_PRODUCTION)
OTP_TOTP_ISSUER = "Fairpool"
# The pages of /admin/ show no keys of apps, and no recovery codes.
OTP_ADMIN_HIDE_SENSITIVE_DATA = True
# US dollars that all batches of an environment may commit together, fees included; empty: no limit.
SITE_BUDGET = _dollars(env.str("FAIRPOOL_BUDGET", default=""))
# US dollars per hour below which a batch warns that it underpays.
MTURK_HOURLY_FLOOR = env.float("MTURK_HOURLY_FLOOR", default=12)
# Whether votes of participants of panels count before it is proved who they are; reports tell.
COUNT_UNVERIFIED = env.bool("FAIRPOOL_COUNT_UNVERIFIED", default=False)
# The key pair of the local requester, written by the crowd service, read by the platform.
MTURK_LOCAL_KEY_FILE = DATA_DIR / "crowd-key.json"
# The package of the crowd service's own commands, which are verbs of `manage.py crowd` here.
CROWD_COMMANDS = "mturk_local.commands"
# A field that a page sends twice: pipe (joined with |), first, last, or strict (refused).
MTURK_LOCAL_DUPLICATE_FIELDS = env.str("MTURK_LOCAL_DUPLICATE_FIELDS", default="pipe")
# Development only: external questions may come from this machine over plain HTTP.
MTURK_LOCAL_ALLOW_HTTP_QUESTIONS = env.bool("MTURK_LOCAL_ALLOW_HTTP_QUESTIONS", default=False)
# Seconds for which annotators' pages rely on what their process last saw of deadlines.
MTURK_LOCAL_LOOK_SECONDS = 1.0
# Hosts that the crowd service may post requesters' notifications to; others stay in its queue.
# What listens on this machine is not for requesters, but in a rehearsal.
MTURK_LOCAL_NOTIFY_HOSTS = env.list(
    "MTURK_LOCAL_NOTIFY_HOSTS", default=["127.0.0.1", "localhost"] if OPEN else []
)
# Hosts of this network that a panel's keys may come from; else they come from public addresses over
# https. Where Prolific is rehearsed, its double is one.
_MARKET = urlsplit(PROLIFIC_ADDRESS)
MTURK_LOCAL_KEYS_HOSTS = env.list(
    "MTURK_LOCAL_KEYS_HOSTS", default=[_MARKET.netloc] if _MARKET.scheme == "http" else []
)
MTURK_LOCAL_TRUST_PROXY = TRUST_PROXY
# Serves the pages of tasks from an origin of their own, e.g. https://tasks.example.org.
MTURK_LOCAL_TASK_ORIGIN = env.str("MTURK_LOCAL_TASK_ORIGIN", default="").rstrip("/")

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
        "user": env.str("API_RATE", default="600/min"),
        "anon": env.str("API_RATE_ANONYMOUS", default="60/min"),
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
    "TOKEN_TTL": timedelta(days=env.int("API_TOKEN_DAYS", default=90)),
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
        "LabelMethod": "annotation.vocabulary.LabelMethod",
        "MissingRule": "annotation.vocabulary.MissingRule",
        "Category": "annotation.api.serializers.CATEGORIES",
        "Role": "annotation.vocabulary.Role",
        "TaskState": "annotation.vocabulary.TaskState",
        "BatchState": "annotation.vocabulary.BatchState",
        "HITState": "annotation.vocabulary.HITState",
        "AssignmentState": "annotation.vocabulary.AssignmentState",
        "DecidingMethod": "annotation.api.serializers.DECIDING",
        "Magnitude": "annotation.vocabulary.MAGNITUDE_CHOICES",
    },
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "annotation.api.schema.with_problems",
    ],
}

LOGGING_CONFIG = "config.logging.configure"
LOGGING = {
    "level": env.str("LOG_LEVEL", default="INFO"),
    "format": env.str("LOG_FORMAT", default="logfmt"),
    "secrets": [
        SECRET_KEY,
        METRICS_TOKEN,
        EMAIL_HOST_PASSWORD,
        *(database.get("PASSWORD") for database in DATABASES.values()),
    ],
}
