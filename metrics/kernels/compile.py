"""Compile inner loops by Numba, loaded without what no loop of ours needs."""

import contextlib
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

from . import BEFORE_COMPILING

_MATRIX_PRODUCTS = "scipy.linalg.cython_blas"


@contextlib.contextmanager
def _without_matrix_products() -> Iterator[None]:
    """Let Numba find no BLAS: it would load half of SciPy, a quarter of its time to load."""
    if _MATRIX_PRODUCTS in sys.modules:
        yield
        return
    sys.modules[_MATRIX_PRODUCTS] = None  # type: ignore[assignment] # how Python marks what is not there
    try:
        yield
    finally:
        del sys.modules[_MATRIX_PRODUCTS]


with _without_matrix_products():
    import_module("numba.np.arraymath")
from numba import njit  # noqa: E402 - the line above loads it
from numba.core import event  # noqa: E402


class _Teller(event.Listener):  # type: ignore[misc] # Numba ships no types
    """Kernels that are kept on disk are loaded without this event."""

    def on_start(self, _event: Any) -> None:
        while BEFORE_COMPILING:
            BEFORE_COMPILING.pop()()

    def on_end(self, _event: Any) -> None:
        """The last of them is used as soon as it is compiled."""


event.register("numba:compile", _Teller())


def kernel(function: Callable[..., Any]) -> Any:
    """Compile without the interpreter lock, kept on disk where the disk lets us."""
    options: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
    try:
        return njit(cache=True, **options)(function)
    except RuntimeError:
        # Neither the installation nor the user's cache folder can be written.
        return njit(**options)(function)
