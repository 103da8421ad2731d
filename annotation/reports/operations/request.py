"""Request for a bias report, as pages, API and commands take it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rest_framework.serializers import CharField, ChoiceField, DictField, IntegerField, ListField

from annotation.core.parameters import HIDDEN, parameter
from annotation.labels.export.label_formats.qrels import RULES, STANDING
from annotation.labels.queries.corrected import TARGETS as FIGURES_FOR
from annotation.models.labels import LONGEST_VALUE
from annotation.reports.queries.comparison import STRICT
from annotation.schemes import ALL
from annotation.vocabulary import (
    CorrectionRule,
    FamilyRule,
    MissingRule,
    OrderRule,
    PairedTestRule,
    PopulationRule,
)
from metrics.reports.build import BIAS_MAGNITUDES
from metrics.runs import Order
from metrics.statistics.few_labels import Target
from metrics.statistics.inference import USUAL, Inference
from metrics.texts.magnitude import MAGNITUDES
from metrics.vocabulary import (
    COLLECTION,
    CUTOFFS,
    LARGEST_SEED,
    Correction,
    Family,
    Missing,
    PairedTest,
    Populations,
)
from metrics.votes.deciding import ALL_METHODS, METHODS

LARGEST_CUTOFF = 1_000
MOST_CUTOFFS = 10


_NAME: dict[str, Any] = {"max_length": 100}
_MOST = 100
_MOST_WAYS = 10
_LONGEST_SIZES = 500
#: Kinds of labels of pairs.
_MOST_KINDS = 2


def _numbers(option: str, most: int, help_text: str) -> Any:
    """The parameter of numbers of rows, at most `most`, which the command takes as `option`."""
    return parameter(
        (),
        kind=ListField,
        child=IntegerField(min_value=1),
        max_length=most,
        help_text=help_text,
        style=HIDDEN | {"option": option},
    )


@dataclass(frozen=True)
class ReportRequest:
    """Request for a report. Runs and files go by their names in the study.

    Without `batches`, every query of the runs is measured. `method` decides the labels: "" for
    those that stand, or see `LabelSource`. `paired` maps a model to its randomly initialised twin.
    """

    runs: Sequence[str] = parameter(
        kind=ListField,
        child=CharField(**_NAME),
        min_length=1,
        max_length=_MOST,
        help_text="Name of a run.",
        style=HIDDEN | {"option": "run"},
    )
    scored: str = parameter(**_NAME, help_text="Name of the scored collection.", style=HIDDEN)
    sensitivity: Sequence[str] = parameter(
        (),
        kind=ListField,
        child=CharField(**_NAME),
        max_length=_MOST_WAYS,
        help_text="Name of the same collection scored in another way, to show how much the bias "
        "depends on that.",
        style=HIDDEN | {"option": "sensitivity"},
    )
    batches: Sequence[int] = _numbers(
        "batch",
        _MOST,
        "Whose labels count; without one, every query of the runs is measured.",
    )
    category: str = parameter(
        "",
        max_length=LONGEST_VALUE,
        allow_blank=True,
        label="Which queries",
        help_text="Queries that people gave this option: a code, or several with ; between "
        f"them. {ALL}: every query with an answer. Left out, the subset.",
        style={"optional": True},
    )
    method: str = parameter(
        "",
        choices=[
            ("", "The labels that stand"),
            *((name, ALL_METHODS[name].title) for name in METHODS),
            (STRICT, "More than half of the votes"),
        ],
        label="Labels decided by",
        help_text="Left out, the labels that stand.",
    )
    magnitudes: Sequence[str] = parameter(
        BIAS_MAGNITUDES,
        kind=ListField,
        child=ChoiceField(choices=list(MAGNITUDES)),
        min_length=1,
        max_length=len(MAGNITUDES),
        style=HIDDEN,
    )
    cutoffs: Sequence[int] = parameter(
        CUTOFFS,
        kind=ListField,
        child=IntegerField(min_value=1, max_value=LARGEST_CUTOFF),
        min_length=1,
        max_length=MOST_CUTOFFS,
        style=HIDDEN,
    )
    baseline: str = parameter("", **_NAME, allow_blank=True, style=HIDDEN)
    paired: Mapping[str, str] = parameter(
        dict, kind=DictField, child=CharField(**_NAME), style=HIDDEN
    )
    background: str = parameter(COLLECTION, **_NAME, style=HIDDEN)
    missing: Missing = parameter(
        "error", choices=MissingRule.choices, label="A document that was not scored"
    )
    order: Order = parameter(
        "default",
        choices=OrderRule.choices,
        label="Order of the documents",
        style={"optional": True},
    )
    population: Populations = parameter(
        "default",
        choices=PopulationRule.choices,
        label="Queries without a batch",
        help_text="Which queries the values are about, if you chose no batch.",
        style={"optional": True},
    )
    with_qrels: bool = parameter(False, label="MRR, Recall, nDCG by the study's qrels")
    judgments: Sequence[int] = _numbers(
        "judgments",
        _MOST_KINDS,
        "Number of a batch of pairs whose labels judge: relevance for MRR, Recall and "
        "nDCG, the gender of passages for LabelRaB.",
    )
    judged_by: str = parameter(
        STANDING,
        choices=[(name, f"{name.capitalize()}: {rule}") for name, rule in RULES.items()],
        label="Judgments decided by",
        style={"optional": True},
    )
    judges: Sequence[int] = _numbers(
        "judge",
        _MOST_KINDS,
        "Number of a model of the study, to compare its labels of pairs with people's: a table "
        "then has each figure by people, by the model, and corrected.",
    )
    half_width: float = parameter(
        0.0,
        min_value=0,
        max_value=1,
        label="How many more? Wanted: plus or minus",
        help_text="Shows how many queries people would have to judge in all, with the model's "
        "judgments, for intervals so narrow; 0: not shown.",
        style={"optional": True},
    )
    target: Target = parameter(
        "population",
        choices=FIGURES_FOR,
        label="Figures by judgments: intervals and p for",
        help_text="All queries like those of the pool, or these alone.",
        style={"optional": True},
    )
    test: PairedTest = parameter(
        USUAL.test,
        choices=PairedTestRule.choices,
        label="Test of differences",
        style={"optional": True},
    )
    correction: Correction = parameter(
        USUAL.correction,
        choices=CorrectionRule.choices,
        label="Correction of p-values",
        style={"optional": True},
    )
    family: Family = parameter(
        USUAL.family,
        choices=FamilyRule.choices,
        label="Corrected together",
        style={"optional": True},
    )
    margin: str = parameter(
        "",
        max_length=_LONGEST_SIZES,
        allow_blank=True,
        label="Margin of equivalence",
        help_text="The difference below which two runs count as equivalent: 0.05 for every "
        "measure, or RaB=0.05,NFaiRR=0.01.",
    )
    detect: str = parameter(
        "",
        max_length=_LONGEST_SIZES,
        allow_blank=True,
        label="Difference to detect",
        help_text="How many queries would show such a difference? Write it as the margin.",
    )
    seed: int = parameter(0, min_value=0, max_value=LARGEST_SEED, style=HIDDEN)

    @property
    def inference(self) -> Inference:
        """The terms of its tests."""
        return Inference(self.test, self.correction, self.family, self.margin, self.detect)
