"""The error of a table that can be read in several ways: a person has to say which."""

from ...errors import InputError
from ...remedies import Remedy, Value


class ManyReadingsError(InputError):
    """A table that can be read in several ways, each a remedy."""


def reading(words: str, **arguments: Value) -> Remedy:
    """A way to read a table: what it says in words, and the choices that make it."""
    return Remedy(f"for {words}", arguments)
