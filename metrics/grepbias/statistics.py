"""What one trained model does on the pairs of a category: accuracy, preferred gender, gender gap.

Sundararaman & Subramanian. *Debiasing Gender Bias in Information Retrieval Models*, 2022.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np

from ..results.preference import Preference, preference
from .dataset import CATEGORIES
from .logits import LogitRun

_PREFERENCE_GENDERS = ("M", "F", "N")


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


def gender_gap(run: LogitRun, categories: Sequence[str]) -> float:
    """Mean |z_M - z_F| over the documents of `categories` that have both wordings; NaN if none."""
    chosen = np.isin(run.category, list(categories)) & np.isin(run.gender, ("M", "F"))
    logits: defaultdict[tuple[str, bool], dict[str, float]] = defaultdict(dict)
    for i in np.flatnonzero(chosen):
        key = (str(run.query[i]), bool(run.relevant[i]))
        logits[key][str(run.gender[i])] = float(run.logit[i])
    gaps = [abs(z["M"] - z["F"]) for z in logits.values() if len(z) == len(("M", "F"))]
    return fmean(gaps) if gaps else float("nan")
