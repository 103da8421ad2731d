"""Workers, drivers and schedulers that are killed: the same file in the end, and no long wait."""

import contextlib
import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from metrics.extras import has
from metrics.texts.scoring import score_collection
from tests.ports import free_port

ROOT = Path(__file__).resolve().parents[2]
N_KILLS = 25
#: Seconds that a command may take, be anything killed or not.
LONGEST = 240

pytestmark = [pytest.mark.faults, pytest.mark.timeout(3600)]


class Cluster:
    """A scheduler of Dask and two workers, each a process of its own that can be killed."""

    def __init__(self) -> None:
        self.port = free_port()
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        self.mend()

    @property
    def options(self) -> list[str]:
        return ["--engine", "dask", "--scheduler", f"127.0.0.1:{self.port}"]

    def mend(self) -> None:
        """Start whatever does not run."""
        address = f"tcp://127.0.0.1:{self.port}"
        programs = {"scheduler": ["scheduler", "--host", "127.0.0.1", "--port", str(self.port)]}
        for name in ("worker 1", "worker 2"):
            programs[name] = ["worker", address, "--nthreads", "1", "--no-nanny"]
        for name, (program, *arguments) in programs.items():
            if name in self._running and self._running[name].poll() is None:
                continue
            self._running[name] = subprocess.Popen(
                [sys.executable, "-m", "dask", program, *arguments, "--no-dashboard"],
                cwd=ROOT,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )

        wait_until_it_listens(self.port)

    def kill(self, victim: str) -> None:
        self._running[victim].kill()
        self._running[victim].wait()

    def end(self) -> None:
        for process in self._running.values():
            process.kill()
            process.wait()


def wait_until_it_listens(port: int) -> None:
    for _ in range(600):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
            return
        time.sleep(0.1)
    raise AssertionError("the scheduler does not listen")


@contextlib.contextmanager
def cluster() -> Iterator[Cluster]:
    dask = Cluster()
    try:
        yield dask
    finally:
        dask.end()


@pytest.fixture
def collection(tmp_path: Path) -> Path:
    path = tmp_path / "c.tsv"
    path.write_text("".join(f"{i}\tshe said that he {i}\n" for i in range(60_000)))
    return path


def command(path: Path, output: Path, options: list[str]) -> subprocess.Popen[bytes]:
    program = [sys.executable, "-m", "config.program", "score", str(path), "-o", str(output)]
    return subprocess.Popen(
        [*program, "--quiet", "--shard-size", "0.1", *options],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def kill_group(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def children_of(pid: int) -> list[int]:
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return []
    return [int(pid) for pid in children.split()]


def check_no_part_is_left(collection: Path, output: Path, options: list[str]) -> None:
    """Score once more: the last driver may have died with its output there, its parts not gone."""
    output.unlink()
    assert command(collection, output, options).wait(timeout=LONGEST) == 0
    assert not list(output.parent.glob("fairpool-parts-*"))


@pytest.mark.skipif(not has("distributed"), reason="distributed is not installed")
def test_whatever_of_a_dask_cluster_is_killed_the_file_is_the_same(
    collection: Path, tmp_path: Path
) -> None:
    draw, output = random.Random(45), tmp_path / "m.parquet"
    score_collection(collection, tmp_path / "at-once.parquet")
    expected = (tmp_path / "at-once.parquet").read_bytes()
    with cluster() as dask:
        for _ in range(N_KILLS):
            output.unlink(missing_ok=True)
            victim = draw.choice(["worker 1", "worker 2", "scheduler", "driver"])
            driver = command(collection, output, dask.options)
            time.sleep(draw.uniform(0.5, 6))
            if victim == "driver":
                kill_group(driver)
            else:
                dask.kill(victim)
                if victim == "scheduler":  # workers end with it, or would after a while
                    dask.kill("worker 1")
                    dask.kill("worker 2")
            driver.wait(timeout=LONGEST)
            for _again in range(5):
                if output.exists():
                    break
                dask.mend()
                command(collection, output, dask.options).wait(timeout=LONGEST)
            assert output.read_bytes() == expected
            dask.mend()
        check_no_part_is_left(collection, output, dask.options)


@pytest.mark.skipif(not has("ray"), reason="ray is not installed")
def test_whatever_of_ray_is_killed_the_file_is_the_same(collection: Path, tmp_path: Path) -> None:
    draw, output = random.Random(45), tmp_path / "m.parquet"
    score_collection(collection, tmp_path / "at-once.parquet")
    expected = (tmp_path / "at-once.parquet").read_bytes()
    options = ["--engine", "ray", "--processes", "2"]
    for _ in range(N_KILLS):
        output.unlink(missing_ok=True)
        driver = command(collection, output, options)
        time.sleep(draw.uniform(3, 15))
        named = draw.choice(["raylet", "gcs_server", "ray::"])
        victims = [pid for pid, line in processes_below(driver) if named in line]
        if victims and draw.random() < 0.7:
            with contextlib.suppress(ProcessLookupError):
                os.kill(draw.choice(victims), signal.SIGKILL)
        else:
            kill_group(driver)
        driver.wait(timeout=LONGEST)
        for _again in range(5):
            if output.exists():
                break
            command(collection, output, options).wait(timeout=LONGEST)
        assert output.read_bytes() == expected
    check_no_part_is_left(collection, output, options)


def processes_below(process: subprocess.Popen[bytes]) -> list[tuple[int, str]]:
    """Its descendants with their command lines, whichever group they are in."""
    found, wanted = [], children_of(process.pid)
    while wanted:
        pid = wanted.pop()
        wanted += children_of(pid)
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            found.append((pid, Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")))
    return found


def test_processes_that_are_killed_are_replaced(collection: Path, tmp_path: Path) -> None:
    draw, output = random.Random(45), tmp_path / "m.parquet"
    score_collection(collection, tmp_path / "at-once.parquet")
    expected = (tmp_path / "at-once.parquet").read_bytes()
    options = ["--engine", "processes", "--processes", "2"]
    for _ in range(N_KILLS):
        output.unlink(missing_ok=True)
        driver = command(collection, output, options)
        time.sleep(draw.uniform(0.5, 4))
        workers = children_of(driver.pid)
        if workers and draw.random() < 0.7:
            with contextlib.suppress(ProcessLookupError):
                os.kill(draw.choice(workers), signal.SIGKILL)
        else:
            kill_group(driver)
        driver.wait(timeout=LONGEST)
        if not output.exists():
            assert command(collection, output, options).wait(timeout=LONGEST) == 0
        assert output.read_bytes() == expected
    check_no_part_is_left(collection, output, options)
