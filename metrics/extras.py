"""Packages that only some of the work needs: which extra of `fairpool` brings them."""

from importlib import import_module
from typing import Any

from .errors import InputError

# The name under which a package is imported, and the extra that installs it.
_EXTRA_OF = {
    "HanTa": "counterfactual",
    "zstandard": "counterfactual",
    "ir_datasets": "ir",
    "ir_measures": "ir",
    "pandas": "ir",
    "shtab": "completion",
    "jinja2": "report",
    "matplotlib": "report",
}


def need(module: str) -> Any:
    """The module; `InputError` with the extra to install where it is missing."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if (missing := missing_extra(error)) is None:
            raise
        raise missing from None


def missing_extra(error: ModuleNotFoundError) -> InputError | None:
    """What to install for the import that failed; None where no extra brings it."""
    package = (error.name or "").partition(".")[0]
    if package not in _EXTRA_OF:
        return None
    return InputError(
        f"this needs the package {package}, which is not installed.",
        remedy=f"Install it with: pip install 'fairpool[{_EXTRA_OF[package]}]'.",
    )
