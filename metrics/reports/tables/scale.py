"""The scale of each measure: worst, best and random orders, beside the values of the models."""

from collections.abc import Sequence

from ...results.evaluation import Result
from ...results.scale import ORDERS_DRAWN
from ..formats.layout import Column, Table, Value
from ..formats.tables import DIGITS


def scale_table(results: Sequence[Result], cutoff: int, notes: Sequence[str]) -> list[Table]:
    """The table, where the results were measured with their scale; else none."""
    rows: list[dict[str, Value]] = [
        {
            "measure": result.measure,
            "magnitude": result.magnitude,
            "run": result.run,
            "value": result.value,
            **result.scale.row(),
        }
        for result in results
        if result.scale is not None and result.cutoff == cutoff
    ]
    if not rows:
        return []
    rows.sort(key=lambda row: (str(row["measure"]), str(row["magnitude"])))
    explained = (
        "Floor and ideal: the worst and the best value that a ranking can have; empty where a "
        f"measure has none. Random: the mean over {ORDERS_DRAWN} random orders of the same "
        "documents of each query."
    )
    return [
        Table(
            name="scale",
            title=f"The scale of each measure at cut-off {cutoff}.",
            columns=[
                Column("measure", "Measure"),
                Column("magnitude", "Magnitude"),
                Column("run", "Model"),
                Column("value", "Value", digits=DIGITS),
                Column("floor", "Floor", digits=DIGITS),
                Column("ideal", "Ideal", digits=DIGITS),
                Column("random", "Random", digits=DIGITS),
            ],
            rows=rows,
            notes=[explained, *notes],
        )
    ]
