"""Web server, worker, broker and database as they are deployed, each of which can be killed.

They speak through links that can be disturbed, and keep their files on disks that can be full.
"""

import contextlib
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import requests

from tests.ports import free_port
from tests.project import ROOT, Project
from tests.site.faults.disks import Disk
from tests.site.faults.links import Link
from tests.site.faults.servers import Broker, Postgres, Process, RabbitMQ, Redis

#: Short, so that what a dead worker left is taken up soon.
LEASE_SECONDS = 2
BROKERS: dict[str, type[Broker]] = {"redis": Redis, "rabbitmq": RabbitMQ}


class Script(Process):
    """One of the scripts of `deploy/`."""

    def __init__(self, name: str, installation: "Installation") -> None:
        super().__init__(installation.folder / name.removesuffix(".sh"))
        # As containers and systemd run it: in the folder of the code.
        self.working_folder = ROOT
        self._name, self._installation = name, installation

    @property
    def environment(self) -> dict[str, str]:
        return self._installation.environment

    def command(self) -> Sequence[str]:
        return [str(ROOT / "deploy" / self._name)]

    def answers(self) -> bool:
        return True

    def run(self) -> None:
        """Start, and wait for a good end."""
        self.launch()
        assert self._process is not None
        assert self._process.wait(timeout=300) == 0, self._name


class Installation:
    """All parts in one folder."""

    def __init__(self, folder: Path, rows: Disk, files: Disk, broker: type[Broker]) -> None:
        self.folder = folder
        self.rows, self.files = rows, files
        self.database = Postgres(rows.folder / "postgres")
        self.broker = broker(folder / "broker")
        self._web_port = free_port()
        self._to_web, self._to_database, self._to_broker = self.links = (
            Link(self._web_port),
            Link(self.database.port),
            Link(self.broker.port),
        )
        self.project = Project(data_dir=files.folder / "var", port=self._to_web.port)
        self.project.data_dir.mkdir()
        self.web = Script("web.sh", self)
        self.worker = Script("worker.sh", self)
        self.beat = Script("beat.sh", self)
        self.url = f"http://127.0.0.1:{self.project.port}"

    @property
    def environment(self) -> dict[str, str]:
        database = Postgres.address(self._to_database.port)
        return self.project.environment | {
            "DATABASE_URL": f"{database}fairpool",
            "CROWD_DATABASE_URL": f"{database}fairpool_crowd",
            "CELERY_BROKER_URL": self.broker.address(self._to_broker.port),
            "BIND": f"127.0.0.1:{self._web_port}",
            "WORKER_PROCESSES": "1",
            "TASK_LEASE_SECONDS": str(LEASE_SECONDS),
            "COLLECT_EVERY_SECONDS": "0",
            "MTURK_TIMEOUT_SECONDS": "20",
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        }

    @property
    def parts(self) -> dict[str, Process]:
        return {
            "database": self.database,
            "broker": self.broker,
            "web": self.web,
            "worker": self.worker,
            "beat": self.beat,
        }

    def start(self) -> None:
        self.database.start()
        self.database.create("fairpool", "fairpool_crowd")
        self.broker.start()
        Script("migrate.sh", self).run()
        for part in (self.web, self.worker, self.beat):
            part.start()

    def revive(self) -> None:
        """Start what has ended again."""
        for part in self.parts.values():
            part.revive()

    def discard(self) -> None:
        """Leave nothing behind."""
        for part in reversed(self.parts.values()):
            part.discard()
        for link in self.links:
            link.close()

    def is_ready(self) -> bool:
        with contextlib.suppress(requests.RequestException):
            return requests.get(f"{self.url}/readyz", timeout=30).status_code == 200
        return False


@contextlib.contextmanager
def installed(broker: str) -> Iterator[Installation]:
    """An installation that is up; killed and forgotten at the end of the block."""
    # Not the folder of the test: accounts of other servers could not look into it.
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="fairpool-faults-")))
        folder.chmod(0o755)
        rows, files = (
            stack.enter_context(contextlib.closing(Disk(folder / name, megabytes=512)))
            for name in ("rows", "files")
        )
        installation = Installation(folder, rows, files, BROKERS[broker])
        stack.callback(installation.discard)
        installation.start()
        yield installation
