"""From runs to a data frame in one call, for notebooks."""

import warnings
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict
from math import isnan, nan
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Unpack, get_args

import numpy as np

from .errors import InputError, InputTypeError
from .extras import need
from .io.files import checked_path
from .measures import Definition, Measure, available
from .measures.base import Qrels
from .public import public, public_with
from .results.comparability import remarks
from .results.designs import SIMPLE, design_of
from .results.evaluation import (
    Request,
    Result,
    all_measures,
    backgrounds_of,
    depth_of,
    of_each_group,
    requests_of,
)
from .results.few_judgments import (
    FIGURE_NUMBERS,
    JUDGED_COLUMNS,
    check_alone,
    judged_rows,
    judgments_of,
)
from .results.judged_systems import SYSTEM_COLUMNS, judged_system_rows
from .results.judgments import FigureTerms, Kind, PartlyJudged, by_judge, judges_in, terms_of
from .results.meeting import meet
from .results.repeated import (
    DIFFERENCE_COLUMNS,
    NUMBERS,
    REPEATED_COLUMNS,
    TERMS,
    check_without,
    repeated_rows,
)
from .results.repeats import Systems, check_repetitions, split_by_column, systems_of
from .results.scale import SCALE_COLUMNS
from .results.scored_runs import (
    COLUMNS,
    OpenRuns,
    asked_of,
    categories_of,
    ranks_as_trec_eval,
)
from .results.unread import unread, unread_text
from .runs import Run
from .runs.columns import as_frame, is_frame, is_of
from .sources import (
    judges_of,
    load_magnitudes,
    passages_of,
    qrels_of,
    query_ids_of,
    runs_of,
    texts_by_docno,
)
from .statistics.few_labels import Target
from .statistics.inference import Inference
from .texts.categories import CategorySource, read_categories
from .texts.document_numbers import DocumentNumbers
from .texts.labels import labels_of, read_labels
from .texts.lexicon import Lexicon
from .texts.magnitude_store import Magnitudes
from .vocabulary import (
    COLLECTION,
    TOKENIZERS,
    Missing,
    Order,
    Populations,
    Tokenizer,
)

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from .statistics.significance import Comparison

_KEYS = ["measure", "magnitude", "cutoff"]
_BIAS = ("RaB", "ARaB")


