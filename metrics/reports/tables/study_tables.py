"""Table 2 of Rekabsaz & Schedl (2020): the queries of each category, with samples."""

from ...runs.queries import Queries
from ...vocabulary import Category
from ..formats.layout import Column, Table, Value

_SAMPLES = 2


def queries_table(queries: Queries) -> Table:
    """Number of queries of each category, and the first of them in the order of their ids."""
    rows: list[dict[str, Value]] = []
    for category in Category:
        qids = sorted(qid for qid, label in queries.labels.items() if label == category.value)
        samples = (queries.texts[qid] for qid in qids[:_SAMPLES])
        rows.append(
            {"category": category.label, "n_queries": len(qids), "samples": "; ".join(samples)}
        )
    return Table(
        name="table2_queries",
        title="Queries of each category, with samples.",
        columns=[
            Column("category", "Category"),
            Column("n_queries", "Queries"),
            Column("samples", "Samples"),
        ],
        rows=rows,
    )
