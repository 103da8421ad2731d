"""Values that the modules of a package define: a new module is found by itself."""

from importlib import import_module
from pkgutil import iter_modules
from typing import Protocol, TypeVar


class Listed(Protocol):
    """A value with a name of its own and a place in lists."""

    @property
    def name(self) -> str: ...

    @property
    def position(self) -> int: ...


_Listed = TypeVar("_Listed", bound=Listed)


def defined_in(package: str, kind: type[_Listed]) -> dict[str, _Listed]:
    """Return the values of this type that the modules of `package` define, by name, in their order.

    Raises `RuntimeError` for two of one name: modules are copied, and names forgotten.
    """
    values: dict[str, _Listed] = {}
    for module in iter_modules(import_module(package).__path__, f"{package}."):
        for value in vars(import_module(module.name)).values():
            if isinstance(value, kind) and values.setdefault(value.name, value) is not value:
                raise RuntimeError(f"two modules of {package} define {value.name!r}")
    return dict(sorted(values.items(), key=lambda item: item[1].position))
