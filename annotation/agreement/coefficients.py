"""Coefficients of agreement, each a function of vote patterns and of how often each occurs.

`weights` has shape (samples, patterns): the observed sizes are one sample, a bootstrap gives
thousands, and both go through the same lines. Every function returns one row per sample, with NaN
where the coefficient is undefined. All of them allow a varying number of votes per query; queries
with a single vote say nothing about agreement and count only where noted.

r is the number of votes of a query, r_k those for category k, q the number of categories.
"""

import numpy as np
import numpy.typing as npt

from annotation.agreement.patterns import Patterns, Weights

Values = npt.NDArray[np.float64]


def _ratio(over: Values, under: Values) -> Values:
    out = np.full(np.broadcast_shapes(over.shape, under.shape), np.nan)
    np.divide(over, under, out=out, where=np.abs(under) > 1e-12)  # noqa: PLR2004 - rounding noise
    return out


def _per_vote(patterns: Patterns) -> tuple[Values, Values]:
    """1 for patterns with two votes or more (else 0), and 1 / (r - 1) for those (else 0)."""
    paired = (patterns.votes > 1).astype(np.float64)
    return paired, paired / np.maximum(patterns.votes - 1, 1)


def raw_agreement(patterns: Patterns, weights: Weights) -> Values:
    """Mean over queries of the share of their pairs of votes that agree, from 0 to 1."""
    paired, _ = _per_vote(patterns)
    r = patterns.votes
    agreeing = (patterns.rows * (patterns.rows - 1)).sum(axis=1)
    share = paired * agreeing / np.maximum(r * (r - 1), 1)
    return _ratio(weights @ share, weights @ paired)


def krippendorff_alpha(patterns: Patterns, weights: Weights) -> Values:
    """Nominal alpha in closed form, equal to `alpha.krippendorff_alpha`, for many samples at once.

    1 - (n - 1) (n - sum_u sum_k r_k (r_k - 1) / (r - 1)) / (n^2 - sum_k n_k^2) over the n votes
    that have another one beside them. Krippendorff, Content Analysis, 2004, eq. (11.3).
    """
    paired, per_vote = _per_vote(patterns)
    rows = patterns.rows * paired[:, None]
    by_label = weights @ rows
    return _alpha(by_label, weights @ ((rows * (rows - 1)).sum(axis=1) * per_vote))


def _alpha(by_label: Values, coincident: Values) -> Values:
    n = by_label.sum(axis=-1)
    expected = n * n - (by_label * by_label).sum(axis=-1)
    alpha: Values = 1.0 - (n - 1.0) * _ratio(n - coincident, expected)
    return alpha


def category_alpha(patterns: Patterns, weights: Weights) -> Values:
    """Alpha of each category against all others together, shape (samples, labels)."""
    paired, per_vote = _per_vote(patterns)
    rows = patterns.rows * paired[:, None]
    others = rows.sum(axis=1, keepdims=True) - rows
    coincident = weights @ ((rows * (rows - 1) + others * (others - 1)) * per_vote[:, None])
    return _alpha(np.stack([weights @ rows, weights @ others], axis=-1), coincident)


def specific_agreement(patterns: Patterns, weights: Weights) -> Values:
    """Probability that a second vote confirms a vote for the category, shape (samples, labels).

    sum_u r_k (r_k - 1) / sum_u r_k (r - 1); Spitzer & Fleiss 1974 for two raters, for more:
    Uebersax 1982.
    """
    rows = patterns.rows
    over = weights @ (rows * (rows - 1))
    return _ratio(over, weights @ (rows * (patterns.votes[:, None] - 1)))


def prevalence(patterns: Patterns, weights: Weights) -> Values:
    """Mean over queries of the category's share of the votes, shape (samples, labels)."""
    share = patterns.rows / patterns.votes[:, None]
    return _ratio(weights @ share, weights.sum(axis=1, keepdims=True))


def fleiss_kappa(patterns: Patterns, weights: Weights) -> Values:
    """Fleiss' kappa, generalised to a varying number of votes.

    Chance agreement is sum_k pi_k^2 with pi_k the prevalence over all queries with a vote. Fleiss
    1971; Gwet, Handbook of Inter-Rater Reliability, 4th ed., 2014, eq. 2.3.
    """
    chance = (prevalence(patterns, weights) ** 2).sum(axis=1)
    return _ratio(raw_agreement(patterns, weights) - chance, 1.0 - chance)


def gwet_ac1(patterns: Patterns, weights: Weights, n_categories: int) -> Values:
    """Gwet's AC1, which survives a dominating category.

    Chance agreement is sum_k pi_k (1 - pi_k) / (q - 1). q counts the categories that annotators
    could choose, used or not. Gwet 2008; generalised as in his handbook, 2014, ch. 2.4.
    """
    if n_categories < 2:  # noqa: PLR2004 - a choice needs two
        return np.full(len(weights), np.nan)
    pi = prevalence(patterns, weights)
    chance = (pi * (1.0 - pi)).sum(axis=1) / (n_categories - 1)
    return _ratio(raw_agreement(patterns, weights) - chance, 1.0 - chance)


def confusion(patterns: Patterns, weights: Weights) -> Values:
    """Of the votes beside a vote for category a, the share that says b; (samples, labels, labels).

    The rows of the coincidence matrix of alpha, each divided by its sum; NaN for a category that
    nobody chose. The diagonal is agreement, off it is what the category is taken for.
    """
    _, per_vote = _per_vote(patterns)
    rows = patterns.rows
    pairs = rows[:, :, None] * rows[:, None, :]
    pairs -= np.eye(rows.shape[1])[None] * rows[:, :, None]
    flat = (pairs * per_vote[:, None, None]).reshape(len(rows), rows.shape[1] ** 2)
    together = (weights @ flat).reshape(len(weights), rows.shape[1], rows.shape[1])
    return _ratio(together, together.sum(axis=2, keepdims=True))


def vote_patterns(patterns: Patterns) -> list[tuple[str, npt.NDArray[np.bool_]]]:
    """Shapes of disagreement, most frequent first: ("3-0", which patterns), ("2-1", ...), ...

    A unanimous shape ends in "-0", so that it cannot be mistaken for a number.
    """
    names = np.array([_shape(row) for row in patterns.rows], dtype=object)
    sizes = {name: int(patterns.sizes[names == name].sum()) for name in set(names)}
    return [(name, names == name) for name in sorted(sizes, key=lambda name: (-sizes[name], name))]


def _shape(row: Values) -> str:
    counts = sorted((int(votes) for votes in row if votes), reverse=True)
    return "-".join(map(str, counts if len(counts) > 1 else [*counts, 0]))
