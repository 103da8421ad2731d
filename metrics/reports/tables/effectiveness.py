"""Table 1 of Rekabsaz & Schedl (2020): how well the models find what is relevant."""

from collections.abc import Mapping, Sequence

from ..formats.layout import Column, Table, Value
from ..results import Results
from .marks import baseline_p_values, marks_note, with_marks

MEASURES = ("MRR", "Recall", "nDCG")


def effectiveness_table(
    results: Results,
    cutoff: int,
    relevant: int,
    seed: int,
    notes: Sequence[str],
    *,
    parameters: Mapping[str, int] | None = None,
) -> Table:
    """MRR, recall and nDCG of every run, those of random initialisation included.

    `parameters` maps a run to the number of parameters of its model, where that is known.
    """
    p_values = {m: baseline_p_values(results, m, cutoff, seed) for m in MEASURES}
    rows: list[dict[str, Value]] = [
        {
            "run": run,
            "n_parameters": (parameters or {}).get(run),
            **{m: results.value(run, m, cutoff) for m in MEASURES},
            **{f"{m}_p": p_values[m].get(run) for m in MEASURES},
        }
        for run in results.runs
    ]
    rule = (
        "With the conventions of trec_eval: ranked by score, equal scores "
        f"by document id descending. MRR and Recall count grades from {relevant} on as relevant."
    )
    return Table(
        name="table1_effectiveness",
        title=f"Effectiveness of the models at cut-off {cutoff}.",
        columns=[
            Column("run", "Model"),
            *([Column("n_parameters", "Parameters")] if parameters else []),
            *with_marks(results, [Column(m, m, digits=4) for m in MEASURES]),
        ],
        rows=rows,
        notes=[rule, *filter(None, [marks_note(results)]), *notes],
    )
