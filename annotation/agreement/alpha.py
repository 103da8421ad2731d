"""Krippendorff's alpha through the `krippendorff` package. No other module imports it."""

import warnings
from collections.abc import Sequence
from typing import Any

import krippendorff  # noqa: TID251 - this is the one place
import numpy as np
import numpy.typing as npt

from annotation.agreement.table import Counts


def krippendorff_alpha(counts: Counts) -> float | None:
    """Nominal alpha of `counts` (queries x labels): 1 is perfect, 0 is chance, below 0 is worse.

    None where it is undefined: no query with two votes, or every vote the same, so that there is
    no disagreement to expect. Krippendorff, Computing Krippendorff's Alpha-Reliability, 2011.
    """
    pairable = counts[counts.sum(axis=1) > 1]
    if np.count_nonzero(pairable.sum(axis=0)) <= 1:
        # The package raises here, or divides by zero, depending on how it is called.
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return float(krippendorff.alpha(value_counts=pairable, level_of_measurement="nominal"))


def alpha_of_level(counts: Counts, level: str, domain: Sequence[float]) -> float | None:
    """Alpha of `counts` (queries x points) by `level`; the points are `domain`, in their order.

    None where it is undefined, as above.
    """
    return _alpha(counts, level, np.asarray(domain, dtype=np.float64))


def alpha_of_distances(counts: Counts, distances: npt.NDArray[np.float64]) -> float | None:
    """Alpha of `counts` (queries x values) for a difference function given as a square matrix.

    The matrix stands where the other levels have the square of a difference, so that a distance
    from 0 to 1 such as MASI enters as it is. None where it is undefined, as above.
    """

    def between(_v1: object, _v2: object, i1: Counts, i2: Counts, **_rest: object) -> object:
        return distances[i1, i2]

    return _alpha(counts, between, np.arange(counts.shape[1], dtype=np.float64))


def _alpha(counts: Counts, level: Any, domain: npt.NDArray[np.float64]) -> float | None:
    pairable = counts[counts.sum(axis=1) > 1]
    if np.count_nonzero(pairable.sum(axis=0)) <= 1:
        return None
    return float(
        krippendorff.alpha(value_counts=pairable, value_domain=domain, level_of_measurement=level)
    )
