"""The training loop of rerankers: batches, validation, checkpoints, and going on from one."""

import json
import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

import torch
from torch import Tensor, nn

from metrics.errors import InputError
from metrics.io.files import replacing
from rankers.neural.checkpoints import (
    interrupted,
    no_checkpoint,
    other_checkpoint,
    plain_disk_errors,
    signals_wait,
)
from rankers.neural.debiasing import Debiasing, NoDebiasing, Step
from rankers.neural.device import evaluating, plain_memory_errors
from rankers.neural.triples import Triple, Triples
from rankers.neural.word_model import WordModel
from rankers.training_settings import Loss, TrainingSettings


@dataclass(frozen=True)
class TrainingHistory:
    """Losses by step, and results of validations."""

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

    The state of a finished training stays in `checkpoint` until the caller has written the model.

    `validate` gives a number that is better when larger. Batches follow from the seed and the step
    alone, and a checkpoint is the state at the end of a step: on a CPU with as many threads, a
    resumed training gives the bytes of one that was never interrupted. `origin` says what else the
    result depends on; a checkpoint of another origin is refused.
    """

    def __init__(
        self,
        model: Any,
        triples: Triples,
        settings: TrainingSettings,
        *,
        debiasing: Debiasing | None = None,
        validate: Callable[[], float] | None = None,
        checkpoint: Path | None = None,
        origin: Mapping[str, Any] | None = None,
    ) -> None:
        self._model = model
        self._triples = triples
        self._settings = settings
        self._debiasing = debiasing or NoDebiasing()
        self._validate = validate
        self._checkpoint = checkpoint
        # As text: what a checkpoint holds beside tensors has to be of Python's own types.
        self._origin = json.dumps(
            {**asdict(settings), **(origin or {}), "n_triples": len(triples)}, sort_keys=True
        )
        self._parts = self._debiasing.modules().to(next(model.parameters()).device)
        rate = self._debiasing.rate * settings.learning_rate
        self._of_parts = _adam(self._parts.parameters(), settings, rate)
        self._optimizers = _optimizers(model, self._of_parts, settings)
        self._losses: list[float] = []
        self._validations: list[float] = []
        self._best: dict[str, Tensor] | None = None
        self._since_best = 0

    def train(self, progress: Callable[[float], object] = lambda _loss: None) -> TrainingHistory:
        """Train to the end. SIGINT and SIGTERM end it with a checkpoint after the present step."""
        self._model.train()
        with signals_wait() as is_interrupted:
            for step, batch in enumerate(self._batches(len(self._losses)), len(self._losses) + 1):
                if self._stopped():
                    break
                self._step(batch)
                progress(self._losses[-1])
                is_validated = self._validate and step % self._settings.validate_every == 0
                if is_validated:
                    self._judge()
                has_ended = is_interrupted()
                if is_validated or has_ended or step % self._settings.checkpoint_every == 0:
                    self._save()
                if has_ended:
                    raise interrupted(step, self._checkpoint)
        self._save()
        if self._best is not None:
            self._model.load_state_dict(self._best)
        self._model.eval()
        return TrainingHistory(self._losses, self._validations, len(self._losses))

    @property
    def n_steps(self) -> int:
        """The number of batches of the whole training."""
        return self._settings.n_steps(len(self._triples))

    def _batches(self, n_done: int) -> Iterator[list[Triple]]:
        """The batches of all epochs but the first `n_done`."""
        size = self._settings.batch_size
        per_epoch = math.ceil(len(self._triples) / size)
        for epoch in range(n_done // per_epoch, self._settings.epochs):
            generator = torch.Generator().manual_seed(self._settings.seed + epoch)
            n_skipped = max(0, n_done - epoch * per_epoch)
            triples = self._triples.shuffled(generator, n_skipped * size)
            while batch := list(islice(triples, size)):
                yield batch

    def _step(self, batch: list[Triple]) -> None:
        queries = [triple.query for triple in batch]
        sides = (
            self._model.prepare(queries, [triple.positive for triple in batch]),
            self._model.prepare(queries, [triple.negative for triple in batch]),
        )
        with plain_memory_errors():
            share = len(self._losses) / self.n_steps
            step = Step(share, self._update_parts)
            positive, negative, extra = self._debiasing.loss(self._model, batch, sides, step)
            loss = pair_loss(positive, negative, self._settings.loss) + extra
            if self._settings.sides == "sum":
                loss = 2 * loss
            if not torch.isfinite(loss):
                raise InputError(
                    f"the loss is not a finite number after {len(self._losses) + 1} steps.",
                    remedy="Use a smaller --learning-rate.",
                )
            self._descend(loss, self._optimizers)
        self._losses.append(float(loss.detach()))

    def _update_parts(self, loss: Tensor) -> None:
        self._descend(loss, self._of_parts)

    def _descend(self, loss: Tensor, optimizers: Sequence[torch.optim.Optimizer]) -> None:
        """A step of these optimizers down the gradient, which is clipped over all of them."""
        for optimizer in optimizers:
            optimizer.zero_grad()
        loss.backward()
        if self._settings.clip:
            dense = [o for o in optimizers if not isinstance(o, torch.optim.SparseAdam)]
            parameters = [p for o in dense for group in o.param_groups for p in group["params"]]
            nn.utils.clip_grad_norm_(parameters, self._settings.clip)
        for optimizer in optimizers:
            optimizer.step()

    def _judge(self) -> None:
        with evaluating(self._model):
            value = self._validate() if self._validate else 0.0
        if not self._validations or value > max(self._validations):
            self._since_best = 0
            if self._settings.keep == "best":
                self._best = {k: v.clone() for k, v in self._model.state_dict().items()}
        else:
            self._since_best += 1
            if self._settings.patience and self._since_best % self._settings.patience == 0:
                for optimizer in self._optimizers:
                    for group in optimizer.param_groups:
                        group["lr"] /= 2
        self._validations.append(value)

    def _stopped(self) -> bool:
        return 0 < self._settings.stop_after <= self._since_best

    def _save(self) -> None:
        if self._checkpoint is None:
            return
        self._checkpoint.parent.mkdir(parents=True, exist_ok=True)
        state = {
            "origin": self._origin,
            "model": self._model.state_dict(),
            "parts": self._parts.state_dict(),
            "optimizers": [optimizer.state_dict() for optimizer in self._optimizers],
            "losses": self._losses,
            "validations": self._validations,
            "best": self._best,
            "since_best": self._since_best,
            "random": torch.get_rng_state(),
            "random_of_gpus": torch.cuda.get_rng_state_all(),
        }
        with plain_disk_errors(self._checkpoint), replacing(self._checkpoint) as temporary:
            torch.save(state, temporary)

    def resume(self) -> int:
        """Take up the checkpoint; how many steps it has. Only tensors and numbers are loaded."""
        path = self._checkpoint
        if path is None or not path.exists():
            raise no_checkpoint(path)
        try:
            state = torch.load(path, weights_only=True)
        except (EOFError, RuntimeError, UnpicklingError) as error:
            raise InputError(
                "cannot be read: it is cut off, or is not a checkpoint.",
                path=path,
                remedy="Leave out --resume.",
            ) from error
        if state["origin"] != self._origin:
            raise other_checkpoint(path)
        self._model.load_state_dict(state["model"])
        self._parts.load_state_dict(state["parts"])
        for optimizer, saved in zip(self._optimizers, state["optimizers"], strict=True):
            optimizer.load_state_dict(saved)
        self._losses, self._validations = state["losses"], state["validations"]
        self._best, self._since_best = state["best"], state["since_best"]
        torch.set_rng_state(state["random"])
        if len(state["random_of_gpus"]) == torch.cuda.device_count():
            torch.cuda.set_rng_state_all(state["random_of_gpus"])
        return len(self._losses)


def _optimizers(
    model: Any, of_parts: list[torch.optim.Optimizer], settings: TrainingSettings
) -> list[torch.optim.Optimizer]:
    """Adam for the model, that of what is trained beside it, as an adversary, and SparseAdam.

    Word vectors, whose gradients are sparse, have the last one and a rate of their own.
    """
    vectors = [model.embedding.weight] if isinstance(model, WordModel) else []
    sparse = [parameter for parameter in vectors if parameter.requires_grad]
    others = {id(parameter) for parameter in sparse}
    dense = [parameter for parameter in model.parameters() if id(parameter) not in others]
    optimizers = [*_adam(dense, settings, settings.learning_rate), *of_parts]
    if sparse:
        optimizers.append(torch.optim.SparseAdam(sparse, lr=settings.embedding_learning_rate))
    return optimizers


def _adam(
    parameters: Iterable[nn.Parameter], settings: TrainingSettings, rate: float
) -> list[torch.optim.Optimizer]:
    """The optimizer of those parameters that are trained, if any is."""
    trained = [parameter for parameter in parameters if parameter.requires_grad]
    return [torch.optim.Adam(trained, lr=rate, eps=settings.epsilon)] if trained else []


def checkpoint_path(output: Path) -> Path:
    """Where the training of the model in `output` keeps its state."""
    return Path(os.fspath(output) + ".checkpoint")
