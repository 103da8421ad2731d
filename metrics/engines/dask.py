"""Dask: a cluster that runs, or one that is started on this machine."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from ..extras import need
from . import PATIENCE, RETRIES, Engine, not_there

#: Of workers that are started here: a scan needs none of it, and would pay a fifth for all.
_LEAN = {
    "distributed.worker.profile.enabled": False,  # samples of each thread, a hundred a second
    "distributed.worker.memory.monitor-interval": "1s",  # ten times a second, and of each worker
    "distributed.admin.system-monitor.interval": "5s",
    # Dask's 64 kB give memory back all the time that the next block asks for again.
    "distributed.nanny.pre-spawn-environ.MALLOC_TRIM_THRESHOLD_": 128 << 20,
}
#: The scheduler answers by HTTP even without a dashboard, at Dask's usual port unless told: one
#: that is free, for others may run Dask here too.
_NO_DASHBOARD = {"dashboard_address": "127.0.0.1:0", "scheduler_kwargs": {"dashboard": False}}


@contextmanager
def opened(scheduler: str | None, workers: int | None) -> Iterator[Engine]:
    distributed, dask = need("distributed"), need("dask")
    here = {"n_workers": workers, "threads_per_worker": 1, **_NO_DASHBOARD}
    where = {"address": scheduler, "timeout": PATIENCE} if scheduler else here
    try:
        with dask.config.set(_LEAN):
            client = distributed.Client(**where)
        client.wait_for_workers(1, timeout=PATIENCE)
    except (OSError, RuntimeError, ValueError) as error:  # a TimeoutError is an OSError
        raise not_there(scheduler or "this machine", error) from None
    with client:

        def over(function: Callable[[str], str], jobs: Sequence[str]) -> Iterator[str]:
            futures = client.map(function, jobs, retries=RETRIES, pure=False)
            for future in futures:
                yield future.result()

        yield over
