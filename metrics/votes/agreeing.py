"""Agreement of the voters on a question, with intervals and warnings."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..vocabulary import LEVEL, RESAMPLES
from . import coefficients, warnings
from .coefficients import Coefficient
from .estimates import AlphaVariance, crossed_estimates, resampled_estimates
from .intervals import Estimate, IntervalMethod
from .majority import UNDECIDED, majority
from .median import medians
from .patterns import Patterns
from .table import Kind, Mask, Votes
from .workers import agreement_with_others


@dataclass(frozen=True)
class Agreement:
    """Agreement of the voters over `n_queries` queries that have a vote.

    `votes_per_query` is their mean; `categories` counts the votes for each category; `ties` and
    `majority` say what the usual rule for such a question makes of them. What is not defined for
    its kind is undefined here, or empty. `interval` says what the intervals hold for, `variance`
    where that of alpha comes from.

    The next four fields are the details: `patterns` like {"3-0": share of the queries},
    `confusion[a][b]` the share of the votes beside a vote for a that say b. `coefficient` names the
    distances of alpha; `n_paired` queries have two votes or more, and chance chooses from
    `n_options`.
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
    coefficient: str = Kind.NOMINAL
    n_paired: int = 0
    n_options: int = 0
    n_cannot_tell: int = 0


class NamedCoefficient(NamedTuple):
    """A coefficient of all options: its short name, its title, and the kinds that have it."""

    short: str
    title: str
    kinds: tuple[Kind, ...] = (Kind.NOMINAL,)


#: The coefficients of all options by their fields of `Agreement`.
COEFFICIENTS = {
    "raw_agreement": NamedCoefficient("raw", "Raw agreement", (Kind.NOMINAL, Kind.ORDINAL)),
    "krippendorff_alpha": NamedCoefficient("alpha", "Krippendorff's alpha", tuple(Kind)),
    "gwet_ac1": NamedCoefficient("ac1", "Gwet's AC1"),
    "fleiss_kappa": NamedCoefficient("kappa", "Fleiss' kappa"),
}
#: The distances between sets of options; those of other kinds have the name of the kind.
MASI = "MASI"
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
#: What says more of the summary.
FURTHER_FIELDS = ("coefficient", "n_paired", "n_options", "n_cannot_tell")
DETAIL_FIELDS = ("specific_agreement", "patterns", "pattern_counts", "confusion")


def interval_words(interval: IntervalMethod) -> str:
    """Scope of the intervals, in a sentence."""
    return _HELD_FOR[interval]


def as_dict(agreement: Agreement, *, details: bool = False) -> dict[str, Any]:
    """Plain values for JSON: every coefficient is {value, low, high, level}."""
    fields = SUMMARY_FIELDS + FURTHER_FIELDS + (DETAIL_FIELDS if details else ())
    return {name: _plain(getattr(agreement, name)) for name in fields}


def _plain(value: Any) -> Any:
    if isinstance(value, Estimate):
        return value.as_dict()
    if isinstance(value, AlphaVariance):
        return asdict(value)
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return value


def agree(
    votes: Votes,
    *,
    strict: bool = False,
    interval: IntervalMethod = IntervalMethod.QUERIES_AND_WORKERS,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
    seed: int = 0,
) -> Agreement:
    """Every coefficient that `votes` of their kind have, with intervals and warnings.

    Intervals are for what `interval` supposes drawn anew. `resamples` and `seed` are those of the
    bootstrap over queries alone; the other intervals draw nothing. Agreement is that of the votes
    which count and choose something: of an adaptive batch that of the votes which every query was
    asked for, of workers who saw a model's labels none, since no vote is their own reading. Ties
    and majority are of all votes, which with `strict` takes more than half of them.
    """
    counted = votes.counted()
    votes_for = counted.told()
    n_options = (
        len(votes.options) if votes.are_all_offered else len(np.unique(votes_for.answer)) or 1
    )
    compared = compared_votes(votes)
    counts = compared.counts()
    patterns = Patterns.of(counts)
    statistics = _coefficients(compared, patterns, n_options)
    if interval == IntervalMethod.QUERIES:
        estimates = resampled_estimates(
            compared, patterns, statistics, resamples=resamples, level=level, seed=seed
        )
    else:
        estimates = crossed_estimates(compared, patterns, statistics, level=level)
    nothing = Estimate(None, None, None, level)
    values = estimates.values
    named: dict[str, Estimate] = {
        name: values.get(of.short, nothing) for name, of in COEFFICIENTS.items()
    }
    raw, alpha = named["raw_agreement"], named["krippendorff_alpha"]
    n_chosen = compared.counts_of_options().sum(axis=0)
    decided = _decided(votes_for if not votes.suggested_by else compared, strict=strict)
    shapes = coefficients.vote_patterns(patterns) if "patterns" in values else []
    return Agreement(
        n_queries=patterns.n_queries,
        n_votes=len(compared),
        n_workers=len(np.unique(compared.worker)),
        votes_per_query=len(compared) / patterns.n_queries if len(compared) else None,
        categories=_by_option(votes, n_chosen.tolist()),
        **named,
        per_category_alpha=_by_option(
            votes, values["per_category"] if "per_category" in values else _marked(compared, level)
        ),
        ties=int((~decided.any(axis=1)).sum()),
        majority=_by_option(votes, decided.sum(axis=0).tolist()),
        interval=interval,
        variance=estimates.variance,
        warnings=[
            *warnings.about_suggestions(votes.suggested_by),
            *warnings.about_asking(votes_for),
            *warnings.about_votes(compared, counts, interval),
            *warnings.about_voters(counted.told()),
            *_about_excluded(votes, alpha),
            *(
                warnings.about_prevalence(counts, votes.called, raw.value, alpha.value)
                if votes.kind == Kind.NOMINAL
                else []
            ),
            *warnings.about_undefined(
                {
                    name: named[name].value
                    for name, of in COEFFICIENTS.items()
                    if votes.kind in of.kinds
                },
                counts,
                votes.called,
            ),
            *estimates.warnings,
            *_of_spammers(compared),
            *_unused(votes, n_chosen),
        ],
        specific_agreement=_by_option(votes, values.get("specific", [])),
        patterns=dict(zip((name for name, _ in shapes), values.get("patterns", []), strict=True)),
        pattern_counts={name: int(patterns.sizes[those].sum()) for name, those in shapes},
        confusion=_by_option(
            votes, [_by_option(votes, row) for row in values.get("confusion", [])]
        ),
        coefficient=MASI if votes.kind == Kind.SEVERAL else votes.kind.value,
        n_paired=int(patterns.sizes[patterns.votes > 1].sum()),
        n_options=n_options,
        n_cannot_tell=int(counted.untold().sum()),
    )


