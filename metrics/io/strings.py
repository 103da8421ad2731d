"""Columns of strings: NumPy's objects in the readable code, Arrow's where there are millions."""

from collections.abc import Iterable, Iterator
from typing import Any, Protocol, Self

import numpy as np


class Strings(Protocol):
    """The common part of a NumPy array of strings and an Arrow one."""

    def __len__(self) -> int: ...

    def __iter__(self) -> Iterator[str]: ...

    def __getitem__(self, rows: Any, /) -> Any: ...

    def take(self, rows: Any, /) -> Self:
        """The strings at these rows."""

    def tolist(self) -> list[str]: ...


def strings(texts: Iterable[str]) -> Strings:
    """The texts as a NumPy array of objects."""
    column: Strings = np.array(list(texts), dtype=object)
    return column
