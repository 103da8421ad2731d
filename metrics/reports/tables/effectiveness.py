"""Table 1 of Rekabsaz & Schedl (2020): effectiveness of the models."""

from collections.abc import Mapping, Sequence

from ...runs.sidecar import SIZES
from ..families import Comparisons
from ..formats.layout import Column, Table, Value
from ..formats.tables import DIGITS
from ..results import MEANS_NOTE, Results
from .marks import marks_note, with_marks

MEASURES = ("MRR", "Recall", "nDCG")
_TRANSFERRED = "Transferred: parameters that come from elsewhere, such as word vectors."
_SIZES = dict(zip(SIZES, ("Parameters", "Transferred"), strict=True))


def effectiveness_table(
    results: Results,
    cutoff: int,
    relevant: int,
    tests: Comparisons,
    notes: Sequence[str],
    *,
    sizes: Mapping[str, Mapping[str, int]] | None = None,
) -> Table:
    """MRR, recall and nDCG of every run, those of random initialisation included.

    `sizes` maps a run to the `SIZES` of its model, as far as they are known.
    """
    sizes = sizes or {}
    known = {name for of_run in sizes.values() for name in of_run}
    titles = {name: title for name, title in _SIZES.items() if name in known}
    views = [(m, "", cutoff) for m in MEASURES]
    p_values = tests.p_values(views, results.baseline) if results.baseline else {}
    rows: list[dict[str, Value]] = [
        {
            "run": run,
            **{name: sizes[run].get(name) if run in sizes else None for name in titles},
            **{m: results.value(run, m, cutoff) for m in MEASURES},
            **{f"{view[0]}_p": p_values.get((*view, run)) for view in views},
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
            *(Column(name, title) for name, title in titles.items()),
            *with_marks(results, [Column(m, m, digits=DIGITS) for m in MEASURES]),
        ],
        rows=rows,
        notes=[
            *([_TRANSFERRED] if SIZES[-1] in titles else []),
            rule,
            MEANS_NOTE,
            *filter(None, [marks_note(tests, results.baseline)]),
            *notes,
        ],
    )
