"""Tables 1 and 2 and figure 2 of Abolghasemi et al. (2024): fairness beside effectiveness."""

from collections.abc import Sequence

from ...results.overlap import RunOverlap
from ...statistics.correlations import correlation
from ..families import Comparisons
from ..formats.layout import MARKS_NOTE, Column, Table, Value
from ..formats.tables import DIGITS
from ..plots.figures import Points
from ..plots.plots import INTERVALS_NOTE, LinePlot
from ..results import MEANS_NOTE, Results
from .marks import marks_note, with_marks

EFFECTIVENESS = ("MRR", "nDCG")
FAIRNESS = ("NFaiRR", "TExFAIR")
GROWING = ("TExFAIR", "TExFAIR-noRBDF", "NFaiRR")

_DIRECTION = (
    "More is fairer: NFaiRR is 1 where the ranking is as neutral as the background allows, "
    "TExFAIR is greatest (1 for two groups) where the terms of all groups are exposed as much as "
    "the target has it, or not at all."
)


def fairness_table(
    results: Results, cutoff: int, tests: Comparisons, notes: Sequence[str]
) -> Table:
    """Effectiveness, NFaiRR, TExFAIR, and Pearson's r between the last two over queries."""
    measures = [m for m in (*EFFECTIVENESS, "NFaiRR", "TExFAIR", "AWRF") if m in results.measures]
    views = [(m, _magnitude_of(m), cutoff) for m in measures]
    p_values = tests.p_values(views, results.baseline) if results.baseline else {}
    rows: list[dict[str, Value]] = [
        {
            **_row(results, run, measures, cutoff),
            **{f"{view[0]}_p": p_values.get((*view, run)) for view in views},
        }
        for run in results.runs
    ]
    both = {"NFaiRR", "TExFAIR"} <= set(measures)
    columns = [Column("run", "Model")]
    columns += with_marks(results, [Column(m, m, digits=DIGITS) for m in measures])
    if both:
        _correct_r(rows, tests)
        columns.append(Column("pearson_r", "r", digits=DIGITS))
        columns.append(Column("pearson_r_p", "", change=True, kind="p"))
    explained = [
        _DIRECTION,
        "AWRF is a distance: 0 is fair." if "AWRF" in measures else "",
        f"r: Pearson correlation of NFaiRR and TExFAIR over queries. {MARKS_NOTE}, of no "
        f"correlation; {tests.correction} over the models of this table."
        if both
        else "",
        marks_note(tests, results.baseline),
        MEANS_NOTE,
    ]
    return Table(
        name="fairness",
        title=f"Effectiveness and fairness of the models at cut-off {cutoff}.",
        columns=columns,
        rows=rows,
        notes=[*filter(None, explained), *notes],
    )


def _correct_r(rows: list[dict[str, Value]], tests: Comparisons) -> None:
    """Correct the p-values of the correlations over the rows."""
    p_values = [p if isinstance(p := row.get("pearson_r_p"), float) else None for row in rows]
    for row, p in zip(rows, tests.inference.correct(p_values), strict=True):
        row["pearson_r_p"] = p


def crbo_table(
    results: Results, overlaps: Sequence[RunOverlap], cutoff: int, notes: Sequence[str]
) -> Table:
    """Counterfactual rank-biased overlap beside the measures of the same runs."""
    measures = [m for m in (*EFFECTIVENESS, *FAIRNESS) if m in results.measures]
    rows: list[dict[str, Value]] = [
        {
            **_row(results, overlap.first, measures, cutoff),
            "CRBO": overlap.value,
            "CRBO_min": overlap.lowest,
            "CRBO_residual": overlap.open,
        }
        for overlap in overlaps
    ]
    last = ("CRBO", "CRBO_min", "CRBO_residual")
    titles = ("CRBO", "min", "residual")
    how = f"p = {overlaps[0].p}, depth {overlaps[0].depth}" if overlaps else ""
    return Table(
        name="crbo",
        title=f"Counterfactual rank-biased overlap of the models ({how}).",
        columns=[
            Column("run", "Model"),
            *(Column(m, m, digits=DIGITS) for m in measures),
            *(Column(name, title, digits=DIGITS) for name, title in zip(last, titles, strict=True)),
        ],
        rows=rows,
        notes=[
            "CRBO is 1 where swapping the genders in all documents changes no ranking.",
            MEANS_NOTE,
            *notes,
        ],
    )


def _row(results: Results, run: str, measures: Sequence[str], cutoff: int) -> dict[str, Value]:
    row: dict[str, Value] = {"run": run}
    for measure in measures:
        row[measure] = results.value(run, measure, cutoff, _magnitude_of(measure))
    pair = [results.per_query(run, measure, cutoff) for measure in FAIRNESS]
    if pair[0] is not None and pair[1] is not None:
        both = correlation(pair[0], pair[1])
        row |= {"pearson_r": both.pearson, "pearson_r_p": both.pearson_p}
    return row


def _magnitude_of(measure: str) -> str:
    """AWRF has one of its own: the others of these tables have none."""
    return "tc" if measure == "AWRF" else ""


def growing_cutoffs(largest: int) -> tuple[int, ...]:
    """The cut-offs of figure 2, up to the largest."""
    steps = (1, 2, 3, 4, 5, *range(10, 101, 5), *range(150, 1001, 50))
    return tuple(step for step in steps if step <= largest) or (largest,)


def growing_plot(results: Results, cutoffs: Sequence[int], notes: Sequence[str]) -> LinePlot:
    """TExFAIR with and without RBDF, and NFaiRR, over growing cut-offs."""
    return LinePlot(
        name="figure2_cutoffs",
        title="Fairness over growing cut-offs.",
        points=[
            Points(
                panel=measure,
                series=run,
                x=cutoffs,
                y=[results.value(run, measure, cutoff) for cutoff in cutoffs],
                intervals=[results.interval(run, measure, cutoff) for cutoff in cutoffs],
            )
            for measure in GROWING
            if measure in results.measures
            for run in results.models
        ],
        x_label="cut-off",
        y_label="mean over queries",
        zero=False,
        notes=[_DIRECTION, INTERVALS_NOTE, MEANS_NOTE, *notes],
    )
