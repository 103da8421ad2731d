"""Test whether a model may stand in for an annotator (Calderon, Reichart and Dror, ACL 2025).

For each annotator: on how many items does the model agree with the others as well as they do? It
says nothing of whether a figure made of the model's labels is right: `few_labels` is for that.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import InputError
from ..extras import need

#: How much worse than an annotator a model may be: for workers of a crowd, skilled, expert ones.
CROWD, SKILLED, EXPERT = 0.1, 0.15, 0.2
#: Share of false rejections among the annotators' tests.
_FALSE_DISCOVERIES = 0.05
#: From this share of annotators on a model may stand in for one.
_ENOUGH = 0.5


@dataclass(frozen=True)
class AnnotatorTest:
    """The model against one annotator, over the items of theirs that others labelled, too.

    `model_wins`, `annotator_wins`: share of items on which one agrees with the others at least as
    much as the other does. `p`: that the model is worse by epsilon (one-sided t-test); NaN where
    all items are alike and nothing is allowed. `is_rejected`: that it is, after correction.
    """

    annotator: Any
    items: int
    model_wins: float
    annotator_wins: float
    p: float
    is_rejected: bool


@dataclass(frozen=True)
class AlternativeAnnotator:
    """The tests, the share of annotators that the model may stand in for, and how good it is.

    `winning_rate`: share of the tested annotators whose test is rejected. `advantage`: mean over
    annotators of `model_wins`, by which models are compared. `skipped`: had too few items.
    """

    tests: tuple[AnnotatorTest, ...]
    epsilon: float
    skipped: int

    @property
    def winning_rate(self) -> float:
        return float(np.mean([test.is_rejected for test in self.tests]))

    @property
    def advantage(self) -> float:
        return float(np.mean([test.model_wins for test in self.tests]))

    @property
    def may_stand_in(self) -> bool:
        """Return whether the model passes against at least half of the annotators."""
        return self.winning_rate >= _ENOUGH


def alternative_annotator_test(
    votes: Iterable[tuple[Any, Any, Any]],
    model: Mapping[Any, Any],
    *,
    epsilon: float = CROWD,
    least_items: int = 30,
) -> AlternativeAnnotator:
    """Test a model's labels against each annotator.

    `votes`: item, annotator, label; one per item and annotator. `model`: its label of each item;
    items without one are left out. `epsilon`: how much worse the model may be, 0 to 1.
    `least_items`: annotators with fewer comparable items are skipped. Raises `InputError` where
    nobody is left.
    """
    worse = _comparisons({(item, who): label for item, who, label in votes if item in model}, model)
    compared = {who: won for who, won in worse.items() if len(won) >= least_items}
    if not compared:
        raise InputError(
            f"no annotator has {least_items} items that the model and somebody else labelled."
        )
    ps = [_worse_p(won[:, 1] * 1.0 - won[:, 0], epsilon) for won in compared.values()]
    tests = [
        AnnotatorTest(
            who, len(won), float(won[:, 0].mean()), float(won[:, 1].mean()), p, is_rejected
        )
        for (who, won), p, is_rejected in zip(compared.items(), ps, _rejected(ps), strict=True)
    ]
    return AlternativeAnnotator(tuple(tests), epsilon, skipped=len(worse) - len(compared))


def _comparisons(
    labels: Mapping[tuple[Any, Any], Any], model: Mapping[Any, Any]
) -> dict[Any, np.ndarray]:
    """By annotator, a row for each item that somebody else labelled, too: who is close to them.

    The two columns: as many of the others agree with the model as with the annotator, or more; and
    the other way round. `labels` are by item and annotator.
    """
    items: dict[Any, int] = {}
    people: dict[Any, int] = {}
    known: dict[Any, int] = {}
    codes = np.array(
        [
            (
                items.setdefault(item, len(items)),
                people.setdefault(who, len(people)),
                known.setdefault(label, len(known)),
            )
            for (item, who), label in labels.items()
        ],
        dtype=np.int64,
    ).reshape(-1, 3)
    said_by_model = np.array([known.setdefault(model[item], len(known)) for item in items], int)
    counts = np.zeros((len(items), len(known)), dtype=np.int64)
    np.add.at(counts, (codes[:, 0], codes[:, 2]), 1)
    codes = codes[np.argsort(codes[:, 0], kind="stable")]
    item, annotator, label = codes[counts.sum(axis=1)[codes[:, 0]] > 1].T
    # Of the others; each is counted over the same number of people.
    theirs = counts[item, label] - 1
    models = counts[item, said_by_model[item]] - (said_by_model[item] == label)
    won = np.column_stack((models >= theirs, theirs >= models))
    names = list(people)
    annotators, first = np.unique(annotator, return_index=True)
    return {names[code]: won[annotator == code] for code in annotators[np.argsort(first)]}


def _worse_p(differences: np.ndarray, epsilon: float) -> float:
    """P-value of a mean difference of at least `epsilon`; by its sign where all are the same.

    Student's t test of one sample, as `scipy.stats.ttest_1samp`, which takes twenty times as long.
    """
    if np.ptp(differences):
        n = len(differences)
        error = differences.std(ddof=1) / np.sqrt(n)
        t = (differences.mean() - epsilon) / error
        return float(need("scipy.special").stdtr(n - 1, t))
    distance = differences[0] - epsilon
    return np.nan if distance == 0 else float(distance > 0)


def _rejected(ps: list[float]) -> list[bool]:
    """By Benjamini and Yekutieli, which holds however the tests depend on each other."""
    known = np.array([1.0 if np.isnan(p) else p for p in ps])
    ranks = np.arange(1, len(ps) + 1)
    thresholds = ranks / len(ps) * _FALSE_DISCOVERIES / np.sum(1 / ranks)
    below = np.flatnonzero(np.sort(known) <= thresholds)
    limit = np.sort(known)[below[-1]] if len(below) else -1
    return [bool(p <= limit) for p in known]
