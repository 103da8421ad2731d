"""Lines of a file, joined for sending."""

from collections.abc import Iterable, Iterator
from itertools import islice

_LINES = 1_000


def parts(lines: Iterable[str]) -> Iterator[str]:
    """The lines, a thousand at a time: a web server sends each part by itself."""
    rest = iter(lines)
    return iter(lambda: "".join(islice(rest, _LINES)), "")
