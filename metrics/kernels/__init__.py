"""The compiled inner loops: each does what a readable definition elsewhere says, so skip them."""

import os
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from ..extras import has

#: Whether the kernels can be compiled, and what they fill read: without `fairpool[fast]` the
#: definitions do their work, more slowly.
AVAILABLE = has("numba") and has("pyarrow")

#: Called once each, before the first kernel is compiled: that takes seconds, after installation.
BEFORE_COMPILING: list[Callable[[], object]] = []

_TIMES_AS_LARGE = 6
#: Bytes by module that this process has worked on or is going to.
_EXPECTED: Counter[str] = Counter()
_OF_THIS_PYTHON = f"py{sys.version_info.major}{sys.version_info.minor}"


def expect(module: str, n_bytes: int) -> None:
    """Announce further bytes of work for a module in this process."""
    _EXPECTED[module] += n_bytes


def are_worth_loading(module: str, least: int) -> bool:
    """Return whether loading the kernels of a module pays, for the input of this process so far.

    Once it does, it does for the rest of the process, however small a later input is.
    """
    expected = _EXPECTED[module]
    if not AVAILABLE or expected <= least:
        return False
    return expected > always_worth_compiling(least) or are_compiled(module)


def worth_loading(least: int, module: str, times: int = _TIMES_AS_LARGE) -> int:
    """Return the least size of an input for the kernels, where `least` pays for loading them.

    Compiling them takes ten times as long as loading: what is not `times` as large never waits
    for it.
    """
    return least if are_compiled(module) else times * least


def always_worth_compiling(least: int) -> int:
    """Return the size above which kernels pay even if nobody has compiled them yet."""
    return _TIMES_AS_LARGE * least


def are_compiled(module: str) -> bool:
    """Return whether Numba keeps kernels of the module from an earlier use. Does not load Numba."""
    source = Path(__file__).with_name(f"{module}.py").stat().st_mtime
    kept = f"{module}.*.{_OF_THIS_PYTHON}.nbi"
    return any(
        file.stat().st_mtime >= source
        for folder in _caches()
        for pattern in (kept, f"*/{kept}")
        for file in folder.glob(pattern)
    )


def _caches() -> list[Path]:
    """Return the folders of Numba's cache: beside the source, the user's, or the configured one."""
    if own := os.environ.get("NUMBA_CACHE_DIR"):
        return [Path(own)]
    # Not `Path.expanduser`, which raises where there is no home.
    users = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")  # noqa: PTH111
    mac = os.path.expanduser("~/Library/Caches")  # noqa: PTH111
    return [Path(__file__).with_name("__pycache__"), Path(users, "numba"), Path(mac, "numba")]
