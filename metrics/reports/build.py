"""From scored runs to the tables and figures of a study."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..errors import InputError
from ..measures.sides import sides_of
from ..results.evaluation import Request, all_measures, requests_of
from ..results.overlap import RunOverlap
from ..results.scored_runs import ScoredRuns
from ..runs.queries import Queries
from ..runs.sidecar import SIZES
from ..statistics.inference import USUAL, Inference
from ..vocabulary import COLLECTION, CUTOFFS, MAIN_CUTOFF
from .families import Comparisons, comparisons_of
from .formats.layout import Table, Value
from .plots.pareto import ParetoPlot, report_pareto
from .plots.plots import Plot
from .provenance import SUBSET, Choices, background_note, facts, note, over, record, table_over
from .results import Results
from .sides import Sides, groups_in, sides_in_words
from .tables.against import against_baseline_table
from .tables.background import background_table
from .tables.bias import bias_plot, bias_table
from .tables.comparisons import correlation_table, cutoff_table, significance_table
from .tables.distributions import (
    distribution_plot,
    distribution_table,
    measured_at,
    per_query_csv,
)
from .tables.effectiveness import effectiveness_table
from .tables.fairness import (
    GROWING,
    crbo_table,
    fairness_table,
    growing_cutoffs,
    growing_plot,
)
from .tables.judged import judged_table
from .tables.power import power_tables
from .tables.published import Published, published_table
from .tables.scale import scale_table
from .tables.sensitivity import sensitivity_of, sensitivity_table
from .tables.study_tables import queries_table

BIAS_MAGNITUDES = ("tf", "bool")

_BIAS = ("RaB", "ARaB")


@dataclass(frozen=True)
class Report:
    """Everything that a report shows, in its order; `remarks` come first.

    `per_query` is the CSV file of every value of every query at the main cut-off.
    """

    title: str
    facts: Sequence[tuple[str, str]]
    remarks: Sequence[str]
    tables: Sequence[Table]
    plots: Sequence[Plot | ParetoPlot]
    per_query: str


@dataclass(frozen=True)
class Options:
    """The options of a report.

    Without a `title` it is named by the bias that its word list measures. `paired` maps a model to
    the run of the same model with random initialisation; `baseline` is the run that the others are
    compared with. `labels_note` says how the queries were labelled where that is known, and must
    say so where no person labelled them. `background` is what NFaiRR was computed over. `overlaps`
    compare runs with their counterfactual ones. `seed` is that of the permutations, `inference` the
    terms of the tests. `sensitivity` are the runs scored in this and in other ways. `published` is
    the study whose values are shown beside the computed ones. `relevant` is the lowest grade that
    counted as relevant. `labelled` are all queries with their categories, for the table that counts
    them. `sizes` has the sizes of the model of a run, see `model_sizes`, where no sidecar beside
    the run does. `subset` names in words the queries that were measured on, for every heading and
    caption; without it they are those of a category, which `labels_note` and the queries' file
    name. `judged` are rows of `judged_rows`, with what is to be said of them. `more_tables` and
    `more_plots` stand behind those of the runs.
    """

    title: str = ""
    paired: dict[str, str] | None = None
    baseline: str = ""
    labels_note: str = ""
    remarks: Sequence[str] = ()
    background: str = COLLECTION
    overlaps: Sequence[RunOverlap] = ()
    seed: int = 0
    inference: Inference = USUAL
    sensitivity: Sequence[ScoredRuns] = ()
    published: Published | None = None
    relevant: int = 1
    labelled: Queries | None = None
    sizes: Mapping[str, Mapping[str, int]] | None = None
    subset: str = ""
    judged: Sequence[Mapping[str, Any]] = ()
    judged_notes: Sequence[str] = ()
    more_tables: Sequence[Table] = ()
    more_plots: Sequence[Plot] = ()


def main_cutoff(cutoffs: Sequence[int]) -> int:
    """The cut-off of the tables that have only one: the usual one, or the first."""
    if not cutoffs:
        example = ",".join(map(str, CUTOFFS))
        raise InputError("no cut-off is given.", remedy=f"Write for example {example}.")
    return MAIN_CUTOFF if MAIN_CUTOFF in cutoffs else cutoffs[0]


def requests_for_report(
    groups: Sequence[str],
    *,
    cutoffs: Sequence[int] = CUTOFFS,
    magnitudes: Sequence[str] = BIAS_MAGNITUDES,
    with_qrels: bool = False,
    relevant: int = 1,
    background: str = COLLECTION,
) -> list[Request]:
    """The measures to compute for a report on a collection of these groups.

    `magnitudes` are those of the bias. `relevant` is the lowest grade that MRR and Recall count.
    """
    possible = all_measures(len(groups), with_qrels=with_qrels)
    if sides_of(groups):
        # They are the difference of two groups, and leave further ones alone.
        possible = [*possible, *_BIAS, "RaB-adjusted"]
    main = (main_cutoff(cutoffs),)

    def requests_at(
        names: Sequence[str], at: Sequence[int], chosen: Sequence[str] | None = None
    ) -> list[Request]:
        some = [name for name in names if name in possible]
        return requests_of(some, chosen, at, background) if some else []

    growing = sorted({*growing_cutoffs(max(cutoffs)), *main})
    return [
        *requests_at(_BIAS, cutoffs, magnitudes),
        *requests_at(("RaB-adjusted",), main, magnitudes),
        *requests_at(("AWRF",), main),
        *requests_at(GROWING, growing),
        *(
            replace(request, measure=request.measure.with_params(relevant=relevant))
            for request in requests_at(("MRR", "Recall", "nDCG"), main)
        ),
    ]


def build_report(scored: ScoredRuns, options: Options) -> Report:
    """The report of a study; the results must be those of `requests_for_report`."""
    options = replace(options, sizes=_sizes_of(scored, options))
    results = Results(scored.results, options.paired or {}, options.baseline)
    sides = sides_in_words(groups_in(scored.provenance["magnitudes"]))
    notes = [note(scored, results, options.labels_note)]
    choices = Choices(options.baseline, options.paired or {}, options.relevant, options.inference)
    tests = comparisons_of(results, options.inference, options.seed)
    known = record(scored, results, options.labels_note, choices)
    tables = [
        *_study_tables(results, options, tests, notes),
        *_tables(results, options, tests, notes, sides),
    ]
    return Report(
        title=over(options.title or f"{sides.bias} in ranked lists", options.subset),
        facts=[
            *([(SUBSET, options.subset)] if options.subset else []),
            *facts(scored, results, options.labels_note, options.background, choices),
        ],
        remarks=options.remarks,
        tables=[
            replace(
                table_over(table, options.subset),
                rows=_with_queries(table, results),
                record=_of_all_rows(table, known),
                runs=results.runs,
                sides=sides,
            )
            for table in tables
        ],
        plots=[
            replace(plot, title=over(plot.title, options.subset))
            for plot in _plots(results, options, notes, sides)
        ],
        per_query=per_query_csv(results, _cutoff_of(results)),
    )


def _of_all_rows(table: Table, known: Mapping[str, Value]) -> dict[str, Value]:
    """Values that hold for every row of a table; a column of its own says the rest."""
    own = {column.name for column in table.columns}
    return {name: value for name, value in known.items() if name not in own}


def _with_queries(table: Table, results: Results) -> Sequence[Mapping[str, Value]]:
    """The rows with the number of queries that each run's values are about, where these differ."""
    names = [column.name for column in table.columns]
    about = [m for m in results.measures if any(name.split("_")[0] == m for name in names)]
    counts = {
        result.run: result.n_queries
        for result in reversed(results.all)
        if [result.measure] == about[:1]
    }
    are_one = len({*counts.values()}) <= 1
    if "n_queries" in names or "run" not in names or are_one:
        return table.rows
    return [{**row, "n_queries": counts.get(str(row["run"]))} for row in table.rows]


