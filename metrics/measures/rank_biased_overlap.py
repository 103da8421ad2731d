"""Rank-biased overlap of two rankings."""

from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..errors import InputError, InputTypeError
from ..public import public

#: With less, whatever is divided by p is infinite.
_LEAST_P = 1e-6


class Overlap(NamedTuple):
    """RBO of two rankings that are seen to a finite depth.

    `ext` is the extrapolated form, which takes the agreement that was seen to go on: the one that
    CRBO is published with. `min` assumes that nothing more agrees, and `min + res` that everything
    does. `trunc` is the truncated form, the sum over the ranks that were seen, which is below 1
    for identical rankings too: 1 - p^depth. All lie in [0, 1].
    """

    ext: float
    min: float
    res: float
    trunc: float


@public
def rbo(
    first: Sequence[Hashable], second: Sequence[Hashable], p: float = 0.9, depth: int | None = None
) -> Overlap:
    """Rank-biased overlap of two rankings, best first, each without repeats, in all its forms.

    `p` in (0, 1) is the probability of looking one rank further; `depth` cuts both rankings.
    1 is identical, 0 disjoint. Two empty rankings are identical, an empty and another disjoint.
    William Webber, Alistair Moffat and Justin Zobel. A Similarity Measure for Indefinite Rankings.
    ACM TOIS 28(4), 2010: equations 11 (`min`), 30 (`res`) and 32 (`ext`), which allow for
    rankings of different lengths; `trunc` is equation 4 over the ranks of the longer one.

    >>> round(rbo(["a", "b", "c"], ["a", "c", "b"]).ext, 3)
    0.955
    """
    if not isinstance(p, int | float | np.number) or not _LEAST_P <= p < 1:
        raise InputError(f"p is {p!r}.", remedy=f"Use {_LEAST_P:g} or more, below 1, such as 0.9.")
    if depth is not None and depth < 1:
        raise InputError(f"the depth is {depth}.", remedy="Use 1 or more.")
    short, long = sorted((_ranking(first)[:depth], _ranking(second)[:depth]), key=len)
    if not short:
        return Overlap(1.0, 1.0, 0.0, 1.0) if not long else Overlap(0.0, 0.0, 1.0, 0.0)
    overlap = _overlaps(short, long)
    low = _least(overlap, p)
    return Overlap(
        _extrapolated(overlap, len(short), p),
        low,
        _residual(overlap, len(short), p),
        _truncated(overlap, p),
    )


def _ranking(docnos: Any) -> list[Hashable]:
    """The docnos of a ranking, each of them once."""
    docnos = docnos.tolist() if hasattr(docnos, "tolist") else docnos
    if isinstance(docnos, str) or not isinstance(docnos, Sequence):
        raise InputTypeError(
            f"a ranking is {type(docnos).__name__}.",
            remedy="Give docnos, best first, as run.documents(qid) of a Run.",
        )
    if not all(isinstance(docno, Hashable) for docno in docnos):
        raise InputTypeError(
            "a ranking holds rankings.", remedy="Give the two rankings of one query after another."
        )
    if len(set(docnos)) != len(docnos):
        raise InputError(
            "a ranking names a document twice.",
            remedy="Keep the first of each: list(dict.fromkeys(ranking)).",
        )
    return list(docnos)


def _overlaps(short: list[Hashable], long: list[Hashable]) -> list[int]:
    """Number of items that the first d ranks share, for d from 1 to the longer length."""
    seen_short: set[Hashable] = set()
    seen_long: set[Hashable] = set()
    shared, overlaps = 0, []
    for place, item in enumerate(long):
        seen_long.add(item)
        shared += item in seen_short
        if place < len(short):
            seen_short.add(short[place])
            shared += short[place] in seen_long
        overlaps.append(shared)
    return overlaps


def _truncated(overlap: list[int], p: float) -> float:
    """Equation 4 as far as the rankings were seen: (1 - p) sum_d p^(d - 1) A_d."""
    ranks = np.arange(1, len(overlap) + 1)
    return float((1 - p) * (np.array(overlap) / ranks * p ** (ranks - 1)).sum())


def _least(overlap: list[int], p: float) -> float:
    """Equation 11: beyond the depth that both were seen to, nothing more agrees."""
    depth = len(overlap)
    ranks = np.arange(1, depth + 1)
    seen = np.array(overlap)
    terms = ((seen - seen[-1]) * p**ranks / ranks).sum() - seen[-1] * np.log1p(-p)
    return max(0.0, float((1 - p) / p * terms))


def _residual(overlap: list[int], s: int, p: float) -> float:
    """Equation 30: what could be added to the least value; s is the shorter length."""
    long = len(overlap)
    shared = overlap[-1]
    farthest = s + long - shared

    def mass(start: int, stop: int) -> float:
        ranks = np.arange(start, stop + 1)
        return float((p**ranks / ranks).sum())

    whole = -np.log1p(-p)
    return float(
        p**s
        + p**long
        - p**farthest
        - (1 - p)
        / p
        * (
            s * mass(s + 1, farthest)
            + long * mass(long + 1, farthest)
            + shared * (whole - mass(1, farthest))
        )
    )


def _extrapolated(overlap: list[int], s: int, p: float) -> float:
    """Equation 32: the agreement of the seen ranks is taken to go on."""
    long = len(overlap)
    ranks = np.arange(1, long + 1)
    seen = np.array(overlap, dtype=np.float64)
    at_short, at_long = seen[s - 1], seen[-1]
    agreement = (seen / ranks * p**ranks).sum()
    beyond = ranks[s:]
    uneven = (at_short * (beyond - s) / (s * beyond) * p**beyond).sum()
    tail = ((at_long - at_short) / long + at_short / s) * p**long
    # Rounding must not make two identical rankings more than identical.
    return min(1.0, float((1 - p) / p * (agreement + uneven) + tail))