@public_with(FigureTerms.__annotations__)
def evaluate(
    runs: Any,
    measures: Any = _BIAS,
    scores: Any = None,
    *,
    magnitude: str | Iterable[str] | None = None,
    cutoffs: int | Iterable[int] | None = None,
    queries: Any = None,
    qrels: Any = None,
    background: str | None = None,
    order: Order = "default",
    missing: Missing = "error",
    lexicon: Lexicon | Mapping[str, Iterable[str]] | str | Path | None = None,
    tokenizer: Tokenizer | None = None,
    labels: Any = None,
    liwc: str | Path | None = None,
    collection: Any = None,
    inclusion: Mapping[str, float] | None = None,
    scale: bool = False,
    per_query: bool = False,
    population: Populations = "default",
    judge_qrels: Any = None,
    repeats: Any = None,
    **terms: Unpack[FigureTerms],
) -> "pd.DataFrame":
    """Measure runs: a data frame, one row per value.

    `runs` is one run, a list of runs, or runs by name. A run is a path, `{qid: {docno: score}}`
    (or `{qid: ranking}` as in `Run.from_dict`), a data frame (columns as in `Run.from_frame`), a
    `Run`, a `Run` of ranx or of trectools, a data set of Hugging Face, or a list of ir_measures'
    ScoredDoc or of query, docno and score; a folder or a pattern (`"runs/*.run"`) is several.
    `measures` are names that may fix parameters and cut-off, `"ARaB(magnitude=bool)@10"`, one or
    several, also as ir_measures or `fairpool.measures` have them; the others come at each of
    `magnitude` (default: each measure's own, `tf` for RaB and ARaB, `tc` for AWRF) and `cutoffs`
    (default: 5, 10, 20 and 30; the whole list for AP and others of ir_measures). `"all"` is every
    measure that the arguments allow.

    `scores` (or `collection`) is what the words are counted in: a collection file, whose scores are
    kept for the next call; a scored Parquet file; `{docno: text}`, BEIR's `{docno: {"title": ...,
    "text": ...}}`, pairs, or a frame with columns `docno` and `text`; `"ir_datasets:ID"`.
    `lexicon` (a file, the name of a built-in one, or `{group: words}`) and `tokenizer` hold for
    texts. Measures of labels, LIWC and effectiveness do without.

    `labels` gives the groups of documents to LabelExposure and LabelShare (of one group, or of each
    where none is named), LabelAWRF and the measures with `attributes`: a file, a frame (columns
    `docno, group`, and if wanted `attribute, weight`), `{docno: group}`, `{docno: {group: weight}}`
    or `{docno: {attribute: {group: share}}}`. `liwc`
    is a file of word lists in LIWC's format for LIWC, which looks for them in `collection`, a file
    or texts by docno (default: the texts of `scores`).

    Columns: `run, measure, magnitude, cutoff, value, n_queries, n_queries_missing,
    n_docs_missing, population, positive`; with `per_query` instead `run, qid, measure, magnitude,
    cutoff, value, positive`, NaN where a value is undefined. `queries`, `qrels`, `order`, `missing`
    and `background` mean what the options of `fairpool measure` mean; queries and qrels may be
    files, frames or in memory.

    `positive` names the side that a positive value of RaB, ARaB or LabelRaB leans to: *male*, or
    the name of a group of your word list. Where the names of two groups tell (`women` and `men`,
    `weiblich` and `maennlich`) the female one is the negative side; else the first by name is, and
    a warning says so.

    `population` says which queries a value is about: those *judged* for a measure that reads
    judgments (a query that the run does not answer counts 0 for effectiveness), else those *asked*
    for with `queries`, else those of the *run* itself. A warning says where runs differ in this.
    `population="any-run"` is the rule of version 1.0: the queries that any run of the call has.

    `inclusion`, `{qid: chance}`, is for queries that were drawn at random by known chances: `value`
    is then the mean over the queries that they were drawn from (`hajek_interval`), and the columns
    `low` and `high` are its interval, of level `LEVEL`.

    With `scale` the columns `floor`, `ideal` and `random` say what a value compares with: the worst
    and the best that a ranking can have, and the mean over random orders of the same documents
    (`fairpool.results.scale`).

    With `judge_qrels`, a model's judgments of many queries, `qrels` are people's of some of them,
    drawn at random, and each measure that reads judgments has three rows, by the column `source`:
    *people* alone, the *model* alone, and *corrected*: what people would find over all queries that
    the model judged, whatever the model is worth. `low` and `high` are the interval, `n_people` and
    `n_model` how many units each judged, `worth` how many judgments of people alone one is worth
    beside the model's, `unit` what was judged as a whole, and `withheld` why there is no interval.
    `passages` and `judge_passages` do the same for LabelRaB, with labels m, f, n and both of
    passages, `{qid: {docno: label}}`; with texts it has a row *list*, by the word list. Other
    measures come once. `design` says how people's queries were drawn (`"simple"`; a file, a frame,
    `{"strata": {qid: stratum}}`, `{"chances": {qid: chance}}`; `{"chances": {qid: {docno:
    chance}}}` where they judged pairs, for measures that add up documents: P, DCG, LabelRaB); with
    None, figures that need it are withheld.

    The other `terms` of these rows: a query whose first documents people judged in part is an
    error, left out (`partly_judged="skip"`), or what is not judged is not relevant (`"not
    relevant"`, the default where people's judgments hold a grade of 0 or below, as those of a pool
    do); the column `partly_judged` says which rule was taken. With a `baseline` the differences of
    the other runs to it follow, each one paired figure, with `p`, `p_corrected` over the `family`
    by the `correction`, its `mark`, and the interval `simultaneous_low`, `simultaneous_high` that
    holds together with those of its family (Bonferroni's). Intervals and p-values are of all
    queries that those of the pool can be taken for a sample of; with `target="pool"` of these
    queries alone; the column `target` says so.
    `every_look` gives intervals that hold at every look at ever more judgments; `labels_needed` is
    how many judged queries in all give an interval of plus or minus `half_width`, if any do.

    With `judge_qrels` of several judges by name, `{"gpt": qrels, "qwen": qrels}`, there is a row by
    each judge (`source` *judge*, named in the column `judge`), and one by all, *judges*: the mean
    over queries and judges, `low` and `high` with both drawn (withheld below three judges),
    `fixed_low` and `fixed_high` for these very judges, `agreement` their ordinal alpha, and of a
    difference `holds`: under how many judges it has its sign. With `qrels` of people there are
    rows *people* and *corrected* for each judge; `labels_needed` is then how many judged queries
    in all would settle a difference.

    `repeats` says which runs are repetitions of one system, such as a method trained with several
    seeds: `{system: [run, run]}`, `{run: system}`, a frame with columns `run` and `system`, a
    regular expression of their names (`"(?P<system>.+)_seed[0-9]+"`), or the column of the
    frame `runs` that tells them apart. There is then one row per system: `value` is the mean over
    queries and repetitions, `low` and `high` its interval with both drawn (withheld below three
    repetitions), `fixed_low` and `fixed_high` that of these very runs, `deviation` the standard
    deviation over repetitions, and `share` the part of the variance that they have. With a
    `baseline` the differences of the other systems to it follow, paired over queries. Values per
    query get a column `system`, which `compare` looks at. With `judge_qrels` of one model systems
    stand in the place of runs, with repetitions drawn.

    Oddities of a run (ranks that contradict scores, a document that comes twice), and arguments
    that no measure reads, are Python warnings. Raises `InputError`, with file and line
    where there is one; for what is of a wrong type it is a `TypeError` as well.
    """
    pandas = need("pandas")
    if per_query and inclusion is not None:
        raise InputError("values per query have no weights.", remedy="Leave out inclusion.")
    for name, chosen, known in (
        ("per_query", per_query, (True, False)),
        ("scale", scale, (True, False)),
    ):
        _check_choice(name, chosen, known)
    runs, repeats = split_by_column(runs, repeats)
    chosen_measures = _listed(measures)
    if chosen_measures == ["all"]:
        texts = collection if scores is None else scores
        collection = texts if collection is None and isinstance(texts, Mapping) else collection
        scores = None if texts is None else load_magnitudes(texts, lexicon, tokenizer)
        background = background or COLLECTION
        chosen_measures = _allowed(scores, qrels, terms.get("passages"), liwc, labels)
    scores, tokenizer = _own_arguments(chosen_measures, {"scores": scores, "tokenizer": tokenizer})
    _check_choice("tokenizer", tokenizer or "word", TOKENIZERS)
    numbers = _labels(labels)
    names = of_each_group(map(_measure_name, chosen_measures), numbers.names if numbers else ())
    requests = requests_of(names, _magnitudes(magnitude), _cutoffs(cutoffs), background)
    needs = frozenset[str]().union(*(request.measure.needs for request in requests))
    scores = collection if scores is None and "magnitudes" in needs else scores
    has_passages = terms.get("passages") is not None
    _check_texts(scores, needs, has_labels=labels is not None, has_passages=has_passages)
    ids = query_ids_of(queries)
    # Random orders are of whole lists, and so are those of a background.
    is_whole = scale or bool(backgrounds_of(requests))
    depth = None if is_whole else depth_of(requests)
    arguments = {
        "qrels": qrels,
        "judge_qrels": judge_qrels,
        "passages": terms.get("passages"),
        "judge_passages": terms.get("judge_passages"),
        "liwc": liwc,
        "labels": labels,
    }
    magnitudes = None if scores is None else load_magnitudes(scores, lexicon, tokenizer)
    together = meet(
        runs_of(runs, order, ids, depth, ties=ranks_as_trec_eval(requests)),
        _judgments(arguments),
        ids=ids,
        magnitudes=magnitudes,
        labels=numbers,
        missing=missing,
        depth=depth,
    )
    read = together.runs
    systems = _systems(read, repeats, inclusion=inclusion, scale=scale)
    backgrounds = _backgrounds(read, requests)
    _warn(read, requests, arguments)
    if collection is None and isinstance(scores, Mapping):
        collection = dict(texts_by_docno(scores))
    source = None if liwc is None else _categories(liwc, collection, tokenizer or "word")
    opened = OpenRuns(
        read,
        magnitudes,
        asked_of(read, ids, population),
        missing,
        backgrounds,
        categories_of(source, together, requests, ids, missing),
        together.labels,
        together.judgments,
        together.remarks,
    )
    single = {kind: opened.judgments[kind] for kind in ("qrels", "passages")}
    _say(opened.remarks)
    if judge_qrels is not None or arguments["judge_passages"] is not None:
        check_alone(per_query=per_query, inclusion=inclusion, scale=scale)
        return _judged(opened, requests, single, terms, systems)
    _check_terms(terms, of_repetitions=systems is not None)
    results = opened.measure(requests, None, **single, scale_seed=0 if scale else None)
    _say(remarks(results))
    if per_query:
        return _values(pandas, results, systems)
    if systems is not None:
        return _repeated(results, systems, terms)
    return _means(results, inclusion, SCALE_COLUMNS if scale else ())


