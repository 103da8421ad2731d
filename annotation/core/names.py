"""Names that must be new."""

from collections.abc import Callable
from itertools import count

_LONGEST = 100


def free_name(wanted: str, is_free: Callable[[str], bool]) -> str:
    """`wanted`, or the first of `wanted 2`, `wanted 3` and so on that is free; 100 characters."""
    suffixes = ("" if number == 1 else f" {number}" for number in count(1))
    names = (wanted[: _LONGEST - len(suffix)] + suffix for suffix in suffixes)
    return next(name for name in names if is_free(name))
