"""The top documents of each run and query with their counts, from which every bias follows."""

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, groupby
from typing import Any, TextIO

import numpy as np

from annotation.reports.bundle.tables import csv_bytes, csv_rows
from metrics.errors import InputError
from metrics.io.strings import strings
from metrics.measures import Inputs
from metrics.measures.sides import sides_of
from metrics.results.evaluation import Result, evaluate, requests_of
from metrics.runs import Run
from metrics.runs.ranked import Ranked
from metrics.vocabulary import CUTOFFS

#: Ranks that a bundle holds.
DEPTH = max(CUTOFFS)
MEASURES = ("RaB", "ARaB")
MAGNITUDES = ("tf", "bool")
#: Limits of recomputing somebody else's bundle.
_MOST_RUNS, _MOST_COUNTS = 200, 200_000
_FIXED = ("run", "qid", "rank", "docno", "in_collection", "counts", "n_tokens")


def check_counts(n_queries: int, n_groups: int) -> None:
    """Raise `InputError` for more measured queries than a bundle's bias is computed again for."""
    if n_queries * (n_groups + 1) > _MOST_COUNTS:
        raise InputError(
            f"the bias of {n_queries:,} queries by {n_groups} groups of words is more than a "
            "bundle has.",
            remedy="Archive the batch, or make batches of fewer queries.",
        )


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
        docnos = ranked.run.docnos.take(ranked.positions[query, :length]).tolist()
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


def csv_rankings(file: TextIO, name: str, qids: Sequence[str]) -> Iterator[Ranked]:
    """The runs of `documents_csv` for `qids` (sorted as text), in the order of the file.

    One run is in memory at a time, so the file must have the rows of each together, as written.
    """
    seen: set[str] = set()
    try:
        for run, rows in groupby(csv_rows(file, name), lambda row: row["run"]):
            if run in seen or len(seen) >= _MOST_RUNS:
                raise InputError(f"there are too many runs: {run!r} is over the limit.", path=name)
            seen.add(run)
            yield _ranked(run, rows, tuple(qids))
    except (KeyError, ValueError, TypeError, IndexError, OverflowError) as error:
        raise InputError(f"is not a table of documents ({error}).", path=name) from None


def _ranked(run: str, rows: Iterator[dict[str, str]], qids: tuple[str, ...]) -> Ranked:
    places = {qid: index for index, qid in enumerate(qids)}
    shape = (len(qids), DEPTH)
    first = next(rows)
    groups = tuple(column.removesuffix("_tc") for column in first if column.endswith("_tc"))
    check_counts(len(qids), len(groups))
    columns: dict[str, Any] = {
        "counts": np.zeros(shape, dtype=np.bool_),
        "in_collection": np.zeros(shape, dtype=np.bool_),
        "n_tokens": np.zeros(shape, dtype=np.int32),
        **{f"{group}_tc": np.zeros(shape, dtype=np.int32) for group in groups},
        **{f"{group}_tf": np.zeros(shape) for group in groups},
    }
    listed = np.zeros(shape, dtype=np.bool_)
    for row in chain([first], rows):
        place, rank = places.get(row["qid"]), int(row["rank"])
        if place is None:
            continue
        if not 1 <= rank <= DEPTH or listed[place, rank - 1]:
            raise ValueError(f"rank {rank} of {row['qid']!r}")
        listed[place, rank - 1] = True
        for column, values in columns.items():
            number = float(row[column])
            if not math.isfinite(number):
                raise ValueError(f"{column} is {number}")
            values[place, rank - 1] = number
    nowhere = np.broadcast_to(np.int64(-1), shape)
    return Ranked(
        run=_nameless(run, qids),
        qids=qids,
        groups=groups,
        length=listed.sum(axis=1),
        present=columns["counts"],
        missing=listed & ~columns["in_collection"],
        lengths=lambda: columns["n_tokens"],
        tc={group: columns[f"{group}_tc"] for group in groups},
        tf={group: columns[f"{group}_tf"] for group in groups},
        positions=nowhere,
        rows=nowhere,
    )


def _nameless(name: str, qids: tuple[str, ...]) -> Run:
    """A run that only has its name: the counts stand in the matrices."""
    none = np.zeros(0)
    return Run(
        name=name,
        qids=qids,
        offsets=np.zeros(len(qids) + 1, dtype=np.int64),
        docnos=strings([]),
        scores=none,
        ranks=none.astype(np.int64),
        lines=none.astype(np.int64),
    )


def bias_results(runs: Sequence[Ranked]) -> list[Result]:
    """RaB and ARaB of each run at each cut-off, mean and per query.

    None of a run whose word list has neither f and m nor only two groups.
    """
    requests = requests_of(MEASURES, MAGNITUDES, CUTOFFS)
    measured = (ranked for ranked in runs if sides_of(ranked.groups))
    return [result for ranked in measured for result in evaluate(Inputs(ranked), requests)]


def per_query_rows(results: Iterable[Result]) -> Iterator[list[object]]:
    """Yield run, query, measure, magnitude, cut-off and value, unless it is undefined."""
    for result in results:
        for qid, value in zip(result.qids, result.per_query.value.tolist(), strict=True):
            defined = None if np.isnan(value) else value
            yield [result.run, qid, result.measure, result.magnitude, result.cutoff, defined]
