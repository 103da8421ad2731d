"""Agreement of a vote table, with intervals and warnings."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from ..vocabulary import LEVEL, RESAMPLES
from . import coefficients, warnings
from .coefficients import Coefficient
from .estimates import AlphaVariance, crossed_estimates, resampled_estimates
from .intervals import Estimate, IntervalMethod
from .majority import UNDECIDED, majority
from .patterns import Patterns
from .table import Counts, VoteTable
from .workers import agreement_with_others


@dataclass(frozen=True)
class Agreement:
    """Agreement of the voters over `n_queries` queries that have a vote.

    `votes_per_query` is their mean; `categories` counts the votes for each category; `ties` and
    `majority` say what majority vote makes of them. `interval` says what the intervals hold for,
    `variance` where that of alpha comes from. The last four fields are the details: `patterns` like
    {"3-0": share of the queries}, `confusion[a][b]` the share of the votes beside a vote for a that
    say b.
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
    interval: IntervalMethod
    variance: AlphaVariance | None
    warnings: list[str] = field(default_factory=list)
    specific_agreement: dict[str, Estimate] = field(default_factory=dict)
    patterns: dict[str, Estimate] = field(default_factory=dict)
    pattern_counts: dict[str, int] = field(default_factory=dict)
    confusion: dict[str, dict[str, Estimate]] = field(default_factory=dict)


#: Agreement with others beyond chance below which a worker looks like a spammer, the votes that it
#: takes, and the agreement of the usual worker from which on this is informative.
_BLIND, _ENOUGH_VOTES, _SIGHTED = 0.1, 20, 0.4
_HELD_FOR = {
    IntervalMethod.QUERIES_AND_WORKERS: "Intervals hold for other queries and other workers.",
    IntervalMethod.QUERIES: "Intervals resample the queries: they hold for these very workers, and "
    "others would differ more.",
}
#: The fields that `agreement --json` promises; the rest is shown with `--details`.
SUMMARY_FIELDS = (
    "n_queries", "n_votes", "n_workers", "votes_per_query", "categories", "raw_agreement",
    "krippendorff_alpha", "gwet_ac1", "fleiss_kappa", "per_category_alpha", "ties", "majority",
    "interval", "variance", "warnings",
)  # fmt: skip
DETAIL_FIELDS = ("specific_agreement", "patterns", "pattern_counts", "confusion")


def interval_words(interval: IntervalMethod) -> str:
    """Scope of the intervals, in a sentence."""
    return _HELD_FOR[interval]


def as_dict(agreement: Agreement, *, details: bool = False) -> dict[str, Any]:
    """Plain values for JSON: every coefficient is {value, low, high, level}."""
    fields = SUMMARY_FIELDS + (DETAIL_FIELDS if details else ())
    return {name: _plain(getattr(agreement, name)) for name in fields}


def _plain(value: Any) -> Any:
    if isinstance(value, Estimate):
        return value.as_dict()
    if isinstance(value, AlphaVariance):
        return asdict(value)
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return value


