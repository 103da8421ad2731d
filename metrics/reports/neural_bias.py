"""The table that papers on the bias of neural rankers print: effectiveness, ARaB, NFaiRR.

Each value is the mean over queries and seeds with the standard deviation over seeds. Names are
those of the field's notebooks, whose tf is the logarithm of 1 + all words of a group: our logtc.
"""

from typing import Any

from ..results.evaluation import Request, requests_of
from ..results.repeated import repeated_rows
from ..results.repeats import Systems
from ..results.scored_runs import ScoredRuns
from ..statistics.inference import USUAL, Inference
from ..vocabulary import COLLECTION
from .formats.layout import Column, Table
from .formats.tables import DIGITS
from .provenance import Choices, background_note, note, record
from .results import Results
from .tables.repetitions import MEANING, marks_of

CUTOFFS = (5, 10, 20, 50)
EFFECTIVENESS_CUTOFF = 10
#: Our magnitudes by the notebooks' names.
MAGNITUDES = {"tc": "tc", "tf": "logtc", "bool": "bool"}
_NAMES = {ours: theirs for theirs, ours in MAGNITUDES.items()}
NAMES_NOTE = (
    "ARaB and its magnitudes are named as in the field's notebooks: tf is log(1 + occurrences of "
    "all words of a group), which other tables of this program call logtc; their tf adds "
    "log(1 + occurrences) word by word. ARaB is the signed mean, male minus female."
)


def neural_bias_requests(*, with_qrels: bool, relevant: int = 1) -> list[Request]:
    """The measures of the table; without judgements no effectiveness."""
    effectiveness = [f"MRR(relevant={relevant})", "nDCG"] if with_qrels else []
    return [
        *(requests_of(effectiveness, None, (EFFECTIVENESS_CUTOFF,)) if effectiveness else ()),
        *requests_of(["ARaB"], MAGNITUDES.values(), CUTOFFS),
        *requests_of(["NFaiRR"], None, CUTOFFS, COLLECTION),
    ]


def neural_bias_table(
    scored: ScoredRuns,
    systems: Systems,
    *,
    baseline: str = "",
    relevant: int = 1,
    inference: Inference = USUAL,
) -> Table:
    """A row per system; of each value also `_deviation`, `_low`, `_high`, and `_p` of a baseline.

    Marks are of the difference from the baseline with seeds drawn, so there are none below three.
    """
    rows: dict[str, dict[str, Any]] = {
        system: {"run": system, "n_queries": 0, "n_repetitions": len(runs)}
        for system, runs in systems.items()
    }
    columns: dict[str, list[Column]] = {}
    figures = repeated_rows(scored.results, systems, baseline=baseline, inference=inference)
    for figure in figures:
        name, group = _name(figure)
        row = rows[figure["run"]]
        if figure.get("baseline"):
            row[f"{name}_p"] = figure["p_corrected"]
            continue
        row["n_queries"] = max(row["n_queries"], figure["n_queries"])
        row[name] = figure["value"]
        row |= {f"{name}_{end}": figure[end] for end in ("deviation", "low", "high")}
        if baseline:
            row[f"{name}_p"] = None
        columns.setdefault(
            name,
            [
                Column(name, f"@{figure['cutoff']}" if group else name, group, digits=DIGITS),
                Column(f"{name}_deviation", "", group, change=True, kind="deviation"),
                *([Column(f"{name}_p", "", group, change=True, kind="p")] if baseline else []),
            ],
        )
    results = Results(scored.results, {})
    grade = f"MRR counts grades from {relevant} on as relevant."
    return Table(
        name="neural_bias",
        title="Effectiveness, bias and fairness of neural rankers.",
        columns=[Column("run", "Model"), *(column for own in columns.values() for column in own)],
        rows=list(rows.values()),
        notes=[
            MEANING,
            NAMES_NOTE,
            *([marks_of(baseline, inference)] if baseline else []),
            *([grade] if any(m.startswith("MRR") for m in results.measures) else []),
            background_note(results, COLLECTION),
            note(scored, results, ""),
        ],
        record=record(scored, results, "", Choices(relevant=relevant, inference=inference)),
        runs=tuple(systems),
    )


def file_columns(table: Table) -> list[str]:
    """The columns of the table for programs, intervals included."""
    return list(dict.fromkeys(name for row in table.rows for name in row))


def _name(figure: dict[str, Any]) -> tuple[str, str]:
    """The name of a column, and the group that it stands under."""
    measure, cutoff = figure["measure"].partition("(")[0], figure["cutoff"]
    if measure == "ARaB":
        how = _NAMES[figure["magnitude"]]
        return f"ARaB_{how}@{cutoff}", f"ARaB {how}"
    return f"{measure}@{cutoff}", measure if measure == "NFaiRR" else ""
