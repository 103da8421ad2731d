"""The training loop of rerankers: batches, validation, checkpoints, and going on from one."""

import math
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import torch
from torch import Tensor, nn

from metrics.errors import InputError
from metrics.io.files import replacing
from rankers.neural.debiasing import Debiasing, NoDebiasing
from rankers.neural.device import plain_memory_errors
from rankers.neural.training_data import Triple
from rankers.neural.word_model import WordModel

Loss = Literal["margin", "cross-entropy"]


@dataclass(frozen=True)
class TrainingSettings:
    """The SIGIR 2020 study's settings of the networks over word vectors.

    The rate is halved after `patience` validations without gain, training ends after `stop_after`.
    BERT takes Adam 3e-5 and cross-entropy, as AdvBERT.
    """

    learning_rate: float = 1e-3
    embedding_learning_rate: float = 1e-2
    batch_size: int = 64
    epochs: int = 1
    loss: Loss = "margin"
    patience: int = 6
    stop_after: int = 20
    validate_every: int = 100
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("learning_rate", "batch_size", "epochs", "validate_every"):
            if not getattr(self, name) > 0:
                option = "--" + name.replace("_", "-")
                raise InputError(f"{option} is {getattr(self, name)}.", remedy="Use more than 0.")

    def n_steps(self, n_triples: int) -> int:
        return self.epochs * math.ceil(n_triples / self.batch_size)


@dataclass(frozen=True)
class TrainingHistory:
    """Loss of each step, and what each validation gave."""

    losses: list[float]
    validations: list[float]
    n_steps: int


def pair_loss(positive: Tensor, negative: Tensor, loss: Loss) -> Tensor:
    """`margin`: mean max(0, 1 - s+ + s-); `cross-entropy`: of each score with its relevance."""
    if loss == "margin":
        return torch.relu(1 - positive + negative).mean()
    scores = torch.cat([positive, negative])
    labels = torch.cat([torch.ones_like(positive), torch.zeros_like(negative)])
    return nn.functional.binary_cross_entropy_with_logits(scores, labels)