def agreement(
    table: VoteTable,
    *,
    n_categories: int | None = None,
    kinds: Mapping[str, int] | None = None,
    strict: bool = False,
    interval: IntervalMethod = IntervalMethod.QUERIES_AND_WORKERS,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
    seed: int = 0,
    suggested_by: str = "",
    names: Mapping[str, str] | None = None,
    first_round: npt.NDArray[np.bool_] | None = None,
) -> Agreement:
    """Every coefficient of `table`, with intervals for what `interval` supposes drawn anew.

    `resamples` and `seed` are those of the bootstrap over queries alone; the other intervals draw
    nothing. `n_categories` is how many categories the voters could choose from (AC1 needs it), by
    default all of the table's labels. `kinds` counts the votes by kind of voter for the warnings.
    With `suggested_by` the voters saw this model's suggestions: no vote counts as their own.
    `names` are what warnings call the labels; without one, a label is called as it is stored.
    `first_round` marks the votes of an adaptive batch that were requested for every query:
    agreement is computed from these alone, ties and majority from all.
    """
    if suggested_by:
        table = table.kept(np.zeros(len(table), dtype=bool))
    decided = majority(_voted(table.counts()), strict=strict)
    if first_round is not None and not suggested_by:
        table = table.kept(first_round)
    called = tuple((names or {}).get(label, label) for label in table.labels)
    named = replace(table, labels=called)
    counts = table.counts()
    patterns = Patterns.of(counts)
    statistics = _coefficients(patterns, n_categories or len(table.labels))
    if interval == IntervalMethod.QUERIES:
        estimates = resampled_estimates(
            named, patterns, statistics, resamples=resamples, level=level, seed=seed
        )
    else:
        estimates = crossed_estimates(named, patterns, statistics, level=level)
    values = estimates.values
    coefficients_by_name = {
        "raw_agreement": values["raw"],
        "krippendorff_alpha": values["alpha"],
        "gwet_ac1": values["ac1"],
        "fleiss_kappa": values["kappa"],
    }
    by_label = partial(_by_label, table.labels)
    return Agreement(
        n_queries=patterns.n_queries,
        n_votes=len(table),
        n_workers=len(np.unique(table.worker)),
        votes_per_query=len(table) / patterns.n_queries if len(table) else None,
        categories=_counted(table.labels, counts.sum(axis=0)),
        **coefficients_by_name,
        per_category_alpha=by_label(values["per_category"]),
        ties=int((decided == UNDECIDED).sum()),
        majority=_counted(
            table.labels, np.bincount(decided[decided >= 0], minlength=len(table.labels))
        ),
        interval=interval,
        variance=estimates.variance,
        warnings=[
            *warnings.about_suggestions(suggested_by),
            *(
                warnings.about_asking(int(first_round.sum()), len(first_round))
                if first_round is not None
                else []
            ),
            *warnings.about_votes(table, counts, interval),
            *warnings.about_voters(kinds or {}),
            *warnings.about_prevalence(counts, called, values["raw"].value, values["alpha"].value),
            *warnings.about_undefined(
                {name: item.value for name, item in coefficients_by_name.items()},
                counts,
                called,
            ),
            *estimates.warnings,
            *_of_spammers(table),
            *_unused(called, counts.sum(axis=0)),
        ],
        specific_agreement=by_label(values["specific"]),
        patterns=dict(zip(_shapes(patterns), values["patterns"], strict=True)),
        pattern_counts={
            name: int(patterns.sizes[those].sum())
            for name, those in coefficients.vote_patterns(patterns)
        },
        confusion={
            label: by_label(row)
            for label, row in zip(table.labels, values["confusion"], strict=True)
        },
    )


def _of_spammers(table: VoteTable) -> list[str]:
    """Warn if some voters look like spammers, whom intervals for other workers do not expect."""
    n_votes = np.bincount(table.worker, minlength=len(table.workers))
    shares = [
        beyond
        for beyond, n in zip(agreement_with_others(table), n_votes.tolist(), strict=True)
        if beyond is not None and n >= _ENOUGH_VOTES
    ]
    few = sum(beyond < _BLIND for beyond in shares)
    if not few or np.median(shares) < _SIGHTED:
        return []
    words = (
        f"{few:,} of {len(shares):,} workers agree with the others hardly beyond chance, as "
        "spammers do: of a few who differ so much from the rest the intervals for other workers "
        "hold less than they say. Look at the quality of workers before you use them."
    )
    return [words]


def _voted(counts: Counts) -> Counts:
    """The rows of the queries that have a vote."""
    voted: Counts = counts[counts.sum(axis=1) > 0]
    return voted


def _coefficients(patterns: Patterns, n_categories: int) -> dict[str, Coefficient]:
    return {
        "raw": coefficients.raw_agreement,
        "alpha": coefficients.krippendorff_alpha,
        "ac1": coefficients.gwet_ac1(n_categories),
        "kappa": coefficients.fleiss_kappa,
        "per_category": coefficients.category_alpha,
        "specific": coefficients.specific_agreement,
        "confusion": coefficients.confusion,
        "patterns": coefficients.shape_shares(patterns),
    }


def _shapes(patterns: Patterns) -> list[str]:
    return [name for name, _ in coefficients.vote_patterns(patterns)]


def _by_label(labels: tuple[str, ...], values: list[Estimate]) -> dict[str, Estimate]:
    return dict(zip(labels, values, strict=True))


def _counted(labels: tuple[str, ...], counts: npt.NDArray[np.int64]) -> dict[str, int]:
    return {label: int(count) for label, count in zip(labels, counts, strict=True)}


def _unused(labels: tuple[str, ...], totals: npt.NDArray[np.int64]) -> list[str]:
    unused = [label for label, count in zip(labels, totals, strict=True) if count == 0]
    if not unused or totals.sum() == 0:
        return []
    return [f"Nobody chose {', '.join(unused)}: agreement on it is undefined."]
