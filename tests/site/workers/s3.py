"""An S3 server of a test's own, in a process of its own, with one bucket."""

import contextlib
import os
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.error import URLError

import boto3  # noqa: TID251 - the tests' own client of object stores

from tests.ports import free_port
from tests.site.workers.profiles import wait_until

_KEY = "AKIDFORTESTS"


@dataclass(frozen=True)
class S3:
    """`environment` is what a program needs to reach it."""

    port: int
    bucket: str = "fairpool"
    secret: str = "a-secret-that-no-log-may-show"

    @property
    def environment(self) -> dict[str, str]:
        return {
            "AWS_ACCESS_KEY_ID": _KEY,
            "AWS_SECRET_ACCESS_KEY": self.secret,
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{self.port}",
            "AWS_DEFAULT_REGION": "us-east-1",
            "AWS_EC2_METADATA_DISABLED": "true",
        }

    def put(self, name: str, data: bytes) -> str:
        """Store bytes; their URL."""
        self._client().put_object(Bucket=self.bucket, Key=name, Body=data)
        return f"s3://{self.bucket}/{name}"

    def get(self, name: str) -> bytes:
        """The bytes that are stored."""
        content: bytes = self._client().get_object(Bucket=self.bucket, Key=name)["Body"].read()
        return content

    def names(self) -> set[str]:
        found = self._client().list_objects_v2(Bucket=self.bucket)
        return {one["Key"] for one in found.get("Contents", []) if not one["Key"].endswith("/")}

    def _client(self) -> Any:
        return boto3.client(
            "s3",
            endpoint_url=f"http://127.0.0.1:{self.port}",
            aws_access_key_id=_KEY,
            aws_secret_access_key=self.secret,
            region_name="us-east-1",
        )

    def make_bucket(self) -> None:
        self._client().create_bucket(Bucket=self.bucket)

    def answers(self) -> bool:
        with contextlib.suppress(URLError, OSError):
            urllib.request.urlopen(f"http://127.0.0.1:{self.port}/moto-api/", timeout=30).close()
            return True
        return False


@contextlib.contextmanager
def s3_server(folder: Path) -> Iterator[S3]:
    s3 = S3(free_port())
    with (folder / "s3.log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(s3.port)],
            stdout=log,
            stderr=log,
            env=os.environ,
        )
    try:
        wait_until(s3.answers, seconds=120, what="the S3 server is up")
        s3.make_bucket()
        yield s3
    finally:
        process.kill()
        process.wait()