def _study_tables(
    results: Results, options: Options, tests: Comparisons, notes: Sequence[str]
) -> list[Table]:
    """Tables 1 and 2 of 2020: how good the models are, and which queries there are."""
    tables = []
    if "MRR" in results.measures:
        at, relevant = _cutoff_of(results), options.relevant
        tables.append(effectiveness_table(results, at, relevant, tests, notes, sizes=options.sizes))
    if options.judged:
        tables.append(judged_table(options.judged, options.judged_notes))
    if options.labelled is not None and options.labelled.labels:
        tables.append(queries_table(options.labelled))
    return tables


def _sizes_of(scored: ScoredRuns, options: Options) -> dict[str, Mapping[str, int]]:
    """The sizes of the models that are known, by run; a sidecar knows best."""
    runs: dict[str, dict[str, Any]] = scored.provenance["runs"]
    beside = {
        name: {size: run[size] for size in SIZES if size in run} for name, run in runs.items()
    }
    return {**(options.sizes or {}), **{name: sizes for name, sizes in beside.items() if sizes}}


def _tables(
    results: Results, options: Options, tests: Comparisons, notes: Sequence[str], sides: Sides
) -> list[Table]:
    cutoff = _cutoff_of(results)
    with_background = [*filter(None, [background_note(results, options.background)]), *notes]
    compared = [(m, g) for m, g in measured_at(results, cutoff) if m != "RaB-adjusted"]
    tables = []
    if results.magnitudes:
        tables += [bias_table(results, notes, tests, sides)]
        if results.baseline:
            tables.append(against_baseline_table(results, tests, notes))
        tables.append(background_table(results, cutoff, notes))
    tables.append(fairness_table(results, cutoff, tests, with_background))
    if options.overlaps:
        tables.append(crbo_table(results, options.overlaps, cutoff, with_background))
    tables.append(distribution_table(results, cutoff, with_background))
    if len(results.runs) > 1:
        tables += [
            *(
                significance_table(
                    results, compared, cutoff, tests, with_background, baseline=baseline
                )
                for baseline in dict.fromkeys(("", results.baseline))
            ),
            correlation_table(results, compared, cutoff, tests, with_background),
            *power_tables(
                results, compared, cutoff, tests, seed=options.seed, notes=with_background
            ),
        ]
    if results.magnitudes and len(results.cutoffs) > 1:
        tables.append(cutoff_table(results, notes))
    tables += scale_table(results.all, cutoff, notes)
    if options.sensitivity:
        tables.append(sensitivity_table(sensitivity_of(options.sensitivity), notes))
    tables += options.more_tables
    if options.published:
        tables.append(
            published_table(
                results,
                options.published,
                options.overlaps,
                with_background,
                sizes=options.sizes,
            )
        )
    return tables


def _plots(
    results: Results, options: Options, notes: Sequence[str], sides: Sides
) -> list[Plot | ParetoPlot]:
    cutoff = _cutoff_of(results)
    with_background = [*filter(None, [background_note(results, options.background)]), *notes]
    growing = [r.cutoff for r in results.all if r.measure == "TExFAIR"]
    panels = [(m, g) for m, g in measured_at(results, cutoff) if m in (*_BIAS, "TExFAIR")]
    front = (
        report_pareto(results, cutoff, results.magnitudes[0], notes) if results.magnitudes else None
    )
    return [
        *(bias_plot(results, name, notes, sides) for name in results.magnitudes),
        growing_plot(results, list(dict.fromkeys(growing)), with_background),
        distribution_plot(results, panels, cutoff, notes),
        *([front] if front else []),
        *options.more_plots,
    ]


def _cutoff_of(results: Results) -> int:
    """AWRF is measured at the main cut-off alone."""
    return next(result.cutoff for result in results.all if result.measure == "AWRF")
