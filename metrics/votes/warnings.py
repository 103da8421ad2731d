"""Caveats of agreement numbers, in words."""

from collections.abc import Mapping

import numpy as np

from .intervals import IntervalMethod
from .table import Counts, Origin, Votes

#: A category with this share of the votes makes alpha and kappa hard to read.
PREVALENT = 0.8
#: Intervals that resample fewer queries than this are rough.
FEW_QUERIES = 30
#: A worker with more of the votes than this, and than twice an even share, dominates.
DOMINANT = 0.2


def about_suggestions(model: str) -> list[str]:
    """Warn if voters saw the suggestions of `model`."""
    if not model:
        return []
    words = (
        f"Annotators saw what the model {model!r} says: how far they agree cannot be told from its "
        "influence, and their votes are left out here."
    )
    return [words]


def about_asking(votes: Votes) -> list[str]:
    """Say of adaptive votes that agreement is computed from those requested for every query."""
    if votes.first_round is None:
        return []
    words = (
        f"The batch asks adaptively: agreement is computed from the {votes.first_round.sum():,} of "
        f"{len(votes):,} votes that every query was asked for. The later ones are on queries that "
        "people found hard; they count for ties and majority."
    )
    return [words]


def about_votes(table: Votes, counts: Counts, interval: IntervalMethod) -> list[str]:
    """Warnings about how many votes there are and where they come from."""
    warnings = []
    per_query = counts.sum(axis=1)
    if len(table) == 0:
        return ["There are no votes yet: every coefficient is undefined."]
    if without := int((table.are_asked & (per_query == 0)).sum()):
        warnings.append(f"{without} of {table.are_asked.sum()} queries have no vote yet.")
    if single := int((per_query == 1).sum()):
        warnings.append(
            f"{single} queries have a single vote; they say nothing about agreement, and the vote "
            "alone decides their label."
        )
    paired = int((per_query > 1).sum())
    if 0 < paired < FEW_QUERIES and interval == IntervalMethod.QUERIES:
        warnings.append(f"Only {paired} queries have two votes or more: the intervals are rough.")
    return warnings + _dominating_worker(table)


def _dominating_worker(table: Votes) -> list[str]:
    n_votes = np.bincount(table.worker, minlength=len(table.workers))
    active = int((n_votes > 0).sum())
    share = float(n_votes.max() / n_votes.sum())
    if share <= max(DOMINANT, 2 / active):
        return []
    words = (
        f"One of {active} workers gave {share:.0%} of the votes: agreement and labels rest on "
        "one person."
    )
    return [words]


def about_prevalence(
    counts: Counts, labels: tuple[str, ...], raw: float | None, alpha: float | None
) -> list[str]:
    """Says so when one category dominates, and what to read instead of alpha."""
    totals = counts.sum(axis=0)
    if totals.sum() == 0 or totals.max() < PREVALENT * totals.sum():
        return []
    label, share = labels[int(totals.argmax())], totals.max() / totals.sum()
    numbers = "" if raw is None else f" Raw agreement is {raw:.1%}"
    if numbers:
        numbers += f", alpha {alpha:.3f}." if alpha is not None else ", alpha is undefined."
    words = (
        f"Prevalence: {share:.1%} of the votes are {label!r}. Where one category dominates, alpha "
        f"and kappa are low or unstable even when voters agree.{numbers} Read Gwet's AC1 and the "
        "agreement per category."
    )
    return [words]


def about_voters(votes: Votes) -> list[str]:
    """Simulated, model and unverified votes."""
    if votes.origin is None:
        return []
    n_by_origin, total = np.bincount(votes.origin, minlength=len(Origin)), len(votes)
    words = {Origin.SIMULATED: "simulated workers", Origin.MODEL: "language models"}
    warnings = [
        f"{n_by_origin[origin]} of {total} votes were given by {name}, not by people."
        for origin, name in words.items()
        if n_by_origin[origin]
    ]
    if unverified := n_by_origin[Origin.UNVERIFIED]:
        warnings.append(
            f"{unverified} of {total} votes were given by participants of panels of whom nothing "
            "proves who they are; the setting FAIRPOOL_COUNT_UNVERIFIED lets them count."
        )
    return warnings


def about_undefined(
    names: Mapping[str, float | None], counts: Counts, labels: tuple[str, ...]
) -> list[str]:
    """Why each coefficient that is None cannot be computed."""
    undefined = [name for name, value in names.items() if value is None]
    if not undefined or counts.sum() == 0:
        return []
    pairable = counts[counts.sum(axis=1) > 1]
    if len(pairable) == 0:
        why = "no query has two votes"
    elif np.count_nonzero(pairable.sum(axis=0)) <= 1:
        only = labels[int(pairable.sum(axis=0).argmax())]
        why = f"every vote is {only!r}, so that chance leaves no disagreement to expect"
    else:
        why = "fewer than two categories could be chosen"
    return [f"Undefined: {', '.join(undefined)}, because {why}."]
