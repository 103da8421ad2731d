"""Table 1 of Rekabsaz & Schedl (2020): how well the models find what is relevant."""

from collections.abc import Sequence

from metrics.report.layout import Column, Table, Value
from metrics.report.results import Results

MEASURES = ("MRR", "Recall", "nDCG")


def effectiveness_table(results: Results, cutoff: int, notes: Sequence[str]) -> Table:
    """MRR, recall and nDCG of every run, those of random initialisation included."""
    rows: list[dict[str, Value]] = [
        {"run": run, **{m: results.value(run, m, cutoff) for m in MEASURES}} for run in results.runs
    ]
    rule = (
        "Computed by ir_measures with the conventions of trec_eval: ranked by score, equal scores "
        "by document id descending."
    )
    return Table(
        name="table1_effectiveness",
        title=f"Effectiveness of the models at cut-off {cutoff}.",
        columns=[Column("run", "Model"), *(Column(m, m, digits=4) for m in MEASURES)],
        rows=rows,
        notes=[rule, *notes],
    )
