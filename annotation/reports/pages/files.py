"""Tables and figures of a report's page as files, in the formats of the command `report`."""

from collections.abc import Callable, Mapping
from typing import get_args

from annotation.reports.queries.view import ReportView
from metrics.errors import InputError
from metrics.reports.formats.latex import latex_of
from metrics.reports.formats.layout import Table, csv_of, json_of, markdown_of
from metrics.reports.plots.apart import render_apart
from metrics.reports.plots.figures import Format
from metrics.reports.plots.histogram import HistogramPlot
from metrics.reports.plots.plots import LinePlot

#: The formats that a page offers, each with its title.
TABLE_FORMATS = (("tex", "LaTeX"), ("csv", "CSV"), ("md", "Markdown"), ("json", "JSON"))
FIGURE_FORMATS = (("svg", "SVG"), ("pdf", "PDF"), ("png", "PNG"), ("csv", "numbers (CSV)"))

_TABLE_FORMATS: Mapping[str, Callable[[Table], str]] = {
    "tex": latex_of,
    "csv": csv_of,
    "md": markdown_of,
    "json": json_of,
}
_CONTENT_TYPES = {
    "tex": "application/x-tex; charset=utf-8",
    "csv": "text/csv; charset=utf-8",
    "md": "text/markdown; charset=utf-8",
    "json": "application/json",
    "html": "text/html; charset=utf-8",
    "svg": "image/svg+xml",
    "png": "image/png",
    "pdf": "application/pdf",
}


def content_type(name: str) -> str:
    return _CONTENT_TYPES.get(name.rpartition(".")[2], "application/octet-stream")


def part_of(*, view: ReportView, name: str) -> bytes:
    """Return the table or figure `stem` as a file `stem.format`; `InputError` if there is none."""
    stem, _, kind = name.rpartition(".")
    tables = {table.name: table for table in view.tables}
    plots: dict[str, LinePlot | HistogramPlot] = {plot.name: plot for plot in view.plots}
    if stem in tables and kind in _TABLE_FORMATS:
        return _TABLE_FORMATS[kind](tables[stem]).encode()
    if stem in plots and kind == "csv":
        return plots[stem].csv().encode()
    if stem in plots and kind in get_args(Format):
        formats: dict[str, Format] = {file_format: file_format for file_format in get_args(Format)}
        return render_apart(plots[stem], formats[kind])
    raise InputError(f"the report has no part {name!r}.")
