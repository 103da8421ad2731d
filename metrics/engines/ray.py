"""Ray: a cluster that runs, or one that is started on this machine. Plain tasks, no Ray Data."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from ..extras import need
from . import RETRIES, Engine, not_there


@contextmanager
def opened(scheduler: str | None, workers: int | None) -> Iterator[Engine]:
    ray = need("ray")
    here = {"num_cpus": workers, "include_dashboard": False}
    where = {"address": scheduler} if scheduler else here
    try:
        ray.init(log_to_driver=False, **where)
    except (ConnectionError, RuntimeError, ValueError) as error:
        raise not_there(scheduler or "this machine", error) from None
    try:

        def over(function: Callable[[str], str], jobs: Sequence[str]) -> Iterator[str]:
            task = ray.remote(max_retries=RETRIES)(function)
            results = [task.remote(job) for job in jobs]
            try:
                for result in results:
                    yield ray.get(result)
            finally:
                for result in results:
                    ray.cancel(result)

        yield over
    finally:
        ray.shutdown()