def _means(
    results: Iterable[Result], inclusion: Mapping[str, float] | None, more: Iterable[str]
) -> "pd.DataFrame":
    """The mean of each result, with its interval where queries have chances."""
    rows = [{**result.row(), **_weighted(result, inclusion)} for result in results]
    ends = [*more, *([] if inclusion is None else ["low", "high"])]
    frame: pd.DataFrame = need("pandas").DataFrame(rows, columns=[*COLUMNS, *ends])
    return frame


def _check_terms(terms: FigureTerms, *, of_repetitions: bool) -> None:
    """`InputError` for terms of figures that are not there."""
    known = {"passages", "judge_passages"} | (TERMS if of_repetitions else set())
    if own := set(terms) - known:
        raise InputError(
            f"{min(own)} applies only to figures of people and a model.",
            remedy="Give judge_qrels, or compare the values of evaluate(..., per_query=True).",
        )


def _systems(read: Sequence[Run], repeats: Any, **others: object) -> Systems | None:
    """The systems that the runs are repetitions of; what is odd is a warning."""
    if repeats is None:
        return None
    check_without(**others)
    systems = systems_of(repeats, [run.name for run in read])
    for text in check_repetitions(read, systems):
        warnings.warn(text, stacklevel=4)
    return systems


def _values(
    pandas: Any, results: Iterable[Result], systems: Systems | None = None
) -> "pd.DataFrame":
    """The values of all queries, and where there are repetitions the system of each run."""
    parts = [_per_query(pandas, result) for result in results]
    frame: pd.DataFrame = pandas.concat(parts, ignore_index=True)
    if systems is not None:
        system_of = {run: system for system, own in systems.items() for run in own}
        frame.insert(0, "system", frame["run"].map(system_of))
    return frame


