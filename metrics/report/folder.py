"""A report as files: same inputs, same bytes, whole or not at all."""

import base64
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from metrics.errors import InputError
from metrics.figures import FORMATS, render
from metrics.files import replacing
from metrics.report.build import Report
from metrics.report.latex import latex_of
from metrics.report.layout import csv_of, json_of, markdown_of

# Fills in the page: takes what `page_context` gives.
Page = Callable[[Mapping[str, Any]], str]


def report_files(report: Report, page: Page) -> dict[str, bytes]:
    """The files of a report by name; each is made in memory, so that a failure writes none."""
    files: dict[str, bytes] = {}
    for table in report.tables:
        files[f"{table.name}.csv"] = csv_of(table).encode()
        files[f"{table.name}.md"] = markdown_of(table).encode()
        files[f"{table.name}.tex"] = latex_of(table).encode()
        files[f"{table.name}.json"] = json_of(table).encode()
    for plot in report.plots:
        figure = plot.figure()
        files |= {f"{plot.name}.{kind}": render(figure, kind) for kind in FORMATS}
        files[f"{plot.name}.csv"] = plot.csv().encode()
    files["per_query.csv"] = report.per_query.encode()
    files["index.html"] = page(page_context(report, files)).encode()
    return files


def page_context(report: Report, files: Mapping[str, bytes]) -> dict[str, Any]:
    """What the page shows; figures are embedded, so that the page stands alone."""
    return {
        "report": report,
        "plots": [
            {"plot": plot, "source": _embedded(files[f"{plot.name}.svg"])} for plot in report.plots
        ],
    }


def _embedded(svg: bytes) -> str:
    return f"data:image/svg+xml;base64,{base64.b64encode(svg).decode()}"


def write_report(report: Report, output: str | Path, page: Page) -> list[Path]:
    """Write the report into the folder `output`, which is made if it is missing."""
    folder = Path(output)
    if folder.exists() and not folder.is_dir():
        raise InputError("is a file, not a folder.", path=folder)
    files = report_files(report, page)
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        with replacing(folder / name) as temporary:
            temporary.write_bytes(content)
    return [folder / name for name in files]
