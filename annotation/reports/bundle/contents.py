"""The files of a study's bundle."""

import importlib.metadata
import json
import platform
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from annotation.reports.bundle import archive, corrected, crate
from annotation.reports.bundle.batch import TEXTS
from annotation.reports.bundle.datasheet import datasheet
from annotation.reports.bundle.parts import check_model_labels
from annotation.reports.bundle.retrieval import (
    bias_results,
    check_counts,
    documents_csv,
    per_query_rows,
)
from annotation.reports.bundle.study import (
    BatchBundle,
    ModelBundle,
    NamedFile,
    PoolBundle,
    ReportBundle,
    StudyBundle,
)
from annotation.reports.bundle.tables import (
    ModelLabelRow,
    PassageRow,
    PoolRow,
    QueryRow,
    TextRow,
    csv_bytes,
    to_csv,
)
from annotation.reports.bundle.votes import SCHEME
from metrics.results.evaluation import Result
from metrics.results.scored_runs import STORED_COLUMNS
from metrics.runs.ranked import Ranked
from metrics.version import VERSION

_SOFTWARE = ("django", "numpy", "scipy", "krippendorff", "pyarrow", "boto3")

Files = dict[str, bytes | Path]


def write_bundle(path: str | Path, study: StudyBundle) -> list[str]:
    """Write the zip, whole or not at all; return the names of its files.

    `InputError` if it is larger than a site reads.
    """
    files = bundle_files(study)
    archive.write_archive(path, files)
    with archive.open_archive(path) as bundle:
        for kind in ("pools", "batches", "models", "reports"):
            bundle.folders(kind)
    return sorted(files)


def bundle_files(study: StudyBundle) -> Files:
    """The files of the zip by name; the same study gives the same bytes."""
    check_model_labels(sum(len(model.labels) for model in study.models))
    figures = _corrected(study)
    pools = {pool.name: f"pools/{number}" for number, pool in enumerate(study.pools, 1)}
    files = _within("pools", map(_pool_files, study.pools))
    files |= _within(
        "batches",
        (
            _batch_files(batch, pools.get(batch.pool, ""), batch_figures)
            for batch, batch_figures in zip(study.batches, figures, strict=True)
        ),
    )
    files |= _within("models", map(_model_files, study.models))
    files |= _within("reports", map(_report_files, study.reports))
    files |= {place: file.path for file, place in _included(study) if file.path}
    files["README.md"] = datasheet(study, figures).encode()
    files[crate.NAME] = _json(crate.crate(study, files, archive.MANIFEST))
    files[archive.MANIFEST] = _json(_manifest(study, files))
    return files


def _corrected(study: StudyBundle) -> list[dict[str, Any] | None]:
    """The corrected figures of each batch; None where it has none."""
    pools = {pool.name: pool for pool in study.pools}
    decided = [
        corrected.DecidedBatch(
            batch.pool, batch.parameters.suggested_by, batch.scheme, batch.decisions
        )
        for batch in study.batches
    ]
    return [corrected.corrected_figures(batch, pools, decided, study.models) for batch in decided]


def _within(kind: str, parts: Iterable[Files]) -> Files:
    return {
        f"{kind}/{number}/{name}": content
        for number, files in enumerate(parts, 1)
        for name, content in files.items()
    }


def _pool_files(pool: PoolBundle) -> Files:
    files: Files = {
        "pool.json": _json({"name": pool.name, **pool.terms}),
        "queries.csv": to_csv(QueryRow, pool.queries),
        "pool.csv": to_csv(PoolRow, pool.places),
    }
    if pool.of_pairs:
        files["passages.csv"] = to_csv(PassageRow, pool.passages)
    return files


def _model_files(model: ModelBundle) -> Files:
    return {
        "model.json": _json({"name": model.name, **model.terms}),
        "model_labels.csv": to_csv(ModelLabelRow, model.labels),
    }


def _batch_files(batch: BatchBundle, pool: str, figures: Mapping[str, Any] | None) -> Files:
    files: Files = {
        "batch.json": _json(
            {
                "name": batch.name,
                "parameters": batch.parameters.as_dict(),
                "terms": dict(batch.terms),
                "pool": pool,
                "places": dict(batch.places),
                "votes": dict(batch.vote_states),
                "labels_out_of_date": batch.outdated,
                "retrieval": dict(batch.retrieval),
            }
        ),
        "queries.csv": to_csv(QueryRow, batch.queries),
        "agreement.json": _json(batch.agreement),
        **batch.files(),
    }
    if batch.texts:
        files[TEXTS] = to_csv(TextRow, batch.texts)
    if figures is not None:
        files[corrected.NAME] = _json(figures)
    if batch.task_page:
        files["task.html"] = batch.task_page.encode()
    if batch.is_scheme_known:
        files[SCHEME] = _json(batch.scheme.as_json())
    return files | (_files_of_the_runs(batch) if batch.runs else {})


def measured_bias(batch: BatchBundle) -> list[Result]:
    """The bias of the batch's runs over the subset of its scheme."""
    measured = batch.measured
    return list(bias_results([restricted(ranked, measured) for ranked in batch.runs]))


def _files_of_the_runs(batch: BatchBundle) -> Files:
    check_counts(len(batch.measured), max(len(run.groups) for run in batch.runs))
    results = measured_bias(batch)
    rows = [result.row() for result in results]
    return {
        "documents.csv": documents_csv(batch.runs),
        "bias.csv": csv_bytes(
            STORED_COLUMNS, ([row[name] for name in STORED_COLUMNS] for row in rows)
        ),
        "figures/bias_per_query.csv": csv_bytes(
            ("run", "qid", "measure", "magnitude", "cutoff", "value"), per_query_rows(results)
        ),
    }


def _report_files(report: ReportBundle) -> Files:
    described = {
        "name": report.name,
        "request": report.request,
        "inputs": report.inputs,
        "labels_digest": report.labels_digest,
        "summary": report.summary,
    }
    return {"report.json": _json(described), **report.files}


def _included(study: StudyBundle) -> Iterator[tuple[NamedFile, str]]:
    """Return every file of the study, with its place in the bundle, or "" if left out."""
    for number, file in enumerate(study.files, 1):
        yield file, f"files/{number}/{file.filename}" if file.path else ""


def _manifest(study: StudyBundle, files: Files) -> dict[str, Any]:
    return {
        "format": archive.FORMAT,
        "conventions": archive.CONVENTIONS,
        "fairpool": VERSION,
        "study": {"name": study.name, "description": study.description},
        "inputs": [{**asdict(file), "path": place or None} for file, place in _included(study)],
        "software": {
            "python": platform.python_version(),
            **{name: importlib.metadata.version(name) for name in _SOFTWARE},
        },
        "files": {name: archive.content_sha256(files[name]) for name in sorted(files)},
    }


def restricted(ranked: Ranked, qids: Sequence[str]) -> Ranked:
    """Restrict the run to some of its queries (sorted as text)."""
    place = {qid: index for index, qid in enumerate(ranked.qids)}
    rows = [place[qid] for qid in qids]
    return Ranked(
        run=ranked.run,
        qids=tuple(qids),
        groups=ranked.groups,
        length=ranked.length[rows],
        present=ranked.present[rows],
        missing=ranked.missing[rows],
        lengths=lambda: ranked.n_tokens[rows],
        tc={group: matrix[rows] for group, matrix in ranked.tc.items()},
        tf={group: matrix[rows] for group, matrix in ranked.tf.items()},
        positions=ranked.positions[rows],
        rows=ranked.rows[rows],
    )


def _json(value: object) -> bytes:
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=2, sort_keys=True)
    return f"{text}\n".encode()
