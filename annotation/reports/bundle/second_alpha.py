"""Krippendorff's alpha through the `krippendorff` package. No other module imports it."""

import warnings
from importlib import import_module
from typing import Any

import numpy as np

from metrics.votes.table import Counts


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
        return float(_package().alpha(value_counts=pairable, level_of_measurement="nominal"))


def _package() -> Any:
    """Import the package when a coefficient is computed: it loads much else."""
    return import_module("krippendorff")
