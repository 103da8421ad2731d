"""Names that must be new."""

from collections.abc import Callable
from itertools import count
from typing import Any

from django.db.models import Manager

_LONGEST = 100


def new_among(rows: Manager[Any]) -> Callable[[str], bool]:
    """Return whether no row has a name, as a function: case alone tells no two names apart."""
    return lambda name: not rows.filter(name__iexact=name).exists()


def free_name(base: str, is_free: Callable[[str], bool]) -> str:
    """Return `base`, or the first free of `base 2`, `base 3` and so on; at most 100 characters."""
    suffixes = ("" if number == 1 else f" {number}" for number in count(1))
    names = (base[: _LONGEST - len(suffix)] + suffix for suffix in suffixes)
    return next(name for name in names if is_free(name))
