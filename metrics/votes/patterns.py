"""Queries grouped by how their votes fell: all that the coefficients need to know."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .table import Counts

Weights = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Patterns:
    """The different rows of a table of counts, and how many queries show each.

    Three votes in four categories fall in only 20 ways, so that a coefficient over thousands of
    queries, or a million, is a sum over a few rows. `rows` has shape (patterns, labels), sorted;
    `sizes` has shape (patterns,). Queries without a vote are left out.
    """

    rows: Weights
    sizes: Counts

    @classmethod
    def of(cls, counts: Counts) -> "Patterns":
        rows, place = group_rows(counts[counts.sum(axis=1) > 0])
        return cls(rows=rows.astype(np.float64), sizes=np.bincount(place, minlength=len(rows)))

    @property
    def n_queries(self) -> int:
        return int(self.sizes.sum())

    @property
    def votes(self) -> Weights:
        """Votes of a query of each pattern, shape (patterns,)."""
        totals: Weights = self.rows.sum(axis=1)
        return totals

    @property
    def observed(self) -> Weights:
        """The patterns' sizes as one row of weights, shape (1, patterns)."""
        return self.sizes[None, :].astype(np.float64)


def group_rows(rows: Counts) -> tuple[Counts, Counts]:
    """The different rows, sorted, and the place of each of `rows` among them."""
    keys = _keys(rows)
    if keys is None:
        different, place = np.unique(rows, axis=0, return_inverse=True)
        return different, place.reshape(-1)
    _, first, place = np.unique(keys, return_index=True, return_inverse=True)
    return rows[first], place


def _keys(rows: Counts) -> Counts | None:
    """One number per row in the rows' order, or None where 63 bits do not hold them.

    Sorting numbers is many times faster than sorting rows.
    """
    base = int(rows.max(initial=0)) + 1
    if base ** rows.shape[1] >= 2**63:
        return None
    powers = np.array([base**place for place in reversed(range(rows.shape[1]))], dtype=np.int64)
    return rows @ powers
