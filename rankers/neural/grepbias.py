"""Train on one category of Grep-BiasIR and score every pair; or on all of them over a grid."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Literal

import torch
from torch import Tensor, nn

from metrics.errors import InputError
from rankers.grepbias import Alpha, LogitRun, Pair
from rankers.grepbias.logits import logit_run
from rankers.neural.device import choose_device, seed_everything
from rankers.neural.grepbias_batches import BatchLoss, Settings, batches, check_loss
from rankers.neural.grepbias_features import Features, PairEncoder, frozen_features, standardised
from rankers.neural.grepbias_tuning import PREPARE, logits_of, train_encoder
from rankers.neural.pretrained import load_encoder, load_tokenizer


def train_linear(
    features: Tensor, pairs: Sequence[Pair], alphas: Sequence[Alpha], settings: Settings
) -> tuple[Tensor, Tensor]:
    """The layers A (G, H) and b (G,) for the G weightings, each trained as if it were alone.

    All start from one draw and see the same batches and pairs; a loss touches its own layer only.
    """
    torch.manual_seed(settings.seed)
    start = nn.Linear(features.shape[1], 1)
    layer = start.weight.detach().repeat(len(alphas), 1).requires_grad_()
    bias = start.bias.detach().repeat(len(alphas)).requires_grad_()
    optimizer = torch.optim.AdamW([layer, bias], lr=settings.learning_rate)
    batch_loss = BatchLoss(alphas, settings)
    for step, places in enumerate(batches(pairs, settings), start=1):
        logits = features[places] @ layer.T + bias
        loss = batch_loss(logits, [pairs[place] for place in places])
        check_loss(loss, step)
        optimizer.zero_grad()
        loss.sum().backward()
        optimizer.step()
    return layer.detach(), bias.detach()


Mode = Literal["full", "adapter", "lora", "bottleneck"]

#: The paper trains full and adapter; lora and bottleneck take the adapter's.
SETTINGS: dict[Mode, Settings] = {
    "full": Settings(learning_rate=2e-5, epochs=2),
    "adapter": Settings(learning_rate=1e-4, epochs=8),
    "lora": Settings(learning_rate=1e-4, epochs=8),
    "bottleneck": Settings(learning_rate=1e-4, epochs=8),
}
STEPS = tuple(step / 4 for step in range(9))
#: alpha from 0 to 2 in steps of .25, for each pair of genders.
GRID = tuple(Alpha(*weights) for weights in product(STEPS, STEPS, STEPS))


@dataclass(frozen=True)
class Encoder:
    """The encoder, its device, and its features of a pair."""

    model: str
    features: Features = "cls"
    device: str = "auto"

    def load(self) -> PairEncoder:
        encoder = load_encoder(self.model).to(choose_device(self.device))
        return PairEncoder(encoder, load_tokenizer(self.model), self.features)


def train_tuned(
    mode: Mode,
    encoder: Encoder,
    pairs: Sequence[Pair],
    train_on: str,
    *,
    alpha: Alpha,
    settings: Settings,
    progress: Callable[[float], object] = lambda _loss: None,
) -> LogitRun:
    """Logits of all pairs by an encoder that was trained (in part) on `train_on`."""
    seed_everything(settings.seed)
    encode = encoder.load()
    encode.encoder = PREPARE[mode](encode.encoder)
    own = [pair for pair in pairs if pair.category == train_on]
    head = train_encoder(encode, own, alpha, settings, progress)
    logits = logits_of(encode, head, pairs).double().numpy()
    return logit_run(pairs, logits, mode=mode, train_on=train_on, alpha=alpha, seed=settings.seed)


def encode_once(
    encoder: Encoder, pairs: Sequence[Pair], progress: Callable[[], object] = lambda: None
) -> torch.Tensor:
    """The frozen vectors of all pairs, which every adapter of the grid shares.

    Products of normalised vectors are too small to train on as they are: they are standardised
    over all pairs. That looks at the texts of all categories, never at their labels.
    """
    vectors = frozen_features(encoder.load(), pairs, progress)
    return standardised(vectors) if encoder.features == "product" else vectors


def train_adapters(
    vectors: torch.Tensor,
    pairs: Sequence[Pair],
    train_on: str,
    alphas: Sequence[Alpha],
    settings: Settings,
) -> list[LogitRun]:
    """Logits of all pairs by one linear layer for each weighting, trained on `train_on`."""
    training = torch.tensor([pair.category == train_on for pair in pairs])
    if not training.any():
        raise InputError(f"there is no pair of the category {train_on!r}.")
    own = [pair for pair in pairs if pair.category == train_on]
    layer, bias = train_linear(vectors[training], own, alphas, settings)
    logits = (vectors @ layer.T + bias).T.double().numpy()
    return [
        logit_run(pairs, row, mode="adapter", train_on=train_on, alpha=alpha, seed=settings.seed)
        for alpha, row in zip(alphas, logits, strict=True)
    ]


def settings_for(mode: Mode, **changes: float | None) -> Settings:
    """The paper's settings of a mode, with the given changes."""
    chosen = {name: value for name, value in changes.items() if value is not None}
    return replace(SETTINGS[mode], **chosen)  # type: ignore[arg-type]
