"""A job that takes too much memory ends with a sentence, and the worker goes on."""

import mmap
import resource
import threading
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from annotation.jobs import memory
from annotation.jobs.memory import OutOfMemoryError, memory_limit


def numpy_takes() -> None:
    np.ones(1 << 28)


def arrow_takes() -> None:
    pa.repeat(pa.scalar("a" * 1_000), 2_000_000)


def files_take() -> None:
    with Path("/dev/zero").open("rb") as endless:
        endless.read(1 << 31)


def threads_take() -> None:
    ended = threading.Event()
    started = []
    try:
        for _ in range(1_000):  # each has a stack of 8 MB
            started.append(threading.Thread(target=ended.wait))
            started[-1].start()
    finally:
        ended.set()
        for thread in started[:-1]:
            thread.join()


def maps_take() -> None:
    mmap.mmap(-1, 1 << 31, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)


@pytest.mark.parametrize(
    "too_much", [numpy_takes, arrow_takes, files_take, threads_take, maps_take]
)
def test_more_memory_than_a_job_may_take_is_an_error_that_says_so(too_much: object) -> None:
    before = resource.getrlimit(resource.RLIMIT_DATA)
    with pytest.raises(OutOfMemoryError, match="500 MB"), memory_limit(500):
        too_much()  # type: ignore[operator]
    assert resource.getrlimit(resource.RLIMIT_DATA) == before


def test_what_is_within_the_limit_is_done() -> None:
    with memory_limit(500):
        assert np.ones(1_000_000).sum() == 1_000_000


@pytest.mark.parametrize(("written", "half"), [("1000000000\n", "500 MB"), ("max\n", "MB")])
def test_without_a_limit_of_its_own_a_job_has_half_of_what_its_container_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, written: str, half: str
) -> None:
    told = tmp_path / "memory.max"
    told.write_text(written)
    monkeypatch.setattr(memory, "_CONTAINER", (str(told), str(tmp_path / "none")))
    with pytest.raises(OutOfMemoryError, match=half), memory_limit(0):
        np.ones(1 << 44)
