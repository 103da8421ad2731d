"""Figures of a report from labels of pairs: of people, of models, and of both."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from annotation.reports.operations.material import ReportMaterial
from metrics.measures.base import Qrels
from metrics.reports.build import main_cutoff
from metrics.results.evaluation import Request, requests_of
from metrics.results.few_judgments import judged_rows, judgments_of
from metrics.results.judgments import Kind, Terms
from metrics.results.scored_runs import open_runs
from metrics.runs.queries import Queries

#: The measures of each kind of labels of pairs.
_MEASURES: Mapping[Kind, Sequence[str]] = {
    "qrels": ("nDCG", "MRR", "P", "DCG"),
    "passages": ("LabelRaB",),
}


def judged_figures(
    material: ReportMaterial, queries: Queries | None
) -> tuple[Sequence[Mapping[str, Any]], Sequence[str]]:
    """Rows of `judged_rows`, and notices.

    None where no model judged and nobody labelled passages: the table of effectiveness has the
    figures of people's grades.
    """
    models, request = material.judgments.models, material.asked
    people: dict[str, Qrels | None] = {
        "qrels": material.qrels(),
        "passages": material.judgments.people.get("passages"),
    }
    kinds = [kind for kind in _MEASURES if kind in models or (kind == "passages" and people[kind])]
    if not kinds:
        return (), ()
    requests = _requests(material, kinds)
    opened = open_runs(
        material.runs,
        material.magnitudes,
        requests,
        queries=queries,
        order=request.order,
        missing=request.missing,
    )
    terms = Terms(
        design=material.judgments.design,
        partly_judged="skip",
        baseline=request.baseline,
        inference=request.inference,
        half_width=request.half_width or None,
    )
    both = judgments_of(people, {kind: models.get(kind) for kind in _MEASURES})
    return judged_rows(opened, requests, both, terms, people)


def _requests(material: ReportMaterial, kinds: Sequence[Kind]) -> list[Request]:
    names = [name for kind in kinds for name in _MEASURES[kind]]
    relevant = material.lowest_relevant_grade
    return [
        replace(request, measure=request.measure.with_params(relevant=relevant))
        for request in requests_of(names, cutoffs=[main_cutoff(material.asked.cutoffs)])
    ]
