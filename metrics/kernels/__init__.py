"""The compiled inner loops: each does what a readable definition elsewhere says, so skip them."""

from collections.abc import Callable

#: Called once each, before the first kernel is compiled: that takes seconds, after installation.
BEFORE_COMPILING: list[Callable[[], object]] = []
