"""The rule that a sample is large enough: by the width of its intervals, and nothing else."""

from dataclasses import dataclass

from annotation.core.counting import plural
from annotation.labels.queries.corrected import (
    CorrectedFigures,
    FigureParameters,
    corrected_figures,
)
from annotation.labels.queries.samples import LEAST_DRAWN
from annotation.models import Batch, DrawnSample
from annotation.schemes import JOINED
from annotation.vocabulary import WidthOf
from metrics.statistics.few_labels import Figure, half_width_with, labels_needed


@dataclass(frozen=True)
class Stopping:
    """The wanted half width of a sample, and the half width of its widest interval now.

    `half_width` is None while no interval is known. `further` is the number of queries still to
    draw, 0 once the wanted width is met; None if unknown. `sentence` says so in words.
    """

    wanted: float
    width_of: str
    half_width: float | None
    is_met: bool
    further: int | None
    sentence: str


def stopping_of(sample: DrawnSample) -> Stopping | None:
    """State of the sample, with those that it continues; None where no width is wanted.

    The intervals of a sample that ends by width hold at every look; those for one look would not
    (`python -m measurements.few_labels_looks`). No rule looks at what the intervals exclude: it
    would find differences that are not there.
    """
    if sample.half_width is None:
        return None
    batches = Batch.objects.filter(pool=sample.pool_id, removed_at=None).order_by("-pk")
    batch = next((batch for batch in batches if _asks(batch, sample)), None)
    if batch is None:
        return _not_known(sample, f"No batch asks for its {plural(sample.parent.item_noun)} yet.")
    parameters = FigureParameters(question=sample.question, category=sample.category)
    corrected = corrected_figures(batch=batch, parameters=parameters)
    figures = _figures(corrected, sample)
    if why := _why_not_known(corrected, figures):
        return _not_known(sample, why)
    widest = max(half_width_with(figure, figure.n, corrected.n_pool) for figure in figures)
    if widest <= sample.half_width:
        sentence = f"The wanted width of ± {sample.half_width:g} is met (± {widest:.3g})."
        return _stopping(sample, widest, 0, sentence)
    n_pool = corrected.n_pool
    needed = max(labels_needed(figure, sample.half_width, n_pool) or n_pool for figure in figures)
    left = corrected.n_pool - corrected.n_drawn
    further = min(max(needed - corrected.n_labelled, LEAST_DRAWN), left)
    return _stopping(
        sample,
        widest,
        further,
        f"The widest interval is ± {widest:.3g}; ± {sample.half_width:g} takes about {further:,} "
        f"further {plural(sample.parent.item_noun)}.",
    )


def _asks(batch: Batch, sample: DrawnSample) -> bool:
    """Return whether a batch asks the question that the sample was drawn for; any, if for none."""
    codes = set(sample.category.split(JOINED)) if sample.question else set()
    return not sample.question or any(
        question.name == sample.question and codes <= set(question.codes)
        for question in batch.scheme.nominal
    )


def _figures(corrected: CorrectedFigures, sample: DrawnSample) -> list[Figure]:
    """The figures whose width is wanted; of the run of interest alone, if there is one."""
    kinds = WidthOf.values if sample.width_of == WidthOf.ALL else [sample.width_of]
    return [
        figure.best
        for figure in corrected.figures
        if figure.kind in kinds
        and figure.category == corrected.parameters.category
        and (figure.kind != "mean" or sample.run in ("", figure.run))
    ]


def _why_not_known(corrected: CorrectedFigures, figures: list[Figure]) -> str:
    if corrected.why_not or not figures:
        return corrected.why_not or "The pool has no bias of its queries, so no such figure."
    if any(figure.low is None for figure in figures):
        return "An interval is withheld: draw more queries."
    return ""


def _not_known(sample: DrawnSample, why: str) -> Stopping:
    return _stopping(sample, None, None, f"Whether it is narrow enough is not known yet. {why}")


def _stopping(
    sample: DrawnSample, half_width: float | None, further: int | None, sentence: str
) -> Stopping:
    return Stopping(
        wanted=sample.half_width or 0,
        width_of=sample.width_of,
        half_width=half_width,
        is_met=further == 0,
        further=further,
        sentence=sentence,
    )
