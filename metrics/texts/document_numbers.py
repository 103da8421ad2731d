"""Numbers that documents have beside their gender words: labels of groups, shares of categories."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class DocumentNumbers:
    """One number per named column for some documents.

    `values[i, j]` is that of document i in the column `names[j]`, never negative; the rows from
    `n_known` on stand for documents that nothing is known of. `origin` says what the numbers were
    made from, ready for JSON.
    """

    names: tuple[str, ...]
    values: NDArray[np.float64]
    row_of: Mapping[str, int]
    origin: Mapping[str, object]
    n_known: int

    def rows(self, docnos: Sequence[str]) -> NDArray[np.int64]:
        """The row of each document, -1 where it has none."""
        rows = (self.row_of.get(docno, -1) for docno in docnos)
        return np.fromiter(rows, dtype=np.int64, count=len(docnos))


def attribute_columns(names: Sequence[str]) -> dict[str, list[int]]:
    """The columns of each attribute, for names as labels have them: `attribute:group` or `group`.

    >>> attribute_columns(("gender:f", "gender:m", "region:north"))
    {'gender': [0, 1], 'region': [2]}
    """
    columns: dict[str, list[int]] = {}
    for column, name in enumerate(names):
        columns.setdefault(name.rpartition(":")[0], []).append(column)
    return columns
