"""Values as published beside those computed, for whoever has the collection and the runs."""

import csv
from collections.abc import Sequence
from pathlib import Path

from metrics.errors import InputError
from metrics.report.layout import Column, Table, Value
from metrics.report.results import Results

#: Passages of MS MARCO, the collection that the published values hold on.
N_DOCUMENTS = 8_841_823

_FILE = Path(__file__).resolve().parent.parent / "data" / "published.csv"

STUDIES = {
    "rekabsaz_schedl_2020": "Rekabsaz & Schedl, SIGIR 2020, tables 1 and 3",
    "abolghasemi_2024_qs1": "Abolghasemi et al., ECIR 2024, table 1, 1,756 queries",
    "abolghasemi_2024_qs2": "Abolghasemi et al., ECIR 2024, table 1, 215 queries",
}


def published_values(study: str) -> list[dict[str, str]]:
    """Rows `model, cutoff, measure, magnitude, value`; `*_change` is that of random embeddings."""
    with _FILE.open(encoding="utf-8", newline="") as file:
        return [row for row in csv.DictReader(file) if row["study"] == study]


def check_collection(n_documents: int) -> None:
    """Published values say nothing about another collection."""
    if n_documents != N_DOCUMENTS:
        raise InputError(
            f"the published values hold on the {N_DOCUMENTS:,} passages of MS MARCO, and this "
            f"collection has {n_documents:,}.",
            remedy="Leave --published out.",
        )


def published_table(results: Results, study: str, notes: Sequence[str]) -> Table:
    """One row for each published value whose run and measure were computed."""
    rows: list[dict[str, Value]] = []
    for row in published_values(study):
        cutoff = int(row["cutoff"])
        measure, _, change = row["measure"].partition("_")
        look_up = results.change if change else results.value
        computed = look_up(row["model"], measure, cutoff, row["magnitude"])
        if computed is not None:
            published = float(row["value"])
            rows.append(
                {
                    "measure": row["measure"].replace("_", " "),
                    "magnitude": row["magnitude"],
                    "cutoff": cutoff,
                    "run": row["model"],
                    "published": published,
                    "computed": computed,
                    "difference": computed - published,
                }
            )
    return Table(
        name="published",
        title=f"Beside the published values ({STUDIES[study]}).",
        columns=[
            Column("measure", "Measure"),
            Column("magnitude", "Magnitude"),
            Column("cutoff", "Cut-off"),
            Column("run", "Model"),
            Column("published", "Published", digits=4),
            Column("computed", "Computed", digits=4),
            Column("difference", "Difference", digits=4),
        ],
        rows=rows,
        notes=["Runs are matched by name; published values are rounded.", *notes],
        block="measure",
    )
