"""The table of the field: effectiveness, bias and fairness of many runs on one query set."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..results.evaluation import Request, Result, all_measures, requests_of
from ..results.scored_runs import ScoredRuns
from ..statistics.inference import USUAL, Inference
from ..vocabulary import COLLECTION
from .families import comparisons_of
from .formats.layout import Table
from .plots.pareto import ParetoPlot, report_pareto
from .provenance import Choices, background_note, note, record
from .results import Results
from .tables.bias import bias_table
from .tables.comparisons import correlation_table, significance_table
from .tables.distributions import distribution_table, measured_at
from .tables.fairness import fairness_table
from .tables.power import power_tables
from .tables.scale import scale_table

BIAS_MAGNITUDES = ("tc", "tf", "bool")
BIAS_CUTOFFS = (10, 20)
CUTOFF = 10
_SIGNED = frozenset({"RaB", "ARaB"})
_BY_COLUMN = frozenset({"LIWC", "LabelExposure", "LabelShare"})
#: Their parameters are the same in the whole table.
_ALIKE = frozenset({"MRR", "NFaiRR"})
_PARETO_MAGNITUDE = "tf"


def field_requests(
    *,
    with_qrels: bool,
    relevant: int = 1,
    background: str = COLLECTION,
    categories: Sequence[str] = (),
    labels: Sequence[str] = (),
    further: Sequence[str] = (),
) -> list[Request]:
    """The measures to compute; without judgements no effectiveness.

    LIWC of each of the word `categories`; exposure and fairness of the groups `labels`; and
    `further` measures by name.
    """
    effectiveness = [f"MRR(relevant={relevant})", "nDCG"] if with_qrels else []
    fairness = ("FaiRR", "NFaiRR", "TExFAIR")
    others = all_measures(0, with_qrels=False, categories=categories, labels=labels)
    return [
        *(requests_of(effectiveness, None, (CUTOFF,)) if effectiveness else ()),
        *requests_of(("RaB", "ARaB"), BIAS_MAGNITUDES, BIAS_CUTOFFS),
        *requests_of(fairness, None, (CUTOFF,), background),
        *(requests_of(others, None, (CUTOFF,)) if others else ()),
        *(requests_of(further, None, (CUTOFF,), background) if further else ()),
    ]


def field_rows(
    scored: ScoredRuns, crbo: Mapping[str, float | None]
) -> tuple[list[str], list[dict[str, Any]]]:
    """The columns, and a row for each run.

    RaB and ARaB have two columns, the signed mean over the queries and the mean of the absolute
    values (`_abs`). `n_queries` are those that the bias is averaged over, `n_judged` those of
    MRR and nDCG. Last are CRBO, where any run has it, and the side of positive values.
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
    for result in scored.results:
        if result.positive:
            rows[result.run]["positive"] = result.positive
    columns = list(dict.fromkeys(name for row in rows.values() for name in row))
    return columns, list(rows.values())


def _column(result: Result) -> str:
    magnitude = f"_{result.magnitude}" if result.magnitude else ""
    name, _, inside = result.measure.partition("(")
    # A category or a group tells columns apart; a grade or a background is the same in all.
    if inside and name not in _ALIKE | _BY_COLUMN:
        return f"{result.measure}{magnitude}@{result.cutoff}"
    column = inside.removesuffix(")").partition("=")[2] if name in _BY_COLUMN else ""
    return f"{name}{magnitude}{column and '_' + column}@{result.cutoff}"


def _mean_size(result: Result) -> float | None:
    sizes = np.abs(result.per_query.value)
    known = sizes[~np.isnan(sizes)]
    return float(known.mean()) if len(known) else None


def pareto_plot(scored: ScoredRuns) -> ParetoPlot | None:
    """Effectiveness against bias; None without judgements."""
    results = Results(scored.results, {})
    return report_pareto(results, CUTOFF, _PARETO_MAGNITUDE, (), least=1)


def field_tables(
    scored: ScoredRuns,
    *,
    baseline: str = "",
    relevant: int = 1,
    seed: int = 0,
    inference: Inference = USUAL,
) -> list[Table]:
    """The tables of a report that these runs have: for print, with tests, marks and intervals."""
    # The grade that counts as relevant is the same in the whole table: a note has it.
    named = [
        replace(result, measure="MRR") if result.measure.startswith("MRR(") else result
        for result in scored.results
    ]
    results = Results(named, {}, baseline)
    tests = comparisons_of(results, inference, seed)
    choices = Choices(baseline=baseline, relevant=relevant, inference=inference)
    grade = f"MRR counts grades from {relevant} on as relevant."
    notes = [*([grade] if "MRR" in results.measures else []), note(scored, results, "")]
    with_background = [background_note(results, COLLECTION), *notes]
    compared = measured_at(results, CUTOFF)
    tables = [
        fairness_table(results, CUTOFF, tests, with_background),
        bias_table(results, notes, tests),
        distribution_table(results, CUTOFF, with_background),
        *scale_table(results.all, CUTOFF, notes),
    ]
    if len(results.runs) > 1:
        tables += [
            significance_table(results, compared, CUTOFF, tests, with_background),
            correlation_table(results, compared, CUTOFF, tests, with_background),
            *power_tables(results, compared, CUTOFF, tests, seed=seed, notes=with_background),
        ]
    known = record(scored, results, "", choices)
    return [replace(table, record=known, runs=results.runs) for table in tables]
