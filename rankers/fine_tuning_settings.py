"""Settings of fine-tuning a pretrained ranker; without torch, so that a command can show them."""

import math
from dataclasses import dataclass
from typing import Literal

from metrics.errors import InputError

Kind = Literal["bi-encoder", "cross-encoder"]


@dataclass(frozen=True)
class FineTuning:
    """`kind`: a model that reads query and passage by themselves, or as one text.

    `epochs` over the triples, ended after `max_steps` batches (0: never); texts are cut at
    `max_tokens`. The embeddings and the first `frozen_layers` keep their weights. `lora` is the
    rank of the adapters that are trained in the place of the weights (Hu et al., ICLR 2022) and
    added to them at the end; 0: the weights themselves. `bf16` computes in half the bits, faster
    where the processor has it.
    """

    kind: Kind = "bi-encoder"
    learning_rate: float = 2e-5
    batch_size: int = 16
    epochs: int = 1
    max_steps: int = 0
    max_tokens: int = 128
    frozen_layers: int = 0
    lora: int = 0
    bf16: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        if self.lora and self.frozen_layers:
            raise InputError(
                "--lora does not train the layers' own weights.",
                remedy="Leave out --frozen-layers.",
            )

    def n_steps(self, n_triples: int) -> int:
        """Batches of a training; a cross-encoder reads two pairs of each triple."""
        rows = 2 * n_triples if self.kind == "cross-encoder" else n_triples
        steps = self.epochs * math.ceil(rows / self.batch_size)
        return min(steps, self.max_steps) if self.max_steps else steps
