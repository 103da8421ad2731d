"""The programs that some tests need: skipped where absent, or failed where they must be there."""

import os
import shutil
from typing import NoReturn

import psycopg
import pytest
from kombu import Connection
from kombu.exceptions import OperationalError

POSTGRES = "postgres://postgres@127.0.0.1:5432/"
REDIS = "redis://127.0.0.1:6379/15"
RABBITMQ = "amqp://guest:guest@127.0.0.1:5672//"


def absent(what: str) -> NoReturn:
    """Skip the test with one line; with FAIRPOOL_REQUIRE_SERVERS=1, as in CI, it fails."""
    if os.environ.get("FAIRPOOL_REQUIRE_SERVERS"):
        pytest.fail(f"{what}, and FAIRPOOL_REQUIRE_SERVERS is set", pytrace=False)
    pytest.skip(what)


def need_postgresql() -> None:
    try:
        psycopg.connect(f"{POSTGRES}postgres", connect_timeout=30).close()
    except psycopg.OperationalError:
        absent("no PostgreSQL answers at 127.0.0.1:5432")


def need_broker(broker: str) -> None:
    """Redis or RabbitMQ, whichever the address names."""
    try:
        with Connection(broker, connect_timeout=30) as connection:
            connection.ensure_connection(max_retries=1)
    except OperationalError:
        absent(f"no broker answers at {broker.rpartition('@')[2]}")


def need_program(*names: str) -> str:
    """The path of the first of these programs that is installed."""
    for name in names:
        if path := shutil.which(name):
            return path
    absent(f"{names[0]} is not installed")
