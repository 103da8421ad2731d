"""Neural rankers: the only package that imports torch, and the way to its modules.

Whoever needs one of them calls `load("training")`, so that nothing else depends on torch.
"""

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from metrics.errors import InputError

_PACKAGES = ("torch", "transformers", "safetensors")
INSTALL = "Install them with: pip install -r requirements-neural.txt"


def load(module: str) -> Any:
    """The module `rankers.neural.<module>`; `InputError` where torch and its like are missing."""
    if missing := [name for name in _PACKAGES if find_spec(name) is None]:
        raise InputError(f"neural rankers need {', '.join(missing)}.", remedy=f"{INSTALL}.")
    return import_module(f"rankers.neural.{module}")
