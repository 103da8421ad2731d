"""A crowd service as it runs in earnest: gunicorn, several processes, a database that lasts."""

import hmac
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import boto3  # noqa: TID251 - the suite drives the service with the client that people use
import requests
from botocore.config import Config

from tests.mturk_local.conftest import Guest
from tests.ports import free_port

if TYPE_CHECKING:
    from mypy_boto3_mturk import MTurkClient

ROOT = Path(__file__).resolve().parents[2]


class Service:
    """One crowd service with its files in `folder` and its tables at the URL `database`."""

    def __init__(self, folder: Path, database: str) -> None:
        self.url = f"http://127.0.0.1:{free_port()}"
        self.environment = {
            **{name: value for name, value in os.environ.items() if "DJANGO" not in name},
            "CROWD_DATABASE_URL": database,
            "FAIRPOOL_DATA_DIR": str(folder),
            "DJANGO_SETTINGS_MODULE": "tests.site.service_settings",
            "MTURK_LOCAL_ENDPOINT": f"{self.url}/mturk/",
        }
        self.manage("migrate", "--database", "crowd", "--verbosity", "0")
        self.key: dict[str, str] = json.loads(self.manage("crowd", "key", "--json"))

    def manage(self, *arguments: str) -> str:
        return subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT,
            env=self.environment,
            check=True,
            capture_output=True,
            text=True,
            timeout=300,
        ).stdout

    @contextmanager
    def running(self) -> Iterator[subprocess.Popen[bytes]]:
        """The service, up for the length of the block; killed at its end, not stopped gently."""
        address = self.url.removeprefix("http://")
        process = subprocess.Popen(
            [
                *(sys.executable, "-m", "gunicorn", "config.wsgi", "--bind", address),
                *("--workers", "2", "--threads", "4", "--log-level", "error"),
                "--no-control-socket",
            ],
            cwd=ROOT,
            env=self.environment,
            start_new_session=True,
        )
        try:
            self._wait(process)
            yield process
        finally:
            os.killpg(process.pid, 9)
            process.wait()

    def _wait(self, process: subprocess.Popen[bytes]) -> None:
        deadline = time.monotonic() + 180
        while time.monotonic() < deadline:
            assert process.poll() is None, "the service did not start"
            try:
                requests.get(f"{self.url}/annotate/", timeout=30)
            except requests.RequestException:
                time.sleep(0.1)
            else:
                return
        raise AssertionError("the service did not answer")

    def client(self) -> "MTurkClient":
        return boto3.client(
            "mturk",
            endpoint_url=f"{self.url}/mturk/",
            region_name="us-east-1",
            aws_access_key_id=self.key["access_key_id"],
            aws_secret_access_key=self.key["secret_access_key"],
            config=Config(retries={"total_max_attempts": 1}),
        )

    def simulated(self, worker_id: str) -> Guest:
        """A simulated worker who is already in."""
        expires = str(int(time.time()) + 600)
        text = f"simulated-worker\n{worker_id}\n{expires}"
        link: dict[str, Any] = {
            "key": self.key["access_key_id"],
            "worker": worker_id,
            "expires": expires,
            "signature": hmac.new(
                self.key["secret_access_key"].encode(), text.encode(), "sha256"
            ).hexdigest(),
        }
        guest = Guest(self.url)
        guest.browser.open(f"{guest.site}join/simulated/", params=link)
        return guest
