"""Numbers with intervals: for other queries and workers, or for the workers who voted."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ..extras import need
from ..vocabulary import LEVEL
from .coefficients import Coefficient
from .crossed import (
    BEYOND_CHANCE,
    MIN_HITS,
    MIN_QUERIES,
    SHARE,
    Design,
    Spread,
    crossed_spread,
)
from .intervals import Estimate, bootstrap, estimate
from .patterns import Patterns
from .rare import (
    ENOUGH,
    ENOUGH_HITS,
    hits_holding,
    n_showing,
    rare_interval,
)
from .table import Votes

Floats = npt.NDArray[np.float64]

_SHARES = ("raw", "specific", "confusion", "patterns")
#: With three workers the interval of specific agreement covers .87.
_MIN_WORKERS_SPECIFIC = 4
#: Decimals to which processors agree after a numeric derivative.
_DECIMALS = 8
#: Below this many degrees of freedom, one more narrows an interval by a twentieth or more.
_FEW_DEGREES = 5


@dataclass(frozen=True)
class AlphaVariance:
    """Standard errors of alpha: over draws of queries, and what draws of workers add.

    `worker_share` is the share of the variance that is due to differences between workers.
    """

    error_queries: float
    error_workers: float
    worker_share: float
    advice: str


@dataclass(frozen=True)
class Estimates:
    """Each statistic as an `Estimate`, or lists of them in its shape; and what to warn of."""

    values: dict[str, Any]
    warnings: list[str]
    variance: AlphaVariance | None = None


def resampled_estimates(
    table: Votes,
    patterns: Patterns,
    statistics: Mapping[str, Coefficient],
    *,
    resamples: int,
    level: float,
    seed: int,
) -> Estimates:
    """Percentile intervals of a bootstrap over queries, which hold for these very workers.

    The alpha of a rare category has an interval from models (`rare`), its other numbers have none.
    """
    samples = bootstrap(patterns, dict(statistics), resamples=resamples, seed=seed)
    estimates: dict[str, Any] = {
        name: _estimates(value, samples[name], level)
        for name, value in _observed(patterns, statistics).items()
    }
    showing = n_showing(patterns)
    rare = _rare(showing) if "per_category" in statistics else []
    for place in rare:
        estimates["specific"][place] = _without_interval(estimates["specific"][place])
        estimates["confusion"][place] = _without_interval(estimates["confusion"][place])
        estimates["per_category"][place] = _of_rare(
            estimates["per_category"][place], patterns, place, resamples=resamples, seed=seed
        )
    words = _unstable(samples["alpha"], estimates["alpha"].value)
    if rare:
        words.append(
            f"{_rare_words(table, showing, rare)} The interval of alpha comes from models of the "
            "votes and is wide; the category's other numbers have none."
        )
    return Estimates(estimates, words)


def crossed_estimates(
    table: Votes, patterns: Patterns, statistics: Mapping[str, Coefficient], *, level: float
) -> Estimates:
    """Compute intervals that hold for other queries and other workers, or none where none would."""
    design = Design(table)
    if not design.is_large_enough:
        values = _observed(patterns, statistics)
        return Estimates(
            {name: _bare(value, level) for name, value in values.items()}, _too_few(table, design)
        )
    spreads = {
        name: crossed_spread(
            # Without one of its votes a query has another pattern: it is left out with the vote.
            Design(table, keeps_queries=False) if name == "patterns" else design,
            statistic,
            SHARE if name in _SHARES else BEYOND_CHANCE,
        )
        for name, statistic in statistics.items()
    }
    estimates: dict[str, Any] = {
        name: _bounded(spread.value, *spread.ends(level), level) for name, spread in spreads.items()
    }
    variance, words = _variance(spreads["alpha"]), _without_ends(estimates["alpha"])
    if "per_category" not in statistics:
        return Estimates(estimates, words, variance)
    if design.n_workers < _MIN_WORKERS_SPECIFIC:
        estimates["specific"] = _without_interval(estimates["specific"])
    showing, holding = n_showing(patterns), hits_holding(table)
    rare = _rare(showing)
    clustered = [
        place
        for place, n in enumerate(holding)
        if showing[place] and n < min(ENOUGH_HITS, design.n_clusters / 2) and place not in rare
    ]
    for place in (*rare, *clustered):
        for name in ("specific", "confusion", "per_category"):
            estimates[name][place] = _without_interval(estimates[name][place])
    words += [_clustered_words(table, place, int(holding[place])) for place in clustered]
    if rare:
        words.append(
            f"{_rare_words(table, showing, rare)} No interval of the category holds for other "
            "workers."
        )
    return Estimates(estimates, words, variance)


def _without_ends(alpha: Estimate) -> list[str]:
    if alpha.value is None or alpha.low is not None:
        return []
    words = (
        "Alpha has no interval: all votes agree, or would without one of the workers, so that "
        "nothing tells how far other workers would differ."
    )
    return [words]


def _variance(alpha: Spread) -> AlphaVariance | None:
    share = float(alpha.worker_share)
    if not math.isfinite(share):
        return None
    queries, workers = (round(float(error), _DECIMALS) for error in alpha.errors)
    advice = narrowing_advice(share, float(alpha.freedom))
    return AlphaVariance(queries, workers, round(share, _DECIMALS), advice)


def narrowing_advice(worker_share: float, freedom: float = math.inf) -> str:
    """Say whether more workers or more queries would narrow the interval of alpha.

    Where Student's t has few degrees of freedom, these can widen it more than its variance does; a
    further worker or HIT adds one.
    """
    more, less = ("workers", "queries") if worker_share > 1 / 2 else ("queries", "workers")
    begin = f"{worker_share:.0%} of the variance of alpha is there because workers differ"
    if freedom < _FEW_DEGREES:
        special = need("scipy.special", extra="votes")
        quantiles = special.stdtrit((freedom, freedom + 1), (1 + LEVEL) / 2)
        narrower = 1 - float(quantiles[1] / quantiles[0])
        return (
            f"{begin}, but the interval has {freedom:.2g} degrees of freedom: one more, by another "
            f"worker (or HIT, where these are fewer), would narrow it by {narrower:.0%} even where "
            "workers do not differ."
        )
    return (
        f"{begin}, the rest because queries do: more {more} would narrow its interval more than "
        f"more {less}."
    )


def _too_few(table: Votes, design: Design) -> list[str]:
    if not len(table):
        return []
    least = f"{design.least_workers} workers and {MIN_QUERIES} queries with two votes or more"
    here = f"{design.n_workers} and {design.n_paired:,}"
    if table.clusters is not None:
        least, here = f"{least}, in {MIN_HITS} HITs", f"{here}, in {design.n_clusters:,}"
    return [
        f"No interval can be given for other workers: it takes at least {least}; here are {here}."
    ]


def _observed(patterns: Patterns, statistics: Mapping[str, Coefficient]) -> dict[str, Floats]:
    return {name: of(patterns, patterns.observed)[0] for name, of in statistics.items()}


def _estimates(value: Floats, sample: Floats, level: float) -> Any:
    """An `Estimate`, or lists of them in the shape of `value`."""
    if np.ndim(value) == 0:
        return estimate(None if math.isnan(value) else float(value), sample, level=level)
    return [_estimates(element, sample[:, place], level) for place, element in enumerate(value)]


def _bounded(value: Floats, low: Floats, high: Floats, level: float) -> Any:
    if np.ndim(value):
        return [_bounded(*ends, level) for ends in zip(value, low, high, strict=True)]
    bare = _bare(value, level)
    if bare.value is None or not (math.isfinite(low) and math.isfinite(high)):
        return bare
    return replace(bare, low=round(float(low), _DECIMALS), high=round(float(high), _DECIMALS))


def _bare(value: Floats, level: float) -> Any:
    return _without_interval(_estimates(value, np.full((1, *np.shape(value)), np.nan), level))


def _without_interval(estimate: Any) -> Any:
    if isinstance(estimate, list):
        return [_without_interval(part) for part in estimate]
    return replace(estimate, low=None, high=None)


def _of_rare(
    estimate: Estimate, patterns: Patterns, label: int, *, resamples: int, seed: int
) -> Estimate:
    if estimate.value is None:
        return estimate
    low, high = rare_interval(patterns, label, level=estimate.level, resamples=resamples, seed=seed)
    return replace(estimate, low=low, high=high)


def _rare(showing: npt.NDArray[np.int64]) -> list[int]:
    return [place for place, n in enumerate(showing) if 0 < n < ENOUGH]


def _rare_words(table: Votes, showing: npt.NDArray[np.int64], rare: list[int]) -> str:
    names = ", ".join(f"{table.called[place]} ({showing[place]:,} queries)" for place in rare)
    return (
        f"Rare: few queries tell {names} from the rest, and fewer than {ENOUGH} leave out "
        "disagreement that resampling cannot show."
    )


def _clustered_words(table: Votes, place: int, holding: int) -> str:
    more = math.ceil(len(table.items) * (ENOUGH_HITS - holding) / max(holding, 1))
    kind = "queries" if table.clusters is None else "HITs"
    return (
        f"Clustered: {holding:,} {kind} have two votes that tell {table.called[place]} from the "
        f"rest, and an interval of the category that holds for other workers takes {ENOUGH_HITS}: "
        f"ask about {more:,} more queries."
    )


def _unstable(sample: Floats, alpha: float | None) -> list[str]:
    missing = int(np.isnan(sample).sum())
    if alpha is None or missing == 0:
        return []
    words = (
        f"Alpha is undefined in {missing} of {len(sample)} resamples (all votes equal there); "
        "its interval is that of the others and too narrow."
    )
    return [words]
