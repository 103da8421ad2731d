"""Agreement of the voters on a question, with intervals and warnings."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from ..vocabulary import LEVEL, RESAMPLES
from . import coefficients
from .agreement import COEFFICIENTS, Agreement
from .coefficients import Coefficient
from .estimates import crossed_estimates, resampled_estimates
from .intervals import Estimate, IntervalMethod
from .majority import UNDECIDED, majority
from .median import medians
from .patterns import Patterns
from .table import Kind, Mask, Votes
from .warnings import warnings_of


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
    compared = votes.compared()
    patterns = Patterns.of(compared.counts())
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
    n_chosen = compared.counts_of_options().sum(axis=0)
    decided = _decided(votes_for if not votes.suggested_by else compared, strict=strict)
    shapes = coefficients.vote_patterns(patterns) if "patterns" in values else []
    measured = Agreement(
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
        warnings=estimates.warnings,
        specific_agreement=_by_option(votes, values.get("specific", [])),
        patterns=dict(zip((name for name, _ in shapes), values.get("patterns", []), strict=True)),
        pattern_counts={name: int(patterns.sizes[those].sum()) for name, those in shapes},
        confusion=_by_option(
            votes, [_by_option(votes, row) for row in values.get("confusion", [])]
        ),
        coefficient=votes.kind.distance,
        n_paired=int(patterns.sizes[patterns.votes > 1].sum()),
        n_options=n_options,
        n_cannot_tell=int(counted.untold().sum()),
    )
    return replace(measured, warnings=warnings_of(votes, measured))


def _coefficients(votes: Votes, patterns: Patterns, n_options: int) -> dict[str, Coefficient]:
    named = {
        row.short: row.of(votes, n_options)
        for row in COEFFICIENTS.values()
        if votes.kind in row.kinds
    }
    if votes.kind != Kind.NOMINAL:
        return named
    return named | {
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
