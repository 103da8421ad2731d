"""From run files to results: read, join with the scored collection, measure, note the source."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import InputError
from ..measures.base import Qrels
from ..runs.queries import Queries
from ..runs.ranked import magnitudes_in_background
from ..runs.reading import read_run, read_runs
from ..runs.run import Notice, Run
from ..texts.categories import CategorySource
from ..texts.document_numbers import DocumentNumbers
from ..texts.magnitude_store import Magnitudes
from ..vocabulary import Missing, Order, Populations
from .comparability import remarks
from .evaluation import Request, Result, backgrounds_of, depth_of
from .measuring import measure_runs
from .meeting import Met, meet
from .population import Population, asked_for, of_any_run
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
    "population",
    "positive",
)
#: Those of version 1.0, which bundles and releases have: theirs are about the labelled queries.
STORED_COLUMNS = COLUMNS[: COLUMNS.index("population")]


@dataclass(frozen=True, eq=False)
class ScoredRuns:
    """Results in the order runs, measures, magnitudes, cut-offs; and their provenance."""

    results: list[Result]
    notices: tuple[Notice, ...]
    provenance: dict[str, Any]
    columns: tuple[str, ...] = COLUMNS
    of_meeting: Sequence[str] = ()

    def rows(self) -> list[dict[str, object]]:
        """The table of `COLUMNS`."""
        return [result.row() for result in self.results]

    @property
    def remarks(self) -> list[str]:
        """Notices about ids, and about the queries that the results are about."""
        return [*self.of_meeting, *remarks(self.results)]


@dataclass(frozen=True, eq=False)
class OpenRuns:
    """Runs that have been read, and all that measures look at besides judgments.

    `chosen`: the queries to measure; None for those that `metrics.results.population` names.
    `judgments` are written with the ids of the runs, and `remarks` say what was changed for it.
    """

    runs: Sequence[Run]
    magnitudes: Magnitudes | None
    chosen: Population | None = None
    missing: Missing = "error"
    backgrounds: Sequence[Run] = ()
    categories: DocumentNumbers | None = None
    labels: DocumentNumbers | None = None
    judgments: Mapping[str, Qrels | None] = field(default_factory=dict)
    remarks: Sequence[str] = ()

    def measure(
        self, requests: Sequence[Request], judged: tuple[str, ...] | None = None, **others: Any
    ) -> list[Result]:
        """Every request for every run, or over these `judged` queries; see `measure_runs`."""
        return measure_runs(
            self.runs,
            self.magnitudes,
            requests,
            chosen=self.chosen if judged is None else Population("judged", judged),
            missing=self.missing,
            backgrounds=self.backgrounds,
            categories=self.categories,
            labels=self.labels,
            **others,
        )

    def judged(self, qrels: Qrels) -> tuple[str, ...]:
        """The queries with a judgment, of those that were asked for; sorted as text."""
        known = {qid for qid, of_query in qrels.items() if of_query}
        return tuple(sorted(known if self.chosen is None else known.intersection(self.chosen.qids)))

    @property
    def seen(self) -> frozenset[str]:
        """The queries that were asked for; where nobody did, those that any of the runs answers."""
        return frozenset((self.chosen or of_any_run(self.runs)).qids)

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
    on_opened: Callable[[Sequence[Run]], object] = lambda _runs: None,
    **reading: Any,
) -> ScoredRuns:
    """Compute every request for every run; `paths` and `reading` are those of `open_runs`.

    With a `scale_seed` each result has its scale, by random orders of that seed. `on_measured` is
    called after each run has been measured, `on_opened` with the runs before any is.
    """
    is_whole = scale_seed is not None
    judgments = {"qrels": qrels, "passages": passages}
    opened = open_runs(
        paths,
        magnitudes,
        requests,
        queries=queries,
        is_whole=is_whole,
        judgments=judgments,
        **reading,
    )
    on_opened(opened.runs)
    results = opened.measure(
        requests,
        None,
        **opened.judgments,
        scale_seed=scale_seed,
        on_measured=on_measured,
    )
    made_from = opened.provenance(queries)
    return ScoredRuns(results, opened.notices, made_from, of_meeting=opened.remarks)


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
    population: Populations = "default",
    judgments: Mapping[str, Qrels | None] | None = None,
    on_run: Callable[[], object] = lambda: None,
) -> OpenRuns:
    """Read what the requests look at; `paths` maps the name of a run to its file.

    Which queries a figure is about, and what `population` can name, says
    `metrics.results.population`. A background that a request
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
    together = meet(
        runs,
        judgments or {},
        ids=ids,
        magnitudes=magnitudes,
        labels=labels,
        missing=missing,
        depth=depth,
    )
    places = {**paths, **(background_paths or {})}
    return OpenRuns(
        together.runs,
        magnitudes,
        asked_of(together.runs, ids, population),
        missing,
        _read_backgrounds(requests, places, order, ids),
        categories_of(categories, together, requests, ids, missing),
        together.labels,
        together.judgments,
        together.remarks,
    )


def asked_of(
    runs: Sequence[Run], ids: Collection[str] | None, population: Populations
) -> Population | None:
    """The queries that are asked for: `ids`, or by the rule of 1.0 those of any run."""
    return of_any_run(runs) if ids is None and population == "any-run" else asked_for(ids)


def _check_magnitudes(magnitudes: Magnitudes | None, requests: Sequence[Request]) -> None:
    """`InputError` for a measure that needs the scored collection where there is none."""
    for request in requests:
        if magnitudes is None and "magnitudes" in request.measure.needs:
            raise InputError(
                f"{request.label} needs a scored collection.",
                remedy='Give scores="M.parquet" or collection="FILE".',
            )


def categories_of(
    source: CategorySource | None,
    together: Met,
    requests: Sequence[Request],
    ids: Collection[str] | None,
    missing: Missing,
) -> DocumentNumbers | None:
    """The word categories of the documents that measures look at; what is odd is a remark."""
    if source is None:
        return None
    numbers, remark = source.read(_first_documents(together.runs, requests, ids), missing)
    together.remarks += filter(None, [remark])
    return numbers


def _first_documents(
    runs: Sequence[Run], requests: Sequence[Request], ids: Collection[str] | None
) -> set[str]:
    """The documents within the cut-offs of the measures that read word categories.

    Of the queries `ids`, of all where it is None.
    """
    depths = [depth_of([request]) for request in requests if "categories" in request.measure.needs]
    documents: set[str] = set()
    for run in runs if depths else ():
        lengths = np.diff(run.offsets)
        ranks = np.arange(len(run.docnos)) - np.repeat(run.offsets[:-1], lengths)
        is_asked = [ids is None or qid in ids for qid in run.qids]
        is_measured = np.repeat(np.array(is_asked, dtype=bool), lengths)
        rows = np.flatnonzero(is_measured & (ranks < max(depths)))
        documents.update(run.docnos.take(rows).tolist())
    return documents


def ranks_as_trec_eval(requests: Sequence[Request]) -> bool:
    """Effectiveness does, and trec_eval's order of equal scores may reach below a cut-off."""
    return any("qrels" in request.measure.needs for request in requests)


def _read_backgrounds(
    requests: Sequence[Request],
    paths: Mapping[str, str | Path],
    order: Order,
    ids: Collection[str] | None,
) -> list[Run]:
    runs = []
    for name, depth in backgrounds_of(requests).items():
        if name not in paths:
            raise InputError(
                f"there is no run {name!r}, which should be the background.",
                remedy=f"Known: {', '.join([*paths, 'collection'])}.",
            )
        runs.append(read_run(paths[name], name, order, ids, depth))
    return runs
