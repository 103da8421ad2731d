"""Widths and costs of larger samples, estimated from the labels that there are."""

from dataclasses import dataclass
from decimal import Decimal

from annotation.labels.queries.corrected import CorrectedFigures
from annotation.labels.queries.samples import LEAST_DRAWN
from annotation.models import Batch
from metrics.statistics.few_labels import Figure, half_width_with, labels_needed
from metrics.statistics.pool_figures import PoolFigure

#: Sizes of samples, as multiples of the present one.
_SIZES = (1, 1.5, 2, 3, 4, 6, 8, 12, 16)


@dataclass(frozen=True)
class LabelsNeeded:
    """Total labels for a figure of +- the wanted half width, and the cost of further ones.

    `half_width` is the current one; `cost` is in US dollars, None where prices are unknown.
    """

    name: str
    half_width: float
    labels: int
    further: int
    cost: Decimal | None


@dataclass(frozen=True)
class CurvePoint:
    """Outcome of a sample of `labels`: the half width of each figure, and the further cost."""

    labels: int
    cost: Decimal | None
    half_widths: tuple[float, ...]


@dataclass(frozen=True)
class MoreLabels:
    """Widths for this pool, by labels; `names` are those of the half widths of each point.

    `price` is the cost of a label with all its votes. Only widths may say when to stop: stopping
    once an interval excludes zero finds differences that are not there.
    """

    wanted: float
    price: Decimal | None
    needed: tuple[LabelsNeeded, ...]
    names: tuple[str, ...]
    curve: tuple[CurvePoint, ...]

    @property
    def to_draw(self) -> int:
        """Labels that the most demanding figure lacks, and no fewer than can be drawn."""
        further = max(figure.further for figure in self.needed)
        return further and max(further, LEAST_DRAWN)


def more_labels(*, batch: Batch, figures: CorrectedFigures) -> MoreLabels | None:
    """Outcomes of larger samples of the same design; None where no interval is known.

    Exact for a simple random sample, approximate where chances differ.
    """
    headlines = [(headline, headline.best) for headline in _headlines(figures)]
    known = [(headline, figure) for headline, figure in headlines if _is_known(figure)]
    if not known or figures.parameters.target != "pool":
        return None
    half_width = figures.parameters.half_width
    price, n, pool = price_of_label(batch), figures.n_labelled, figures.n_pool
    sizes = sorted({min(pool, round(n * factor)) for factor in _SIZES})
    return MoreLabels(
        wanted=half_width,
        price=price,
        needed=tuple(
            _needed(figures.name_of(headline), figure, half_width, pool, price)
            for headline, figure in known
        ),
        names=tuple(figures.name_of(headline) for headline, _ in known),
        curve=tuple(
            CurvePoint(
                labels=size,
                cost=price and price * (size - n),
                half_widths=tuple(half_width_with(figure, size, pool) for _, figure in known),
            )
            for size in sizes
        ),
    )


def price_of_label(batch: Batch) -> Decimal | None:
    """Cost of a query's label with all its votes, fees included; None without HITs."""
    hit = batch.hits.first()
    if hit is None:
        return None
    return (hit.unit_cost * batch.assignments_per_hit / batch.queries_per_hit).quantize(
        Decimal("0.0001")
    )


def _headlines(figures: CorrectedFigures) -> list[PoolFigure]:
    """The share of the category, the mean of the first run, and the first difference."""
    category = figures.parameters.category
    kinds = {"share": "", "mean": "", "difference": ""}
    return [
        next(
            figure
            for figure in figures.figures
            if figure.kind == kind and figure.category == category
        )
        for kind in kinds
        if any(figure.kind == kind for figure in figures.figures)
    ]


def _is_known(figure: Figure) -> bool:
    return figure.low is not None and figure.standard_error > 0


def _needed(
    name: str, figure: Figure, half_width: float, pool: int, price: Decimal | None
) -> LabelsNeeded:
    labels = max(labels_needed(figure, half_width, pool) or pool, figure.n)
    return LabelsNeeded(
        name=name,
        half_width=half_width_with(figure, figure.n, pool),
        labels=labels,
        further=labels - figure.n,
        cost=price and price * (labels - figure.n),
    )
