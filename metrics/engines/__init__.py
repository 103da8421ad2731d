"""Engines that map a function over jobs, on this machine or on many; one module each.

A module of this folder is an engine by being here: its `opened(scheduler, workers)` is a context
that gives an `Engine`. Jobs and results are strings, and name files: rows never pass through an
engine, which would cost several times the work.
"""

import pkgutil
import socket
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import TypeAlias
from urllib.parse import urlsplit

from ..errors import InputError, did_you_mean

#: Maps the function over the jobs, as `map` does: the results in the order of the jobs.
Engine: TypeAlias = Callable[[Callable[[str], str], Sequence[str]], Iterable[str]]

SHARD_SIZE = 256 << 20  # bytes: some seconds of work, more than it takes to hand it out
PATIENCE = 10.0  # seconds to wait for a scheduler
RETRIES = 3  # of a job whose worker was lost


def engine_names() -> list[str]:
    """The engines that there are, installed or not."""
    return sorted(module.name for module in pkgutil.iter_modules(__path__))


@contextmanager
def opened(
    engine: str | Engine, scheduler: str | None = None, workers: int | None = None
) -> Iterator[Engine]:
    """The engine of a name, or the function itself that is one, while the block lasts.

    `scheduler` is the address of one that runs already (default: one is started on this machine,
    with `workers`, by default one per core). Raises `InputError` for an engine that is unknown or
    not installed, and for a scheduler that does not answer.
    """
    if callable(engine):
        yield engine
        return
    names = engine_names()
    if engine not in names:
        raise InputError(
            f"unknown engine {engine!r}.",
            remedy=f"Use {', '.join(names)}.{did_you_mean(engine, names)}",
        )
    if scheduler:
        _check_listens(scheduler)
    with import_module(f".{engine}", __package__).opened(scheduler, workers) as over:
        yield over


def _check_listens(scheduler: str) -> None:
    address = urlsplit(scheduler if "://" in scheduler else f"//{scheduler}")
    try:
        host, port = address.hostname, address.port
    except ValueError:
        host = port = None
    if not host or not port:
        raise InputError(f"{scheduler} is not an address.", remedy="Write HOST:PORT.")
    try:
        socket.create_connection((host, port), timeout=PATIENCE).close()
    except OSError as error:
        raise not_there(scheduler, error) from None


def not_there(scheduler: str, error: Exception) -> InputError:
    """The error for a scheduler that does not answer as it should."""
    return InputError(
        f"no scheduler answers at {scheduler} ({str(error) or type(error).__name__}).",
        remedy="Start it, or check the address and the network.",
    )
