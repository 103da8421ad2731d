"""Pseudonyms of workers in exported files."""

import hashlib
import hmac
from collections.abc import Iterable, Mapping
from typing import Any

#: Hexadecimal digits of a pseudonym: 48 bits, so that a million workers rarely share one.
_DIGITS = 12


def person(worker_id: str, *, key: str) -> str:
    """Return the pseudonym of a person: the same in every export, meaningless without the key."""
    digest = hmac.new(key.encode(), worker_id.encode(), hashlib.sha256).hexdigest()
    return f"w-{digest[:_DIGITS]}"


def simulated(votes: Mapping[str, Iterable[Any]]) -> dict[str, str]:
    """Name simulated workers by the order of their votes: `votes` has (qid, category) by worker.

    Numbers in the same order will do as well. Nobody has to be protected, and a crowd service
    invents their ids each time. So the same simulation gives the same names.
    """
    order = sorted(votes, key=lambda worker: (sorted(votes[worker]), worker))
    width = len(str(len(order)))
    return {worker: f"simulated-{number:0{width}}" for number, worker in enumerate(order, 1)}


def within_release(workers: Iterable[str], *, content: str, key: str) -> dict[str, str]:
    """Return names for one release: numbers in an order that depends on the key.

    `content` is what is released. Other content shuffles the numbers, so that nobody can be
    recognised in two releases, or in an export beside them.
    """
    secret = hmac.new(key.encode(), content.encode(), hashlib.sha256).digest()
    order = sorted(
        set(workers), key=lambda worker: hmac.new(secret, worker.encode(), hashlib.sha256).digest()
    )
    width = len(str(len(order)))
    return {worker: f"annotator-{number:0{width}}" for number, worker in enumerate(order, 1)}
