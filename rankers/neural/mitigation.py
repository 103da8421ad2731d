"""Settings of training against bias, and the choice among models that several strengths give."""

import copy
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import torch

from metrics.errors import InputError
from rankers.grepbias import Alpha
from rankers.neural.debiasing import (
    Adversarial,
    Debiasing,
    DocumentGenders,
    NoDebiasing,
    Regulariser,
)
from rankers.neural.model_folder import PairModel
from rankers.neural.probing import Probe, choose, warning
from rankers.neural.training import Trainer, TrainingHistory, checkpoint_path
from rankers.neural.transformer_models import CrossEncoder
from rankers.neural.triples import Triples
from rankers.training_settings import AdversarySettings, Pairing, PenaltyUnit


@dataclass(frozen=True)
class Mitigation:
    """Settings of training against gender bias, see `debiasing`.

    Each of the `strengths` multiplies `alpha` and the adversary's factor; of the models that are
    trained with several, the weakest that keeps relevance and leaves least of the bias is taken.
    """

    method: str = "none"
    alpha: Alpha = field(default_factory=Alpha)
    biased_negatives: float = 0.0
    pairing: Pairing = "equal"
    unit: PenaltyUnit = "deviation"
    adversary: AdversarySettings = field(default_factory=AdversarySettings)
    strengths: tuple[float, ...] = (1.0,)

    @property
    def needs_genders(self) -> bool:
        return self.method != "none" or self.biased_negatives > 0

    @property
    def _is_weighed(self) -> bool:
        """Return whether a strength changes anything."""
        return self.method == "adversarial" or (self.method == "regulariser" and any(self.alpha))

    def of_strength(self, strength: float) -> "Mitigation":
        """The settings of the training with one of the strengths; 0 is plain training."""
        return replace(
            self,
            method=self.method if strength else "none",
            alpha=Alpha(*(strength * weight for weight in self.alpha)),
            adversary=replace(self.adversary, factor=strength * self.adversary.factor),
            strengths=(1.0,),
        )

    def checkpoints(self, output: Path) -> dict[float, Path]:
        """Where the training with each strength keeps its state."""
        if not self._is_weighed or len(self.strengths) == 1:
            return {self.strengths[0]: checkpoint_path(output)}
        return {s: checkpoint_path(Path(f"{output}.{s:g}")) for s in self.strengths}

    def debiasing(self, model: PairModel, genders: DocumentGenders) -> Debiasing:
        """The term that is added to the loss of a model."""
        if self.method == "regulariser":
            return Regulariser(self.alpha, genders, self.pairing, self.unit)
        if self.method == "adversarial" and isinstance(model, CrossEncoder):
            return Adversarial(int(model.model.config.hidden_size), genders, self.adversary)
        return NoDebiasing()

    def probe(
        self, model: PairModel, triples: Triples, genders: DocumentGenders, seed: int
    ) -> Probe | None:
        """The probe of the bias that the training is against; None where it is against none."""
        if self.method == "adversarial" and not isinstance(model, CrossEncoder):
            raise InputError("--method adversarial needs --model bert.", remedy="Use regulariser.")
        if not self._is_weighed:
            return None
        alpha = self.alpha if self.method == "regulariser" else None
        return Probe(triples, genders, seed, alpha)


@dataclass(frozen=True)
class Trained:
    """The model that was chosen; `readings` is what `model.json` says of the choice."""

    model: PairModel
    history: TrainingHistory
    readings: Mapping[str, Any]


def train_and_choose(
    model: PairModel,
    checkpoints: Mapping[float, Path],
    trainer_of: Callable[[PairModel, float], Trainer],
    probe: Probe | None,
    *,
    resume: bool,
    started: Callable[[int], Callable[[float], object]],
    warn: Callable[[str], object],
) -> Trained:
    """Train the model with each strength, as if that were the only one, and choose by the probe.

    `InputError` before any training where the probe has too little to choose by.
    """
    before = probe.read(model) if probe else None
    if len(checkpoints) > 1 and (before is None or before.bias is None):
        raise InputError(
            "the triples have too few passages with and without gender, or too few queries, for a "
            "strength to be chosen.",
            remedy="Give one of --strengths, as 1.",
        )
    trained, readings = {}, {}
    for number, (strength, checkpoint) in enumerate(checkpoints.items()):
        with torch.random.fork_rng():
            copied = copy.deepcopy(model) if len(checkpoints) > 1 else model
            trainer = trainer_of(copied, strength)
            n_done = trainer.resume() if resume and (checkpoint.exists() or not number) else 0
            trained[strength] = copied, trainer.train(started(trainer.n_steps - n_done))
        if probe:
            readings[strength] = probe.read(copied)
    if before is None:
        return Trained(*trained.popitem()[1], {})
    chosen = choose(readings)
    if not chosen:
        warn(
            "No strength reduces the bias and keeps relevance: the model is that of plain training."
        )
    if worse := warning(before, readings[chosen]):
        warn(worse)
    named = {"before": before, "after": readings[chosen]}
    described = {
        **{when: asdict(reading) for when, reading in named.items()},
        "strength": chosen,
        "strengths": {f"{strength:g}": asdict(reading) for strength, reading in readings.items()},
    }
    return Trained(*trained[chosen], {"probe": described})