def compared_votes(votes: Votes) -> Votes:
    """The votes that agreement is computed from."""
    voting = votes.counted().told()
    if voting.suggested_by:
        return voting.kept(np.zeros(len(voting), dtype=bool))
    return voting if voting.first_round is None else voting.kept(voting.first_round)


def alpha_of(votes: Votes) -> Coefficient:
    """Alpha with the distances that fit the kind of the question."""
    if votes.kind == Kind.SEVERAL:
        return coefficients.alpha_of_distances(coefficients.masi_distances(votes.answers))
    if votes.kind == Kind.INTERVAL:
        points = np.array(votes.points, dtype=np.float64)
        return coefficients.alpha_of_distances((points[:, None] - points[None, :]) ** 2)
    if votes.kind == Kind.ORDINAL:
        return coefficients.ordinal_alpha
    return coefficients.krippendorff_alpha


def _coefficients(votes: Votes, patterns: Patterns, n_options: int) -> dict[str, Coefficient]:
    alpha = {"alpha": alpha_of(votes)}
    if votes.kind == Kind.ORDINAL:
        return alpha | {"raw": coefficients.raw_agreement}
    if votes.kind != Kind.NOMINAL:
        return alpha
    return alpha | {
        "raw": coefficients.raw_agreement,
        "ac1": coefficients.gwet_ac1(n_options),
        "kappa": coefficients.fleiss_kappa,
        "per_category": coefficients.category_alpha,
        "specific": coefficients.specific_agreement,
        "confusion": coefficients.confusion,
        "patterns": coefficients.shape_shares(patterns),
    }


def _marked(votes: Votes, level: float) -> list[Estimate]:
    """Of a question with several options the nominal alpha of marking each one."""
    if votes.kind != Kind.SEVERAL:
        return []
    yes, n_votes = votes.counts_of_options(), votes.counts().sum(axis=1)
    counts = (np.stack([of_option, n_votes - of_option], axis=1) for of_option in yes.T)
    alphas = map(coefficients.krippendorff_alpha.value_of, counts)
    return [Estimate(alpha, None, None, level) for alpha in alphas]


def _decided(votes: Votes, *, strict: bool) -> Mask:
    """True for each option that the usual rule decides, by query with a vote."""
    counts = votes.counts()
    has_votes = counts.sum(axis=1) > 0
    if votes.kind == Kind.SEVERAL:
        half: Mask = (2 * votes.counts_of_options() > counts.sum(axis=1)[:, None])[has_votes]
        return half
    rule = majority if votes.kind == Kind.NOMINAL else medians
    codes = rule(counts[has_votes], strict=strict)
    chosen: Mask = np.arange(counts.shape[1]) == np.where(codes == UNDECIDED, -1, codes).reshape(
        -1, 1
    )
    return chosen


def _by_option(votes: Votes, values: Iterable[Any]) -> dict[str, Any]:
    """The values by option; empty where there are none."""
    by_place = list(values)
    return dict(zip(votes.options, by_place, strict=True)) if by_place else {}


def _about_excluded(votes: Votes, alpha: Estimate) -> list[str]:
    """Say how many votes are set aside, and what alpha would be with them.

    To leave out those who disagree raises agreement by the choice itself.
    """
    if votes.excluded is None or not votes.excluded.any():
        return []
    words = f"{votes.excluded.sum():,} of {len(votes):,} votes are set aside and left out here"
    if votes.suggested_by or votes.first_round is not None:
        return [f"{words}."]
    whole = alpha_of(votes).value_of(votes.counts())
    with_them, without = (
        "undefined" if value is None else f"{value:.3f}" for value in (whole, alpha.value)
    )
    return [f"{words}: with them alpha is {with_them} instead of {without}."]


def _of_spammers(votes: Votes) -> list[str]:
    """Warn if some voters look like spammers, whom intervals for other workers do not expect."""
    n_votes = np.bincount(votes.worker, minlength=len(votes.workers))
    shares = [
        beyond
        for beyond, n in zip(agreement_with_others(votes), n_votes.tolist(), strict=True)
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


def _unused(votes: Votes, totals: npt.NDArray[np.int64]) -> list[str]:
    """Name the options whose own agreement is undefined."""
    called = (votes.names.get(option, option) for option in votes.options)
    unused = [name for name, count in zip(called, totals, strict=True) if count == 0]
    if votes.kind not in (Kind.NOMINAL, Kind.SEVERAL) or not unused or totals.sum() == 0:
        return []
    return [f"Nobody chose {', '.join(unused)}: agreement on it is undefined."]
