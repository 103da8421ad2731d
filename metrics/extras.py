"""Packages that only some of the work needs: which extra of `fairpool` brings them."""

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from .errors import InputError

#: The name under which a package is imported, and the extra that installs it.
EXTRA_OF = {
    "numba": "fast",
    "pyarrow": "fast",
    "distributed": "dask",
    "ray": "ray",
    "scipy": "stats",
    "ftfy": "repair",
    "HanTa": "counterfactual",
    "zstandard": "counterfactual",
    "ir_datasets": "ir",
    "ir_measures": "ir",
    "pandas": "ir",
    "shtab": "completion",
    "jinja2": "report",
    "matplotlib": "report",
    "bm25s": "rank",
    "sklearn": "rank",
    "snowballstemmer": "rank",
    "threadpoolctl": "rank",
    "accelerate": "train",
    "datasets": "train",
    "huggingface_hub": "train",
    "peft": "train",
    "safetensors": "train",
    "sentence_transformers": "train",
    "tokenizers": "train",
    "torch": "train",
    "transformers": "train",
}


def has(package: str) -> bool:
    """Return whether the package is installed."""
    return find_spec(package) is not None


def need(module: str, package: str | None = None, *, extra: str = "") -> Any:
    """The module, by a relative name one of `package`.

    `InputError` with the extra to install where it, or what it imports, is missing: `extra`, or
    the one that `EXTRA_OF` has.
    """
    try:
        return import_module(module, package)
    except ModuleNotFoundError as error:
        if (missing := missing_extra(error, extra)) is None:
            raise
        raise missing from None


def missing_extra(error: ModuleNotFoundError, extra: str = "") -> InputError | None:
    """The error that names the extra for a failed import; None where no extra brings it."""
    package = (error.name or "").partition(".")[0]
    if package not in EXTRA_OF:
        return None
    return InputError(
        f"this needs the package {package}, which is not installed.",
        remedy=f"Install it with: pip install 'fairpool[{extra or EXTRA_OF[package]}]'.",
    )