def _repeated(results: Sequence[Result], systems: Systems, terms: FigureTerms) -> "pd.DataFrame":
    """The figures of systems over queries and repetitions."""
    own: dict[str, Any] = {name: terms[name] for name in ("family", "correction") if name in terms}
    baseline = terms.get("baseline", "")
    rows = repeated_rows(results, systems, baseline=baseline, inference=Inference(**own))
    columns = [*REPEATED_COLUMNS, *(DIFFERENCE_COLUMNS if baseline else ())]
    frame: pd.DataFrame = need("pandas").DataFrame(rows, columns=columns)
    return frame.astype({name: float for name in NUMBERS if name in columns})


def _judged(
    opened: OpenRuns,
    requests: Sequence[Request],
    single: Mapping[str, Qrels | None],
    terms: FigureTerms,
    systems: Systems | None,
) -> "pd.DataFrame":
    """Return the figures by people, by models and by both; anomalies are warnings."""
    for name, known in (("partly_judged", PartlyJudged), ("target", Target)):
        if terms.get(name) is not None:
            _check_choice(name, str(terms.get(name)), get_args(known))
    kinds: tuple[Kind, ...] = ("qrels", "passages")
    of_model = {kind: opened.judgments[f"judge_{kind}"] for kind in kinds}
    chosen = terms_of(design_of(terms.get("design", SIMPLE)), terms)
    columns, numbers = JUDGED_COLUMNS, FIGURE_NUMBERS
    if by_name := judges_in(opened.judgments):
        # Loads what agreement is computed by.
        from .results import judges as several  # noqa: PLC0415

        check_alone(repeats=systems)
        columns, numbers = several.JUDGES_COLUMNS, (*FIGURE_NUMBERS, *several.JUDGES_NUMBERS)
        rows, notices = several.judges_rows(opened, requests, by_name, chosen, single["qrels"])
    elif systems is not None:
        both, columns = judgments_of(single, of_model), SYSTEM_COLUMNS
        rows, notices = judged_system_rows(opened, requests, both, chosen, single, systems=systems)
    else:
        both = judgments_of(single, of_model)
        rows, notices = judged_rows(opened, requests, both, chosen, single)
    for notice in notices:
        warnings.warn(notice, stacklevel=4)
    frame: pd.DataFrame = need("pandas").DataFrame(rows, columns=list(columns))
    return frame.astype(dict.fromkeys(numbers, float))


