"""Distance of the cited shares from those of the list, and its value by chance alone."""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ..extras import need
from ..vocabulary import LEVEL
from .steps import LISTED, Followed

Array = NDArray[np.float64]

PERMUTATIONS = 100
#: Orders drawn once for each length of list, from which each query takes its own; as many places
#: of each are kept as few answers cite documents.
_ORDERS, _PLACES = 1_000, 64


def total_variation(first: Array, second: Array) -> Array:
    """Half the sum of the absolute differences of the shares, the groups last."""
    distance: Array = np.abs(first - second).sum(axis=-1) / 2
    return distance


class Permuted:
    """Total variation of queries whose citations went to random documents of their lists.

    As many documents as are cited of the list, in the same sentences; citations of documents
    outside of it, and of documents without a group, stay what they are.
    """

    def __init__(self, seed: int = 0, permutations: int = PERMUTATIONS) -> None:
        self._rng = np.random.default_rng(seed)
        self._permutations = permutations
        self._sums = np.zeros((len(LISTED), permutations))
        self._n = 0

    def add(self, block: Followed) -> None:
        """Count the queries that have citations and a list with known groups."""
        n_queries = block.listed.n_queries
        of_list = np.searchsorted(block.listed.of, np.arange(n_queries + 1))
        of_cited = np.searchsorted(block.cited.of, np.arange(n_queries + 1))
        weights = np.where(block.cited.known, block.weights, 0.0)
        moved = block.cited.known & (block.places >= 0)
        for query in range(n_queries):
            documents = slice(of_list[query], of_list[query + 1])
            known = block.listed.shares[documents][block.listed.known[documents]]
            citations = slice(of_cited[query], of_cited[query + 1])
            weight, inside = weights[citations], moved[citations]
            total = weight.sum()
            if total <= 0 or not len(known):
                continue
            drawn = known[self._drawn(len(known), int(inside.sum()))]
            rest = (~inside) & block.cited.known[citations]
            cited = np.tensordot(weight[inside], drawn, (0, 1))
            cited += weight[rest] @ block.cited.shares[citations][rest]
            shares = np.array([[block.steps[step].shares[query]] for step in LISTED])
            self._sums += total_variation(cited / total, shares)
            self._n += 1

    def means(self) -> dict[str, Array]:
        """The mean over the queries under each permutation, by the list's step; NaN without any."""
        means = self._sums / self._n if self._n else np.full(self._sums.shape, np.nan)
        return dict(zip(LISTED, means, strict=True))

    def _drawn(self, n: int, k: int) -> NDArray[np.integer]:
        """Places (permutations, k) of different documents of a list of n."""
        if k > _PLACES:
            return self._rng.random((self._permutations, n)).argsort(axis=1)[:, :k]
        return _orders(n)[self._rng.integers(_ORDERS, size=self._permutations), :k]


@lru_cache(maxsize=1_000)
def _orders(n: int) -> NDArray[np.int32]:
    """The first places of random orders of n documents; the same for all systems and seeds."""
    orders = np.random.default_rng(n).random((_ORDERS, n)).argsort(axis=1)
    return orders[:, :_PLACES].astype(np.int32)


def band(by_chance: Array, level: float = LEVEL) -> tuple[float, float]:
    """The interval that holds a further value by chance at `level`.

    By Student's t, not by quantiles of the few permutations: means over queries are normal.
    """
    n = len(by_chance)
    quantile = float(need("scipy.special").stdtrit(n - 1, (1 + level) / 2))
    half = quantile * float(by_chance.std(ddof=1)) * (1 + 1 / n) ** 0.5
    mean = float(by_chance.mean())
    return mean - half, mean + half
