"""From run files to results: read, join with the scored collection, measure, note the source."""

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
from .evaluation import Request, Result, backgrounds_of, depth_of, evaluate, with_scale
from .provenance import provenance
from .scale import ORDERS_DRAWN, shuffled

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
    """Results in the order runs, measures, magnitudes, cut-offs; and their provenance."""

    results: list[Result]
    notices: tuple[Notice, ...]
    provenance: dict[str, Any]
    columns: tuple[str, ...] = COLUMNS

    def rows(self) -> list[dict[str, object]]:
        """The table of `COLUMNS`."""
        return [result.row() for result in self.results]


@dataclass(frozen=True, eq=False)
class OpenRuns:
    """Runs that have been read, and all that measures look at besides judgments.

    `qids`: the queries to measure, sorted as text.
    """

    runs: Sequence[Run]
    magnitudes: Magnitudes | None
    qids: tuple[str, ...]
    missing: Missing = "error"
    backgrounds: Sequence[Run] = ()
    categories: DocumentNumbers | None = None
    labels: DocumentNumbers | None = None

    def measure(
        self, requests: Sequence[Request], qids: tuple[str, ...] | None = None, **others: Any
    ) -> list[Result]:
        """Every request for every run, over all its queries or `qids`; see `measure_runs`."""
        return measure_runs(
            self.runs,
            self.magnitudes,
            requests,
            qids=self.qids if qids is None else qids,
            missing=self.missing,
            backgrounds=self.backgrounds,
            categories=self.categories,
            labels=self.labels,
            **others,
        )

    @property
    def notices(self) -> tuple[Notice, ...]:
        """Anomalies of the runs."""
        return tuple(notice for run in (*self.runs, *self.backgrounds) for notice in run.notices)

    def provenance(self, queries: Queries | None) -> dict[str, Any]:
        """The files that results are made from."""
        return provenance(
            self.runs,
            self.magnitudes,
            queries,
            self.missing,
            self.backgrounds,
            others={"categories": self.categories, "labels": self.labels},
        )


def score_runs(
    paths: Mapping[str, str | Path],
    magnitudes: Magnitudes | None,
    requests: Sequence[Request],
    *,
    queries: Queries | None = None,
    qrels: Qrels | None = None,
    passages: Qrels | None = None,
    scale_seed: int | None = None,
    on_measured: Callable[[], object] = lambda: None,
    **reading: Any,
) -> ScoredRuns:
    """Compute every request for every run; `paths` and `reading` are those of `open_runs`.

    With a `scale_seed` each result has its scale, by random orders of that seed. `on_measured` is
    called after each run has been measured.
    """
    is_whole = scale_seed is not None
    opened = open_runs(paths, magnitudes, requests, queries=queries, is_whole=is_whole, **reading)
    results = opened.measure(
        requests,
        qrels=qrels,
        passages=passages,
        scale_seed=scale_seed,
        on_measured=on_measured,
    )
    return ScoredRuns(results, opened.notices, opened.provenance(queries))


def open_runs(
    paths: Mapping[str, str | Path],
    magnitudes: Magnitudes | None,
    requests: Sequence[Request],
    *,
    queries: Queries | None = None,
    order: Order = "default",
    missing: Missing = "error",
    background_paths: Mapping[str, str | Path] | None = None,
    categories: CategorySource | None = None,
    labels: DocumentNumbers | None = None,
    is_whole: bool = False,
    on_run: Callable[[], object] = lambda: None,
) -> OpenRuns:
    """Read what the requests look at; `paths` maps the name of a run to its file.

    Without `queries`, the queries are those that any of the runs has. A background that a request
    names is looked for among `background_paths` and then among `paths`. `categories` and `labels`
    are what LIWC and the measures of labelled documents read; `magnitudes` may be None where no
    measure needs the scored collection. Lists are read down to the largest cut-off, or, where
    `is_whole`, to their ends. `on_run` is called after each run has been read.
    """
    _check_magnitudes(magnitudes, requests)
    ids = None if queries is None else set(queries.ids)
    depth = None if is_whole else depth_of(requests)
    with magnitudes_in_background(magnitudes):
        runs = read_runs(paths, order, ids, depth, on_run, ties=ranks_as_trec_eval(requests))
    qids = tuple(sorted(ids if ids is not None else {qid for run in runs for qid in run.qids}))
    places = {**paths, **(background_paths or {})}
    return OpenRuns(
        runs,
        magnitudes,
        qids,
        missing,
        _read_backgrounds(requests, places, order, qids),
        None
        if categories is None
        else categories.read(first_documents(runs, requests, qids), missing),
        labels,
    )


