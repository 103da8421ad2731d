"""Relevance that a ranker keeps, and gender that it leaves, when it is trained against bias."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations, islice

import numpy as np
import torch
from numpy.typing import NDArray

from metrics.errors import InputError
from rankers.grepbias import Alpha
from rankers.neural.attack import LEAST_OF_EACH, AttackResult, attack, represent
from rankers.neural.debiasing import DocumentGenders
from rankers.neural.device import evaluating
from rankers.neural.model_folder import PairModel
from rankers.neural.penalty import pair_weights
from rankers.neural.reranking import score_pairs
from rankers.neural.triples import Triples

_LOOKED_AT = 500  # triples whose passages are read
_FOLDS = 5  # of their queries
#: How much relevance may be lost, and what difference of bias counts.
TOLERANCE = 0.02


@dataclass(frozen=True)
class Reading:
    """`ordered`: the share of triples whose relevant passage has the higher score.

    `bias` is what the training is against. Of the adversary: the balanced accuracy of `attack`. Of
    the penalty: how far the mean scores of two genders differ, in standard deviations, among
    passages of equal relevance, the mean over the pairs of genders by their weights. None where
    there are too few passages of a class.
    """

    ordered: float
    bias: float | None
    attack: AttackResult | None = None

    def __str__(self) -> str:
        bias = "unknown" if self.bias is None else f"{self.bias:.3f}"
        return f"bias {bias}, {self.ordered:.3f} of the triples in order"


class Probe:
    """Reads models on the same triples of a training; an attack tests each of their queries once.

    `alpha` has the weights of the penalty; without it the bias is what an attack reads.
    """

    def __init__(
        self, triples: Triples, genders: DocumentGenders, seed: int, alpha: Alpha | None = None
    ) -> None:
        drawn = islice(triples.shuffled(torch.Generator().manual_seed(seed)), _LOOKED_AT)
        self._triples, self._genders = list(drawn), genders
        self._seed, self._alpha = seed, alpha

    def read(self, model: PairModel) -> Reading:
        """Read a model."""
        queries = [triple.query for triple in self._triples] * 2
        texts = [triple.positive for triple in self._triples]
        texts += [triple.negative for triple in self._triples]
        docnos = [triple.positive_docno for triple in self._triples]
        docnos += [triple.negative_docno for triple in self._triples]
        pairs = list(zip(queries, texts, strict=True))
        with evaluating(model):
            scores = np.array(score_pairs(model, pairs))
        relevant, irrelevant = np.split(scores, 2)
        ordered = float((relevant > irrelevant).mean())
        if self._alpha is not None:
            genders = np.array([self._genders.gender.get(docno, "N") for docno in docnos])
            return Reading(ordered, _difference(scores, genders, self._alpha))
        labels = [self._genders.is_gendered(q, d) for q, d in zip(queries, docnos, strict=True)]
        try:
            result = attack(represent(model, pairs), labels, queries, seed=self._seed, folds=_FOLDS)
        except InputError:  # too few queries or passages of a class
            return Reading(ordered, None)
        return Reading(ordered, result.balanced_accuracy, result)


def _difference(
    scores: NDArray[np.float64], genders: NDArray[np.str_], alpha: Alpha
) -> float | None:
    """The difference of the mean scores of genders, in standard deviations; see `Reading`."""
    differences, weights = [], []
    is_relevant = np.arange(len(scores)) < len(scores) / 2
    for side in (is_relevant, ~is_relevant):
        groups = {g: scores[side & (genders == g)] for g in "MFN"}
        for pair in combinations("MFN", 2):
            first, second = (groups[gender] for gender in pair)
            if min(len(first), len(second)) >= LEAST_OF_EACH:
                differences.append(abs(first.mean() - second.mean()))
                weights += pair_weights(pair, [(0, 1)], alpha)
    if not sum(weights):
        return None
    deviation = max(float(scores.std()), np.finfo(float).tiny)
    return float(np.average(differences, weights=weights)) / deviation


def choose(readings: Mapping[float, Reading]) -> float:
    """The weakest of the strengths that keep relevance and leave least of the bias.

    Relevance is kept where at most `TOLERANCE` of the triples are in order fewer than with the
    weakest strength; a bias within `TOLERANCE` of the least is as good.
    """
    weakest = readings[min(readings)]
    biases = {
        strength: math.inf if reading.bias is None else reading.bias
        for strength, reading in readings.items()
        if reading.ordered >= weakest.ordered - TOLERANCE
    }
    return min(s for s, bias in biases.items() if bias <= min(biases.values()) + TOLERANCE)


def warning(before: Reading, after: Reading) -> str:
    """The warning for a model that is worse than at the start, else empty."""
    worse = []
    if (after.bias or 0) > (math.inf if before.bias is None else before.bias) + TOLERANCE:
        worse.append("the bias is larger than before")
    if after.ordered < before.ordered - TOLERANCE:
        worse.append("relevance is lost")
    if not worse:
        return ""
    return (
        f"The training made the model worse: {' and '.join(worse)} (before: {before}; after: "
        f"{after}). Try a smaller --learning-rate, --strengths with 0, or another --seed."
    )
