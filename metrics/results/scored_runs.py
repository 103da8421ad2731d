"""From run files to results: read, join with the scored collection, measure, and say from what."""

import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import InputError
from ..measures.base import Inputs, Qrels
from ..runs.queries import Queries
from ..runs.ranked import join, magnitudes_in_background
from ..runs.reading import read_run, read_runs
from ..runs.run import Notice, Run
from ..texts.categories import CategorySource
from ..texts.document_numbers import DocumentNumbers
from ..texts.magnitude_store import Magnitudes
from ..vocabulary import Missing, Order
from .evaluation import Request, Result, backgrounds_of, depth_of, evaluate
from .provenance import provenance

COLUMNS = (
    "run",
    "measure",
    "magnitude",
    "cutoff",
    "value",
    "n_queries",
    "n_queries_missing",
    "n_docs_missing",
)


@dataclass(frozen=True, eq=False)
class ScoredRuns:
    """Results in the order runs, measures, magnitudes, cut-offs; and what they were made from."""

    results: list[Result]
    notices: tuple[Notice, ...]
    provenance: dict[str, Any]

    def rows(self) -> list[dict[str, object]]:
        """The table of `COLUMNS`."""
        return [result.row() for result in self.results]


def score_runs(
    paths: Mapping[str, str | Path],
    magnitudes: Magnitudes | None,
    requests: Sequence[Request],
    *,
    queries: Queries | None = None,
    order: Order = "default",
    missing: Missing = "error",
    qrels: Qrels | None = None,
    background_paths: Mapping[str, str | Path] | None = None,
    categories: CategorySource | None = None,
    labels: DocumentNumbers | None = None,
    on_run: Callable[[], object] = lambda: None,
    on_measured: Callable[[], object] = lambda: None,
) -> ScoredRuns:
    """Compute every request for every run; `paths` maps the name of a run to its file.

    Without `queries`, the queries are those that any of the runs has. A background that a request
    names is looked for among `background_paths` and then among `paths`. `categories` and `labels`
    are what LIWC and the measures of labelled documents read; `magnitudes` may be None where no
    measure needs the scored collection. `on_run` is called after each run has been read,
    `on_measured` after each has been measured.
    """
    _check_magnitudes(magnitudes, requests)
    ids = None if queries is None else set(queries.ids)
    with magnitudes_in_background(magnitudes):
        runs = read_runs(
            paths, order, ids, depth_of(requests), on_run, ties=_ranks_as_trec_eval(requests)
        )
    qids = tuple(sorted(ids if ids is not None else {qid for run in runs for qid in run.qids}))
    places = {**paths, **(background_paths or {})}
    backgrounds = _read_backgrounds(requests, places, order, qids)
    percentages = (
        None
        if categories is None
        else categories.read(first_documents(runs, requests, qids), missing)
    )
    return ScoredRuns(
        measure_runs(
            runs,
            magnitudes,
            requests,
            qids=qids,
            missing=missing,
            qrels=qrels,
            backgrounds=backgrounds,
            categories=percentages,
            labels=labels,
            on_measured=on_measured,
        ),
        tuple(notice for run in (*runs, *backgrounds) for notice in run.notices),
        provenance(
            runs,
            magnitudes,
            queries,
            missing,
            backgrounds,
            others={"categories": percentages, "labels": labels},
        ),
    )


def measure_runs(
    runs: Sequence[Run],
    magnitudes: Magnitudes | None,
    requests: Sequence[Request],
    *,
    qids: tuple[str, ...],
    missing: Missing = "error",
    qrels: Qrels | None = None,
    backgrounds: Sequence[Run] = (),
    categories: DocumentNumbers | None = None,
    labels: DocumentNumbers | None = None,
    on_measured: Callable[[], object] = lambda: None,
) -> list[Result]:
    """Every request for every run that has been read, over the queries `qids`, sorted as text."""
    joined = {run.name: join(run, magnitudes, _longest(run), missing, qids) for run in backgrounds}

    def measured(run: Run) -> list[Result]:
        # No list goes further, so that no cut-off decides how much memory is taken.
        depth = min(depth_of(requests), _longest(run))
        ranked = join(run, magnitudes, depth, _rule(requests, missing), qids)
        inputs = Inputs(ranked, magnitudes, joined, qrels or {}, categories, labels)
        return evaluate(inputs, requests)

    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        results = []
        for of_run in pool.map(measured, runs):
            results += of_run
            on_measured()
        return results


def _check_magnitudes(magnitudes: Magnitudes | None, requests: Sequence[Request]) -> None:
    """`InputError` for a measure that needs the scored collection where there is none."""
    for request in requests:
        if magnitudes is None and "magnitudes" in request.measure.definition.needs:
            raise InputError(
                f"{request.label} needs a scored collection.",
                remedy='Give scores="M.parquet" or collection="FILE".',
            )


def first_documents(
    runs: Sequence[Run], requests: Sequence[Request], qids: Sequence[str]
) -> set[str]:
    """The documents within the cut-offs of the measures that read word categories."""
    depths = [
        depth_of([request])
        for request in requests
        if "categories" in request.measure.definition.needs
    ]
    documents: set[str] = set()
    for run in runs if depths else ():
        lengths = np.diff(run.offsets)
        ranks = np.arange(len(run.docnos)) - np.repeat(run.offsets[:-1], lengths)
        is_measured = np.repeat(np.isin(run.qids, qids), lengths)
        rows = np.flatnonzero(is_measured & (ranks < max(depths)))
        documents.update(run.docnos.take(rows).tolist())
    return documents


def _ranks_as_trec_eval(requests: Sequence[Request]) -> bool:
    """Effectiveness does, and trec_eval's order of equal scores may reach below a cut-off."""
    return any("qrels" in request.measure.definition.needs for request in requests)


def _rule(requests: Sequence[Request], missing: Missing) -> Missing:
    """Where no measure looks at texts, no document can be missing."""
    looks = any("magnitudes" in request.measure.definition.needs for request in requests)
    return missing if looks else "zero"


def _read_backgrounds(
    requests: Sequence[Request],
    paths: Mapping[str, str | Path],
    order: Order,
    qids: tuple[str, ...],
) -> list[Run]:
    runs = []
    for name, depth in backgrounds_of(requests).items():
        if name not in paths:
            raise InputError(
                f"no run is named {name!r}, which is asked for as the background.",
                remedy=f"Known: {', '.join([*paths, 'collection'])}.",
            )
        runs.append(read_run(paths[name], name, order, set(qids), depth))
    return runs


def _longest(run: Run) -> int:
    return int(np.diff(run.offsets).max(initial=1))
