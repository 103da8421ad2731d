"""Named settings of trainings: those of published studies to the letter, and ours."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Preset:
    """Defaults for training the networks over word vectors, and BERT.

    The names are those of the fields of `Start`, `TrainingSettings` and `AdversarySettings`, whose
    defaults hold for the rest.
    """

    source: str
    networks: Mapping[str, Any]
    bert: Mapping[str, Any]

    def settings(self, architecture: str) -> Mapping[str, Any]:
        return self.bert if architecture == "bert" else self.networks


#: Those of `AdversarySettings` in AdvBERT's released training.
PUBLISHED_ADVERSARY: dict[str, Any] = {
    "adversary_steps": 1,
    "factor": 1.0,
    "schedule": "constant",
    "adversary_rate": 1.0,
    "adversary_input": "raw",
}
# Both released programs halve the rate with ReduceLROnPlateau, whose patience (6 and 5) is the
# number of validations without gain that change nothing: the next one halves.
_BERT = {"learning_rate": 3e-5, "loss": "cross-entropy"}
PRESETS = {
    "fairpool": Preset(
        "Ours: the networks as published in their papers, started as the 2020 study did",
        {"exact_width": 1e-3, "output_range": 0.014},
        _BERT,
    ),
    "rekabsaz_schedl_2020": Preset(
        "Rekabsaz & Schedl, SIGIR 2020, by their released configuration",
        {"exact_width": 1e-4, "output_range": 0.014, "patience": 7},
        _BERT | {"patience": 7},
    ),
    "rekabsaz_kopeinik_schedl_2021": Preset(
        "Rekabsaz, Kopeinik & Schedl, SIGIR 2021 (AdvBERT), by their released training",
        {"exact_width": 1e-4, "output_range": 0.014},
        _BERT
        | {"epochs": 2, "epsilon": 1e-5, "clip": 1.0, "patience": 6, "stop_after": 15}
        | {"head": "first token", "sides": "sum"}
        | PUBLISHED_ADVERSARY
        | {"strengths": (1.0,)},
    ),
}
#: Settings that AdvBERT's released training changes while an adversary learns, too.
ADVERSARIAL = {"keep": "last", "patience": 0, "stop_after": 0}
