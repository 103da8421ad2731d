"""Two reports of a study side by side: differences of parameters and results."""

from collections.abc import Sequence
from dataclasses import dataclass

from annotation.models import StudyReport
from annotation.reports.queries.reports import report_values
from metrics.reports.tables.distributions import measure_title
from metrics.results.stored import StoredResults

#: The compared parameters, by their labels in the form of a new report.
_TERMS = {
    "scored": "Scored collection",
    "sensitivity": "Also scored as",
    "category": "Which queries",
    "method": "Labels decided by",
    "magnitudes": "Magnitudes",
    "cutoffs": "Cut-offs",
    "baseline": "Baseline run",
    "background": "Background of NFaiRR",
    "test": "Test of differences",
    "correction": "Correction of p-values",
    "family": "Corrected together",
    "margin": "Margin of equivalence",
    "detect": "Difference to detect",
    "missing": "A document that is not in the collection",
    "runs": "Runs",
}


@dataclass(frozen=True)
class ComparedValue:
    """The mean of a run at a cut-off in both reports; None where one does not have it."""

    run: str
    cutoff: int
    left: float | None
    right: float | None

    @property
    def difference(self) -> float | None:
        """Right minus left."""
        if self.left is None or self.right is None:
            return None
        return self.right - self.left


@dataclass(frozen=True)
class SideBySide:
    """`terms` are rows of name, left, right, where the two differ; `measures` can be chosen."""

    measure: str
    measures: list[tuple[str, str]]
    terms: list[tuple[str, str, str]]
    values: list[ComparedValue]

    @property
    def cutoffs(self) -> list[int]:
        """The cut-offs of both reports."""
        shared = {value.cutoff for value in self.values if value.difference is not None}
        return sorted(shared)


def reports_side_by_side(left: StudyReport, right: StudyReport, measure: str = "") -> SideBySide:
    """Return both reports under one measure, such as `RaB:tf`, by default the first."""
    stored = report_values(left), report_values(right)
    measures = dict.fromkeys(
        (key.measure, key.magnitude) for results in stored for key in results.keys
    )
    named = {_name(*key): key for key in measures}
    chosen = measure if measure in named else next(iter(named), "")
    return SideBySide(
        measure=chosen,
        measures=[(name, measure_title(*key)) for name, key in named.items()],
        terms=_terms(left, right),
        values=_values(stored, named[chosen]) if chosen else [],
    )


def _name(measure: str, magnitude: str) -> str:
    return f"{measure}:{magnitude}" if magnitude else measure


def _values(stored: Sequence[StoredResults], named: tuple[str, str]) -> list[ComparedValue]:
    means: list[dict[tuple[str, int], float | None]] = []
    for results in stored:
        selected = results.read(lambda key: (key.measure, key.magnitude) == named).results
        means.append({(result.run, result.cutoff): result.value for result in selected})
    left, right = means
    return [
        ComparedValue(run, cutoff, left.get((run, cutoff)), right.get((run, cutoff)))
        for run, cutoff in dict.fromkeys([*left, *right])
    ]


def _terms(left: StudyReport, right: StudyReport) -> list[tuple[str, str, str]]:
    rows = [
        (label, _in_words(left.parameters.get(name)), _in_words(right.parameters.get(name)))
        for name, label in _TERMS.items()
    ]
    rows.append(
        ("Labels of", _in_words(left.inputs.get("batches")), _in_words(right.inputs.get("batches")))
    )
    counts = (str(report.summary.get("n_queries", "–")) for report in (left, right))
    rows.append(("Queries", *counts))  # type: ignore[arg-type] # two of them
    return [row for row in rows if row[1] != row[2]]


def _in_words(value: object) -> str:
    """Return a parameter as people read it."""
    if isinstance(value, list | tuple):
        value = ", ".join(map(str, value))
    return "–" if value in (None, "") else str(value)