def measure_runs(
    runs: Sequence[Run],
    magnitudes: Magnitudes | None,
    requests: Sequence[Request],
    *,
    qids: tuple[str, ...],
    missing: Missing = "error",
    qrels: Qrels | None = None,
    passages: Qrels | None = None,
    backgrounds: Sequence[Run] = (),
    categories: DocumentNumbers | None = None,
    labels: DocumentNumbers | None = None,
    scale_seed: int | None = None,
    on_measured: Callable[[], object] = lambda: None,
) -> list[Result]:
    """Every request for every run that has been read, over the queries `qids`, sorted as text."""
    joined = {run.name: join(run, magnitudes, _longest(run), missing, qids) for run in backgrounds}

    rule = _rule(requests, missing)

    def inputs_of(run: Run, rule: Missing) -> Inputs:
        # No list goes further, so that no cut-off decides how much memory is taken.
        depth = min(depth_of(requests), _longest(run))
        ranked = join(run, magnitudes, depth, rule, qids)
        return Inputs(ranked, magnitudes, joined, qrels or {}, categories, labels, passages or {})

    def measured(run: Run) -> list[Result]:
        inputs = inputs_of(run, rule)
        results = evaluate(inputs, requests)
        if scale_seed is None:
            return results
        # Documents below the cut-off that nobody scored are no error of the run's.
        drawn = [
            inputs_of(shuffled(run, (scale_seed, draw)), "skip" if rule == "error" else rule)
            for draw in range(ORDERS_DRAWN)
        ]
        return with_scale(results, inputs, requests, drawn)

    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        results = []
        for of_run in pool.map(measured, runs):
            results += of_run
            on_measured()
        return results


def _check_magnitudes(magnitudes: Magnitudes | None, requests: Sequence[Request]) -> None:
    """`InputError` for a measure that needs the scored collection where there is none."""
    for request in requests:
        if magnitudes is None and "magnitudes" in request.measure.needs:
            raise InputError(
                f"{request.label} needs a scored collection.",
                remedy='Give scores="M.parquet" or collection="FILE".',
            )


def first_documents(
    runs: Sequence[Run], requests: Sequence[Request], qids: Sequence[str]
) -> set[str]:
    """The documents within the cut-offs of the measures that read word categories."""
    depths = [depth_of([request]) for request in requests if "categories" in request.measure.needs]
    documents: set[str] = set()
    for run in runs if depths else ():
        lengths = np.diff(run.offsets)
        ranks = np.arange(len(run.docnos)) - np.repeat(run.offsets[:-1], lengths)
        is_measured = np.repeat(np.isin(run.qids, qids), lengths)
        rows = np.flatnonzero(is_measured & (ranks < max(depths)))
        documents.update(run.docnos.take(rows).tolist())
    return documents


def ranks_as_trec_eval(requests: Sequence[Request]) -> bool:
    """Effectiveness does, and trec_eval's order of equal scores may reach below a cut-off."""
    return any("qrels" in request.measure.needs for request in requests)


def _rule(requests: Sequence[Request], missing: Missing) -> Missing:
    """Where no measure looks at texts, no document can be missing."""
    looks = any("magnitudes" in request.measure.needs for request in requests)
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
