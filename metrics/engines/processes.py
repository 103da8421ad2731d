"""Processes of this machine."""

import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import get_context

from ..errors import InputError
from . import RETRIES, Engine

_IGNORE_CTRL_C = (signal.signal, (signal.SIGINT, signal.SIG_IGN))  # the caller ends us


@contextmanager
def opened(scheduler: str | None, workers: int | None) -> Iterator[Engine]:
    if scheduler:
        raise InputError(
            "processes of this machine have no scheduler.", remedy="Use --engine dask or ray."
        )

    def over(function: Callable[[str], str], jobs: Sequence[str]) -> Iterator[str]:
        n_done = n_lost = 0
        while n_done < len(jobs):
            # Threads of the caller would be lost in a fork, with the locks that they hold.
            with ProcessPoolExecutor(workers, get_context("spawn"), *_IGNORE_CTRL_C) as pool:
                try:
                    for result in pool.map(function, jobs[n_done:]):
                        yield result
                        n_done, n_lost = n_done + 1, 0
                except BrokenProcessPool:
                    n_lost += 1
                    if n_lost > RETRIES:
                        raise
                finally:
                    # Also waits: a running job would write its part into a folder that is gone.
                    pool.shutdown(cancel_futures=True)

    yield over