def _judgments(arguments: Mapping[str, Any]) -> dict[str, Qrels | None]:
    """The judgments of people and of models, by the names of their arguments."""
    judges = judges_of(arguments["judge_qrels"])
    if judges is not None:
        arguments = {**arguments, "judge_qrels": None}
    readers = {"qrels": qrels_of, "passages": passages_of}
    return {
        name: None if arguments[name] is None else read(arguments[name])
        for kind, read in readers.items()
        for name in (kind, f"judge_{kind}")
    } | by_judge(judges or {})


#: Runs of a comparison.
_PAIR = 2


@public
def compare(
    per_query: "pd.DataFrame",
    *,
    family: Literal["measure+cutoff", "table"] = "measure+cutoff",
    baseline: str | None = None,
    margin: float | None = None,
    seed: int = 0,
    repeats: Any = None,
) -> "pd.DataFrame":
    """Test every two runs pairwise, from the values of `evaluate(..., per_query=True)`.

    With a `baseline`, the name of a run, each other run is compared with that one alone.

    One row per measure, magnitude, cut-off and pair; the other columns are those of
    `fairpool.statistics.significance.Comparison`, p-values corrected over the pairs under one
    measure, magnitude and cut-off, or over all of the table. With a `margin` they have a test that
    two runs differ by less. NaN where there are too few queries.

    With `repeats`, which is that of `evaluate`, or with a column `system`, each system is the mean
    of its repetitions, paired with others over queries, and the columns are those of
    `fairpool.statistics.repeated_pairs.RepeatedComparison`.
    """
    # Loads what SciPy has.
    from .statistics.repeated_pairs import compare_repeated  # noqa: PLC0415
    from .statistics.significance import compare_all, corrected_together  # noqa: PLC0415

    pandas = need("pandas")
    if is_frame(per_query) and not is_of(per_query, "pandas"):
        per_query = pandas.DataFrame(as_frame(per_query))
    if not isinstance(seed, int | np.integer):
        raise InputTypeError(f"the seed is {seed!r}.", remedy="Give a whole number: seed=0.")
    _check_columns(per_query, ["run", "qid", *_KEYS, "value"], "evaluate(..., per_query=True)")
    _check_distinct(per_query)
    systems = _systems_in(per_query, repeats)
    named = "system" if systems else "run"
    if per_query["run"].nunique() < _PAIR:
        raise InputError(
            f"there is one run, {per_query['run'].iloc[0]!r}." if len(per_query) else "no rows.",
            remedy="Give the values of two runs or more.",
        )
    if margin is not None and not isinstance(margin, int | float | np.number):
        raise InputTypeError(f"the margin is {margin!r}.", remedy="Give a number: margin=0.05.")
    keys, comparisons = [], []
    for key, part in per_query.groupby(_KEYS, sort=False):
        table = part.pivot_table(
            index="qid", columns="run", values="value", dropna=False, sort=False
        )
        values: dict[str, Any] = {str(run): table[run].to_numpy() for run in table.columns}
        if systems:
            values = {name: table[list(own)].to_numpy() for name, own in systems.items()}
        if baseline is not None and not (isinstance(baseline, str) and baseline in values):
            raise InputError(
                f"no {named} is named {baseline!r}, which is the baseline.",
                remedy=f"Known: {', '.join(values)}.",
            )
        pairs: Sequence[Comparison] = (
            compare_repeated(values, baseline=baseline or "", margin=margin)
            if systems
            else compare_all(values, baseline=baseline or "", margin=margin, seed=seed)
        )
        keys += [dict(zip(_KEYS, key, strict=True))] * len(pairs)
        comparisons += list(pairs)
    if family == "table":
        comparisons = corrected_together(comparisons)
    rows = [
        # A column of None alone would not be numeric.
        key | {name: nan if value is None else value for name, value in asdict(pair).items()}
        for key, pair in zip(keys, comparisons, strict=True)
    ]
    frame: pd.DataFrame = pandas.DataFrame(rows)
    return frame


