"""The registry of operations, with differences from Amazon's service."""

from collections.abc import Callable
from datetime import datetime
from typing import Any, NamedTuple

from mturk_local.models import Requester


class Call(NamedTuple):
    """One request: requester, checked parameters, and the service's time."""

    requester: Requester
    params: dict[str, Any]
    now: datetime


Reply = dict[str, Any]
Carry = Callable[[Call], Reply]


class Operation(NamedTuple):
    name: str
    carry: Carry
    differs: str


_REGISTRY: dict[str, Operation] = {}


def operation(name: str, *, differs: str = "") -> Callable[[Carry], Carry]:
    """Register a function as the operation `name`.

    `differs` states the difference from Amazon, for the documentation's table.
    """

    def register(carry: Carry) -> Carry:
        _REGISTRY[name] = Operation(name, carry, differs)
        return carry

    return register


def operations() -> dict[str, Operation]:
    """All operations by name, in alphabetical order."""
    return dict(sorted(_REGISTRY.items()))
