"""ComSRB: bias without word lists, from the ranked lists of a query and its two variants.

Measuring Bias in Search Results Through Retrieval List Comparison. ECIR 2024.
"""

from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np

from ..errors import InputError
from .discount import check_cutoff, discounts


class ComSRB(NamedTuple):
    """ComSRB-RaB, ComSRB-ARaB and ComSRB-nDRaB; positive leans towards the stereotype."""

    rab: float
    arab: float
    ndrab: float


def comsrb(
    neutral: Sequence[Hashable],
    stereotypical: Sequence[Hashable],
    counter: Sequence[Hashable],
    cutoff: int,
) -> ComSRB:
    """Compare how much of the first `cutoff` of `neutral` is in one variant and in the other.

    The lists are documents in ranked order. A list shorter than the cut-off counts with the
    documents that it has; `InputError` for a neutral list without any.

    >>> comsrb("abc", "abx", "cyz", cutoff=3).rab
    0.3333333333333333
    """
    check_cutoff(cutoff)
    first = list(neutral[:cutoff])
    if not first:
        raise InputError("the neutral query has no document.")
    shared = [set(variant[:cutoff]) for variant in (stereotypical, counter)]
    difference = np.array([int(d in shared[0]) - int(d in shared[1]) for d in first])
    curve = np.cumsum(difference) / np.arange(1, len(first) + 1)
    weights = discounts(len(first))
    return ComSRB(
        float(difference.sum() / len(first)),
        float(curve.mean()),
        float((difference * weights).sum() / weights.sum()),
    )
