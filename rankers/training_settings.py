"""Settings of training a re-ranker; without torch, so that a command can show the defaults."""

import math
from dataclasses import dataclass
from typing import Literal

from metrics.errors import InputError

Loss = Literal["margin", "cross-entropy"]
Head = Literal["pooler", "first token"]
#: Which passages the penalty pairs, see `rankers.neural.debiasing.Regulariser`.
Pairing = Literal["equal", "triple"]
#: What the penalty measures differences of scores in, see there.
PenaltyUnit = Literal["deviation", "logit"]
Schedule = Literal["constant", "ramp"]
AdversaryInput = Literal["standardised", "raw"]
#: The factors of a method's weights that are trained with, for one to be chosen.
STRENGTHS = (0.0, 0.1, 1.0)


@dataclass(frozen=True)
class AdversarySettings:
    """Settings of an adversary and a ranker that learn against each other.

    The adversary takes `adversary_steps` steps for one of the ranker, whose gradient from the
    adversary's loss is reversed and multiplied by `factor`: throughout (`constant`), or growing
    from 0 to it over the training (`ramp`: 2 / (1 + exp(-10 p)) - 1 at the share p; Ganin &
    Lempitsky, ICML 2015). `adversary_rate` is its learning rate, in multiples of the ranker's. It
    reads the vectors of a batch `standardised`, so that a ranker cannot hide gender by making them
    all alike, or `raw`.
    """

    adversary_steps: int = 5
    factor: float = 1.0
    schedule: Schedule = "constant"
    adversary_rate: float = 5.0
    adversary_input: AdversaryInput = "standardised"

    def factor_at(self, share: float) -> float:
        """The factor when this share of the training, 0 to 1, is done."""
        if self.schedule == "constant":
            return self.factor
        return self.factor * (2 / (1 + math.exp(-10 * share)) - 1)


@dataclass(frozen=True)
class TrainingSettings:
    """Settings of training; the defaults are the SIGIR 2020 study's for networks over word vectors.

    The rate is halved after `patience` validations without gain, training ends after `stop_after`;
    0: never. `keep`: the weights of the `best` validation, or the `last` ones. `epsilon` is Adam's;
    a gradient that is longer than `clip` over all dense parameters is shortened to it; 0: none is.
    `sides`: the loss is the `mean` over both sides of the triples, or their `sum`, twice that.
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
    sides: Literal["mean", "sum"] = "mean"
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("learning_rate", "batch_size", "epochs", "validate_every", "checkpoint_every"):
            if not getattr(self, name) > 0:
                option = "--" + name.replace("_", "-")
                raise InputError(f"{option} is {getattr(self, name)}.", remedy="Use more than 0.")

    def n_steps(self, n_triples: int) -> int:
        return self.epochs * math.ceil(n_triples / self.batch_size)
