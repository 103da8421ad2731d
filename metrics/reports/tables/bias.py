"""Table 3 and figure 1 of Rekabsaz & Schedl (2020): the bias of every model over the cut-offs."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ...statistics.ordering import comparable
from ..formats.layout import Column, Table, Value
from ..plots.figures import Points
from ..plots.plots import LinePlot
from ..results import Results, magnitude_title
from .marks import baseline_p_values, marks_note

MEASURES = ("RaB", "ARaB")

_SIGN = "Positive values lean towards the male words, negative ones towards the female words."


def bias_columns(magnitudes: Sequence[str], *, changes: bool, marks: bool = False) -> list[Column]:
    """The columns of values, RaB beside ARaB for each magnitude, each with change and mark."""
    columns = []
    for magnitude in magnitudes:
        for measure in MEASURES:
            name, group = f"{measure}_{magnitude}", magnitude_title(magnitude)
            columns.append(Column(name, measure, group))
            if changes:
                columns.append(Column(f"{name}_change", "", group, change=True))
            if marks:
                columns.append(Column(f"{name}_p", "", group, change=True, kind="p"))
    return columns


def bias_table(results: Results, notes: Sequence[str], seed: int = 0) -> Table:
    """Models x measures x magnitudes x cut-offs, with the change to the paired random run.

    With a baseline, marks say which models differ from it.
    """
    columns = bias_columns(
        results.magnitudes, changes=bool(results.paired), marks=bool(results.baseline)
    )
    rows: list[dict[str, Value]] = []
    for cutoff in results.cutoffs:
        p_values = {
            (m, g): baseline_p_values(results, m, cutoff, seed, g)
            for m in MEASURES
            for g in results.magnitudes
            if results.baseline
        }
        for run in results.models:
            row: dict[str, Value] = {"cutoff": cutoff, "run": run}
            for magnitude in results.magnitudes:
                for measure in MEASURES:
                    name = f"{measure}_{magnitude}"
                    row[name] = results.value(run, measure, cutoff, magnitude)
                    if results.paired:
                        row[f"{name}_change"] = results.change(run, measure, cutoff, magnitude)
                    if results.baseline:
                        row[f"{name}_p"] = p_values[measure, magnitude].get(run)
            rows.append(row)
    table = Table(
        name="table3_bias",
        title="Gender bias of the models"
        + ", and in parentheses its change by random initialisation" * bool(results.paired)
        + ".",
        columns=[Column("cutoff", "Cut-off"), Column("run", "Model"), *columns],
        rows=rows,
        block="cutoff",
    )
    changes = "In parentheses: the change when the model is initialised at random." * bool(
        results.paired
    )
    counts = comparison_notes(table, results.baseline)
    explained = filter(None, [_SIGN, changes, marks_note(results)])
    return replace(table, notes=[*explained, *counts, *notes])


@dataclass(frozen=True)
class Comparison:
    """How many cells are lower than, equal to and higher than what they are compared with."""

    lower: int
    equal: int
    higher: int

    @property
    def total(self) -> int:
        return self.lower + self.equal + self.higher


def _comparison(differences: Sequence[float]) -> Comparison:
    decided = comparable(differences).tolist()
    return Comparison(
        lower=sum(difference < 0 for difference in decided),
        equal=sum(difference == 0 for difference in decided),
        higher=sum(difference > 0 for difference in decided),
    )


def against_baseline(table: Table, baseline: str) -> Comparison:
    """The cells of all other models against those of the baseline at the same cut-off."""
    base = {row["cutoff"]: row for row in table.rows if row["run"] == baseline}
    names = [c.name for c in table.columns if c.name.startswith(MEASURES) and not c.change]
    return _comparison(
        [
            float(comparable(value) - comparable(reference))
            for row in table.rows
            if row["run"] != baseline and row["cutoff"] in base
            for name in names
            if isinstance(value := row[name], float)
            and isinstance(reference := base[row["cutoff"]][name], float)
        ]
    )


def random_initialisation(table: Table) -> Comparison:
    """The changes that a random initialisation makes, over all cells that have one."""
    names = [column.name for column in table.columns if column.change and column.kind != "p"]
    return _comparison(
        [value for row in table.rows for name in names if isinstance(value := row[name], float)]
    )


def comparison_notes(table: Table, baseline: str) -> list[str]:
    """Sentences that count the exceptions, over all cells of the table."""
    notes = []
    if baseline and (found := against_baseline(table, baseline)).total:
        notes.append(
            f"Of {found.total} cells of the other models, {found.higher} lean more male than "
            f"{baseline}, {found.equal} are equal and {found.lower} lean less male."
        )
    if (found := random_initialisation(table)).total:
        notes.append(
            f"In {found.lower + found.equal} of {found.total} cells a random initialisation lowers "
            "the value or leaves it: there the transferred knowledge raises the bias."
        )
    return notes


def bias_plot(results: Results, magnitude: str, notes: Sequence[str]) -> LinePlot:
    """RaB and ARaB of each model over the cut-offs."""
    points = [
        Points(
            panel=measure,
            series=run,
            x=results.cutoffs,
            y=[results.value(run, measure, cutoff, magnitude) for cutoff in results.cutoffs],
        )
        for measure in MEASURES
        for run in results.models
    ]
    return LinePlot(
        name="figure1_bias" if magnitude == "tf" else f"figure1_bias_{magnitude}",
        title=f"Gender bias over the cut-offs, {magnitude_title(magnitude)} magnitude.",
        points=points,
        x_label="cut-off",
        y_label="mean bias (positive: male)",
        notes=[_SIGN, *notes],
    )
