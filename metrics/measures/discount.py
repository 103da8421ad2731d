"""The weight of a rank in the measures of exposure: 1/log2(rank + 1), or TREC's."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError, InputTypeError


def discounts(depth: int) -> NDArray[np.float64]:
    """Weights of the ranks 1 to `depth` (T,): 1, 0.63, 0.5, ..."""
    weights: NDArray[np.float64] = 1.0 / np.log2(np.arange(2, depth + 2))
    return weights


def trec_discounts(depth: int) -> NDArray[np.float64]:
    """Weights of TREC's fair ranking tracks (T,), 1/log2(max(rank, 2)): 1, 1, 0.63, 0.5, ..."""
    weights: NDArray[np.float64] = 1.0 / np.log2(np.maximum(np.arange(1, depth + 1), 2))
    return weights


def plain(depth: int) -> NDArray[np.float64]:
    """Weights of ranks that all count alike (T,)."""
    return np.ones(depth)


def exposure(
    values: NDArray[np.float64],
    present: NDArray[np.bool_],
    cutoff: int,
    weights: Callable[[int], NDArray[np.float64]] = discounts,
) -> NDArray[np.float64]:
    """Sum over the present ranks up to `cutoff` of value x discount: (Q, T) to (Q,)."""
    depth = min(cutoff, values.shape[1])
    if depth == 0:
        return np.zeros(len(values))
    weighted = np.where(present, values, 0.0)[:, :depth] * weights(depth)
    # A running sum adds rank after rank, so that a query's value has the same bits whichever
    # other queries and cut-offs are computed beside it; a matrix product does not promise that.
    total: NDArray[np.float64] = np.cumsum(weighted, axis=1)[:, -1]
    return total


def exposure_shares(
    weights: NDArray[np.float64],
    present: NDArray[np.bool_],
    cutoff: int,
    weigh_ranks: Callable[[int], NDArray[np.float64]] = discounts,
) -> NDArray[np.float64]:
    """Share of the exposure that each group receives: (G, Q, T) to (Q, G); 0 where none does."""
    exposed = np.stack(
        [exposure(group, present, cutoff, weigh_ranks) for group in weights], axis=-1
    )
    total = exposed.sum(axis=-1, keepdims=True)
    shares: NDArray[np.float64] = np.divide(
        exposed, total, out=np.zeros(exposed.shape), where=total > 0
    )
    return shares


def without_documents(present: NDArray[np.bool_], cutoff: int) -> NDArray[np.bool_]:
    """Queries (Q,) that have no document at all up to `cutoff`."""
    nothing: NDArray[np.bool_] = np.logical_not(np.any(present[:, :cutoff], axis=1))
    return nothing


def check_cutoff(cutoff: int) -> None:
    if not isinstance(cutoff, int | np.integer):
        raise InputTypeError(f"the cut-off is {cutoff!r}.", remedy="Use a whole number such as 10.")
    if cutoff < 1:
        raise InputError(f"the cut-off is {cutoff}.", remedy="Use 1 or more.")
