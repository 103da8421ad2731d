"""Settings of training a re-ranker; without torch, so that a command can show the defaults."""

import math
from dataclasses import dataclass
from typing import Literal

from metrics.errors import InputError

Loss = Literal["margin", "cross-entropy"]


@dataclass(frozen=True)
class TrainingSettings:
    """Settings of training; the defaults are the SIGIR 2020 study's for networks over word vectors.

    The rate is halved after `patience` validations without gain, training ends after `stop_after`;
    0: never. `keep`: the weights of the `best` validation, or the `last` ones. `epsilon` is Adam's;
    gradients longer than `clip` are shortened to it; 0: none is.
    """

    learning_rate: float = 1e-3
    embedding_learning_rate: float = 1e-2
    batch_size: int = 64
    epochs: int = 1
    loss: Loss = "margin"
    patience: int = 6
    stop_after: int = 20
    validate_every: int = 100
    checkpoint_every: int = 1_000
    keep: Literal["best", "last"] = "best"
    epsilon: float = 1e-8
    clip: float = 0.0
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("learning_rate", "batch_size", "epochs", "validate_every", "checkpoint_every"):
            if not getattr(self, name) > 0:
                option = "--" + name.replace("_", "-")
                raise InputError(f"{option} is {getattr(self, name)}.", remedy="Use more than 0.")

    def n_steps(self, n_triples: int) -> int:
        return self.epochs * math.ceil(n_triples / self.batch_size)
