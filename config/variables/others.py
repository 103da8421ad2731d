"""Variables that are read by scripts and libraries beside the site."""

from mturk_local.environment.kinds import (
    choice,
    secret,
    text,
    whole,
)
from mturk_local.environment.reading import Group, Variable

BUCKET = [
    Variable(
        "AWS_ACCESS_KEY_ID",
        secret("the id of a key pair"),
        "Key pair of the bucket of FILES_STORAGE, of s3:// addresses, and of Mechanical Turk; "
        "never in a URL",
        usual="none",
    ),
    Variable(
        "AWS_SECRET_ACCESS_KEY", secret("its secret"), "The secret of that pair", usual="none"
    ),
    Variable(
        "AWS_SESSION_TOKEN", secret("its token"), "The token of a pair for a while", usual="none"
    ),
    Variable(
        "AWS_DEFAULT_REGION",
        text("a region such as us-east-1"),
        "Region of the bucket",
        usual="that of the library",
        example="us-east-1",
    ),
    Variable(
        "AWS_ENDPOINT_URL",
        text("an address such as https://s3.example.org"),
        "Address of the bucket's service",
        usual="Amazon's",
        example="https://s3.example.org",
    ),
]

SCRIPTS = [
    Variable(
        "POSTGRES_PASSWORD",
        secret("letters, digits and -._~ only, as it is part of an address", "[A-Za-z0-9._~-]+"),
        "Password of the composition's own PostgreSQL; compose.yaml makes both addresses of it",
        usual="none: the composition needs one",
    ),
    Variable(
        "FAIRPOOL_DOMAIN",
        text("the name of a host, such as fairpool.example.org"),
        "Name that the composition's proxy gets a certificate for (docker compose --profile tls "
        "up). With it: SECURE_COOKIES, TRUST_PROXY, CSRF_TRUSTED_ORIGINS",
        usual="localhost, with a certificate of its own",
        example="fairpool.example.org",
    ),
    Variable("BACKUPS_KEPT", whole("backups", 1), "Nightly backups that are kept", 14),
    Variable(
        "BIND",
        text("an address such as 127.0.0.1:8000, or unix:/path"),
        "Where deploy/web.sh listens",
        "0.0.0.0:8000",
    ),
    Variable("WEB_WORKERS", whole("processes", 1, 1_000), "Processes of deploy/web.sh", 2),
    Variable(
        "WORKER_PROCESSES", whole("processes", 1, 1_000), "Tasks at once of deploy/worker.sh", 2
    ),
    Variable(
        "WORKER_LANE",
        choice("short", "long"),
        "Jobs of deploy/worker.sh: long are those that take minutes",
        usual="both",
        example="short",
    ),
]

GROUPS = [
    Group("Buckets and Mechanical Turk, read by their libraries", BUCKET),
    Group("Read by compose.yaml and the scripts of deploy/", SCRIPTS),
]
