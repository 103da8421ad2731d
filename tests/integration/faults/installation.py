"""Web server, worker, broker and database as they are deployed, each of which can be killed."""

import contextlib
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import requests

from tests.integration.faults.servers import Broker, Postgres, Process, RabbitMQ, Redis
from tests.integration.ports import free_port
from tests.integration.project import ROOT, Project

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

    def __init__(self, folder: Path, broker: type[Broker]) -> None:
        self.folder = folder
        self.database = Postgres(folder / "postgres")
        self.broker = broker(folder / "broker")
        self.project = Project(data_dir=folder / "var", port=free_port())
        self.project.data_dir.mkdir()
        self.web = Script("web.sh", self)
        self.worker = Script("worker.sh", self)
        self.beat = Script("beat.sh", self)
        self.url = f"http://127.0.0.1:{self.project.port}"

    @property
    def environment(self) -> dict[str, str]:
        return self.project.environment | {
            "DATABASE_URL": f"{self.database.url}fairpool",
            "CROWD_DATABASE_URL": f"{self.database.url}fairpool_crowd",
            "CELERY_BROKER_URL": self.broker.url,
            "BIND": f"127.0.0.1:{self.project.port}",
            "WORKER_PROCESSES": "1",
            "TASK_LEASE_SECONDS": "2",
            "COLLECT_EVERY_SECONDS": "0",
            "MTURK_TIMEOUT_SECONDS": "20",
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        }

    @property
    def parts(self) -> dict[str, Process]:
        return {
            "web": self.web,
            "worker": self.worker,
            "broker": self.broker,
            "database": self.database,
        }

    def start(self) -> None:
        self.database.start()
        self.database.create("fairpool", "fairpool_crowd")
        self.broker.start()
        Script("migrate.sh", self).run()
        for part in (self.web, self.worker, self.beat):
            part.start()

    def is_ready(self) -> bool:
        with contextlib.suppress(requests.RequestException):
            return requests.get(f"{self.url}/readyz", timeout=30).status_code == 200
        return False


@contextlib.contextmanager
def installed(broker: str) -> Iterator[Installation]:
    """An installation that is up; killed and forgotten at the end of the block."""
    # Not the folder of the test: accounts of other servers could not look into it.
    with tempfile.TemporaryDirectory(prefix="fairpool-faults-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        installation = Installation(folder, BROKERS[broker])
        try:
            installation.start()
            yield installation
        finally:
            for part in (*installation.parts.values(), installation.beat):
                part.kill()
