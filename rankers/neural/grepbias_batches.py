"""The batches and the loss that every mode of training on Grep-BiasIR shares."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from metrics.errors import InputError
from rankers.grepbias import Alpha, Pair
from rankers.neural.penalty import pair_weights, penalty, sample_pairs


@dataclass(frozen=True)
class Settings:
    """Settings of training; the defaults of a mode are the paper's, see `grepbias.SETTINGS`."""

    learning_rate: float
    epochs: int
    batch_size: int = 8
    seed: int = 0
    matched_pairs: bool = False

    def __post_init__(self) -> None:
        for name in ("learning_rate", "epochs", "batch_size"):
            if not getattr(self, name) > 0:
                option = "--" + name.replace("_", "-")
                raise InputError(f"{option} is {getattr(self, name)}.", remedy="Use more than 0.")

    def steps(self, pairs: Sequence[Pair], categories: Sequence[str]) -> int:
        """Batches of the training on each of these categories."""
        sizes = [sum(pair.category == name for pair in pairs) for name in categories]
        return self.epochs * sum(math.ceil(size / self.batch_size) for size in sizes)


def batches(pairs: Sequence[Pair], settings: Settings) -> Iterator[list[int]]:
    """Places of the pairs of each batch, shuffled anew in each epoch.

    With matched pairs, the wordings of one document stay together.
    """
    generator = torch.Generator().manual_seed(settings.seed)
    groups: dict[object, list[int]] = {}
    for place, pair in enumerate(pairs):
        key = _wording_group(pair) if settings.matched_pairs else place
        groups.setdefault(key, []).append(place)
    members = list(groups.values())
    for _ in range(settings.epochs):
        order = torch.randperm(len(members), generator=generator).tolist()
        places = [place for group in order for place in members[group]]
        for start in range(0, len(places), settings.batch_size):
            yield places[start : start + settings.batch_size]


def _wording_group(pair: Pair) -> tuple[str, bool]:
    return pair.query, pair.relevant


class BatchLoss:
    """Mean cross-entropy plus R (equation 4) of logits (B, G), for G weightings at once: (G,).

    Without any weight the penalty is left out, so that alpha 0 is plain training, bit by bit; the
    pairs are drawn by a generator of their own.
    """

    def __init__(self, alphas: Sequence[Alpha], settings: Settings) -> None:
        if any(weight < 0 for alpha in alphas for weight in alpha):
            raise InputError("a weight of --alpha is negative.", remedy="Use 0 or more.")
        self._alphas = alphas
        self._matched = settings.matched_pairs
        self._penalised = any(any(alpha) for alpha in alphas)
        self._generator = torch.Generator().manual_seed(settings.seed)

    def __call__(self, logits: Tensor, pairs: Sequence[Pair]) -> Tensor:
        labels = logits.new_tensor([float(pair.relevant) for pair in pairs])
        loss = nn.functional.binary_cross_entropy_with_logits(
            logits, labels.unsqueeze(1).expand_as(logits), reduction="none"
        ).mean(dim=0)
        if not self._penalised:
            return loss
        genders = [pair.gender for pair in pairs]
        groups = [_wording_group(pair) for pair in pairs] if self._matched else None
        drawn = sample_pairs(genders, self._generator, groups)
        weights = logits.new_tensor([pair_weights(genders, drawn, alpha) for alpha in self._alphas])
        return loss + penalty(logits, drawn, weights.T)


def check_loss(loss: Tensor, step: int) -> None:
    """`InputError` where the loss is not a number."""
    if not torch.isfinite(loss).all():
        raise InputError(
            f"the loss is not a finite number after {step} steps.",
            remedy="Use a smaller --learning-rate.",
        )
