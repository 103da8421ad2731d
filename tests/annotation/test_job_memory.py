"""A job that takes too much memory ends with a sentence, and the worker goes on."""

import resource
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from annotation.jobs.memory import OutOfMemoryError, memory_limit


def numpy_takes() -> None:
    np.ones(1 << 28)


def arrow_takes() -> None:
    pa.repeat(pa.scalar("a" * 1_000), 2_000_000)


def files_take() -> None:
    with Path("/dev/zero").open("rb") as endless:
        endless.read(1 << 31)


@pytest.mark.parametrize("too_much", [numpy_takes, arrow_takes, files_take])
def test_more_memory_than_a_job_may_take_is_an_error_that_says_so(too_much: object) -> None:
    before = resource.getrlimit(resource.RLIMIT_DATA)
    with pytest.raises(OutOfMemoryError, match="500 MB"), memory_limit(500):
        too_much()  # type: ignore[operator]
    assert resource.getrlimit(resource.RLIMIT_DATA) == before


def test_what_is_within_the_limit_is_done() -> None:
    with memory_limit(500):
        assert np.ones(1_000_000).sum() == 1_000_000
