"""Curves of the coefficients by the share of one category, for voters who stay the same."""

from collections.abc import Sequence

import numpy as np

from annotation.batches.planning.votes import outcomes, voter_model
from metrics.votes import coefficients
from metrics.votes.patterns import Patterns

SHARES = (0.25, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99)
_MANY = 1e9


def prevalence_curves(
    accuracy: float, *, n_votes: int = 3, n_categories: int = 4, shares: Sequence[float] = SHARES
) -> dict[str, list[float]]:
    """Expected coefficients where one category has each of `shares` and the others the rest evenly.

    Every voter is right with probability `accuracy` whatever the category; nothing else changes.
    """
    curves: dict[str, list[float]] = {
        "raw agreement": [],
        "Gwet's AC1": [],
        "Krippendorff's alpha": [],
    }
    for share in shares:
        prior = [share, *[(1 - share) / (n_categories - 1)] * (n_categories - 1)]
        rows, chances = outcomes(voter_model(prior, accuracy), n_votes)
        patterns = Patterns(rows.astype(np.float64), np.ones(len(rows), dtype=np.int64))
        weights = (np.array(prior) @ chances)[None] * _MANY
        values = (
            coefficients.raw_agreement(patterns, weights),
            coefficients.gwet_ac1(n_categories)(patterns, weights),
            coefficients.krippendorff_alpha(patterns, weights),
        )
        for curve, value in zip(curves.values(), values, strict=True):
            curve.append(float(value[0]))
    return curves
