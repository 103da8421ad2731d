"""The ways to invite that exist: each `Invitation` that a file of this package makes."""

from collections.abc import Mapping
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from annotation.batches.operations.inviting.base import AnyInvitation, Invitation


def _invitations() -> dict[str, AnyInvitation]:
    package: Any = import_module(__package__ or "")
    names = [f"{__package__}.{module.name}" for module in iter_modules(package.__path__)]
    values = [
        value
        for name in names
        if name != __name__
        for value in vars(import_module(name)).values()
        if isinstance(value, Invitation)
    ]
    return {one.kind: one for one in sorted(values, key=lambda one: one.order)}


#: By kind, in the order of the page.
INVITATIONS: Mapping[str, AnyInvitation] = _invitations()
