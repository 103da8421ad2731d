"""The files and labels that a bias report needs."""

from collections.abc import Sequence
from dataclasses import asdict
from functools import cached_property
from typing import Any

from annotation.models import Batch, ModelRater, Study, StudyFile, StudyReport
from annotation.reports.operations.request import ReportRequest
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
from annotation.vocabulary import FileKind
from metrics.errors import InputError
from metrics.measures.base import Qrels
from metrics.reports.build import Options, main_cutoff, requests_for_report
from metrics.reports.families import View, check_measures
from metrics.reports.tables.sensitivity import check_same_collection
from metrics.reports.tables.statistics import views_of
from metrics.results.evaluation import Request
from metrics.runs.qrels import lowest_relevant_grade, read_qrels
from metrics.runs.queries import Queries
from metrics.runs.sidecar import SIZES
from metrics.texts.magnitude_store import Magnitudes, open_magnitudes
from metrics.vocabulary import COLLECTION

_ITEMS = {About.QUERY: "queries", About.PASSAGE: "pairs of query and passage"}


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
                "the relevance comes from two sources: the study's qrels, and labels of a batch.",
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
        ranked = {file.name: file.summary.get("ranked", {}) for file in self._runs}
        known = {name: {n: of[n] for n in SIZES if n in of} for name, of in ranked.items()}
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
        raise InputError("you chose no run.", remedy="Choose at least one.")
    named = (*request.paired, *request.paired.values(), request.baseline)
    for name in (*filter(None, named), *({request.background} - {COLLECTION})):
        if name not in request.runs:
            raise InputError(f"the run {name!r} is not chosen.", remedy="Choose it as well.")
    material = ReportMaterial(StudyReport(study=study, parameters=asdict(request)))
    check_measures(request.inference, [measure.label for measure in material.requests()])
    material.other_scores()
    material.queries()
    check_judgments(
        material.judgments,
        has_qrels=material.qrels() is not None,
        cutoff=main_cutoff(request.cutoffs),
    )
