"""Variables of the data, the files of studies, and the work in the background."""

from pathlib import Path

from config.kinds import broker, database, storage_options
from metrics.engines import engine_names
from mturk_local.environment.kinds import (
    MOST_DAYS,
    MOST_SECONDS,
    choice,
    folder,
    name,
    number,
    whole,
)
from mturk_local.environment.reading import Group, Variable

_SQLITE = "a file of SQLite in FAIRPOOL_DATA_DIR"

DATA = [
    Variable(
        "FAIRPOOL_DATA_DIR",
        folder(),
        "Folder of databases, uploads and keys",
        lambda _: Path(__file__).resolve().parents[2] / "var",
        usual="var",
        example="var",
    ),
    Variable(
        "DATABASE_URL",
        database(),
        "Database of the platform; PostgreSQL for more than one machine",
        usual=_SQLITE,
        example="postgres://fairpool:password@127.0.0.1:5432/fairpool",
    ),
    Variable(
        "CROWD_DATABASE_URL",
        database(),
        "Database of the crowd service",
        usual=_SQLITE,
        example="postgres://fairpool:password@127.0.0.1:5432/fairpool_crowd",
    ),
    Variable(
        "FAIRPOOL_RETENTION_DAYS",
        whole("days", 0, MOST_DAYS),
        "Days after a batch's last work until the personal data of its workers are deleted; "
        "0 keeps everybody",
        0,
    ),
]

FILES = [
    Variable(
        "FAIRPOOL_FILES_DIR",
        folder(),
        "Folder of the server whose files people may point to instead of uploading them",
        usual="none",
        example="/srv/collections",
    ),
    Variable(
        "FAIRPOOL_MODELS_DIR",
        folder(),
        "Folder of models, each a folder of its own with safetensors, that studies may re-rank "
        "their runs with",
        usual="none",
        example="/srv/models",
    ),
    Variable(
        "RANKING_LIMIT_MB",
        whole("megabytes", 1),
        "Text that a collection may have for a study to be ranked here, in memory",
        500,
    ),
    Variable(
        "SCORE_ENGINE",
        choice(*engine_names()),
        "What scores collections",
        "",
        usual="threads of the worker",
        example="dask",
    ),
    Variable(
        "SCORE_SCHEDULER",
        name("the scheduler's address, such as tcp://10.0.0.5:8786", r"[^\s@]+"),
        "Address of the scheduler of SCORE_ENGINE",
        "",
        usual="one that is started here",
        example="tcp://10.0.0.5:8786",
    ),
    Variable(
        "UPLOAD_LIMIT_MB", whole("megabytes", 1), "Size that one uploaded file may have", 10_000
    ),
    Variable(
        "UNPACKED_LIMIT_MB",
        whole("megabytes", 1),
        "Size that one file may grow to when it is unpacked",
        100_000,
    ),
    Variable(
        "FILES_STORAGE",
        name("the name of a class, such as storages.backends.s3.S3Storage", r"(?:\w+\.)+\w+"),
        "Where uploads are kept: a storage of Django",
        "django.core.files.storage.FileSystemStorage",
        usual="the folder studies in FAIRPOOL_DATA_DIR",
        example="storages.backends.s3.S3Storage",
    ),
    Variable(
        "FILES_STORAGE_OPTIONS",
        storage_options(),
        "Options of FILES_STORAGE; its credentials are AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
        usual="none",
        example='{"bucket_name": "fairpool", "endpoint_url": "https://s3.example.org"}',
    ),
]

WORK = [
    Variable(
        "CELERY_BROKER_URL",
        broker(),
        "Broker that wakes workers, redis:// or amqp://",
        "",
        usual="none: the worker that serve starts finds its tasks in the database",
        example="redis://127.0.0.1:6379/0",
    ),
    Variable(
        "CELERY_QUEUE",
        name("letters, digits, dots, hyphens and underscores", r"[A-Za-z0-9_.-]+"),
        "Name of the queue, so that several installations can share a broker",
        "fairpool",
    ),
    Variable(
        "TASK_LEASE_SECONDS",
        number("seconds", "0.1", MOST_SECONDS),
        "Silence after which a worker is taken for dead and its task is taken up again",
        30.0,
    ),
    Variable(
        "TASK_TIME_LIMIT_SECONDS",
        whole("seconds", 1, MOST_SECONDS),
        "Time that a task may take; what it has done stays",
        21_600,
    ),
    Variable(
        "COLLECT_EVERY_SECONDS",
        whole("seconds", 0, MOST_SECONDS),
        "Time between two collections of a batch's answers; 0 leaves collecting to people",
        300,
    ),
    Variable(
        "JOB_MEMORY_MB",
        whole("megabytes", 0),
        "Memory that one job may take; 0 is half of what the machine, or the container, has",
        0,
    ),
]

GROUPS = [Group("Data", DATA), Group("Files of studies", FILES), Group("Long work", WORK)]
