"""Training against gender bias: a penalty on scores, or an adversary on representations."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol, cast

import numpy as np
import torch
from torch import Tensor, nn

from metrics.errors import InputError
from metrics.measures.fairr import neutrality, two_groups
from metrics.texts.lexicon import Lexicon, read_lexicon
from metrics.texts.magnitude import score_texts
from metrics.texts.magnitude_store import Magnitudes
from metrics.vocabulary import Tokenizer
from rankers.grepbias import Alpha
from rankers.neural.grepbias_features import standardised
from rankers.neural.penalty import pair_weights, penalty, sample_pairs
from rankers.neural.triples import Triple
from rankers.training_settings import AdversarySettings, Pairing, PenaltyUnit

_LEAST_VARIANCE = 1e-8  # of scores that are all alike


@dataclass(frozen=True)
class DocumentGenders:
    """Gender of each passage, from a scored collection.

    `gender`: M or F where words of that group are more frequent (by `tf`), else N. `gendered`: its
    neutrality is below 1 with threshold 1. `magnitude`: the sum of both groups' magnitudes.
    `gendered_queries`: texts of queries with a word of either group; AdvBERT's adversary takes a
    pair for gendered where its query or its passage is.
    """

    gender: Mapping[str, str] = field(default_factory=dict)
    gendered: Mapping[str, bool] = field(default_factory=dict)
    magnitude: Mapping[str, float] = field(default_factory=dict)
    gendered_queries: frozenset[str] = frozenset()

    def is_gendered(self, query: str, docno: str) -> bool:
        """The label of AdvBERT's adversary."""
        return query in self.gendered_queries or self.gendered.get(docno, False)

    def check_coverage(
        self, triples: Iterable[Triple], path: Path | None, warn: Callable[[str], object]
    ) -> None:
        """Warn where passages of the triples have no gender; `InputError` where none has one."""
        docnos = {docno for t in triples for docno in (t.positive_docno, t.negative_docno)}
        n_missing = sum(docno not in self.gender for docno in docnos)
        if n_missing == len(docnos):
            raise InputError(
                "has no scores of the triples' passages.",
                path=path,
                remedy="Give the scores of the collection that is trained on.",
            )
        if n_missing:
            warn(
                f"{n_missing:,} of {len(docnos):,} passages of the triples have no scores: they "
                "count as neutral."
            )


def document_genders(magnitudes: Magnitudes) -> DocumentGenders:
    """The genders of every document of a scored collection."""
    female, male = two_groups(magnitudes.groups)
    f, m = magnitudes.magnitude("tf", female), magnitudes.magnitude("tf", male)
    gender = np.where(m > f, "M", np.where(f > m, "F", "N")).tolist()
    neutral = neutrality(magnitudes.tc[female], magnitudes.tc[male])
    docnos = magnitudes.docnos
    return DocumentGenders(
        dict(zip(docnos, gender, strict=True)),
        dict(zip(docnos, (neutral < 1).tolist(), strict=True)),
        dict(zip(docnos, (f + m).tolist(), strict=True)),
    )


def gendered_queries(
    texts: Iterable[str], lexicon: Lexicon, tokenizer: Tokenizer = "word"
) -> frozenset[str]:
    """The texts that have a word of the list."""
    distinct = list(dict.fromkeys(texts))
    counts = sum(score_texts(distinct, lexicon, tokenizer).tc.values())
    return frozenset(text for text, n in zip(distinct, np.atleast_1d(counts), strict=True) if n)


def pair_genders(
    magnitudes: Magnitudes,
    queries: Iterable[str],
    warn: Callable[[str], object] = lambda _text: None,
) -> DocumentGenders:
    """The genders of a scored collection and of the texts of queries: those of AdvBERT's labels.

    The words of a list of one's own are not in the scores; then a pair is gendered by its passage
    alone, which `warn` is called with.
    """
    genders, lexicon = document_genders(magnitudes), read_lexicon()
    if magnitudes.metadata.lexicon_sha256 != lexicon.sha256:
        warn(
            "The collection was scored with a word list of its own: the adversary decides by a "
            "pair's passage alone, not by its query, whether it is gendered."
        )
        return genders
    tokenizer = cast("Tokenizer", magnitudes.metadata.tokenizer)
    return replace(genders, gendered_queries=gendered_queries(queries, lexicon, tokenizer))


@dataclass(frozen=True)
class Step:
    """Where a training is: the share of its steps that are done.

    `update` takes a step of the debiasing's own modules, and of these alone, down a loss.
    """

    share: float = 0.0
    update: Callable[[Tensor], object] = lambda _loss: None


