"""Names for workers in files that leave the house."""

import hashlib
import hmac
from collections.abc import Iterable, Mapping
from typing import Any

#: Hexadecimal digits of a pseudonym: 48 bits, so that a million workers rarely share one.
_DIGITS = 12


def person(worker_id: str, *, key: str) -> str:
    """The pseudonym of a person: the same in every export, and nothing without the key."""
    digest = hmac.new(key.encode(), worker_id.encode(), hashlib.sha256).hexdigest()
    return f"w-{digest[:_DIGITS]}"


def simulated(votes: Mapping[str, Iterable[Any]]) -> dict[str, str]:
    """Names for simulated workers, from what they voted: `votes` has (qid, category) by worker.

    Numbers that are ordered in the same way will do as well.

    There is nobody to protect, and a crowd service makes their ids up anew each time. Ordered by
    their votes, the same simulation gives the same names.
    """
    order = sorted(votes, key=lambda worker: (sorted(votes[worker]), worker))
    width = len(str(len(order)))
    return {worker: f"simulated-{number:0{width}}" for number, worker in enumerate(order, 1)}


def within_release(workers: Iterable[str], *, content: str, key: str) -> dict[str, str]:
    """Names that hold within one release: numbers in an order that nobody without the key knows.

    `content` is what is released. Other content deals the numbers anew, so that the same person
    cannot be recognised in two releases, or in an export beside them.
    """
    secret = hmac.new(key.encode(), content.encode(), hashlib.sha256).digest()
    order = sorted(
        set(workers), key=lambda one: hmac.new(secret, one.encode(), hashlib.sha256).digest()
    )
    width = len(str(len(order)))
    return {worker: f"annotator-{number:0{width}}" for number, worker in enumerate(order, 1)}
