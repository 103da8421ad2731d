"""Corrected figures as rows and as files: CSV and JSON with all numbers, others to print."""

import math
from dataclasses import dataclass
from typing import Any

from annotation.core.counting import plural
from annotation.core.parameters import parameter
from annotation.labels.queries.corrected import CorrectedFigures, FigureParameters
from metrics.reports.formats.latex import latex_of
from metrics.reports.formats.layout import Column, Table, Value
from metrics.reports.formats.tables import FEWER_DIGITS, to_csv, to_json, to_markdown
from metrics.statistics.few_labels import Figure
from metrics.statistics.pool_figures import PoolFigure
from metrics.vocabulary import INTERVAL

FORMATS = [("csv", "CSV"), ("latex", "LaTeX"), ("md", "Markdown"), ("json", "JSON")]
CONTENT_TYPES = {
    "csv": "text/csv", "latex": "application/x-tex", "md": "text/markdown",
    "json": "application/json",
}  # fmt: skip
ENDINGS = {"latex": "tex"}


@dataclass(frozen=True, kw_only=True)
class FigureFileParameters(FigureParameters):
    """Parameters of figures in a file."""

    layout: str = parameter(
        "csv",
        choices=FORMATS,
        style={"option": "format"},
        label="Format",
        help_text="Format of the file.",
    )


def figure_rows(figures: CorrectedFigures) -> list[dict[str, Any]]:
    """Return the figures as rows; undefined or withheld values are None."""
    return [figure.row() for figure in figures.figures]


def note_in_print(figures: CorrectedFigures) -> str:
    """Notes below a printed table of these figures."""
    sample, target = figures.sample, figures.parameters.target
    if sample is None:
        return ""
    nouns = plural(sample.parent.item_noun)
    whom = "this pool" if target == "pool" else f"{nouns} like those of this pool"
    models = ", ".join(figures.models)
    looks = ", which hold at every look at ever more labels" if figures.every_look else ""
    used = (
        f"corrected: people's labels with the belief of {models}, by prediction-powered "
        "inference for a finite pool. Figures marked * rest on models alone: they have no valid "
        "interval."
        if models
        else "no model's labels were used."
    )
    return (
        f"{INTERVAL}s for {whom}{looks}. {figures.n_labelled:,} of {figures.n_pool:,} {nouns} "
        f"were drawn ({sample.get_design_display().lower()}; seed {sample.seed}) and labelled by "
        f"{'simulated workers, in place of people' if figures.is_simulated else 'people'}; {used}"
    )


def figures_text(figures: CorrectedFigures, layout: str) -> str:
    """Write the table in one of `FORMATS`; printed formats are rounded and have notes."""
    if layout == "csv":
        rows = figure_rows(figures)
        return to_csv(rows, list(rows[0]) if rows else ["figure"])
    if layout == "json":
        return to_json({"why_not": figures.why_not, "rows": figure_rows(figures)})
    columns = ["Figure", "People", "Models alone *", "Corrected", "n", "effective n", "weight"]
    printed = [_printed(figures.name_of(figure), figure, columns) for figure in figures.figures]
    note = figures.why_not or note_in_print(figures)
    if layout == "latex":
        return latex_of(
            Table(
                name="corrected_figures",
                title="Corrected figures of the whole pool.",
                columns=[Column(name, name, digits=2) for name in columns],
                rows=printed,
                notes=[note],
            )
        )
    return f"{to_markdown(printed, columns, digits=FEWER_DIGITS)}\n{note}\n"


def _printed(name: str, figure: PoolFigure, columns: list[str]) -> dict[str, Value]:
    both = figure.corrected
    values: list[Value] = [
        name,
        in_words(figure.people),
        "" if figure.naive is None else f"{figure.naive:.3f} *",
        in_words(both),
        figure.people.n,
        "" if both is None or not math.isfinite(both.effective_n) else round(both.effective_n),
        "" if both is None or math.isnan(both.weight) else round(both.weight, 2),
    ]
    return dict(zip(columns, values, strict=True))


def in_words(figure: Figure | None) -> str:
    """Return a figure with its interval, or say that it is withheld."""
    if figure is None or not math.isfinite(figure.value):
        return ""
    if figure.low is None or figure.high is None:
        return "withheld"
    return f"{figure.value:.3f} [{figure.low:.3f}, {figure.high:.3f}]"
