"""Draw queries of a pool at random, in a way that is known: the figures made of them need it."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import InputError

Array = NDArray[np.float64]
#: All alike; each stratum of belief by itself; each query with a chance of its own.
Design = Literal["simple", "stratified", "neyman", "unequal"]

_STRATA = 5
#: Least size of a stratum whose variance can be estimated.
_LEAST_OF_STRATUM = 2
#: Of a stratum that models are certain about.
_LEAST_DOUBT = 0.1
#: Uniform part of the chances: less would give some queries a large weight.
_UNIFORM = 0.5
_SPREAD = 0.02


@dataclass(frozen=True)
class Draw:
    """Queries of a pool of M, and the design that they were drawn by.

    `rows`: the places in the pool of those that are new. `chances` (M): each query's chance to be
    among these or those drawn before. `strata` (M): the stratum of each, for a stratified draw.
    """

    rows: NDArray[np.int64]
    chances: Array
    strata: NDArray[np.int64] | None = None


def draw_simple(pool: int, n: int, *, seed: int, before: ArrayLike = ()) -> Draw:
    """Draw `n` of a pool's queries, all with the same chance, that are not among `before`."""
    taken, random = np.asarray(before, np.int64), np.random.default_rng(seed)
    free = np.setdiff1d(np.arange(pool), taken)
    _check_enough(n, len(free))
    rows = random.choice(free, n, replace=False)
    return Draw(np.sort(rows), np.full(pool, (len(taken) + n) / pool))


def belief_strata(belief: ArrayLike) -> NDArray[np.int64]:
    """Up to five strata from the least believed to belong to the most; unknown (NaN) is .5."""
    known = np.nan_to_num(np.asarray(belief, float), nan=0.5)
    strata: NDArray[np.int64] = np.minimum((known * _STRATA).astype(np.int64), _STRATA - 1)
    return strata


def doubt(belief: ArrayLike, strata: ArrayLike) -> Array:
    """Weight of each query (M,) by the doubt of its stratum, for Neyman's allocation.

    That is the standard deviation of what belongs, were the mean belief of the stratum its share;
    never below a fifth of the largest possible, as beliefs are not chances.

    Jerzy Neyman. On the Two Different Aspects of the Representative Method. Journal of the Royal
    Statistical Society 1934.
    """
    known = np.nan_to_num(np.asarray(belief, float), nan=0.5)
    stratum = np.unique(np.asarray(strata), return_inverse=True)[1]
    share = np.bincount(stratum, known) / np.bincount(stratum)
    weights: Array = np.maximum(np.sqrt(share * (1 - share)), _LEAST_DOUBT)[stratum]
    return weights


def draw_stratified(
    strata: ArrayLike,
    n: int,
    *,
    seed: int,
    before: ArrayLike = (),
    weights: ArrayLike | None = None,
) -> Draw:
    """Draw `n` queries, of each stratum as many as its share of the pool, and two at least.

    `before`: those drawn so already, which count towards the share of their strata. `weights` (M):
    the share of a stratum is that of the weights of its queries, as by `doubt`.
    """
    names, stratum = np.unique(np.asarray(strata), return_inverse=True)
    taken, random = np.asarray(before, np.int64), np.random.default_rng(seed)
    sizes = np.bincount(stratum)
    had = np.bincount(stratum[taken], minlength=len(names))
    _check_enough(n, len(stratum) - len(taken))
    of_strata = sizes if weights is None else np.bincount(stratum, np.asarray(weights, float))
    totals = _shares(of_strata, len(taken) + n)
    totals = np.maximum(had, np.minimum(sizes, np.maximum(totals, _LEAST_OF_STRATUM)))
    rows = [
        random.choice(np.setdiff1d(np.flatnonzero(stratum == number), taken), more, replace=False)
        for number, more in enumerate(totals - had)
    ]
    return Draw(np.sort(np.concatenate(rows)), (totals / sizes)[stratum], stratum)


def draw_unequal(
    belief: ArrayLike, values: ArrayLike, n: int, *, seed: int, uniform: float = _UNIFORM
) -> Draw:
    """Draw about `n` queries, one by one, those rather that tell more of the mean of `values`.

    These are the queries of which the model is not certain, and whose value lies far from the mean
    of those that it believes to belong. `uniform` is the share of all chances that is alike.
    `belief`, `values` (M): unknown ones (NaN) have the uniform share alone.
    """
    f = np.nan_to_num(np.asarray(belief, float), nan=0.5)
    y = np.asarray(values, float)
    known = ~np.isnan(y)
    _check_enough(n, len(f))
    if not known.any() or not f[known].any():
        raise InputError("the model believes no query to belong: nothing tells them apart.")
    middle = np.average(y[known], weights=f[known])
    telling = np.where(known, np.sqrt(f * (1 - f) + _SPREAD) * np.abs(y - middle), 0)
    if not telling.any():
        raise InputError("all queries have the same value: draw them with equal chances.")
    share = uniform / len(f) + (1 - uniform) * telling / telling.sum()
    chances = np.minimum(1, n * share)
    return Draw(np.flatnonzero(np.random.default_rng(seed).random(len(f)) < chances), chances)


def draw_more_unequal(draw: Draw, n: int, *, seed: int, before: ArrayLike) -> Draw:
    """Draw about `n` further queries so that all have the chances of one larger draw.

    `draw`: with the chances by which `before` were drawn.
    """
    taken = np.isin(np.arange(len(draw.chances)), np.asarray(before, np.int64))
    _check_enough(n, int((~taken).sum()))
    total = np.minimum(1, draw.chances * (1 + n / draw.chances.sum()))
    with np.errstate(invalid="ignore"):
        further = np.where(draw.chances < 1, (total - draw.chances) / (1 - draw.chances), 0)
    drawn = np.random.default_rng(seed).random(len(total)) < further
    return Draw(np.flatnonzero(drawn & ~taken), total)


def _shares(sizes: NDArray[np.int64] | Array, n: int) -> NDArray[np.int64]:
    """`n` in proportion to the sizes, in whole numbers, by the largest remainders."""
    exact = n * sizes / sizes.sum()
    whole: NDArray[np.int64] = np.floor(exact).astype(np.int64)
    largest = np.argsort(whole - exact, kind="stable")[: n - whole.sum()]
    whole[largest] += 1
    return whole


def _check_enough(n: int, free: int) -> None:
    if n > free:
        raise InputError(f"{n:,} queries cannot be drawn: {free:,} are left.", remedy="Draw fewer.")
