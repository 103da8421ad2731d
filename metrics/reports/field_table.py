"""The table of the field: effectiveness, bias and fairness of many runs on one query set."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..results.evaluation import Request, Result, all_measures, requests_of
from ..results.scored_runs import ScoredRuns
from ..vocabulary import COLLECTION
from .plots.pareto import ParetoPlot, ParetoPoint

BIAS_MAGNITUDES = ("tc", "tf", "bool")
BIAS_CUTOFFS = (10, 20)
CUTOFF = 10
_SIGNED = frozenset({"RaB", "ARaB"})
_BY_COLUMN = frozenset({"LIWC", "LabelExposure"})

#: What the Pareto plot shows: more of the first, less of the second.
_EFFECTIVENESS, _BIAS = "nDCG@10", "ARaB_tf@10_abs"


def field_requests(
    *,
    with_qrels: bool,
    relevant: int = 1,
    background: str = COLLECTION,
    categories: Sequence[str] = (),
    labels: Sequence[str] = (),
) -> list[Request]:
    """What has to be measured; without judgements no effectiveness.

    LIWC of each of the word `categories`; exposure and AWRF of the groups `labels`.
    """
    effectiveness = [f"MRR(relevant={relevant})", "nDCG"] if with_qrels else []
    fairness = ("FaiRR", "NFaiRR", "TExFAIR")
    others = all_measures(0, with_qrels=False, categories=categories, labels=labels)
    return [
        *(requests_of(effectiveness, None, (CUTOFF,)) if effectiveness else ()),
        *requests_of(("RaB", "ARaB"), BIAS_MAGNITUDES, BIAS_CUTOFFS),
        *requests_of(fairness, None, (CUTOFF,), background),
        *(requests_of(others, None, (CUTOFF,)) if others else ()),
    ]


def field_rows(
    scored: ScoredRuns, crbo: Mapping[str, float | None]
) -> tuple[list[str], list[dict[str, Any]]]:
    """The columns, and a row for each run.

    RaB and ARaB have two columns, the signed mean over the queries and the mean of the absolute
    values (`_abs`). `n_queries` are those that the bias is averaged over, `n_judged` those of
    MRR and nDCG. CRBO stands in the last column where any run has it.
    """
    rows: dict[str, dict[str, Any]] = {}
    for result in scored.results:
        row = rows.setdefault(result.run, {"run": result.run, "n_queries": 0})
        if result.measure in _SIGNED:
            row["n_queries"] = max(row["n_queries"], result.n_queries)
        elif result.measure == "nDCG":
            row["n_judged"] = result.n_queries
        name = _column(result)
        row[name] = result.value
        if result.measure in _SIGNED:
            row[f"{name}_abs"] = _mean_size(result)
    if crbo:
        for run, row in rows.items():
            row["CRBO"] = crbo.get(run)
    columns = list(dict.fromkeys(name for row in rows.values() for name in row))
    return columns, list(rows.values())


def _column(result: Result) -> str:
    magnitude = f"_{result.magnitude}" if result.magnitude else ""
    name, _, inside = result.measure.partition("(")
    # A category or a group tells columns apart; a grade or a background is the same in all.
    column = inside.removesuffix(")").partition("=")[2] if name in _BY_COLUMN else ""
    return f"{name}{magnitude}{column and '_' + column}@{result.cutoff}"


def _mean_size(result: Result) -> float | None:
    sizes = np.abs(result.per_query.value)
    known = sizes[~np.isnan(sizes)]
    return float(known.mean()) if len(known) else None


def pareto_plot(rows: Sequence[Mapping[str, Any]]) -> ParetoPlot | None:
    """Effectiveness against bias; None without judgements."""
    points = [
        ParetoPoint(row["run"], row[_EFFECTIVENESS], row[_BIAS])
        for row in rows
        if row.get(_EFFECTIVENESS) is not None and row.get(_BIAS) is not None
    ]
    if not points:
        return None
    return ParetoPlot(
        name="pareto",
        title="Effectiveness against bias, the Pareto front marked.",
        points=points,
        x_label="mean |ARaB| (TF) at 10",
        y_label="nDCG at 10",
    )
