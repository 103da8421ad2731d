"""From runs to a data frame in one call, for notebooks."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .errors import InputError
from .extras import need
from .measures.base import Qrels
from .results.evaluation import Request, Result, backgrounds_of, requests_of
from .results.scored_runs import COLUMNS, first_documents, measure_runs
from .runs import Run, read_run
from .runs.qrels import read_qrels
from .runs.queries import Queries, read_queries
from .texts.categories import CategorySource, read_categories
from .texts.document_numbers import DocumentNumbers
from .texts.in_memory import load_magnitudes
from .texts.labels import labels_of, read_labels
from .texts.lexicon import Lexicon
from .vocabulary import CUTOFFS, Missing, Order, Tokenizer

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

_KEYS = ["measure", "magnitude", "cutoff"]
_BIAS = ("RaB", "ARaB")


def evaluate(
    runs: Mapping[str, Any] | Iterable[Run],
    measures: Iterable[str] = _BIAS,
    magnitudes: Any = None,
    *,
    magnitude: Iterable[str] | None = None,
    cutoffs: Iterable[int] = CUTOFFS,
    queries: str | Path | Queries | Iterable[str] | None = None,
    qrels: str | Path | Qrels | None = None,
    background: str | None = None,
    order: Order = "default",
    missing: Missing = "error",
    lexicon: Lexicon | None = None,
    tokenizer: Tokenizer = "word",
    labels: str | Path | Mapping[str, str | Mapping[str, float]] | None = None,
    liwc: str | Path | None = None,
    collection: str | Path | Mapping[str, str] | None = None,
    per_query: bool = False,
) -> "pd.DataFrame":
    """Measure runs on a scored collection: a data frame, one row per value.

    `runs` maps names to runs; a run is a file in TREC format, a data frame (see `Run.from_frame`),
    a dictionary `{qid: {docno: score}}` or a `Run`. `measures` are names that may fix parameters
    and cut-off, `"ARaB(magnitude=bool)@10"`; the others come at each of `magnitude` (default: each
    measure's own, `tf` for RaB and ARaB, `tc` for AWRF) and `cutoffs`.
    `magnitudes` is a scored Parquet file, texts by docno, or `"ir_datasets:ID"`, see
    `load_magnitudes`; `lexicon` and `tokenizer` hold for texts. Only measures of labels, LIWC and
    effectiveness do without.

    `labels` gives the groups of documents to LabelExposure and LabelAWRF: a file, `{docno: group}`
    or `{docno: {group: weight}}`. `liwc` is a file of word lists in LIWC's format for LIWC, which
    looks for them in `collection`, a file or texts by docno (default: the texts of `magnitudes`).

    Columns: `run, measure, magnitude, cutoff, value, n_queries, n_queries_missing,
    n_docs_missing`; with `per_query` instead `run, qid, measure, magnitude, cutoff, value`, NaN
    where a value is undefined. `queries`, `qrels`, `order`, `missing` and `background` mean what
    the options of `score_runs` mean; queries and qrels may be files or in memory.

    Raises `InputError`, with file and line where there is one.
    """
    pandas = need("pandas")
    requests = requests_of(measures, magnitude, cutoffs, background)
    needs = frozenset[str]().union(*(request.measure.definition.needs for request in requests))
    if magnitudes is None and "magnitudes" in needs:
        raise InputError("no magnitudes.", remedy="Give a scored Parquet file, or texts by docno.")
    ids = _query_ids(queries)
    read = _runs_of(runs, order, ids)
    backgrounds = _backgrounds(read, requests)
    qids = tuple(sorted(ids if ids is not None else {qid for run in read for qid in run.qids}))
    if collection is None and isinstance(magnitudes, Mapping):
        collection = magnitudes
    categories = None
    if liwc is not None:
        documents = first_documents(read, requests, qids)
        categories = _categories(liwc, collection, tokenizer).read(documents, missing)
    results = measure_runs(
        read,
        None if magnitudes is None else load_magnitudes(magnitudes, lexicon, tokenizer),
        requests,
        qids=qids,
        missing=missing,
        qrels=read_qrels(qrels) if isinstance(qrels, str | Path) else qrels,
        backgrounds=backgrounds,
        categories=categories,
        labels=_labels(labels),
    )
    frame: pd.DataFrame
    if per_query:
        parts = [_per_query(pandas, result) for result in results]
        frame = pandas.concat(parts, ignore_index=True)
    else:
        frame = pandas.DataFrame([result.row() for result in results], columns=list(COLUMNS))
    return frame


def compare(per_query: "pd.DataFrame", *, seed: int = 0) -> "pd.DataFrame":
    """Paired tests between every two runs, of what `evaluate(..., per_query=True)` gives.

    One row per measure, magnitude, cut-off and pair; the other columns are those of
    `metrics.statistics.significance.Comparison`, p-values corrected over the pairs of a measure.
    """
    from .statistics.significance import compare_all  # noqa: PLC0415 - loads scipy.stats

    pandas = need("pandas")
    _check_columns(per_query, ["run", "qid", *_KEYS, "value"], "evaluate(..., per_query=True)")
    rows = []
    for key, part in per_query.groupby(_KEYS, sort=False):
        table = part.pivot_table(
            index="qid", columns="run", values="value", dropna=False, sort=False
        )
        values = {str(run): table[run].to_numpy() for run in table.columns}
        rows += [
            {**dict(zip(_KEYS, key, strict=True)), **asdict(comparison)}
            for comparison in compare_all(values, seed=seed)
        ]
    frame: pd.DataFrame = pandas.DataFrame(rows)
    return frame


def plot_bias(
    results: "pd.DataFrame", measures: Sequence[str] = _BIAS, magnitude: str = "tf"
) -> "Figure":
    """RaB and ARaB of each run over the cut-offs, of what `evaluate` gives; a Matplotlib figure.

    Positive values lean towards male words.
    """
    need("matplotlib")
    from .reports.plots.figures import Points, line_figure  # noqa: PLC0415 - loads Matplotlib

    _check_columns(results, ["run", *_KEYS, "value", "n_queries"], "evaluate(...)")
    chosen = results[results["measure"].isin(measures) & (results["magnitude"] == magnitude)]
    if chosen.empty:
        raise InputError(
            f"no value of {' or '.join(measures)} with the magnitude {magnitude}.",
            remedy=f"Measure {', '.join(measures)} first.",
        )
    points = [
        Points(str(measure), str(run), part["cutoff"].tolist(), part["value"].tolist())
        for (measure, run), part in chosen.groupby(["measure", "run"], sort=False)
    ]
    return line_figure(points, x_label="cut-off", y_label="mean bias (positive: male)")


def _runs_of(
    runs: Mapping[str, Any] | Iterable[Run], order: Order, ids: set[str] | None
) -> list[Run]:
    if not isinstance(runs, Mapping):
        runs = {run.name: run for run in runs}
    if not runs:
        raise InputError("there is no run.", remedy="Give at least one, by name.")
    return [_as_run(source, name, order, ids) for name, source in runs.items()]


def _as_run(source: Any, name: str, order: Order, ids: set[str] | None) -> Run:
    if isinstance(source, Run):
        return replace(source, name=name)
    if isinstance(source, str | Path):
        return read_run(source, name, order, ids)
    if isinstance(source, Mapping):
        return Run.from_dict(source, name, order)
    return Run.from_frame(source, name, order)


def _query_ids(queries: str | Path | Queries | Iterable[str] | None) -> set[str] | None:
    if queries is None:
        return None
    if isinstance(queries, str | Path):
        queries = read_queries(queries)
    return set(queries.ids if isinstance(queries, Queries) else queries)


def _labels(
    labels: str | Path | Mapping[str, str | Mapping[str, float]] | None,
) -> DocumentNumbers | None:
    if labels is None:
        return None
    return read_labels(labels) if isinstance(labels, str | Path) else labels_of(labels)


def _categories(
    liwc: str | Path, collection: str | Path | Mapping[str, str] | None, tokenizer: Tokenizer
) -> CategorySource:
    if collection is None:
        raise InputError(
            "LIWC looks for words in texts, and there are none.",
            remedy="Give collection, a file or texts by docno.",
        )
    return CategorySource(read_categories(liwc), collection, tokenizer)


def _backgrounds(runs: Sequence[Run], requests: Sequence[Request]) -> list[Run]:
    by_name = {run.name: run for run in runs}
    names = list(backgrounds_of(requests))
    for name in names:
        if name not in by_name:
            raise InputError(
                f"no run is named {name!r}, which is asked for as the background.",
                remedy=f"Known: {', '.join([*by_name, 'collection'])}.",
            )
    return [by_name[name] for name in names]


def _per_query(pandas: Any, result: Result) -> Any:
    return pandas.DataFrame(
        {
            "run": result.run,
            "qid": list(result.qids),
            "measure": result.measure,
            "magnitude": result.magnitude,
            "cutoff": result.cutoff,
            "value": result.per_query.value,
        }
    )


def _check_columns(frame: "pd.DataFrame", columns: Sequence[str], source: str) -> None:
    lacking = [column for column in columns if column not in frame.columns]
    if lacking:
        raise InputError(
            f"the frame has no column {', '.join(lacking)}.", remedy=f"Give what {source} returns."
        )
