"""Building a pool from run files: read, measure, rank, take the top of each list."""

import csv
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from pathlib import Path
from typing import Any

from metrics.errors import InputError
from metrics.results.meeting import meet
from metrics.results.provenance import provenance
from metrics.runs import Notice, Order, read_runs
from metrics.runs.queries import Queries
from metrics.runs.ranked import magnitudes_in_background
from metrics.texts.magnitude_store import Magnitudes
from metrics.vocabulary import Missing
from pooling.pool import Pool, pool_of
from pooling.rankings import MeasuredRun, groups_to_pool, measure_runs
from pooling.vocabulary import CUTOFF, MAGNITUDE, RANK_CUTOFF


@dataclass(frozen=True, eq=False)
class BuiltPool:
    """A pool with the texts of its queries, notices about its runs, and its origin.

    `remarks` says which ids the scored collection writes otherwise than the runs.

    `biases` has the RaB of each pooled query in each run where it is defined: `biases[qid][run]`;
    of more than two groups the bias towards each of them, under the name of its list.
    """

    pool: Pool
    texts: dict[str, str]
    biases: dict[str, dict[str, float]]
    summary: dict[str, Any]
    notices: tuple[Notice, ...]
    remarks: tuple[str, ...]
    inputs: dict[str, Any]

    def to_csv(self) -> str:
        """Lines `qid,query,n_lists,best_rank,lists`, sorted by query id as text."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(("qid", "query", "n_lists", "best_rank", "lists"))
        for query in self.pool.queries:
            places = "|".join(map(str, query.places))
            text = self.texts[query.qid]
            writer.writerow((query.qid, text, len(query.places), query.best_rank, places))
        return out.getvalue()


def build_pool(
    paths: Mapping[str, str | Path],
    magnitudes: Magnitudes,
    queries: Queries,
    *,
    groups: Sequence[str] = (),
    cutoff: int = CUTOFF,
    magnitude: str = MAGNITUDE,
    rank_cutoff: int = RANK_CUTOFF,
    order: Order = "default",
    missing: Missing = "error",
    on_run: Callable[[], object] = lambda: None,
) -> BuiltPool:
    """Pool the first `cutoff` queries of the lists of each run, one for each group of words.

    `paths` maps the name of a run to its file. Queries of a run that are not among `queries` are
    ignored before any check. `groups` are those of `groups_to_pool`; the bias that sorts is that
    of `bias_per_query`. Raises `InputError` for what cannot be read, and with file and line for a
    pooled query without text.
    """
    ids = set(queries.ids)
    for name, number in (("cut-off", cutoff), ("rank cut-off", rank_cutoff)):
        if number < 1:
            raise InputError(f"the {name} is {number}.", remedy="Use 1 or more.")
    chosen = groups_to_pool(groups, magnitudes.groups)
    with magnitudes_in_background(magnitudes):
        runs = read_runs(paths, order, ids, rank_cutoff, on_run)
    together = meet(runs, ids=ids, magnitudes=magnitudes, missing=missing, depth=rank_cutoff)
    runs = together.runs
    measured = measure_runs(
        runs,
        magnitudes,
        chosen,
        first=cutoff,
        magnitude=magnitude,
        rank_cutoff=rank_cutoff,
        missing=missing,
    )
    pool = pool_of((ranking for run in measured for ranking in run.lists), cutoff)
    n_in_runs = len(set().union(*(run.qids for run in runs)))
    return BuiltPool(
        pool=pool,
        texts=texts_of((query.qid for query in pool.queries), queries),
        biases=_biases_of(pool, measured),
        summary=pool.summary()
        | {"n_queries": len(queries), "n_queries_missing": len(queries) - n_in_runs},
        notices=tuple(notice for run in runs for notice in run.notices),
        remarks=tuple(together.remarks),
        inputs=provenance(runs, magnitudes, queries, missing),
    )


def _biases_of(pool: Pool, measured: list[MeasuredRun]) -> dict[str, dict[str, float]]:
    biases: dict[str, dict[str, float]] = {query.qid: {} for query in pool.queries}
    for of_run in measured:
        for name, values in of_run.biases.items():
            for qid, bias in zip(of_run.run.qids, values.tolist(), strict=True):
                if qid in biases and not isnan(bias):
                    biases[qid][name] = bias
    return biases


def texts_of(qids: Iterable[str], queries: Queries) -> dict[str, str]:
    """The texts of pooled queries; `InputError` with file and line for one without."""
    texts = {qid: queries.texts[qid] for qid in qids}
    for qid, text in texts.items():
        if not text.strip():
            raise InputError(
                f"the pooled query {qid!r} has no text, so nobody could judge it.",
                path=queries.path,
                line=queries.lines[qid],
                remedy="Write qid<TAB>text.",
            )
    return texts
