"""Coefficients of agreement, each a function of sums over queries.

What a query adds to the sums depends on how its votes fell, its pattern; a coefficient is called
with patterns and how often each occurs. `weights` has shape (samples, patterns): the observed sizes
are one sample, a bootstrap gives thousands, and both go through the same lines. There is one row
per sample, with NaN where the coefficient is undefined. All of them allow a varying number of votes
per query; queries with a single vote say nothing about agreement and count only where noted.

r is the number of votes of a query, r_k those for category k, q the number of categories.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .patterns import Patterns, Weights
from .table import Counts, Kind, Votes

Values = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Coefficient:
    """`terms` gives what a query adds to each sum, (patterns, sums) for (patterns, labels) votes.

    `value` makes the coefficient of the sums, (samples, ...) for (samples, sums).
    """

    terms: Callable[[Values], Values]
    value: Callable[[Values], Values]

    def __call__(self, patterns: Patterns, weights: Weights) -> Values:
        return self.value(weights @ self.terms(patterns.rows))

    def value_of(self, counts: Counts) -> float | None:
        """The coefficient of one table of counts (queries x labels); None where undefined."""
        patterns = Patterns.of(counts)
        value = float(self(patterns, patterns.observed)[0])
        return None if math.isnan(value) else value


def _ratio(over: Values, under: Values) -> Values:
    out = np.full(np.broadcast_shapes(over.shape, under.shape), np.nan)
    np.divide(over, under, out=out, where=np.abs(under) > 1e-12)  # noqa: PLR2004 - rounding noise
    return out


def _halves(sums: Values) -> tuple[Values, Values]:
    middle = sums.shape[1] // 2
    return sums[:, :middle], sums[:, middle:]


def _votes(rows: Values) -> Values:
    votes: Values = rows.sum(axis=1, keepdims=True)
    return votes


def _paired(rows: Values) -> tuple[Values, Values]:
    """The rows with two votes or more (else 0), and 1 / (r - 1) for those (else 0)."""
    votes = _votes(rows)
    is_paired = votes > 1
    return rows * is_paired, is_paired / np.maximum(votes - 1, 1)


def _raw_terms(rows: Values) -> Values:
    votes = _votes(rows)
    agreeing = (rows * (rows - 1)).sum(axis=1, keepdims=True) / np.maximum(votes * (votes - 1), 1)
    return np.hstack([agreeing, votes > 1])


def _raw_value(sums: Values) -> Values:
    return _ratio(sums[:, 0], sums[:, 1])


#: Mean over queries of the share of their pairs of votes that agree, from 0 to 1.
raw_agreement = Coefficient(_raw_terms, _raw_value)


def _alpha_terms(rows: Values) -> Values:
    paired, per_vote = _paired(rows)
    coincident = (paired * (paired - 1)).sum(axis=1, keepdims=True) * per_vote
    return np.hstack([paired, coincident])


def _alpha(by_label: Values, coincident: Values) -> Values:
    n = by_label.sum(axis=-1)
    expected = n * n - (by_label * by_label).sum(axis=-1)
    alpha: Values = 1.0 - (n - 1.0) * _ratio(n - coincident, expected)
    return alpha


#: Nominal alpha in closed form, equal to `alpha.krippendorff_alpha`, for many samples at once.
#: 1 - (n - 1) (n - sum_u sum_k r_k (r_k - 1) / (r - 1)) / (n^2 - sum_k n_k^2) over the n votes
#: that have another one beside them. Krippendorff, Content Analysis, 2004, eq. (11.3).
krippendorff_alpha = Coefficient(_alpha_terms, lambda sums: _alpha(sums[:, :-1], sums[:, -1]))


def alpha_of_distances(distances: Values) -> Coefficient:
    """Alpha with the (squared) difference of every two labels in a symmetric matrix.

    1 - (n - 1) D_o / D_e: D_o sums the differences of the votes on a query, over r - 1, and D_e
    those of all pairs of votes that have another one beside them. With squares of differences
    between points it is interval alpha, with MASI distances that of sets of labels. Krippendorff,
    Content Analysis, 2004, ch. 11.
    """

    def terms(rows: Values) -> Values:
        paired, per_vote = _paired(rows)
        within = ((paired @ distances) * paired).sum(axis=1, keepdims=True) * per_vote
        return np.hstack([paired, within])

    def value(sums: Values) -> Values:
        by_label, within = sums[:, :-1], sums[:, -1]
        expected = ((by_label @ distances) * by_label).sum(axis=1)
        alpha: Values = 1.0 - (by_label.sum(axis=1) - 1.0) * _ratio(within, expected)
        return alpha

    return Coefficient(terms, value)


def masi_distances(sets: Sequence[frozenset[str]]) -> Values:
    """The distance of every two sets of options, shape (sets, sets).

    1 - J M: Jaccard's index times 1 for equal sets, 2/3 subset, 1/3 overlap, 0 disjoint.
    Passonneau, Measuring Agreement on Set-valued Items (MASI), LREC 2006.
    """
    return np.array([[_masi(a, b) for b in sets] for a in sets], dtype=np.float64)


def _masi(a: frozenset[str], b: frozenset[str]) -> float:
    if a == b:
        return 0.0
    common = len(a & b)
    if not common:
        return 1.0
    monotonicity = 2 / 3 if a <= b or b <= a else 1 / 3
    return 1.0 - common / len(a | b) * monotonicity


def _ordinal_terms(rows: Values) -> Values:
    paired, per_vote = _paired(rows)
    # Pairs of a vote with itself have no difference: they may stay.
    together = (paired[:, :, None] * paired[:, None, :]).reshape(len(rows), rows.shape[1] ** 2)
    return np.hstack([paired, together * per_vote])


def _ordinal_value(sums: Values) -> Values:
    n_labels = (math.isqrt(4 * sums.shape[1] + 1) - 1) // 2
    by_label = sums[:, :n_labels]
    together = sums[:, n_labels:].reshape(len(sums), n_labels, n_labels)
    below = np.cumsum(by_label, axis=1) - by_label / 2
    differences = (below[:, :, None] - below[:, None, :]) ** 2
    within = (together * differences).sum(axis=(1, 2))
    expected = (by_label[:, :, None] * by_label[:, None, :] * differences).sum(axis=(1, 2))
    alpha: Values = 1.0 - (by_label.sum(axis=1) - 1.0) * _ratio(within, expected)
    return alpha


#: Alpha of ordered labels: the distance of two is the number of votes between their middles.
ordinal_alpha = Coefficient(_ordinal_terms, _ordinal_value)


def _category_terms(rows: Values) -> Values:
    paired, per_vote = _paired(rows)
    others = _votes(paired) - paired
    coincident = (paired * (paired - 1) + others * (others - 1)) * per_vote
    return np.hstack([paired, coincident])


def _category_value(sums: Values) -> Values:
    chosen, coincident = _halves(sums)
    others = _votes(chosen) - chosen
    return _alpha(np.stack([chosen, others], axis=-1), coincident)


#: Alpha of each category against all others together, shape (samples, labels).
category_alpha = Coefficient(_category_terms, _category_value)

#: Probability that a second vote confirms a vote for the category, shape (samples, labels).
#: sum_u r_k (r_k - 1) / sum_u r_k (r - 1); Spitzer & Fleiss 1974 for two raters, for more:
#: Uebersax 1982.
specific_agreement = Coefficient(
    lambda rows: np.hstack([rows * (rows - 1), rows * (_votes(rows) - 1)]),
    lambda sums: _ratio(*_halves(sums)),
)


def _prevalence_terms(rows: Values) -> Values:
    return np.hstack([rows / _votes(rows), np.ones((len(rows), 1))])


def _prevalence_value(sums: Values) -> Values:
    return _ratio(sums[:, :-1], sums[:, -1:])


#: Mean over queries of the category's share of the votes, shape (samples, labels).
prevalence = Coefficient(_prevalence_terms, _prevalence_value)


def _beyond_chance(chance_of: Callable[[Values], Values]) -> Coefficient:
    """Raw agreement beyond the chance that the prevalence of the categories gives."""

    def value(sums: Values) -> Values:
        chance = chance_of(_prevalence_value(sums[:, 2:]))
        return _ratio(_raw_value(sums) - chance, 1.0 - chance)

    return Coefficient(lambda rows: np.hstack([_raw_terms(rows), _prevalence_terms(rows)]), value)


#: Fleiss' kappa, generalised to a varying number of votes. Chance agreement is sum_k pi_k^2 with
#: pi_k the prevalence over all queries with a vote. Fleiss 1971; Gwet, Handbook of Inter-Rater
#: Reliability, 4th ed., 2014, eq. 2.3.
fleiss_kappa = _beyond_chance(lambda pi: (pi * pi).sum(axis=1))


def gwet_ac1(n_categories: int) -> Coefficient:
    """Gwet's AC1, which survives a dominating category.

    Chance agreement is sum_k pi_k (1 - pi_k) / (q - 1). q counts the categories that annotators
    could choose, used or not. Gwet 2008; generalised as in his handbook, 2014, ch. 2.4.
    """
    # Undefined without a choice: NaN.
    others = n_categories - 1 if n_categories > 1 else np.nan
    return _beyond_chance(lambda pi: (pi * (1.0 - pi)).sum(axis=1) / others)


def _confusion_terms(rows: Values) -> Values:
    _, per_vote = _paired(rows)
    pairs = rows[:, :, None] * rows[:, None, :]
    pairs -= np.eye(rows.shape[1])[None] * rows[:, :, None]
    return pairs.reshape(len(rows), rows.shape[1] ** 2) * per_vote


def _confusion_value(sums: Values) -> Values:
    labels = math.isqrt(sums.shape[1])
    together = sums.reshape(len(sums), labels, labels)
    return _ratio(together, together.sum(axis=2, keepdims=True))


#: Of the votes beside a vote for category a, the share that says b; (samples, labels, labels). The
#: rows of alpha's coincidence matrix, each divided by its sum; NaN for a category that nobody
#: chose. The diagonal is agreement, the rest shows with what the category is confused.
confusion = Coefficient(_confusion_terms, _confusion_value)


def shape_shares(patterns: Patterns) -> Coefficient:
    """The share of the queries whose votes fell like each of `vote_patterns`, (samples, shapes)."""
    names = [name for name, _ in vote_patterns(patterns)]

    def terms(rows: Values) -> Values:
        shapes = np.array([_shape(row) for row in rows], dtype=object)
        member = [shapes == name for name in names]
        return np.array([*member, np.ones(len(rows))], dtype=np.float64).T

    return Coefficient(terms, _prevalence_value)


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


def alpha_of(votes: Votes) -> Coefficient:
    """Alpha with the distances that fit the kind of the question."""
    if votes.kind == Kind.SEVERAL:
        return alpha_of_distances(masi_distances(votes.answers))
    if votes.kind == Kind.INTERVAL:
        points = np.array(votes.points, dtype=np.float64)
        return alpha_of_distances((points[:, None] - points[None, :]) ** 2)
    if votes.kind == Kind.ORDINAL:
        return ordinal_alpha
    return krippendorff_alpha
