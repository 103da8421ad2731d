"""The top documents of each run and query with their counts: enough to compute every bias."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from annotation.bundle.tables import csv_bytes, csv_rows
from metrics.errors import InputError
from metrics.evaluation import Result, evaluate, requests_of
from metrics.measures import Inputs
from metrics.ranked import Ranked
from metrics.runs import Run

#: Ranks that a bundle holds: the largest cut-off of the published tables.
DEPTH = 30
MEASURES = ("RaB", "ARaB")
MAGNITUDES = ("tf", "bool")
CUTOFFS = (5, 10, 20, 30)
_FIXED = ("run", "qid", "rank", "docno", "in_collection", "counts", "n_tokens")


def documents_csv(runs: Sequence[Ranked]) -> bytes:
    """One row per run, query and rank; the groups' counts and log sums follow the fixed columns."""
    groups = runs[0].groups if runs else ()
    header = [*_FIXED, *(f"{group}_{what}" for group in groups for what in ("tc", "tf"))]
    return csv_bytes(header, (row for ranked in runs for row in _rows(ranked)))


def _rows(ranked: Ranked) -> Iterator[list[object]]:
    columns: list[Any] = [ranked.n_tokens]
    for group in ranked.groups:
        columns += [ranked.tc[group], ranked.tf[group]]
    for query, qid in enumerate(ranked.qids):
        length = int(ranked.length[query])
        docnos = ranked.run.docnos.take(ranked.positions[query, :length]).to_pylist()
        numbers = [column[query].tolist() for column in columns]
        for rank in range(length):
            yield [
                ranked.name,
                qid,
                rank + 1,
                docnos[rank],
                int(not ranked.missing[query, rank]),
                int(ranked.present[query, rank]),
                *(column[rank] for column in numbers),
            ]


def ranked_of_csv(content: bytes, name: str, qids: Sequence[str]) -> list[Ranked]:
    """The runs of `documents_csv` for `qids` (sorted as text), in the order of the file."""
    rows = csv_rows(content, name)
    if not rows:
        return []
    groups = tuple(column.removesuffix("_tc") for column in rows[0] if column.endswith("_tc"))
    by_run: dict[str, list[dict[str, str]]] = {}
    for row in rows:
        by_run.setdefault(row.get("run", ""), []).append(row)
    try:
        return [_ranked(run, given, groups, tuple(qids)) for run, given in by_run.items()]
    except (KeyError, ValueError, TypeError, IndexError) as error:
        raise InputError(f"is not a table of documents ({error}).", path=name) from None


def _ranked(
    run: str, rows: list[dict[str, str]], groups: tuple[str, ...], qids: tuple[str, ...]
) -> Ranked:
    place = {qid: index for index, qid in enumerate(qids)}
    rows = [row for row in rows if row["qid"] in place]
    shape = (len(qids), DEPTH)
    at = (
        np.array([place[row["qid"]] for row in rows], dtype=np.int64),
        np.array([int(row["rank"]) - 1 for row in rows], dtype=np.int64),
    )

    def matrix(column: str, kind: type[Any]) -> Any:
        filled = np.zeros(shape, dtype=kind)
        filled[at] = np.array([float(row[column]) for row in rows])
        return filled

    counts = matrix("counts", np.bool_)
    nowhere = np.full(shape, -1, dtype=np.int64)
    return Ranked(
        run=_nameless(run, qids),
        qids=qids,
        groups=groups,
        length=np.bincount(at[0], minlength=len(qids)),
        present=counts,
        missing=_listed(at, shape) & ~matrix("in_collection", np.bool_),
        n_tokens=matrix("n_tokens", np.int32),
        tc={group: matrix(f"{group}_tc", np.int32) for group in groups},
        tf={group: matrix(f"{group}_tf", np.float64) for group in groups},
        positions=nowhere,
        rows=nowhere,
    )


def _listed(at: tuple[Any, Any], shape: tuple[int, int]) -> Any:
    listed = np.zeros(shape, dtype=np.bool_)
    listed[at] = True
    return listed


def _nameless(name: str, qids: tuple[str, ...]) -> Run:
    """A run that only has its name: the counts stand in the matrices."""
    none = np.zeros(0)
    return Run(
        name=name,
        qids=qids,
        offsets=np.zeros(len(qids) + 1, dtype=np.int64),
        docnos=pa.array([], type=pa.string()),
        scores=none,
        ranks=none.astype(np.int64),
        lines=none.astype(np.int64),
    )


def bias_results(runs: Sequence[Ranked]) -> list[Result]:
    """RaB and ARaB of each run at each cut-off, mean and per query."""
    requests = requests_of(MEASURES, MAGNITUDES, CUTOFFS)
    return [result for ranked in runs for result in evaluate(Inputs(ranked), requests)]


def per_query_rows(results: Sequence[Result]) -> Iterator[list[object]]:
    """Run, query, measure, magnitude, cut-off and value; nothing where it is undefined."""
    for result in results:
        for qid, value in zip(result.qids, result.per_query.value.tolist(), strict=True):
            defined = None if np.isnan(value) else value
            yield [result.run, qid, result.measure, result.magnitude, result.cutoff, defined]
