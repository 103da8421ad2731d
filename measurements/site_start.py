"""Time to a site's first page, and memory of its processes before the first job.

`serve` is started in an empty folder, as often as asked for; the first start makes the tables, and
reads the files of Python from the disk, unless something else has just read them. On a machine that
does other work, too, processor seconds say more than those of the clock.
"""

import argparse
import contextlib
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from urllib.error import URLError

from tests.ports import free_port
from tests.project import ROOT

_SECONDS_TO_START, _SECONDS_TO_REST = 120, 10.0


def processes_of(parent: int) -> list[int]:
    """The process and all that it and its children have started."""
    listed = Path(f"/proc/{parent}/task/{parent}/children").read_text()
    return [parent, *(pid for child in listed.split() for pid in processes_of(int(child)))]


def megabytes_of(pid: int) -> float:
    """Memory of a process in MB; what several share is divided among them."""
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) * 1_024 / 1e6
    return 0.0


def processor_seconds_of(pid: int) -> float:
    """Processor seconds of a process and of the children that it waited for."""
    times = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:15]
    return sum(map(int, times)) / os.sysconf("SC_CLK_TCK")


@contextlib.contextmanager
def served(environment: dict[str, str]) -> Iterator[int]:
    command = [sys.executable, "manage.py", "serve", "--quiet"]
    process = subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        yield process.pid
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait()


def seconds_to(url: str, begun: float) -> float:
    """Seconds from `begun` until the address answers."""
    while time.monotonic() < begun + _SECONDS_TO_START:
        with contextlib.suppress(URLError, ConnectionError, TimeoutError):
            urllib.request.urlopen(url, timeout=5).close()
            return time.monotonic() - begun
        time.sleep(0.02)
    raise TimeoutError(url)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--starts", type=int, default=4, help="How often (default 4).")
    starts = parser.parse_args(arguments).starts
    with tempfile.TemporaryDirectory() as folder:
        port = free_port()
        environment = os.environ | {
            "FAIRPOOL_DATA_DIR": folder,
            "FAIRPOOL_OPEN": "1",
            "MTURK_LOCAL_ENDPOINT": f"http://127.0.0.1:{port}/mturk/",
        }
        seconds, worked = [], []
        for _start in range(starts):
            begun = time.monotonic()
            with served(environment) as pid:
                seconds.append(seconds_to(f"http://127.0.0.1:{port}/sign-in/", begun))
                worked.append(sum(map(processor_seconds_of, processes_of(pid))))
                time.sleep(_SECONDS_TO_REST)
                sizes = [megabytes_of(process) for process in processes_of(pid)]
    warm = statistics.median(seconds[1:] or seconds)
    print(f"first page: {seconds[0]:.1f} s at the first start, {warm:.1f} s later")  # noqa: T201
    later = statistics.median(worked[1:] or worked)
    print(f"processor seconds until then: {worked[0]:.1f}, later {later:.1f}")  # noqa: T201
    each = " + ".join(f"{size:.0f}" for size in sizes)
    print(f"before the first job: {sum(sizes):.0f} MB, by process {each}")  # noqa: T201


if __name__ == "__main__":
    main()
