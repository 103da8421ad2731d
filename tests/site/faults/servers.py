"""PostgreSQL, Redis and RabbitMQ of a test's own: on free ports, in a folder of their own."""

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import psycopg

from tests.ports import free_port
from tests.servers import absent, need_program

_SECONDS_TO_START = 180


class Process(ABC):
    """Something that runs until it is killed, and can be started again."""

    #: Whom the process runs as when the tests run as root; servers refuse to be root.
    account = ""

    def __init__(self, folder: Path) -> None:
        self.folder = self.working_folder = folder
        self.log = folder.with_suffix(".log")
        folder.mkdir(parents=True)
        if self._other_account():
            shutil.chown(folder, self.account)
        self._process: subprocess.Popen[bytes] | None = None
        #: The process ids that it has had.
        self.pids: set[int] = set()

    @property
    def environment(self) -> dict[str, str]:
        return dict(os.environ)

    @abstractmethod
    def command(self) -> Sequence[str]: ...

    @abstractmethod
    def answers(self) -> bool: ...

    def launch(self) -> None:
        """Start, and do not wait."""
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                self.command(),
                cwd=self.working_folder,
                env=self.environment,
                stdout=log,
                stderr=log,
                start_new_session=True,
                **self._as_account(),
            )
        self.pids.add(self._process.pid)

    def start(self) -> None:
        """Start, again if need be, and wait until it answers."""
        deadline = time.monotonic() + _SECONDS_TO_START
        self.launch()
        while not self.answers():
            assert time.monotonic() < deadline, f"{self.folder.name} does not start"
            time.sleep(0.1)
            if self._process is not None and self._process.poll() is not None:
                self.launch()

    def kill(self) -> None:
        """kill -9, for the process and all that it started."""
        if self._process is None:
            return
        started = children(self._process.pid)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        for child in started:
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
        self._process.wait()
        self._process = None

    def stop(self) -> None:
        """Ask it to end, as a restart does."""
        assert self._process is not None
        self._process.terminate()
        self._process.wait(timeout=_SECONDS_TO_START)
        self._process = None

    def revive(self) -> None:
        """Start again if it has ended, as systemd or a container's engine would."""
        if self._process is None or self._process.poll() is not None:
            self.start()

    def discard(self) -> None:
        """End for good, and leave nothing behind."""
        self.kill()

    def _other_account(self) -> bool:
        return bool(self.account) and os.getuid() == 0

    def _as_account(self) -> dict[str, Any]:
        return {"user": self.account, "group": self.account} if self._other_account() else {}


def children(parent: int) -> list[int]:
    """The processes that a process has started, and those that these have started."""
    try:
        listed = Path(f"/proc/{parent}/task/{parent}/children").read_text()
    except OSError:
        return []
    return [pid for child in map(int, listed.split()) for pid in (child, *children(child))]


class Postgres(Process):
    """A PostgreSQL server whose superuser is `postgres`, without a password."""

    account = "postgres"

    @staticmethod
    def address(port: int) -> str:
        return f"postgres://postgres@127.0.0.1:{port}/"

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.port = free_port()
        self._run(
            *("initdb", "--auth", "trust", "--username", "postgres", "--pgdata", "data"),
            *("--wal-segsize", "1"),
        )

    def command(self) -> Sequence[str]:
        return [
            *(_postgres("postgres"), "-D", "data", "-p", str(self.port)),
            *("-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories="),
            *("-c", "shared_buffers=16MB", "-c", "max_connections=60"),
            *("-c", "min_wal_size=8MB", "-c", "max_wal_size=32MB"),
        ]

    def answers(self) -> bool:
        try:
            self.connect("postgres").close()
        except psycopg.OperationalError:
            return False
        return True

    def connect(self, name: str) -> psycopg.Connection:
        """Past all links."""
        return psycopg.connect(
            f"{self.address(self.port)}{name}", connect_timeout=5, autocommit=True
        )

    def discard(self) -> None:
        """A server that is killed leaves a piece of shared memory until it is started again."""
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGQUIT)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(timeout=_SECONDS_TO_START)
        self.kill()
        for segment in self._left_in_memory():
            remove = ["ipcrm", "-m", segment]
            subprocess.run(remove, check=False, timeout=60)

    def _left_in_memory(self) -> list[str]:
        table = Path("/proc/sysvipc/shm").read_text().splitlines()[1:]
        rows = [line.split() for line in table]
        # Marked for removal, one goes as soon as the last process that has it is dead.
        return [row[1] for row in rows if int(row[4]) in self.pids]

    def create(self, *names: str) -> None:
        with self.connect("postgres") as server:
            for name in names:
                server.execute(f'CREATE DATABASE "{name}"')

    def _run(self, program: str, *arguments: str) -> None:
        subprocess.run(
            [_postgres(program), *arguments],
            cwd=self.folder,
            check=True,
            capture_output=True,
            timeout=_SECONDS_TO_START,
            **self._as_account(),
        )


def _postgres(program: str) -> str:
    """Where the newest PostgreSQL keeps a program: Debian does not put all of them on the path."""
    found = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{program}"))
    if found:
        return need_program(str(found[-1]))
    return need_program(program)


class Broker(Process):
    """What wakes workers."""

    port = 0

    @staticmethod
    @abstractmethod
    def address(port: int) -> str: ...

    def answers(self) -> bool:
        with socket.socket() as probe:
            probe.settimeout(5)
            return probe.connect_ex(("127.0.0.1", self.port)) == 0


class Redis(Broker):
    """Redis as `compose.yaml` starts it."""

    @staticmethod
    def address(port: int) -> str:
        return f"redis://127.0.0.1:{port}/0"

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.port = free_port()
        need_program("redis-server")

    def command(self) -> Sequence[str]:
        return [
            *("redis-server", "--port", str(self.port), "--bind", "127.0.0.1"),
            *("--dir", str(self.folder), "--appendonly", "yes"),
        ]


class RabbitMQ(Broker):
    """A node of its own, which knows of no other node and no plugin."""

    account = "rabbitmq"
    _SERVER = Path("/usr/lib/rabbitmq/bin/rabbitmq-server")

    @staticmethod
    def address(port: int) -> str:
        return f"amqp://guest:guest@127.0.0.1:{port}//"

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        if not self._SERVER.exists():
            absent("RabbitMQ is not installed")
        self.port, self._between_nodes = free_port(), free_port()

    @property
    def environment(self) -> dict[str, str]:
        folder = str(self.folder)
        return super().environment | {
            "HOME": folder,
            "RABBITMQ_NODENAME": f"fairpool{self.port}@localhost",
            "RABBITMQ_NODE_IP_ADDRESS": "127.0.0.1",
            "RABBITMQ_NODE_PORT": str(self.port),
            "RABBITMQ_DIST_PORT": str(self._between_nodes),
            "RABBITMQ_MNESIA_BASE": f"{folder}/queues",
            "RABBITMQ_LOG_BASE": f"{folder}/log",
            "RABBITMQ_SCHEMA_DIR": f"{folder}/schema",
            "RABBITMQ_GENERATED_CONFIG_DIR": f"{folder}/config",
            "RABBITMQ_PID_FILE": f"{folder}/pid",
            "RABBITMQ_ENABLED_PLUGINS_FILE": f"{folder}/plugins",
            "RABBITMQ_CONFIG_FILE": f"{folder}/none",
            "RABBITMQ_CONF_ENV_FILE": "/dev/null",
        }

    def command(self) -> Sequence[str]:
        return [str(self._SERVER)]