def _systems_in(per_query: "pd.DataFrame", repeats: Any) -> Systems | None:
    """The runs of each system, by `repeats` or by the column `system`; None for neither."""
    runs = [str(run) for run in per_query["run"].unique()]
    if repeats is not None:
        return systems_of(repeats, runs)
    if "system" not in per_query:
        return None
    pairs = per_query[["run", "system"]].drop_duplicates()
    return systems_of(pairs, runs)


@public
def plot_bias(
    results: "pd.DataFrame",
    measures: str | Iterable[str] | None = None,
    magnitude: str | None = None,
) -> "Figure":
    """Plot each run over the cut-offs, a panel per measure, and return the Matplotlib figure.

    `measures` and `magnitude` choose some of what was measured. Of RaB and ARaB positive values
    lean towards the side that the column `positive` names. Of values per query (`per_query=True`)
    the means are drawn with their intervals, and of weighted means the intervals that they come
    with.
    """
    need("matplotlib")
    from .reports.plots.figures import Points, line_figure  # noqa: PLC0415 - loads Matplotlib
    from .reports.results import ends_of_mean, magnitude_title  # noqa: PLC0415 - loads SciPy

    _check_columns(results, ["run", *_KEYS, "value"], "evaluate(...)")
    chosen = _chosen(results, [measures] if isinstance(measures, str) else measures, magnitude)
    keys = ["measure", "magnitude", "run", "cutoff"]
    if "qid" in chosen:
        views = chosen.groupby(keys, sort=False)["value"]
        ends = {key: ends_of_mean(values.to_numpy()) for key, values in views}
        chosen = views.mean().reset_index()
    else:
        known = chosen if "low" in chosen else chosen.assign(low=nan, high=nan)
        ends = {
            tuple(key): None if low is None or isnan(low) else (low, high)
            for *key, low, high in zip(*(known[n] for n in (*keys, "low", "high")), strict=True)
        }
    points = [
        Points(
            f"{name} ({magnitude_title(str(how))})" if how else str(name),
            str(run),
            part["cutoff"].tolist(),
            part["value"].tolist(),
            [ends[name, how, run, cutoff] for cutoff in part["cutoff"]],
        )
        for (name, how, run), part in chosen.groupby(keys[:-1], sort=False)
    ]
    is_bias = set(chosen["measure"]) <= set(_BIAS)
    sides = set(chosen["positive"]) if "positive" in chosen else {"male"}
    of_side = f" (positive: {min(sides)})" if len(sides) == 1 else ""
    y_label = f"mean bias{of_side}" if is_bias else "mean over the queries"
    return line_figure(points, x_label="cut-off", y_label=y_label, zero=is_bias)


def _chosen(
    results: "pd.DataFrame", measures: Iterable[str] | None, magnitude: str | None
) -> "pd.DataFrame":
    """The rows of these measures and of this magnitude; all where none is named."""
    rows = results
    if measures is not None:
        rows = rows[rows["measure"].isin(list(measures))]
    if magnitude is not None:
        rows = rows[rows["magnitude"] == magnitude]
    if rows.empty:
        pairs = dict.fromkeys(zip(results["measure"], results["magnitude"], strict=True))
        drawable = ", ".join(f"{name} ({how})" if how else name for name, how in pairs)
        raise InputError(
            "this was not measured.", remedy=f"Name something that it has: {drawable or 'no rows'}."
        )
    return rows


@public
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


