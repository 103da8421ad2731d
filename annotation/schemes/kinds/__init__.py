"""The kinds of questions: each is one module of this package, and found by itself."""

from collections.abc import Iterator
from importlib import import_module
from pkgutil import iter_modules

from annotation.schemes.kind import Kind


def _every() -> Iterator[Kind]:
    for module in iter_modules(__path__, f"{__name__}."):
        for value in vars(import_module(module.name)).values():
            if isinstance(value, Kind):
                yield value


_kinds = sorted(_every(), key=lambda kind: kind.position)
#: By name, in the order of lists.
KINDS = {kind.name: kind for kind in _kinds}
if len(KINDS) < len(_kinds):
    raise RuntimeError(f"two kinds of questions have one name, of {[kind.name for kind in _kinds]}")
