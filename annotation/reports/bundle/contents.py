"""The files that a study becomes."""

import importlib.metadata
import json
import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from annotation.reports.bundle import archive, crate
from annotation.reports.bundle.datasheet import datasheet
from annotation.reports.bundle.recompute import recompute_agreement
from annotation.reports.bundle.retrieval import bias_results, documents_csv, per_query_rows
from annotation.reports.bundle.study import StudyBundle
from annotation.reports.bundle.tables import LabelRow, PoolRow, QueryRow, VoteRow, csv_bytes, to_csv
from metrics.results.scored_runs import COLUMNS
from metrics.runs.ranked import Ranked
from metrics.version import VERSION

FORMAT = 1
_SOFTWARE = ("django", "numpy", "scipy", "krippendorff", "pyarrow", "boto3")


def bundle_files(study: StudyBundle) -> dict[str, bytes]:
    """The files of the zip by name; the same study gives the same bytes."""
    agreement = recompute_agreement(study.queries, study.votes, study.parameters)
    files = {
        "queries.csv": to_csv(QueryRow, study.queries),
        "votes.csv": to_csv(VoteRow, study.votes),
        "labels.csv": to_csv(LabelRow, study.labels),
        "agreement.json": _json(agreement),
    }
    if study.pool is not None:
        files["pool.csv"] = to_csv(PoolRow, study.places)
    if study.task_page:
        files["task.html"] = study.task_page.encode()
    if study.codebook is not None:
        files["codebook.json"] = _json(study.codebook)
    if study.runs:
        files |= _files_of_the_runs(study)
    files["README.md"] = datasheet(study, agreement).encode()
    files[crate.NAME] = _json(crate.crate(study, files, archive.MANIFEST))
    files[archive.MANIFEST] = _json(_manifest(study, files))
    return files


def _files_of_the_runs(study: StudyBundle) -> dict[str, bytes]:
    qids = tuple(sorted(row.qid for row in study.labels if row.label == "n"))
    results = bias_results([restricted(ranked, qids) for ranked in study.runs])
    rows = [result.row() for result in results]
    return {
        "documents.csv": documents_csv(study.runs),
        "bias.csv": csv_bytes(COLUMNS, ([row[name] for name in COLUMNS] for row in rows)),
        "figures/bias_per_query.csv": csv_bytes(
            ("run", "qid", "measure", "magnitude", "cutoff", "value"), per_query_rows(results)
        ),
    }


def _manifest(study: StudyBundle, files: Mapping[str, bytes]) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "fairpool": VERSION,
        "batch": study.name,
        "parameters": asdict(study.parameters),
        "terms": dict(study.terms),
        "pool": study.pool,
        "retrieval": dict(study.retrieval),
        "software": {
            "python": platform.python_version(),
            **{name: importlib.metadata.version(name) for name in _SOFTWARE},
        },
        "files": {name: archive.sha256(files[name]) for name in sorted(files)},
    }


def restricted(ranked: Ranked, qids: Sequence[str]) -> Ranked:
    """The same run for some of its queries (sorted as text)."""
    place = {qid: index for index, qid in enumerate(ranked.qids)}
    rows = [place[qid] for qid in qids]
    return Ranked(
        run=ranked.run,
        qids=tuple(qids),
        groups=ranked.groups,
        length=ranked.length[rows],
        present=ranked.present[rows],
        missing=ranked.missing[rows],
        n_tokens=ranked.n_tokens[rows],
        tc={group: matrix[rows] for group, matrix in ranked.tc.items()},
        tf={group: matrix[rows] for group, matrix in ranked.tf.items()},
        positions=ranked.positions[rows],
        rows=ranked.rows[rows],
    )


def _json(value: object) -> bytes:
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=2, sort_keys=True)
    return f"{text}\n".encode()
