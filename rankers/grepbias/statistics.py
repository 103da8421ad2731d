"""Results of one trained model on a category: accuracy, preferred gender, gender gap.

Sundararaman & Subramanian. *Debiasing Gender Bias in Information Retrieval Models*, 2022.
"""

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist, fmean

import numpy as np

from metrics.results.preference import Preference, preference
from metrics.vocabulary import LEVEL

from .dataset import CATEGORIES
from .logits import LogitRun

_PREFERENCE_GENDERS = ("M", "F", "N")
_Z = NormalDist().inv_cdf((1 + LEVEL) / 2)
_HALVINGS = 50  # of an interval of at most 2, to the precision of a number


@dataclass(frozen=True)
class Accuracy:
    """`correct` of `n` pairs are classified correctly."""

    correct: int
    n: int

    @property
    def value(self) -> float:
        return self.correct / self.n if self.n else float("nan")


def accuracy(run: LogitRun, category: str) -> Accuracy:
    """Pairs of `category` whose logit is above 0 exactly where the document is relevant."""
    chosen = run.category == category
    correct = (run.logit[chosen] > 0) == run.relevant[chosen]
    return Accuracy(int(correct.sum()), int(chosen.sum()))


def other_categories(run: LogitRun) -> tuple[str, ...]:
    """The categories that the model was not trained on and that it scored."""
    return tuple(
        name for name in CATEGORIES if name != run.train_on and (run.category == name).any()
    )


def mean_other_accuracy(run: LogitRun) -> float:
    """The mean of the accuracies on the categories that the model was not trained on."""
    others = other_categories(run)
    return fmean(accuracy(run, name).value for name in others) if others else float("nan")


def gender_preference(run: LogitRun, categories: Sequence[str]) -> Preference:
    """Whose wording stands highest, among the relevant documents that the model retrieves.

    The paper counts "correctly retrieved examples" and discards equal male and female logits; a
    document that names both genders is nobody's wording.
    """
    chosen = (
        np.isin(run.category, list(categories))
        & run.relevant
        & np.isin(run.gender, _PREFERENCE_GENDERS)
    )
    retrieved: defaultdict[str, dict[str, float]] = defaultdict(dict)
    for i in np.flatnonzero(chosen):
        of_query = retrieved[str(run.query[i])]
        if run.logit[i] > 0:
            of_query[str(run.gender[i])] = float(run.logit[i])
    return preference(retrieved.values())


def average_preference(run: LogitRun) -> Preference:
    """The means of the fractions over all categories that the model scored, as in Tables 3 and 6.

    The training category is among them. Categories without any retrieved wording are left out.
    """
    scored = [name for name in CATEGORIES if (run.category == name).any()]
    cells = [gender_preference(run, [name]) for name in scored]
    known = [cell for cell in cells if cell.n] or cells[:1]
    male, female, neutral = (
        fmean(getattr(cell, name) for cell in known) for name in ("male", "female", "neutral")
    )
    n, n_tied, n_lost = (
        sum(getattr(cell, name) for cell in cells) for name in ("n", "n_tied", "n_not_retrieved")
    )
    return Preference(male, female, neutral, n, n_tied, n_lost)


def wilson_interval(share: float, n: int) -> tuple[float, float]:
    """Interval of a share of `n` (Wilson 1927); NaN where n is 0."""
    if not n:
        return math.nan, math.nan
    squared = _Z**2 / n
    middle = (share + squared / 2) / (1 + squared)
    half = _Z * math.sqrt(share * (1 - share) / n + squared / (4 * n)) / (1 + squared)
    return middle - half, middle + half


def difference_interval(preference: Preference) -> tuple[float, float]:
    """Interval of male - female, two shares of the same `n` queries; NaN where n is 0.

    The differences that the score test does not reject: Tango. *Equivalence Test and Confidence
    Interval for the Difference in Proportions for the Paired-Sample Design*, Statistics in Medicine
    1998.
    """
    if not preference.n:
        return math.nan, math.nan
    middle = preference.male - preference.female
    return (
        _boundary(preference, outside=-1.0, inside=middle),
        _boundary(preference, outside=1.0, inside=middle),
    )


def _boundary(preference: Preference, *, outside: float, inside: float) -> float:
    """The difference between these two from which on the score test rejects, by bisection."""
    for _ in range(_HALVINGS):
        middle = (outside + inside) / 2
        if abs(_score(preference, middle)) > _Z:
            outside = middle
        else:
            inside = middle
    return (outside + inside) / 2


def _score(preference: Preference, difference: float) -> float:
    """The score statistic that male - female is `difference`, the likeliest shares given that."""
    male, female, n = preference.male, preference.female, preference.n
    linear = (2 - male + female) * difference - male - female
    squared = linear**2 + 8 * female * difference * (1 - difference)
    least = (math.sqrt(max(0.0, squared)) - linear) / 4  # the likeliest share of female wordings
    variance = (2 * least + difference * (1 - difference)) / n
    distance = male - female - difference
    if variance <= 0:
        return math.copysign(math.inf, distance) if distance else 0.0
    return distance / math.sqrt(variance)


def bias_by_chance(preference: Preference) -> float:
    """The mean |male - female| if each query with a gendered winner tossed a coin; NaN without n.

    E|S_k| / n of a walk of k steps of 1 or -1: k C(k - 1, floor((k - 1) / 2)) / 2^(k - 1).
    """
    if not preference.n:
        return math.nan
    k = round((preference.male + preference.female) * preference.n)
    return k * math.comb(k - 1, (k - 1) // 2) / 2 ** (k - 1) / preference.n if k else 0.0


def gender_gap(run: LogitRun, categories: Sequence[str]) -> float:
    """Mean |z_M - z_F| over the documents of `categories` that have both wordings; NaN if none."""
    chosen = np.isin(run.category, list(categories)) & np.isin(run.gender, ("M", "F"))
    logits: defaultdict[tuple[str, bool], dict[str, float]] = defaultdict(dict)
    for i in np.flatnonzero(chosen):
        key = (str(run.query[i]), bool(run.relevant[i]))
        logits[key][str(run.gender[i])] = float(run.logit[i])
    gaps = [abs(z["M"] - z["F"]) for z in logits.values() if len(z) == len(("M", "F"))]
    return fmean(gaps) if gaps else float("nan")
