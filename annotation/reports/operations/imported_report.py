"""The bias reports of a bundle, as they were published."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import orjson

from annotation.core.parameters import read_parameters
from annotation.models import Batch, Study, StudyReport
from annotation.reports.bundle.archive import open_archive
from annotation.reports.bundle.read import ReadReport
from annotation.reports.operations.reports import create_report, store_report
from annotation.reports.operations.request import ReportRequest
from annotation.reports.queries.choice import ReportChoice
from annotation.reports.queries.comparison import BiasByMethod
from annotation.reports.queries.label_uncertainty import NO_UNCERTAINTY, UncertainBias
from annotation.reports.queries.reports import FOLDER, STATISTICS, VALUES
from annotation.reports.queries.view import ReportView
from annotation.studies.file_store import workplace
from annotation.vocabulary import LONGEST_ID
from metrics.errors import InputError
from metrics.extras import need
from metrics.reports.folder import PAGE
from metrics.reports.tables.sensitivity import BiasUnder
from metrics.results.stored import open_results
from metrics.statistics.power import Power
from metrics.statistics.significance import Comparison, Interval

#: A study has 50,000 queries at most; a report some thousand results.
_MOST_QUERIES, _MOST_VALUES = 60_000, 50_000_000
_MOST_METADATA = 1 << 21
_MOST_STATISTICS = 1 << 24


def store_published_report(
    *,
    read: ReadReport,
    study: Study,
    batches: Mapping[str, Batch],
    actor: str,
    stored: Callable[[StudyReport], object],
) -> None:
    """Store a report of a bundle with its files, once they are safe to show.

    `batches` are those of the bundle by their names in it; `stored` is called once the files of the
    report are in the storage.
    """
    described = read.described
    request_values = dict(described["request"])
    for kind in ("batches", "judgments"):
        request_values[kind] = [batches[name].pk for name in request_values.get(kind, ())]
    judges = study.model_raters.filter(name__in=request_values.get("judges", ()))
    request_values["judges"] = list(judges.values_list("pk", flat=True))
    request: ReportRequest = read_parameters(ReportRequest, request_values)
    name = str(described["name"])
    with workplace() as folder:
        for file in (FOLDER, VALUES, STATISTICS):
            read.folder.extract(file, folder / file)
        _check_folder(folder / FOLDER)
        _check_values(folder / VALUES)
        _check_statistics(folder / STATISTICS)
        report = create_report(study=study, request=request, actor=actor, name=name)
        inputs = {
            "files": [_named(file) for file in described["inputs"]["files"]],
            "batches": [str(name) for name in described["inputs"]["batches"]],
        }
        inputs |= {
            name: [str(value) for value in described["inputs"][name]]
            for name in ("judgments", "judges")
            if name in described["inputs"]
        }
        if "judged_by" in described["inputs"]:
            inputs["judged_by"] = str(described["inputs"]["judged_by"])
        summary = {
            "n_queries": int(described["summary"]["n_queries"]),
            "notices": [str(notice) for notice in described["summary"]["notices"]],
            "labels_digest": str(described["labels_digest"]),
        }
        store_report(report, folder, inputs, summary)
    stored(report)
    _check_shown(report)


def _named(file: Mapping[str, Any]) -> dict[str, str]:
    return {name: str(file[name]) for name in ("kind", "name", "digest")}


def _check_folder(path: Path) -> None:
    """Check the folder, whose files are downloaded one by one, by name."""
    with open_archive(path, needed=PAGE) as folder:
        if any("/" in name for name in folder.names):
            raise InputError("has folders, which a report cannot have.", path=FOLDER)


def _check_values(path: Path) -> None:
    """Bound the sizes before reading: a small Parquet file can unpack to gigabytes."""
    try:
        with need("pyarrow.parquet").ParquetFile(path, read_dictionary=["qid"]) as file:
            known, n_results = file.metadata, file.num_row_groups
            n_bytes = sum(len(text) for text in (known.metadata or {}).values())
            sizes = {known.row_group(number).num_rows for number in range(n_results)}
            if (
                n_bytes > _MOST_METADATA
                or known.num_rows > _MOST_VALUES
                or len(sizes) > 1
                or max(sizes, default=0) > _MOST_QUERIES
            ):
                raise InputError("is larger than any report, or is not a report.", path=VALUES)
            first = file.read_row_groups([0] if n_results else [], columns=["qid"]).column(0)
            qids = [qid.as_py() for chunk in first.chunks for qid in chunk.dictionary]
    except (need("pyarrow").ArrowException, OSError) as error:
        raise InputError(f"is damaged ({error}).", path=VALUES) from error
    if max(map(len, qids), default=0) > LONGEST_ID:
        raise InputError("has longer ids of queries than a study can have.", path=VALUES)
    if len(open_results(path).keys) != n_results:
        raise InputError("has other results than it states.", path=VALUES)


def _check_statistics(path: Path) -> None:
    """Check that the statistics are what making a report writes, and nothing else."""
    if path.stat().st_size > _MOST_STATISTICS:
        raise InputError("is larger than in any report.", path=STATISTICS)
    statistics = orjson.loads(path.read_bytes())
    views, labels = statistics["views"], statistics["labels"]
    uncertainty = statistics.get("label_uncertainty", NO_UNCERTAINTY)
    rows = [
        *(Interval(**interval) for view in views for interval in view["intervals"].values()),
        *(Interval(**interval) for view in views for interval in view.get("weighted", {}).values()),
        *(Comparison(**pair) for view in views for pair in view["pairs"]),
        *(Power(**power) for view in views for power in view.get("power", ())),
        *(BiasByMethod(**bias) for bias in labels["bias"]),
        *(BiasUnder(**bias) for bias in statistics.get("sensitivity", ())),
        *(UncertainBias(**bias) for bias in uncertainty["rows"]),
    ]
    values = [value for row in rows for value in vars(row).values()]
    judged = statistics.get("judged", {"rows": [], "notes": []})
    values += [value for row in judged["rows"] for value in row.values()] + judged["notes"]
    values += [view[name] for view in views for name in ("measure", "magnitude", "cutoff")]
    values += [count for counts in labels["sets"].values() for count in counts.values()]
    values += [text for fact in statistics["facts"] for text in fact] + statistics["remarks"]
    values += [uncertainty["reason"], statistics.get("drawn_from", "")]
    counts = [bias["n_workers"] for bias in uncertainty["rows"]]
    if not all(isinstance(count, int) for count in counts) or not all(
        value is None or isinstance(value, str | int | float) for value in values
    ):
        raise InputError("has values that a report cannot have.", path=STATISTICS)


def _check_shown(report: StudyReport) -> None:
    """Render the page of the report once, so that its faults show at the import."""
    view = ReportView(report, ReportChoice())
    if not (view.tables and view.plots and view.findings is not None):
        raise InputError("has nothing to show.", path=VALUES)
