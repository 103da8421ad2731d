"""The two ways to run Fairpool: everything in one folder, and PostgreSQL with a broker."""

import contextlib
import os
import signal
import sqlite3
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import psycopg
import redis
from kombu import Connection, Queue

from tests.project import ROOT, Project
from tests.servers import POSTGRES, need_broker, need_postgresql


@dataclass(frozen=True)
class Embedded(Project):
    """SQLite, and the worker that `serve` starts."""

    def first(self, statement: str) -> object:
        """The first value that `statement` selects, past Django."""
        with contextlib.closing(
            sqlite3.connect(self.data_dir / "fairpool.sqlite3", timeout=120)
        ) as database:
            row = database.execute(statement).fetchone()
        return row[0] if row else None


@dataclass(frozen=True)
class Server(Project):
    """PostgreSQL, and workers of Celery that a broker wakes."""

    broker: str = ""
    name: str = field(default_factory=lambda: f"fairpool_test_{uuid.uuid4().hex[:12]}")

    @property
    def environment(self) -> dict[str, str]:
        return {
            **super().environment,
            "DATABASE_URL": f"{POSTGRES}{self.name}",
            "CROWD_DATABASE_URL": f"{POSTGRES}{self.name}_crowd",
            "CELERY_BROKER_URL": self.broker,
            "CELERY_QUEUE": self.name,
        }

    def prepare(self) -> None:
        self.migrate()

    def first(self, statement: str) -> object:
        with psycopg.connect(f"{POSTGRES}{self.name}", autocommit=True) as database:
            row = database.execute(statement).fetchone()
        return row[0] if row else None

    @contextlib.contextmanager
    def databases(self) -> Iterator[None]:
        """Databases and a queue of its own, gone afterwards."""
        names = (self.name, f"{self.name}_crowd")
        with psycopg.connect(f"{POSTGRES}postgres", autocommit=True) as server:
            for name in names:
                server.execute(f'CREATE DATABASE "{name}"')
            try:
                yield
            finally:
                for name in names:
                    server.execute(f'DROP DATABASE "{name}" WITH (FORCE)')
                self._remove_queue()

    def _remove_queue(self) -> None:
        if not self.broker:
            return
        if self.broker.startswith("redis"):
            with contextlib.closing(redis.Redis.from_url(self.broker)) as server:
                for key in server.scan_iter(f"{self.name}:*"):
                    server.delete(key)
            return
        with Connection(self.broker) as connection:
            for name in (self.name, f"{self.name}-long"):
                Queue(name, channel=connection.default_channel).delete()

    @contextlib.contextmanager
    def celery(self, *, beat: bool = True) -> Iterator[subprocess.Popen[bytes]]:
        """A worker, with beat, in a process group of its own so that all of it can be killed."""
        command = [
            *(sys.executable, "-m", "celery", "-A", "config", "worker"),
            *("--concurrency", "1", "--without-gossip", "--without-mingle"),
            *("--hostname", f"{uuid.uuid4().hex}@%h", "--loglevel", "warning"),
            *(("--beat", "--schedule", str(self.data_dir / "beat")) if beat else ()),
        ]
        with (self.data_dir / "celery.log").open("ab") as log:
            process = subprocess.Popen(
                command,
                cwd=ROOT,
                env=self.environment,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        try:
            yield process
        finally:
            kill_group(process)


def kill_group(process: subprocess.Popen[bytes]) -> None:
    """kill -9, for the process and all that it started."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def wait_until(holds: Callable[[], object], *, seconds: float, what: str) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, f"still not, after {seconds} s: {what}"
        time.sleep(0.05)


def need(broker: str) -> None:
    """PostgreSQL and the broker."""
    need_postgresql()
    need_broker(broker)


def write_queries(path: Path, n: int) -> Path:
    path.write_text("".join(f"q{number}\tquery number {number}\n" for number in range(n)))
    return path
