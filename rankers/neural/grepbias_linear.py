"""Equation 1 on a frozen encoder: y = sigmoid(A x + b), for many weightings at once."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from rankers.grepbias import Alpha, Pair
from rankers.neural.grepbias_batches import BatchLoss, Settings, batches, check_loss


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
