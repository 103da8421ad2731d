"""Numbers of a report's pictures beyond its tables: verdicts, the front, how values spread."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from annotation.reports.queries.view import ReportView
from metrics.reports.findings import verdict_on
from metrics.reports.plots.pareto import ParetoPlot, report_pareto
from metrics.reports.results import Results
from metrics.reports.tables.bias import MEASURES
from metrics.statistics.inference import Verdict

_QUANTILES = (5, 25, 50, 75, 95)
_N_BINS = 40


@dataclass(frozen=True)
class Spread:
    """The values of one run: `shares` of the queries in equal bins, and their quantiles."""

    run: str
    n: int
    shares: Sequence[float]
    quantiles: Sequence[float]


@dataclass(frozen=True)
class Spreads:
    """Spread of every run's values between `low` and `high`."""

    low: float
    high: float
    rows: Sequence[Spread]


def verdicts_against_baseline(view: ReportView) -> dict[str, Verdict]:
    """Return the tests' verdict on each run against the chosen one; empty without one."""
    against = view.choice.against
    if against not in view.runs:
        return {}
    return {pair.first: verdict_on(pair, view.inference) for pair in view.pairs(against)}


def front_of(view: ReportView) -> ParetoPlot | None:
    """NDCG against |ARaB|, at the cut-off that nDCG was measured at; None without judgements."""
    magnitude = view.choice.magnitude or (view.magnitudes or ("",))[0]
    cutoffs = [key.cutoff for key in view.stored.keys if key.measure == "nDCG"]
    if not cutoffs or not magnitude:
        return None
    measures = {("nDCG", ""), (MEASURES[1], magnitude)}
    scored = view.stored.read(
        lambda key: (key.measure, key.magnitude) in measures and key.cutoff == cutoffs[0]
    )
    return report_pareto(Results(scored.results, {}, ""), cutoffs[0], magnitude, view.notes)


def spreads_of(view: ReportView) -> Spreads | None:
    """Return the spread of the chosen measure over the queries by run; None without values."""
    measure, magnitude = view.named
    key = (measure, magnitude, view.choice.cutoff)
    scored = view.stored.read(
        lambda stored_key: (stored_key.measure, stored_key.magnitude, stored_key.cutoff) == key
    )
    values = {result.run: result.compared[~np.isnan(result.compared)] for result in scored.results}
    values = {run: known for run, known in values.items() if len(known)}
    if not values:
        return None
    low = min(float(known.min()) for known in values.values())
    high = max(float(known.max()) for known in values.values())
    if low == high:
        return None
    if low < 0:
        high = max(high, -low)
        low = -high
    return Spreads(low, high, [_spread(run, known, low, high) for run, known in values.items()])


def _spread(run: str, values: NDArray[np.float64], low: float, high: float) -> Spread:
    counts, _ = np.histogram(values, bins=_N_BINS, range=(low, high))
    quantiles = np.percentile(values, _QUANTILES).tolist()
    return Spread(run, len(values), (counts / len(values)).tolist(), quantiles)