def _listed(measures: Any) -> list[Any]:
    """The measures, one or several."""
    if isinstance(measures, Mapping) and _are_cutoffs(measures.values()):
        return [f"{name}@{cutoff}" for name, cutoff in measures.items()]
    if isinstance(measures, Mapping) or is_frame(measures):
        remedy = "The order is evaluate(runs, measures, texts, qrels=...)."
        if is_frame(measures) and "name" in list(measures.columns):
            remedy = 'Give names: list(frame["name"]), or "all".'
        raise InputTypeError(f"the measures are {type(measures).__name__}.", remedy=remedy)
    return [measures] if _is_single(measures) else list(measures)


def _are_cutoffs(values: Iterable[Any]) -> bool:
    return all(isinstance(v, int | np.integer) and not isinstance(v, bool) for v in values)


def _check_texts(
    scores: Any, needs: Collection[str], *, has_labels: bool, has_passages: bool
) -> None:
    """`InputError` where measures look at texts and there are none."""
    if scores is None and "magnitudes" in needs:
        remedy = "Give a collection file, a scored Parquet file, or texts by docno."
        if has_labels:
            remedy += " LabelAWRF, LabelExposure and LabelShare use labels."
        if has_passages:
            remedy += " Texts are scores=...; passages are labels of passages, for LabelRaB."
        raise InputError("no texts.", remedy=remedy)


def _is_single(measures: Any) -> bool:
    """Return whether this is one measure: its name, or an object of ir_measures."""
    return isinstance(measures, str) or not isinstance(measures, Iterable)


def _allowed(
    scores: Magnitudes | None, qrels: Any, passages: Any, liwc: str | Path | None, labels: Any
) -> list[str]:
    """The names of all measures for which what they need is there."""
    numbers = _labels(labels)
    return all_measures(
        len(scores.groups) if scores else 0,
        with_qrels=qrels is not None,
        with_passages=passages is not None,
        categories=read_categories(checked_path(liwc, "liwc")).categories if liwc else (),
        labels=numbers.names if numbers else (),
    )


def _measure_name(measure: Any) -> str:
    """The name of a measure: text, or an object that stands for one, ir_measures' or ours."""
    if hasattr(measure, "DEFINITION"):  # ours inside ir_measures
        return str(measure.unbound())
    if isinstance(measure, tuple) and len(measure) == _PAIR and _are_cutoffs(measure[1:]):
        return f"{measure[0]}@{measure[1]}"
    is_measure = isinstance(measure, str | Definition | Measure) or hasattr(measure, "NAME")
    if not is_measure:
        raise InputTypeError(
            f"{measure!r} names no measure.", remedy='Give a name such as "RaB@10", or several.'
        )
    return str(measure)


def _own_arguments(measures: Sequence[Any], arguments: Mapping[str, Any]) -> list[Any]:
    """The arguments of `evaluate`, or what measures of ir_measures fix in their place."""
    resolved = []
    for name, value in arguments.items():
        fixed = [m.params.get(name) for m in measures if hasattr(m, "DEFINITION")]
        values = list(dict.fromkeys(fixed_value for fixed_value in fixed if fixed_value))
        if len(values) > 1 or (values and value is not None):
            raise InputError(
                f"{name} is given more than once.", remedy=f"Give {name} to evaluate alone."
            )
        resolved.append(values[0] if values else value)
    return resolved


def _magnitudes(magnitude: Any) -> Iterable[str] | None:
    if isinstance(magnitude, Path) or (isinstance(magnitude, str) and "." in magnitude):
        raise InputError(
            f"magnitude={str(magnitude)!r} is a file.",
            remedy='A scored collection is scores="FILE".',
        )
    if magnitude is None or isinstance(magnitude, str):
        return magnitude if magnitude is None else [magnitude]
    if not isinstance(magnitude, Iterable):
        raise InputTypeError(
            f"magnitude={magnitude!r}.", remedy='Give a name such as "tf", or several.'
        )
    return magnitude


def _cutoffs(cutoffs_argument: Any) -> list[int] | None:
    """The cut-offs as whole numbers; `InputTypeError` for text and fractions."""
    if cutoffs_argument is None:
        return None
    several = isinstance(cutoffs_argument, Iterable) and not isinstance(cutoffs_argument, str)
    cutoffs = list(cutoffs_argument) if several else [cutoffs_argument]
    for cutoff in cutoffs:
        if not isinstance(cutoff, int | np.integer) or isinstance(cutoff, bool):
            raise InputTypeError(
                f"the cut-off {cutoff!r} is not a whole number.",
                remedy="Give cutoffs=10, or several: cutoffs=[10, 20].",
            )
    return [int(cutoff) for cutoff in cutoffs]


