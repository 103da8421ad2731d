"""All that is said about the agreement of a vote table, with intervals and warnings."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from annotation.agreement import coefficients, warnings
from annotation.agreement.alpha import krippendorff_alpha
from annotation.agreement.intervals import (
    LEVEL,
    RESAMPLES,
    Estimate,
    Statistic,
    bootstrap,
    estimate,
)
from annotation.agreement.majority import UNDECIDED, majority
from annotation.agreement.patterns import Patterns
from annotation.agreement.rare import ENOUGH, n_showing, rare_interval
from annotation.agreement.table import VoteTable


@dataclass(frozen=True)
class Agreement:
    """Agreement of the voters over `n_queries` queries that have a vote.

    `votes_per_query` is their mean; `categories` counts the votes for each category; `ties` and
    `majority` say what majority vote makes of them. The last three fields are the details:
    `patterns` like {"3-0": share of the queries}, `confusion[a][b]` the share of the votes beside
    a vote for a that say b.
    """

    n_queries: int
    n_votes: int
    n_workers: int
    votes_per_query: float | None
    categories: dict[str, int]
    raw_agreement: Estimate
    krippendorff_alpha: Estimate
    gwet_ac1: Estimate
    fleiss_kappa: Estimate
    per_category_alpha: dict[str, Estimate]
    ties: int
    majority: dict[str, int]
    warnings: list[str] = field(default_factory=list)
    specific_agreement: dict[str, Estimate] = field(default_factory=dict)
    patterns: dict[str, Estimate] = field(default_factory=dict)
    pattern_counts: dict[str, int] = field(default_factory=dict)
    confusion: dict[str, dict[str, Estimate]] = field(default_factory=dict)


#: The fields that `agreement --json` promises; the rest is shown with `--details`.
SUMMARY_FIELDS = (
    "n_queries", "n_votes", "n_workers", "votes_per_query", "categories", "raw_agreement",
    "krippendorff_alpha", "gwet_ac1", "fleiss_kappa", "per_category_alpha", "ties", "majority",
    "warnings",
)  # fmt: skip
DETAIL_FIELDS = ("specific_agreement", "patterns", "pattern_counts", "confusion")


def as_dict(agreement: Agreement, *, details: bool = False) -> dict[str, Any]:
    """Plain values for JSON: every coefficient is {value, low, high, level}."""
    fields = SUMMARY_FIELDS + (DETAIL_FIELDS if details else ())
    return {name: _plain(getattr(agreement, name)) for name in fields}


def _plain(value: Any) -> Any:
    if isinstance(value, Estimate):
        return value.as_dict()
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return value


def agreement(
    table: VoteTable,
    *,
    n_categories: int | None = None,
    kinds: Mapping[str, int] | None = None,
    strict: bool = False,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
    seed: int = 0,
) -> Agreement:
    """Every coefficient of `table` with percentile bootstrap intervals over the queries.

    The alpha of a rare category has an interval from models (`rare`), its other numbers have none.

    `n_categories` is how many categories the voters could choose from (AC1 needs it), by default
    all of the table's labels. `kinds` counts the votes by kind of voter for the warnings.
    """
    counts = table.counts()
    patterns = Patterns.of(counts)
    statistics = _statistics(patterns, n_categories or len(table.labels))
    samples = bootstrap(patterns, statistics, resamples=resamples, seed=seed)
    values = {name: of(patterns, patterns.observed)[0] for name, of in statistics.items()}
    found = {name: _estimates(values[name], samples[name], level) for name in statistics}
    showing = n_showing(patterns)
    rare = [place for place, n in enumerate(showing) if 0 < n < ENOUGH]
    for place in rare:
        found["specific"][place] = _without_interval(found["specific"][place])
        found["confusion"][place] = [_without_interval(one) for one in found["confusion"][place]]
        found["per_category"][place] = _of_rare(
            found["per_category"][place], patterns, place, resamples=resamples, seed=seed
        )
    alpha = krippendorff_alpha(counts)
    coefficients_found = {
        "raw_agreement": found["raw"],
        "krippendorff_alpha": estimate(alpha, samples["alpha"], level=level),
        "gwet_ac1": found["ac1"],
        "fleiss_kappa": found["kappa"],
    }
    decided = majority(counts[counts.sum(axis=1) > 0], strict=strict)
    by_label = partial(_by_label, table.labels)
    return Agreement(
        n_queries=patterns.n_queries,
        n_votes=len(table),
        n_workers=len(np.unique(table.worker)),
        votes_per_query=len(table) / patterns.n_queries if len(table) else None,
        categories=_counted(table.labels, counts.sum(axis=0)),
        **coefficients_found,
        per_category_alpha=by_label(found["per_category"]),
        ties=int((decided == UNDECIDED).sum()),
        majority=_counted(
            table.labels, np.bincount(decided[decided >= 0], minlength=len(table.labels))
        ),
        warnings=[
            *warnings.about_votes(table, counts),
            *warnings.about_voters(kinds or {}),
            *warnings.about_prevalence(counts, table.labels, found["raw"].value, alpha),
            *warnings.about_undefined(
                {name: item.value for name, item in coefficients_found.items()},
                counts,
                table.labels,
            ),
            *_unstable(samples["alpha"], alpha),
            *_rare({table.labels[place]: int(showing[place]) for place in rare}),
            *_unused(table.labels, counts.sum(axis=0)),
        ],
        specific_agreement=by_label(found["specific"]),
        patterns=dict(zip(_shapes(patterns), found["patterns"], strict=True)),
        pattern_counts={
            name: int(patterns.sizes[those].sum())
            for name, those in coefficients.vote_patterns(patterns)
        },
        confusion={
            label: by_label(row)
            for label, row in zip(table.labels, found["confusion"], strict=True)
        },
    )


def _statistics(patterns: Patterns, n_categories: int) -> dict[str, Statistic]:
    shapes = [those for _, those in coefficients.vote_patterns(patterns)]
    member = np.array(shapes, dtype=float).reshape(len(shapes), len(patterns.rows)).T
    return {
        "raw": coefficients.raw_agreement,
        "alpha": coefficients.krippendorff_alpha,
        "ac1": partial(coefficients.gwet_ac1, n_categories=n_categories),
        "kappa": coefficients.fleiss_kappa,
        "per_category": coefficients.category_alpha,
        "specific": coefficients.specific_agreement,
        "confusion": coefficients.confusion,
        "patterns": lambda _, weights: weights @ member / max(patterns.n_queries, 1),
    }


def _shapes(patterns: Patterns) -> list[str]:
    return [name for name, _ in coefficients.vote_patterns(patterns)]


def _estimates(
    value: npt.NDArray[np.float64], sample: npt.NDArray[np.float64], level: float
) -> Any:
    """An `Estimate`, or lists of them in the shape of `value`."""
    if np.ndim(value) == 0:
        return estimate(None if math.isnan(value) else float(value), sample, level=level)
    return [_estimates(one, sample[:, place], level) for place, one in enumerate(value)]


def _without_interval(one: Estimate) -> Estimate:
    return replace(one, low=None, high=None)


def _of_rare(
    one: Estimate, patterns: Patterns, label: int, *, resamples: int, seed: int
) -> Estimate:
    if one.value is None:
        return one
    low, high = rare_interval(patterns, label, level=one.level, resamples=resamples, seed=seed)
    return replace(one, low=low, high=high)


def _by_label(labels: tuple[str, ...], values: list[Estimate]) -> dict[str, Estimate]:
    return dict(zip(labels, values, strict=True))


def _counted(labels: tuple[str, ...], counts: npt.NDArray[np.int64]) -> dict[str, int]:
    return {label: int(count) for label, count in zip(labels, counts, strict=True)}


def _unstable(sample: npt.NDArray[np.float64], alpha: float | None) -> list[str]:
    missing = int(np.isnan(sample).sum())
    if alpha is None or missing == 0:
        return []
    words = (
        f"Alpha is undefined in {missing} of {len(sample)} resamples (all votes equal there); "
        "its interval is that of the others and too narrow."
    )
    return [words]


def _rare(showing: Mapping[str, int]) -> list[str]:
    if not showing:
        return []
    names = ", ".join(f"{label} ({n:,} queries)" for label, n in showing.items())
    words = (
        f"Rare: few queries tell {names} from the rest, and fewer than {ENOUGH} leave out "
        "disagreement that resampling cannot show. The interval of alpha comes from models of the "
        "votes and is wide; the category's other numbers have none."
    )
    return [words]


def _unused(labels: tuple[str, ...], totals: npt.NDArray[np.int64]) -> list[str]:
    unused = [label for label, count in zip(labels, totals, strict=True) if count == 0]
    if not unused or totals.sum() == 0:
        return []
    return [f"Nobody chose {', '.join(unused)}: agreement on it is undefined."]
