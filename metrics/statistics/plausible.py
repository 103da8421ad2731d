"""Chances of labels as like as copies, and of a sample as unlike its pool as one not drawn."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..extras import need
from .samples import Array, Sample

#: Below this chance something is said.
HARDLY = 0.001
#: Two who judge by themselves differ on so many of the labels that one of them does not give to
#: most: people, and people and the best models, differ on twice as many and more.
_DIFFER = 0.1
#: Below so many queries a mean of ranks is not near enough to normal.
_LEAST = 20


@dataclass(frozen=True)
class Likeness:
    """Labels of people and of a model beside each other: `n_different` of `n` differ.

    `chance`: of no more differences between two who judged by themselves and differ on a tenth of
    the `n_telling` labels that are not, by both of them, the commonest one.
    """

    n: int
    n_different: int
    n_telling: int

    @property
    def chance(self) -> float:
        if not self.n_telling:
            return 1.0
        binomial = need("scipy.special").bdtr
        return float(binomial(self.n_different, self.n_telling, _DIFFER))

    @property
    def is_implausible(self) -> bool:
        return self.chance < HARDLY

    @property
    def is_copied(self) -> bool:
        """True if all are equal, and that is implausible."""
        return self.n_different == 0 and self.is_implausible

    @property
    def text(self) -> str:
        """A sentence where something is to be said; "" elsewhere."""
        if not self.n_telling or not (self.n_different == 0 or self.is_implausible):
            return ""
        same = self.n - self.n_different
        return (
            f"People and the model give the same label to {same:,} of {self.n:,}: the chance of no "
            f"more differences between two who judge by themselves is {chance_text(self.chance)}. "
            "Were the labels copied from the model, or did it see them? Then no figure here is "
            "valid."
        )


def likeness(pairs: Iterable[tuple[object, object]]) -> Likeness:
    """Compare pairs of labels of the same thing, of people and of a model."""
    both = list(pairs)
    counts: dict[object, int] = {}
    for of_people, _ in both:
        counts[of_people] = counts.get(of_people, 0) + 1
    commonest = max(counts, key=counts.__getitem__, default=None)
    telling = sum((a, b) != (commonest, commonest) for a, b in both)
    return Likeness(len(both), sum(a != b for a, b in both), telling)


def why_not_both(alike: Likeness, n: int, pool: int) -> str:
    """Return why no interval of people and a model together is given; "" where one is."""
    if alike.is_copied:
        return (
            f"people's judgments are the model's own: all {alike.n:,} are equal; that has a chance "
            f"of {chance_text(alike.chance)} for two who judge by themselves."
        )
    if n == pool:
        return "the model judged nothing that people did not judge: it tells nothing of others."
    return ""


def doubts(sample: Sample, known: Sequence[ArrayLike], alike: Likeness) -> list[str]:
    """Return what makes a sample, by what is `known` of its pool, or its labels doubtful."""
    return [text for text in (sample_text(chance_of_sample(sample, known)), alike.text) if text]


def chance_of_sample(sample: Sample, known: Sequence[ArrayLike]) -> float:
    """The chance that a sample by the design lies as far from its pool as this one, or farther.

    `known`: values of all queries of the pool (M), as the model's or biases; they are compared by
    their ranks, so that a few large ones say no more than others. Over all of them (Bonferroni).
    1.0 where too few were judged to tell, or all were.
    """
    if not _LEAST <= sample.n < sample.pool:
        return 1.0
    smallest = 1.0
    columns = [np.asarray(column, float) for column in known]
    varying = [column for column in columns if np.unique(column[~np.isnan(column)]).size > 1]
    for column in varying:
        ranks = _ranks(column)
        error = float(np.sqrt(sample.covariance(ranks[sample.rows], ranks[sample.rows])))
        plain = float(ranks.std() * np.sqrt(1 / sample.n - 1 / sample.pool))
        if sample.strata is None and sample.chances is None:
            error = plain
        if not error > 0:
            continue
        z = abs(sample.mean(ranks[sample.rows]) - float(ranks.mean())) / error
        smallest = min(smallest, 2 * float(need("scipy.special").ndtr(-z)))
    return min(1.0, smallest * max(len(varying), 1))


def sample_text(chance: float) -> str:
    """Return a sentence where a random sample would hardly look so; "" elsewhere."""
    if chance >= HARDLY:
        return ""
    return (
        "What people judged differs from the pool in what is known of all queries: the chance that "
        f"a sample by this design does is {chance_text(chance)}. If it was not drawn so, its "
        "figures are those of no pool."
    )


def text_of_units(rows: ArrayLike, known: Sequence[ArrayLike], **design: ArrayLike) -> str:
    """`sample_text` of units alone, whatever people said of them.

    `rows` (n): the places of those that people judged in the pool; `known`: as in
    `chance_of_sample`; `design`: its strata or chances, of the whole pool (M).
    """
    judged = np.asarray(rows, np.int64)
    if len(judged) < _LEAST or not known:
        return ""
    nothing = np.zeros(len(np.asarray(known[0])))
    sample = Sample.of(nothing, judged, nothing[judged], **design)
    return sample_text(chance_of_sample(sample, known))


def chance_text(chance: float) -> str:
    """A small chance in words."""
    return f"{chance:.2g}" if chance >= 1e-6 else "below one in a million"  # noqa: PLR2004


def _ranks(column: Array) -> Array:
    """Ranks with the mean of those that are equal; unknown values (NaN) lie in the middle."""
    known = ~np.isnan(column)
    _, place, n = np.unique(column[known], return_inverse=True, return_counts=True)
    of_known = (np.cumsum(n) - (n - 1) / 2)[place]
    ranks = np.full(len(column), float(of_known.mean()))
    ranks[known] = of_known
    return ranks
