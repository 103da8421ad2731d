"""Request for a bias report, and the files and labels that it needs."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

from rest_framework.serializers import CharField, ChoiceField, DictField, IntegerField, ListField

from annotation.agreement.aggregation import METHODS
from annotation.core.parameters import HIDDEN, parameter
from annotation.labels.export.label_formats.qrels import RULES, STANDING
from annotation.labels.queries.questions import ALL
from annotation.models import Batch, ModelRater, Study, StudyFile, StudyReport
from annotation.models.labels import LONGEST_VALUE
from annotation.reports.queries.comparison import STRICT
from annotation.reports.queries.measured import (
    LabelSource,
    labels_notes,
    labels_warnings,
    queries_of,
)
from annotation.reports.queries.pair_labels import ReportJudgments, check_judgments
from annotation.schemes import About
from annotation.studies.file_store import local_path
from annotation.studies.operations.files import in_words_of_page
from annotation.vocabulary import (
    CorrectionRule,
    FamilyRule,
    FileKind,
    LabelMethod,
    MissingRule,
    OrderRule,
    PairedTestRule,
)
from metrics.errors import InputError
from metrics.measures.base import Qrels
from metrics.reports.build import BIAS_MAGNITUDES, Options, requests_for_report
from metrics.reports.families import View, check_measures
from metrics.reports.tables.sensitivity import check_same_collection
from metrics.reports.tables.statistics import views_of
from metrics.results.evaluation import Request
from metrics.runs import Order
from metrics.runs.qrels import lowest_relevant_grade, read_qrels
from metrics.runs.queries import Queries
from metrics.runs.sidecar import SIZES
from metrics.statistics.inference import USUAL, Inference
from metrics.texts.magnitude import MAGNITUDES
from metrics.texts.magnitude_store import Magnitudes, open_magnitudes
from metrics.vocabulary import COLLECTION, CUTOFFS, Correction, Family, Missing, PairedTest

LARGEST_CUTOFF = 1_000
MOST_CUTOFFS = 10


_NAME: dict[str, Any] = {"max_length": 100}
_MOST = 100
_MOST_WAYS = 10
_LONGEST_SIZES = 500
_ITEMS = {About.QUERY: "queries", About.PASSAGE: "pairs of query and passage"}
#: Kinds of labels of pairs.
_MOST_KINDS = 2


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
        help_text="Name of the same collection scored in another way, to say how much the bias "
        "depends on that.",
        style=HIDDEN | {"option": "sensitivity"},
    )
    batches: Sequence[int] = parameter(
        (),
        kind=ListField,
        child=IntegerField(min_value=1),
        max_length=_MOST,
        help_text="Whose labels count; without one, every query of the runs is measured.",
        style=HIDDEN | {"option": "batch"},
    )
    category: str = parameter(
        "",
        max_length=LONGEST_VALUE,
        allow_blank=True,
        label="Which queries",
        help_text="Those that people gave this option, a code, or one of several with ; between "
        f"them; {ALL} that have an answer; left out, the subset.",
        style={"optional": True},
    )
    method: str = parameter(
        "",
        choices=[
            ("", "The labels that stand"),
            *((name, LabelMethod(name).label) for name in METHODS),
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
    with_qrels: bool = parameter(False, label="MRR, Recall, nDCG by the study's qrels")
    judgments: Sequence[int] = parameter(
        (),
        kind=ListField,
        child=IntegerField(min_value=1),
        max_length=_MOST_KINDS,
        help_text="Number of a batch of pairs whose labels judge: relevance for MRR, Recall and "
        "nDCG, the gender of passages for LabelRaB.",
        style=HIDDEN | {"option": "judgments"},
    )
    judged_by: str = parameter(
        STANDING,
        choices=[(name, f"{name.capitalize()}: {rule}") for name, rule in RULES.items()],
        label="Judgments decided by",
        style={"optional": True},
    )
    judges: Sequence[int] = parameter(
        (),
        kind=ListField,
        child=IntegerField(min_value=1),
        max_length=_MOST_KINDS,
        help_text="Number of a model of the study whose labels of pairs stand beside people's: a "
        "table then has each figure by people, by the model, and corrected.",
        style=HIDDEN | {"option": "judge"},
    )
    half_width: float = parameter(
        0.0,
        min_value=0,
        max_value=1,
        label="How many more? Wanted: plus or minus",
        help_text="Says how many queries people would have to judge in all for intervals so narrow "
        "beside the model's judgments; 0: says nothing.",
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
        help_text="How many queries would show such a difference? Written as the margin is.",
    )
    seed: int = parameter(0, min_value=0, max_value=2**31 - 1, style=HIDDEN)

    @property
    def inference(self) -> Inference:
        """The terms of its tests."""
        return Inference(self.test, self.correction, self.family, self.margin, self.detect)


class ReportMaterial:
    """The files and labels of a report; `InputError` where the study does not have them."""

    def __init__(self, report: StudyReport) -> None:
        self._study = report.study
        self.asked = ReportRequest(**report.parameters)
        self._files = list(self._study.files.all())
        self._runs = [self._one(FileKind.RUN, name) for name in self.asked.runs]
        self._scored = self._one(FileKind.MAGNITUDES, self.asked.scored)
        self._others = [
            self._one(FileKind.MAGNITUDES, name)
            for name in dict.fromkeys(self.asked.sensitivity)
            if name != self.asked.scored
        ]
        self.paths = {file: local_path(file) for file in (*self._runs, *self._others)}
        self.runs = {file.name: self.paths[file] for file in self._runs}
        self.magnitudes: Magnitudes = open_magnitudes(local_path(self._scored))
        self.source = LabelSource(
            self._batches(self.asked.batches, About.QUERY), self.asked.category, self.asked.method
        )
        self.judgments = ReportJudgments(
            self._batches(self.asked.judgments, About.PASSAGE), self.asked.judged_by, self._models()
        )

    def _one(self, kind: FileKind, name: str = "") -> StudyFile:
        for file in self._files:
            if file.kind == kind and name in ("", file.name):
                return file
        what = f"{kind.label.lower()} {name!r}" if name else kind.label.lower()
        raise InputError(f"the study has no {what}.", remedy="Add it to the study's files.")

    def _batches(self, numbers: Sequence[int], about: About) -> list[Batch]:
        of_study = {batch.pk: batch for batch in self._study.batches.all()}
        if gone := set(numbers) - set(of_study):
            raise InputError(f"the study has no batch number {min(gone)}.")
        batches = [of_study[number] for number in numbers]
        for batch in batches:
            if batch.scheme.about != about:
                raise InputError(
                    f"the batch {batch.name!r} judges {_ITEMS[batch.scheme.about]}.",
                    remedy=f"Choose one that judges {_ITEMS[about]}.",
                )
        return batches

    def _models(self) -> list[ModelRater]:
        of_study = {rater.pk: rater for rater in self._study.model_raters.all()}
        if gone := set(self.asked.judges) - set(of_study):
            raise InputError(f"the study has no model number {min(gone)}.")
        return [of_study[number] for number in self.asked.judges]

    def queries(self) -> tuple[Queries | None, list[str]]:
        """The queries to measure, None for all of the runs, and what to know about them."""
        return queries_of(self.source) if self.source.batches else (None, [])

    def requests(self) -> list[Request]:
        """Arguments of the measurement, as for the command `report`."""
        return requests_for_report(
            self.magnitudes.groups,
            cutoffs=self.asked.cutoffs,
            magnitudes=self.asked.magnitudes,
            with_qrels=self.qrels() is not None,
            relevant=self.lowest_relevant_grade,
            background=self.asked.background,
        )

    @cached_property
    def lowest_relevant_grade(self) -> int:
        """By the convention of the judgements."""
        return lowest_relevant_grade(self.qrels() or {})

    def other_scores(self) -> list[Magnitudes]:
        """Other scores of the same collection; `InputError` for those of another one."""
        others = [open_magnitudes(self.paths[file]) for file in self._others]
        try:
            check_same_collection(self.magnitudes, others)
        except InputError as error:
            raise in_words_of_page(error, self.paths) from None
        return others

    def views(self) -> list[View]:
        """The part that a page can look at by itself."""
        keys = [(r.label, r.magnitude, cutoff) for r in self.requests() for cutoff in r.cutoffs]
        return views_of(keys, self.asked.cutoffs)

    def qrels(self) -> Qrels | None:
        """The judgements, where they are asked for."""
        if not self.asked.with_qrels:
            return self.judgments.people.get("qrels")
        if "qrels" in self.judgments.people:
            raise InputError(
                "the relevance is asked for twice: by the study's qrels, and by labels of a batch.",
                remedy="Choose one of them.",
            )
        return read_qrels(local_path(self._one(FileKind.QRELS)))

    def options(self, remarks: Sequence[str]) -> Options:
        """Return the options of the command `report`."""
        return Options(
            paired=dict(self.asked.paired),
            baseline=self.asked.baseline,
            labels_note=labels_notes(batches=self.source.batches),
            remarks=[*labels_warnings(batches=self.source.batches), *remarks],
            background=self.asked.background,
            seed=self.asked.seed,
            inference=self.asked.inference,
            relevant=self.lowest_relevant_grade,
            sizes=self._sizes(),
            subset=self.source.words,
        )

    def _sizes(self) -> dict[str, dict[str, int]]:
        """The sizes of the models whose runs were made here."""
        made = {file.name: file.summary.get("ranked", {}) for file in self._runs}
        known = {name: {n: of[n] for n in SIZES if n in of} for name, of in made.items()}
        return {name: sizes for name, sizes in known.items() if sizes}

    def inputs(self) -> dict[str, Any]:
        """The files that were used, with their checksums, and the batches."""
        used = [*self._runs, self._scored, *self._others]
        if self.asked.with_qrels:
            used.append(self._one(FileKind.QRELS))
        return {
            "files": [{"kind": f.kind, "name": f.name, "digest": f.digest} for f in used],
            "batches": [batch.name for batch in self.source.batches],
            **self.judgments.inputs,
        }


def check_request(study: Study, request: ReportRequest) -> None:
    """`InputError` for what can be seen to fail before anything is computed."""
    if not request.runs:
        raise InputError("no run is chosen.", remedy="Choose at least one.")
    named = (*request.paired, *request.paired.values(), request.baseline)
    for name in (*filter(None, named), *({request.background} - {COLLECTION})):
        if name not in request.runs:
            raise InputError(f"the run {name!r} is not chosen.", remedy="Choose it as well.")
    material = ReportMaterial(StudyReport(study=study, parameters=asdict(request)))
    check_measures(request.inference, [measure.label for measure in material.requests()])
    material.other_scores()
    material.queries()
    check_judgments(material.judgments, has_qrels=material.qrels() is not None)
