"""The measures that exist, by name: each `Definition` that a module of this package makes."""

from functools import cache

from ..errors import InputError
from ..modules import defined_in
from .base import Definition, Measure, parse
from .of_ir_measures import measure_of


def available() -> tuple[Definition, ...]:
    """All measures, in the order of the tables."""
    return tuple(_definitions().values())


def get(text: str) -> Measure:
    """The measure of a name such as `ARaB@10`, `RaB` or `ARaB(magnitude=bool)@5`.

    Where none is named so, one of ir_measures, such as `AP@100`, if that is installed.
    """
    try:
        return parse(text, _definitions())
    except InputError:
        if (theirs := measure_of(text)) is not None:
            return theirs
        raise


@cache
def _definitions() -> dict[str, Definition]:
    return defined_in(__package__, Definition)