class Trainer:
    """Trains a model on triples; the state of training can be kept and taken up again.

    `validate` gives a number that is better when larger; the best model's weights are the ones
    that stay. Batches follow from the seed and the step alone, so that a resumed training gives
    the bytes of one that was never interrupted.
    """

    def __init__(
        self,
        model: Any,
        triples: Sequence[Triple],
        settings: TrainingSettings,
        *,
        debiasing: Debiasing | None = None,
        validate: Callable[[], float] | None = None,
        checkpoint: Path | None = None,
    ) -> None:
        self._model = model
        self._triples = triples
        self._settings = settings
        self._debiasing = debiasing or NoDebiasing()
        self._validate = validate
        self._checkpoint = checkpoint
        self._parts = self._debiasing.modules().to(next(model.parameters()).device)
        self._optimizers = _optimizers(model, self._parts, settings)
        self._losses: list[float] = []
        self._validations: list[float] = []
        self._best: dict[str, Tensor] | None = None
        self._since_best = 0

    def train(self, progress: Callable[[float], object] = lambda _loss: None) -> TrainingHistory:
        """Train to the end; an interruption keeps a checkpoint of the last whole step."""
        self._model.train()
        try:
            for step, batch in enumerate(self._batches(), start=1):
                if step <= len(self._losses):
                    continue
                if self._stopped():
                    break
                self._step(batch)
                progress(self._losses[-1])
                if self._validate and step % self._settings.validate_every == 0:
                    self._judge()
        except KeyboardInterrupt:
            self._save()
            raise InputError(
                f"interrupted after {len(self._losses)} steps.",
                path=self._checkpoint,
                remedy="Run the same command with --resume to go on.",
            ) from None
        if self._best is not None:
            self._model.load_state_dict(self._best)
        self._model.eval()
        if self._checkpoint:
            with suppress(FileNotFoundError):
                self._checkpoint.unlink()
        return TrainingHistory(self._losses, self._validations, len(self._losses))

    def _batches(self) -> Iterator[list[Triple]]:
        generator = torch.Generator().manual_seed(self._settings.seed)
        size = self._settings.batch_size
        for _ in range(self._settings.epochs):
            order = torch.randperm(len(self._triples), generator=generator).tolist()
            for start in range(0, len(order), size):
                yield [self._triples[i] for i in order[start : start + size]]

    def _step(self, batch: list[Triple]) -> None:
        queries = [triple.query for triple in batch]
        sides = (
            self._model.prepare(queries, [triple.positive for triple in batch]),
            self._model.prepare(queries, [triple.negative for triple in batch]),
        )
        with plain_memory_errors():
            positive, negative, extra = self._debiasing.loss(self._model, batch, sides)
            loss = pair_loss(positive, negative, self._settings.loss) + extra
            if not torch.isfinite(loss):
                raise InputError(
                    f"the loss is not a finite number after {len(self._losses) + 1} steps.",
                    remedy="Use a smaller --learning-rate.",
                )
            for optimizer in self._optimizers:
                optimizer.zero_grad()
            loss.backward()
            for optimizer in self._optimizers:
                optimizer.step()
        self._losses.append(float(loss.detach()))

    def _judge(self) -> None:
        self._model.eval()
        value = self._validate() if self._validate else 0.0
        self._model.train()
        if not self._validations or value > max(self._validations):
            self._since_best = 0
            self._best = {k: v.clone() for k, v in self._model.state_dict().items()}
        else:
            self._since_best += 1
            if self._since_best % self._settings.patience == 0:
                for optimizer in self._optimizers:
                    for group in optimizer.param_groups:
                        group["lr"] /= 2
        self._validations.append(value)
        self._save()

    def _stopped(self) -> bool:
        return self._since_best >= self._settings.stop_after

    def _save(self) -> None:
        if self._checkpoint is None:
            return
        self._checkpoint.parent.mkdir(parents=True, exist_ok=True)
        state = {
            "settings": asdict(self._settings),
            "n_triples": len(self._triples),
            "model": self._model.state_dict(),
            "parts": self._parts.state_dict(),
            "optimizers": [optimizer.state_dict() for optimizer in self._optimizers],
            "losses": self._losses,
            "validations": self._validations,
            "best": self._best,
            "since_best": self._since_best,
            "random": torch.get_rng_state(),
        }
        with replacing(self._checkpoint) as temporary:
            torch.save(state, temporary)

    def resume(self) -> int:
        """Take up the checkpoint; how many steps it has. Only tensors and numbers are loaded."""
        path = self._checkpoint
        if path is None or not path.exists():
            raise InputError(
                "no checkpoint to go on from.", path=path, remedy="Leave out --resume."
            )
        state = torch.load(path, weights_only=True)
        same = (asdict(self._settings), len(self._triples))
        if (state["settings"], state["n_triples"]) != same:
            raise InputError(
                "belongs to a training with other settings or triples.",
                path=path,
                remedy="Repeat the command of the interrupted training, or leave out --resume.",
            )
        self._model.load_state_dict(state["model"])
        self._parts.load_state_dict(state["parts"])
        for optimizer, saved in zip(self._optimizers, state["optimizers"], strict=True):
            optimizer.load_state_dict(saved)
        self._losses, self._validations = state["losses"], state["validations"]
        self._best, self._since_best = state["best"], state["since_best"]
        torch.set_rng_state(state["random"])
        return len(self._losses)


def _optimizers(
    model: Any, parts: nn.Module, settings: TrainingSettings
) -> list[torch.optim.Optimizer]:
    """Adam; word vectors, whose gradients are sparse, have SparseAdam and a rate of their own."""
    vectors = [model.embedding.weight] if isinstance(model, WordModel) else []
    sparse = {id(one) for one in vectors if one.requires_grad}
    others = [
        one
        for one in (*model.parameters(), *parts.parameters())
        if one.requires_grad and id(one) not in sparse
    ]
    found: list[torch.optim.Optimizer] = [torch.optim.Adam(others, lr=settings.learning_rate)]
    if sparse:
        found.append(torch.optim.SparseAdam(vectors, lr=settings.embedding_learning_rate))
    return found


def checkpoint_path(output: Path) -> Path:
    """Where the training of the model in `output` keeps its state."""
    return Path(os.fspath(output) + ".checkpoint")