class Debiasing(Protocol):
    """A term added to the loss of a batch of triples, with parameters of its own.

    `rate` is the learning rate of its modules, in multiples of the model's.
    """

    rate: float

    def modules(self) -> nn.ModuleDict:
        """Modules whose weights are trained together with the model's."""

    def loss(
        self, model: Any, triples: Sequence[Triple], batches: tuple[Any, Any], step: Step, /
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Scores of the positives, of the negatives, and the loss to add."""


class NoDebiasing:
    """Mode base: nothing is added."""

    rate = 1.0

    def modules(self) -> nn.ModuleDict:
        return nn.ModuleDict()

    def loss(
        self,
        model: Any,
        _triples: Sequence[Triple],
        batches: tuple[Any, Any],
        _step: Step = Step(),
        /,
    ) -> tuple[Tensor, Tensor, Tensor]:
        positive, negative = (model(batch) for batch in batches)
        return positive, negative, positive.new_zeros(())


class Regulariser(NoDebiasing):
    """Equation 3 over passages of different genders, each in one pair at most.

    R = (1 / N) sum alpha(g, g') (s - s')^2 over the N pairs of the batch. Both passages of a pair
    are relevant to their queries, or neither is (`equal`): the scores of a relevant and an
    irrelevant one (`triple`, the two passages of a triple) have to differ, and would be drawn
    together. In units of a `deviation`, R is divided by the variance of all scores of the batch:
    shrinking scores gains nothing, and alpha means the same for every ranker; `logit` divides by
    nothing, as published.
    """

    def __init__(
        self,
        alpha: Alpha,
        genders: DocumentGenders,
        pairing: Pairing = "equal",
        unit: PenaltyUnit = "deviation",
    ) -> None:
        self._alpha = alpha
        self._gender = genders.gender
        self._pairing = pairing
        self._unit = unit

    def loss(
        self,
        model: Any,
        triples: Sequence[Triple],
        batches: tuple[Any, Any],
        _step: Step = Step(),
        /,
    ) -> tuple[Tensor, Tensor, Tensor]:
        positive, negative, zero = super().loss(model, triples, batches)
        if not any(self._alpha):
            return positive, negative, zero
        docnos = [triple.positive_docno for triple in triples]
        docnos += [triple.negative_docno for triple in triples]
        genders = [self._gender.get(docno, "N") for docno in docnos]
        n = len(triples)
        if self._pairing == "triple":
            pairs = [(i, i + n) for i in range(n) if genders[i] != genders[i + n]]
        else:
            # The batch is drawn at random: one shuffle does for all, and none has to be kept.
            sides = [place < n for place in range(2 * n)]
            pairs = sample_pairs(genders, torch.Generator().manual_seed(0), sides)
        scores = torch.cat([positive, negative]).unsqueeze(1)
        weights = scores.new_tensor(pair_weights(genders, pairs, self._alpha)).unsqueeze(1)
        extra = penalty(scores, pairs, weights).sum()
        if self._unit == "deviation":
            extra = extra / scores.var().clamp(min=_LEAST_VARIANCE)
        return positive, negative, extra


class _Reverse(torch.autograd.Function):
    """The identity forward; the gradient times -factor backward. Ganin & Lempitsky 2015."""

    @staticmethod
    def forward(context: Any, vectors: Tensor, factor: float) -> Tensor:
        context.factor = factor
        return vectors.view_as(vectors)

    @staticmethod
    def backward(context: Any, gradient: Tensor) -> tuple[Tensor, None]:
        return -context.factor * gradient, None


def reverse_gradient(vectors: Tensor, factor: float = 1.0) -> Tensor:
    return _Reverse.apply(vectors, factor)


def adversary(hidden: int) -> nn.Sequential:
    """Linear(H, H)-Tanh-Linear(H, 2), which tells gendered pairs from the others."""
    return nn.Sequential(nn.Linear(hidden, hidden), nn.Tanh(), nn.Linear(hidden, 2))


class Adversarial:
    """AdvBERT: an adversary reads gender from the first token's vector behind gradient reversal.

    A pair is gendered where its query or its passage is. Before each step of both, the adversary
    takes its other steps alone, on the vectors of the same batch.
    Rekabsaz, Kopeinik & Schedl. *Societal Biases in Retrieved Contents*, SIGIR 2021.
    """

    def __init__(
        self,
        hidden: int,
        genders: DocumentGenders,
        settings: AdversarySettings = AdversarySettings(),  # noqa: B008 - frozen
    ) -> None:
        self._adversary = adversary(hidden)
        self._genders = genders
        self._settings = settings
        self.rate = settings.adversary_rate

    def modules(self) -> nn.ModuleDict:
        return nn.ModuleDict({"adversary": self._adversary})

    def loss(
        self,
        model: Any,
        triples: Sequence[Triple],
        batches: tuple[Any, Any],
        step: Step = Step(),
        /,
    ) -> tuple[Tensor, Tensor, Tensor]:
        (positive, first), (negative, second) = (
            model.score_and_represent(batch) for batch in batches
        )
        vectors = torch.cat([first, second])
        if self._settings.adversary_input == "standardised":
            vectors = standardised(vectors)
        pairs = [(triple.query, triple.positive_docno) for triple in triples]
        pairs += [(triple.query, triple.negative_docno) for triple in triples]
        labels = torch.tensor(
            [int(self._genders.is_gendered(*pair)) for pair in pairs], device=vectors.device
        )
        for _ in range(self._settings.adversary_steps - 1):
            step.update(nn.functional.cross_entropy(self._adversary(vectors.detach()), labels))
        reversed_ = reverse_gradient(vectors, self._settings.factor_at(step.share))
        return positive, negative, nn.functional.cross_entropy(self._adversary(reversed_), labels)
