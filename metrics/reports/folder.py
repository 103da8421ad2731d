"""A report as files: same inputs, same bytes, whole or not at all."""

import base64
from collections.abc import Iterable, Mapping
from pathlib import Path

from ..errors import InputError
from ..io.file_kinds import FileKind
from ..io.files import replacing
from ..io.outputs import check_outputs
from .build import Report
from .formats.latex import latex_of, provenance_tex
from .formats.layout import csv_of, json_of, markdown_of
from .formats.pages import render_page
from .plots.figures import render_all

#: The page by which a folder is known as that of a report.
PAGE = "index.html"
_NEW = FileKind("part of a report: the folder has no page of one", lambda _path: False)


def report_files(report: Report) -> dict[str, bytes]:
    """The files of a report by name; each is made in memory, so that a failure writes none."""
    files: dict[str, bytes] = {}
    for table in report.tables:
        files[f"{table.name}.csv"] = csv_of(table).encode()
        files[f"{table.name}.md"] = markdown_of(table).encode()
        files[f"{table.name}.tex"] = latex_of(table).encode()
        files[f"{table.name}.json"] = json_of(table).encode()
    for plot in report.plots:
        files |= {f"{plot.name}.{kind}": drawn for kind, drawn in render_all(plot.figure()).items()}
        files[f"{plot.name}.csv"] = plot.csv().encode()
    files["per_query.csv"] = report.per_query.encode()
    files["provenance.tex"] = provenance_tex(report.facts).encode()
    files[PAGE] = _page(report, files).encode()
    return files


def _page(report: Report, files: Mapping[str, bytes]) -> str:
    """The page; figures are embedded, so that it stands alone."""
    plots = [
        {"plot": plot, "source": _embedded(files[f"{plot.name}.svg"])} for plot in report.plots
    ]
    return render_page("report.html", report=report, plots=plots)


def _embedded(svg: bytes) -> str:
    return f"data:image/svg+xml;base64,{base64.b64encode(svg).decode()}"


def write_report(
    report: Report, output: str | Path, *, inputs: Iterable[str] = (), force: bool = False
) -> list[Path]:
    """Write the report into the folder `output`, which is made if it is missing.

    Raises `InputError` before it writes where a file would replace one of `inputs`, or where,
    without `force`, one exists in a folder that is not that of an earlier report.
    """
    folder = Path(output)
    if folder.exists() and not folder.is_dir():
        raise InputError("is a file, not a folder.", path=folder)
    files = report_files(report)
    force = force or (folder / PAGE).is_file()
    check_outputs([(folder / name, _NEW) for name in files], inputs, force=force)
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        with replacing(folder / name) as temporary:
            temporary.write_bytes(content)
    return [folder / name for name in files]
