"""Names that must be new."""

from collections.abc import Callable
from itertools import count

_LONGEST = 100


def free_name(base: str, is_free: Callable[[str], bool]) -> str:
    """Return `base`, or the first free of `base 2`, `base 3` and so on; at most 100 characters."""
    suffixes = ("" if number == 1 else f" {number}" for number in count(1))
    names = (base[: _LONGEST - len(suffix)] + suffix for suffix in suffixes)
    return next(name for name in names if is_free(name))
