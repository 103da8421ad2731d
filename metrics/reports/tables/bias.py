"""Table 3 and figure 1 of Rekabsaz & Schedl (2020): the bias of every model over the cut-offs."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ...statistics.ordering import comparable
from ..families import Comparisons
from ..formats.layout import Column, Table, Value
from ..plots.figures import Points
from ..plots.plots import INTERVALS_NOTE, WIDER_NOTE, LinePlot
from ..results import MEANS_NOTE, Results, magnitude_title
from ..sides import GENDERS, Sides
from .marks import marks_note

MEASURES = ("RaB", "ARaB")

# Decimals of the table in print.
_DIGITS = Column("", "").digits


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


def bias_table(
    results: Results, notes: Sequence[str], tests: Comparisons, sides: Sides = GENDERS
) -> Table:
    """Models x measures x magnitudes x cut-offs, with the change to the paired random run.

    With a baseline, marks say which models differ from it.
    """
    columns = bias_columns(
        results.magnitudes, changes=bool(results.paired), marks=bool(results.baseline)
    )
    views = [(m, g, c) for m in MEASURES for g in results.magnitudes for c in results.cutoffs]
    p_values = tests.p_values(views, results.baseline) if results.baseline else {}
    rows: list[dict[str, Value]] = []
    for cutoff in results.cutoffs:
        for run in results.models:
            row: dict[str, Value] = {"cutoff": cutoff, "run": run}
            for magnitude in results.magnitudes:
                for measure in MEASURES:
                    name = f"{measure}_{magnitude}"
                    row[name] = results.value(run, measure, cutoff, magnitude)
                    if results.paired:
                        row[f"{name}_change"] = results.change(run, measure, cutoff, magnitude)
                    if results.baseline:
                        row[f"{name}_p"] = p_values.get((measure, magnitude, cutoff, run))
            rows.append(row)
    table = Table(
        name="table3_bias",
        title=f"{sides.bias} of the models"
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
    explained = filter(None, [sides.note, MEANS_NOTE, changes, marks_note(tests, results.baseline)])
    return replace(table, notes=[*explained, *counts, *notes])


@dataclass(frozen=True)
class Comparison:
    """Numbers of cells lower than, equal to and higher than their reference."""

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


def against_baseline(table: Table, baseline: str, digits: int | None = None) -> Comparison:
    """The cells of all other models against those of the baseline at the same cut-off.

    With `digits`, as printed: values that are rounded alike are equal.
    """
    base = {row["cutoff"]: row for row in table.rows if row["run"] == baseline}
    names = [c.name for c in table.columns if c.name.startswith(MEASURES) and not c.change]
    return _comparison(
        [
            _rounded(value, digits) - _rounded(reference, digits)
            for row in table.rows
            if row["run"] != baseline and row["cutoff"] in base
            for name in names
            if isinstance(value := row[name], float)
            and isinstance(reference := base[row["cutoff"]][name], float)
        ]
    )


def random_initialisation(table: Table, digits: int | None = None) -> Comparison:
    """The changes that a random initialisation makes, over all cells that have one.

    With `digits`, as printed: a change that is printed as zero is none.
    """
    names = [column.name for column in table.columns if column.change and column.kind != "p"]
    return _comparison(
        [
            _rounded(value, digits)
            for row in table.rows
            for name in names
            if isinstance(value := row[name], float)
        ]
    )


def _rounded(value: float, digits: int | None) -> float:
    return float(comparable(value)) if digits is None else round(value, digits)


def comparison_notes(table: Table, baseline: str) -> list[str]:
    """Sentences that count the exceptions over all cells, as printed and in full precision."""
    notes = []
    if baseline and (counts := against_baseline(table, baseline, _DIGITS)).total:
        exact = against_baseline(table, baseline)
        notes.append(
            f"Of {counts.total} cells of the other models, {counts.higher} are higher than those "
            f"of {baseline}, {counts.equal} are equal and {counts.lower} are lower, as printed; "
            f"in full precision {exact.higher}, {exact.equal} and {exact.lower}."
        )
    if (counts := random_initialisation(table, _DIGITS)).total:
        exact = random_initialisation(table)
        notes.append(
            f"In {counts.lower} of {counts.total} cells a random initialisation lowers the value, "
            f"in {counts.equal} it leaves it and in {counts.higher} it raises it, as printed; in "
            f"full precision {exact.lower}, {exact.equal} and {exact.higher}. Where it lowers the "
            "value, the transferred knowledge raises it. The rule of the 2020 paper counts the "
            f"cells that are lowered or left, as printed: {counts.lower + counts.equal}."
        )
    return notes


def bias_plot(
    results: Results, magnitude: str, notes: Sequence[str], sides: Sides = GENDERS
) -> LinePlot:
    """RaB and ARaB of each model over the cut-offs."""
    are_several = len(results.models) > 1
    points = [
        Points(
            panel=f"{measure} ({magnitude_title(magnitude)})",
            series=run,
            x=results.cutoffs,
            y=[results.value(run, measure, cutoff, magnitude) for cutoff in results.cutoffs],
            intervals=[
                results.interval(run, measure, cutoff, magnitude) for cutoff in results.cutoffs
            ],
            wider=[
                results.interval(run, measure, cutoff, magnitude, len(results.models))
                for cutoff in (results.cutoffs if are_several else ())
            ],
        )
        for measure in MEASURES
        for run in results.models
    ]
    return LinePlot(
        name="figure1_bias" if magnitude == "tf" else f"figure1_bias_{magnitude}",
        title=f"{sides.bias} over the cut-offs, {magnitude_title(magnitude)} magnitude.",
        points=points,
        x_label="cut-off",
        y_label=f"mean bias (positive: {sides.high})",
        notes=[
            sides.note,
            INTERVALS_NOTE,
            *([WIDER_NOTE] if are_several else []),
            MEANS_NOTE,
            *notes,
        ],
    )
