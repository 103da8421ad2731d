"""From runs to a data frame in one call, for notebooks."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from math import isnan, nan
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from .errors import InputError
from .extras import need
from .measures import available
from .results.evaluation import Request, Result, backgrounds_of, requests_of
from .results.scored_runs import COLUMNS, first_documents, measure_runs
from .runs import Run
from .sources import load_magnitudes, qrels_of, query_ids_of, runs_of
from .texts.categories import CategorySource, read_categories
from .texts.document_numbers import DocumentNumbers
from .texts.labels import labels_of, read_labels
from .texts.lexicon import Lexicon
from .vocabulary import CUTOFFS, ORDERS, TOKENIZERS, Missing, Order, Tokenizer

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

_KEYS = ["measure", "magnitude", "cutoff"]
_BIAS = ("RaB", "ARaB")


def evaluate(
    runs: Any,
    measures: Any = _BIAS,
    scores: Any = None,
    *,
    magnitude: str | Iterable[str] | None = None,
    cutoffs: int | Iterable[int] = CUTOFFS,
    queries: Any = None,
    qrels: Any = None,
    background: str | None = None,
    order: Order = "default",
    missing: Missing = "error",
    lexicon: Lexicon | str | Path | None = None,
    tokenizer: Tokenizer | None = None,
    labels: str | Path | Mapping[str, str | Mapping[str, float]] | None = None,
    liwc: str | Path | None = None,
    collection: Any = None,
    inclusion: Mapping[str, float] | None = None,
    per_query: bool = False,
) -> "pd.DataFrame":
    """Measure runs: a data frame, one row per value.

    `runs` is one run, a list of runs, or runs by name. A run is a path, `{qid: {docno: score}}`, a
    data frame (columns as in `Run.from_frame`), a `Run`, a `Run` of ranx, a data set of Hugging
    Face, or ir_measures' list of ScoredDoc; a folder or a pattern (`"runs/*.run"`) is several.
    `measures` are names that may fix parameters and cut-off, `"ARaB(magnitude=bool)@10"`, one or
    several, also as ir_measures has them; the others come at each of `magnitude` (default: each
    measure's own, `tf` for RaB and ARaB, `tc` for AWRF) and `cutoffs`.

    `scores` (or `collection`) is what the words are counted in: a collection file, whose scores are
    kept for the next call; a scored Parquet file; `{docno: text}`, pairs, or a frame with columns
    `docno` and `text`; `"ir_datasets:ID"`. `lexicon` (a file, or the name of a built-in one) and
    `tokenizer` hold for texts. Measures of labels, LIWC and effectiveness do without.

    `labels` gives the groups of documents to LabelExposure and LabelAWRF: a file, `{docno: group}`
    or `{docno: {group: weight}}`. `liwc` is a file of word lists in LIWC's format for LIWC, which
    looks for them in `collection`, a file or texts by docno (default: the texts of `scores`).

    Columns: `run, measure, magnitude, cutoff, value, n_queries, n_queries_missing,
    n_docs_missing`; with `per_query` instead `run, qid, measure, magnitude, cutoff, value`, NaN
    where a value is undefined. `queries`, `qrels`, `order`, `missing` and `background` mean what
    the options of `fairpool measure` mean; queries and qrels may be files, frames or in memory.

    `inclusion`, `{qid: chance}`, is for queries that were drawn at random by known chances: `value`
    is then the mean over the queries that they were drawn from (`hajek_interval`), and the columns
    `low` and `high` are its 95 % interval.

    Raises `InputError`, with file and line where there is one.
    """
    pandas = need("pandas")
    if per_query and inclusion is not None:
        raise InputError("values per query have no weights.", remedy="Leave out inclusion.")
    _check_choice("missing", missing, get_args(Missing))
    _check_choice("order", order, ORDERS)
    _check_choice("tokenizer", tokenizer or "word", TOKENIZERS)
    requests = requests_of(
        map(str, [measures] if _is_single(measures) else measures),
        [magnitude] if isinstance(magnitude, str) else magnitude,
        [cutoffs] if isinstance(cutoffs, int) else cutoffs,
        background,
    )
    needs = frozenset[str]().union(*(request.measure.definition.needs for request in requests))
    scores = collection if scores is None and "magnitudes" in needs else scores
    if scores is None and "magnitudes" in needs:
        raise InputError(
            "no texts.", remedy="Give a collection file, a scored Parquet file, or texts by docno."
        )
    ids = query_ids_of(queries)
    read = runs_of(runs, order, ids)
    query_ids_of(ids, read)
    backgrounds = _backgrounds(read, requests)
    qids = tuple(sorted(ids if ids is not None else {qid for run in read for qid in run.qids}))
    if collection is None and isinstance(scores, Mapping):
        collection = scores
    categories = None
    if liwc is not None:
        documents = first_documents(read, requests, qids)
        categories = _categories(liwc, collection, tokenizer or "word").read(documents, missing)
    results = measure_runs(
        read,
        None if scores is None else load_magnitudes(scores, lexicon, tokenizer),
        requests,
        qids=qids,
        missing=missing,
        qrels=None if qrels is None else qrels_of(qrels),
        backgrounds=backgrounds,
        categories=categories,
        labels=_labels(labels),
    )
    frame: pd.DataFrame
    if per_query:
        parts = [_per_query(pandas, result) for result in results]
        frame = pandas.concat(parts, ignore_index=True)
    else:
        rows = [{**result.row(), **_weighted(result, inclusion)} for result in results]
        ends = [] if inclusion is None else ["low", "high"]
        frame = pandas.DataFrame(rows, columns=[*COLUMNS, *ends])
    return frame


def compare(
    per_query: "pd.DataFrame",
    *,
    family: Literal["measure+cutoff", "table"] = "measure+cutoff",
    margin: float | None = None,
    seed: int = 0,
) -> "pd.DataFrame":
    """Paired tests between every two runs, of what `evaluate(..., per_query=True)` gives.

    One row per measure, magnitude, cut-off and pair; the other columns are those of
    `fairpool.statistics.significance.Comparison`, p-values corrected over the pairs
    under one measure, magnitude and cut-off, or over all of the table. With a `margin` they have a
    test that two runs differ by less.
    """
    # Loads scipy.stats.
    from .statistics.significance import compare_all, corrected_together  # noqa: PLC0415

    pandas = need("pandas")
    _check_columns(per_query, ["run", "qid", *_KEYS, "value"], "evaluate(..., per_query=True)")
    keys, found = [], []
    for key, part in per_query.groupby(_KEYS, sort=False):
        table = part.pivot_table(
            index="qid", columns="run", values="value", dropna=False, sort=False
        )
        values = {str(run): table[run].to_numpy() for run in table.columns}
        pairs = compare_all(values, margin=margin, seed=seed)
        keys += [dict(zip(_KEYS, key, strict=True))] * len(pairs)
        found += pairs
    if family == "table":
        found = corrected_together(found)
    rows = [{**key, **asdict(pair)} for key, pair in zip(keys, found, strict=True)]
    frame: pd.DataFrame = pandas.DataFrame(rows)
    return frame


def plot_bias(
    results: "pd.DataFrame", measures: Sequence[str] = _BIAS, magnitude: str = "tf"
) -> "Figure":
    """RaB and ARaB of each run over the cut-offs, of what `evaluate` gives; a Matplotlib figure.

    Positive values lean towards male words. Of values per query (`per_query=True`) the means are
    drawn with their 95 % intervals, and of weighted means the intervals that they come with.
    """
    need("matplotlib")
    from .reports.plots.figures import Points, line_figure  # noqa: PLC0415 - loads Matplotlib
    from .reports.results import ends_of_mean, magnitude_title  # noqa: PLC0415 - loads SciPy

    _check_columns(results, ["run", *_KEYS, "value"], "evaluate(...)")
    chosen = results[results["measure"].isin(measures) & (results["magnitude"] == magnitude)]
    if chosen.empty:
        raise InputError(
            f"no value of {' or '.join(measures)} with the magnitude {magnitude}.",
            remedy=f"Measure {', '.join(measures)} first.",
        )
    if "qid" in chosen:
        views = chosen.groupby(["measure", "run", "cutoff"], sort=False)["value"]
        ends = {key: ends_of_mean(values.to_numpy()) for key, values in views}
        chosen = views.mean().reset_index()
    else:
        known = chosen if "low" in chosen else chosen.assign(low=nan, high=nan)
        names = ("measure", "run", "cutoff", "low", "high")
        ends = {
            (measure, run, cutoff): None if low is None or isnan(low) else (low, high)
            for measure, run, cutoff, low, high in zip(*(known[n] for n in names), strict=True)
        }
    points = [
        Points(
            f"{measure} ({magnitude_title(magnitude)})",
            str(run),
            part["cutoff"].tolist(),
            part["value"].tolist(),
            [ends[measure, run, cutoff] for cutoff in part["cutoff"]],
        )
        for (measure, run), part in chosen.groupby(["measure", "run"], sort=False)
    ]
    return line_figure(points, x_label="cut-off", y_label="mean bias (positive: male)")


def list_measures() -> "pd.DataFrame":
    """The measures, one row each: `name, summary, range, direction, needs, parameters`."""
    rows = [
        {
            "name": definition.name,
            "summary": definition.summary,
            "range": definition.range,
            "direction": definition.direction,
            "needs": ", ".join(sorted(definition.needs)),
            "parameters": ", ".join(definition.params),
        }
        for definition in available()
    ]
    frame: pd.DataFrame = need("pandas").DataFrame(rows)
    return frame


def _is_single(measures: Any) -> bool:
    """Whether this is one measure: its name, or an object of ir_measures."""
    return isinstance(measures, str) or not isinstance(measures, Iterable)


def _check_choice(name: str, value: str, known: Sequence[str]) -> None:
    if value not in known:
        raise InputError(
            f"{name}={value!r} is not known.", remedy=f"Use {', '.join(map(repr, known))}."
        )


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


def _weighted(result: Result, inclusion: Mapping[str, float] | None) -> dict[str, float | None]:
    """The mean with its interval under the queries' chances; nothing without these."""
    if inclusion is None:
        return {}
    # Loads scipy.
    from .statistics.inclusion import hajek_interval  # noqa: PLC0415

    if lacking := [qid for qid in result.qids if qid not in inclusion]:
        raise InputError(f"inclusion has no chance for the query {lacking[0]!r}.")
    found = hajek_interval(result.per_query.value, [inclusion[qid] for qid in result.qids])
    return {"value": found.value, "low": found.low, "high": found.high}


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
