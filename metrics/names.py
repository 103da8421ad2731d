"""Names of the package that are not in its list: measures, and what people call its functions."""

from collections.abc import Sequence
from importlib import import_module

from . import measures
from .aliases import MEASURES, NAMES, OF_IR_MEASURES, Hint
from .errors import InputAttributeError, InputError, did_you_mean


def named(name: str, package: str, known: Sequence[str]) -> object:
    """The value of a name that the package has not; `InputAttributeError` says what to type.

    Measures go by their names, `fairpool.RaB @ 10`.
    """
    definition = measures.by_name().get(name)
    if definition is not None:
        return definition
    if name in OF_IR_MEASURES or name.lower() in MEASURES:
        try:
            return measures.get(name)
        except InputError as error:
            raise InputAttributeError(error.message, remedy=error.remedy) from None
    meant = NAMES.get(name)
    if isinstance(meant, str):
        module, _, function = meant.partition(":")
        home = import_module(f".{module}", package)
        return getattr(home, function or name) if ":" in meant else home
    near = did_you_mean(name, [*known, *measures.by_name()]).strip()
    near = near or f"It has {', '.join(known)}."
    raise InputAttributeError(
        f"fairpool has no attribute {name!r}.",
        remedy=meant.text if isinstance(meant, Hint) else near,
    )