def _check_choice(name: str, value: object, known: Sequence[object]) -> None:
    if value not in known:
        raise InputError(
            f"{name}={value!r} is not known.", remedy=f"Use {', '.join(map(repr, known))}."
        )


def _labels(labels: Any) -> DocumentNumbers | None:
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
    return CategorySource(read_categories(checked_path(liwc, "liwc")), collection, tokenizer)


def _say(texts: Iterable[str]) -> None:
    for text in texts:
        warnings.warn(text, stacklevel=4)


def _warn(runs: Sequence[Run], requests: Sequence[Request], arguments: Mapping[str, Any]) -> None:
    """Warn of anomalies in the runs, and of arguments that no measure uses."""
    for run in runs:
        for notice in run.notices:
            warnings.warn(notice.text_with_argument, stacklevel=4)
    for name in unread(requests, {name for name, value in arguments.items() if value is not None}):
        warnings.warn(unread_text(name), stacklevel=4)


def _check_distinct(per_query: "pd.DataFrame") -> None:
    """`InputError` where two runs have one name: their values would be averaged."""
    repeated = per_query[per_query.duplicated(["run", "qid", *_KEYS])]
    if len(repeated):
        run, qid = repeated.iloc[0]["run"], repeated.iloc[0]["qid"]
        raise InputError(
            f"two rows of the run {run!r} have the query {qid!r}: two runs of one name.",
            remedy="Give them to evaluate by name, {name: run}, in one call or each by its own.",
        )


def _backgrounds(runs: Sequence[Run], requests: Sequence[Request]) -> list[Run]:
    by_name = {run.name: run for run in runs}
    names = list(backgrounds_of(requests))
    for name in names:
        if name not in by_name:
            raise InputError(
                f"there is no run {name!r}, which should be the background.",
                remedy=f"Known: {', '.join([*by_name, 'collection'])}.",
            )
    return [by_name[name] for name in names]


def _weighted(result: Result, inclusion: Mapping[str, float] | None) -> dict[str, float | None]:
    """The mean with its interval under the queries' chances; nothing without these."""
    if inclusion is None:
        return {}
    # Loads scipy.
    from .statistics.inclusion import hajek_interval  # noqa: PLC0415

    if not isinstance(inclusion, Mapping):
        raise InputTypeError(
            f"inclusion is {type(inclusion).__name__}.", remedy="Give {qid: chance}."
        )
    if lacking := [qid for qid in result.measured if qid not in inclusion]:
        raise InputError(f"inclusion gives no chance for the query {lacking[0]!r}.")
    chances = [inclusion[qid] for qid in result.measured]
    for qid, chance in zip(result.measured, chances, strict=True):
        if not isinstance(chance, int | float | np.number):
            raise InputTypeError(f"the chance of the query {qid!r} is {chance!r}, no number.")
    interval = hajek_interval(result.measured_values, chances)
    return {"value": interval.value, "low": interval.low, "high": interval.high}


def _per_query(pandas: Any, result: Result) -> Any:
    return pandas.DataFrame(
        {
            "run": result.run,
            "qid": list(result.measured),
            "measure": result.measure,
            "magnitude": result.magnitude,
            "cutoff": result.cutoff,
            "value": result.measured_values,
            "positive": result.positive,
        }
    )


def _check_columns(frame: "pd.DataFrame", columns: Sequence[str], source: str) -> None:
    if not hasattr(frame, "columns"):
        raise InputTypeError(
            f"{type(frame).__name__} is not a data frame.", remedy=f"Give what {source} returns."
        )
    if "value" in columns and "value" in frame.columns and frame["value"].dtype.kind not in "fiub":
        raise InputTypeError(
            "the column value holds no numbers.", remedy=f"Give what {source} returns."
        )
    lacking = [column for column in columns if column not in frame.columns]
    if lacking:
        raise InputError(
            f"the frame has no column {', '.join(lacking)}.", remedy=f"Give what {source} returns."
        )
