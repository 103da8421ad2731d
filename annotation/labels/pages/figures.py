"""Agreement as rows for tables and pictures."""

from dataclasses import dataclass

from annotation.schemes import Question
from metrics.votes.agreement import Agreement
from metrics.votes.intervals import Estimate


@dataclass(frozen=True)
class CoefficientRow:
    """A coefficient, its meaning, and its place on a scale that begins at -1/5."""

    name: str
    meaning: str
    estimate: Estimate
    low: float
    high: float
    value: float


@dataclass(frozen=True)
class PatternRow:
    """A shape of votes like 2-1, how many queries have it, and their share."""

    pattern: str
    count: int
    share: Estimate
    meaning: str


@dataclass(frozen=True)
class CategoryRow:
    """Figures of one option."""

    code: str
    votes: int
    labels: int
    alpha: CoefficientRow
    specific: Estimate


@dataclass(frozen=True)
class ConfusionCell:
    first: str
    second: str
    share: Estimate


@dataclass(frozen=True)
class AgreementFigures:
    """The tables and pictures of the review; `ticks` are (place, number) of the scale."""

    coefficients: list[CoefficientRow]
    patterns: list[PatternRow]
    categories: list[CategoryRow]
    confusion: list[list[ConfusionCell]]


def agreement_figures(measured: Agreement, question: Question) -> AgreementFigures:
    """Return the agreement as the review of the question shows it."""
    return AgreementFigures(
        coefficients=[
            _coefficient(of.title, of.meaning, estimate)
            for of, _distance, estimate in measured.measured
        ],
        patterns=[
            PatternRow(pattern, count, measured.patterns[pattern], _meaning(pattern))
            for pattern, count in measured.pattern_counts.items()
        ],
        categories=[
            CategoryRow(
                code=code,
                votes=measured.categories[code],
                labels=measured.majority[code],
                alpha=_coefficient(question.words([code]), "", measured.per_category_alpha[code]),
                specific=measured.specific_agreement[code],
            )
            for code in measured.categories
        ],
        confusion=[
            [ConfusionCell(first, second, share) for second, share in row.items()]
            for first, row in measured.confusion.items()
        ],
    )


#: Where the scale of a coefficient begins: values below are drawn at its left end.
_LEFT = -0.2


def _coefficient(name: str, meaning: str, estimate: Estimate) -> CoefficientRow:
    low, high, value = (
        _on_scale(number) for number in (estimate.low, estimate.high, estimate.value)
    )
    return CoefficientRow(name, meaning, estimate, low, high, value)


def _on_scale(number: float | None) -> float:
    """The place of a coefficient on the scale, from 0 to 1."""
    if number is None:
        return 0.0
    return min(max((number - _LEFT) / (1 - _LEFT), 0.0), 1.0)


def _meaning(pattern: str) -> str:
    parts = sorted((int(part) for part in pattern.split("-")), reverse=True)
    if parts[0] == 1 and sum(parts) == 1:
        return "a single vote"
    if sum(parts) == parts[0]:
        return "all agree"
    return "tie" if parts[0] == parts[1] else "majority"
