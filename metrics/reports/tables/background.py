"""The bias beyond that of the collection itself."""

from collections.abc import Sequence

from ..formats.layout import Column, Table, Value
from ..results import MEANS_NOTE, Results, magnitude_title


def background_table(results: Results, cutoff: int, notes: Sequence[str]) -> Table:
    """RaB, the mean bias of all documents of the collection, and the difference."""
    columns = [Column("run", "Model")]
    rows: list[dict[str, Value]] = [{"run": run} for run in results.models]
    for magnitude in results.magnitudes:
        group = magnitude_title(magnitude)
        names = [f"{name}_{magnitude}" for name in ("RaB", "collection", "adjusted")]
        columns += [
            Column(names[0], "RaB", group),
            Column(names[1], "Collection", group),
            Column(names[2], "Adjusted", group),
        ]
        for row in rows:
            run = str(row["run"])
            plain = results.value(run, "RaB", cutoff, magnitude)
            adjusted = results.value(run, "RaB-adjusted", cutoff, magnitude)
            row[names[0]] = plain
            row[names[1]] = None if plain is None or adjusted is None else plain - adjusted
            row[names[2]] = adjusted
    return Table(
        name="background_bias",
        title=f"Bias beyond that of the collection at cut-off {cutoff}.",
        columns=columns,
        rows=rows,
        detail=True,
        notes=[
            (
                "Collection: mean bias over all its documents, which a ranking at random would "
                "have. Adjusted: RaB minus that."
            ),
            MEANS_NOTE,
            *notes,
        ],
    )
