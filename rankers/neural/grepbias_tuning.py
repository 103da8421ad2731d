"""Training that changes the encoder: all of it (full), or small parts put into it."""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from metrics.errors import InputError
from rankers.grepbias import Alpha, Pair
from rankers.neural.device import plain_memory_errors
from rankers.neural.grepbias_batches import BatchLoss, Settings, batches, check_loss
from rankers.neural.grepbias_features import PairEncoder, frozen_features

_BOTTLENECK = 64
_RANK, _LORA_SCALE = 8, 16


class Bottleneck(nn.Module):
    """A layer of the encoder and an adapter behind it: h + U relu(D h). Houlsby et al. 2019.

    U starts at zero, so that the adapted encoder starts as the encoder.
    """

    def __init__(self, layer: nn.Module, hidden: int, size: int = _BOTTLENECK) -> None:
        super().__init__()
        self.layer = layer
        self.down = nn.Linear(hidden, size)
        self.up = nn.Linear(size, hidden)
        nn.init.zeros_(self.up.weight)
        nn.init.zeros_(self.up.bias)

    def forward(self, *inputs: Any, **options: Any) -> Any:
        output = self.layer(*inputs, **options)
        hidden = output[0] if isinstance(output, tuple) else output
        adapted = hidden + self.up(torch.relu(self.down(hidden)))
        return (adapted, *output[1:]) if isinstance(output, tuple) else adapted


class LowRank(nn.Module):
    """A frozen linear layer and its low-rank update: W x + b + (16 / r) B A x. Hu et al. 2022.

    B starts at zero, so that the adapted encoder starts as the encoder.
    """

    def __init__(self, layer: nn.Linear, rank: int = _RANK) -> None:
        super().__init__()
        self.layer = layer
        self.down = nn.Linear(layer.in_features, rank, bias=False)
        self.up = nn.Linear(rank, layer.out_features, bias=False)
        nn.init.zeros_(self.up.weight)

    def forward(self, inputs: Tensor) -> Tensor:
        update: Tensor = self.up(self.down(inputs)) * (_LORA_SCALE / self.down.out_features)
        return update + self.layer(inputs)


def with_lora(encoder: nn.Module) -> nn.Module:
    """The frozen encoder with low-rank updates of its query and value matrices."""
    encoder.requires_grad_(requires_grad=False)
    attentions = [module for module in encoder.modules() if hasattr(module, "query")]
    if not attentions:
        raise InputError(
            "--mode lora needs an encoder whose attention has a query and a value matrix.",
            remedy="Take one of BERT's kind, or --mode bottleneck.",
        )
    device = next(encoder.parameters()).device
    for attention in attentions:
        for name in ("query", "value"):
            setattr(attention, name, LowRank(getattr(attention, name)).to(device))
    return encoder


def with_bottlenecks(encoder: nn.Module) -> nn.Module:
    """The frozen encoder with an adapter behind each of its layers."""
    encoder.requires_grad_(requires_grad=False)
    body: Any = encoder.encoder
    hidden = int(encoder.config.hidden_size)
    body.layer = nn.ModuleList(Bottleneck(layer, hidden) for layer in body.layer)
    return encoder


PREPARE: dict[str, Callable[[nn.Module], nn.Module]] = {
    "full": lambda encoder: encoder,
    "lora": with_lora,
    "bottleneck": with_bottlenecks,
}


def train_encoder(
    encode: PairEncoder,
    pairs: Sequence[Pair],
    alpha: Alpha,
    settings: Settings,
    progress: Callable[[float], object] = lambda _loss: None,
) -> nn.Linear:
    """Train the encoder's trainable weights and a new linear layer on `pairs`; the layer."""
    device = next(encode.encoder.parameters()).device
    torch.manual_seed(settings.seed)
    head = nn.Linear(int(encode.encoder.config.hidden_size), 1).to(device)
    trained = [parameter for parameter in encode.encoder.parameters() if parameter.requires_grad]
    optimizer = torch.optim.AdamW([*trained, *head.parameters()], lr=settings.learning_rate)
    batch_loss = BatchLoss([alpha], settings)
    encode.encoder.train()
    for step, places in enumerate(batches(pairs, settings), start=1):
        batch = [pairs[place] for place in places]
        with plain_memory_errors():
            loss = batch_loss(head(encode(batch)), batch)
            check_loss(loss, step)
            optimizer.zero_grad()
            loss.sum().backward()
            optimizer.step()
        progress(float(loss.detach()))
    return head


def logits_of(encode: PairEncoder, head: nn.Linear, pairs: Sequence[Pair]) -> Tensor:
    """The logits (N,) of a trained encoder and its layer."""
    vectors = frozen_features(encode, pairs)
    with torch.no_grad():
        return (vectors @ head.weight.cpu().T + head.bias.cpu()).squeeze(1)
