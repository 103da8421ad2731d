"""Caveats of agreement numbers, in words."""

from collections.abc import Callable

import numpy as np

from .agreement import COEFFICIENTS, Agreement
from .coefficients import alpha_of
from .intervals import IntervalMethod
from .table import Kind, Origin, Votes
from .workers import DOMINANT, agreement_with_others

Warn = Callable[[Votes, Agreement], list[str]]
_WARN: list[Warn] = []
#: A category with this share of the votes makes alpha and kappa hard to read.
PREVALENT = 0.8
#: Intervals that resample fewer queries than this are rough.
FEW_QUERIES = 30
#: Agreement with others beyond chance below which a worker looks like a spammer, the votes that it
#: takes, and the agreement of the usual worker from which on this is informative.
_BLIND, _ENOUGH_VOTES, _SIGHTED = 0.1, 20, 0.4


def warnings_of(votes: Votes, measured: Agreement) -> list[str]:
    """All warnings, in the order of this file; `measured` has those about its intervals."""
    return [words for warn in _WARN for words in warn(votes, measured)]


def _warns(warn: Warn) -> Warn:
    """Let a function warn of every question, of whatever kind."""
    _WARN.append(warn)
    return warn


@_warns
def _of_suggestions(votes: Votes, _: Agreement) -> list[str]:
    """Warn if voters saw the suggestions of a model."""
    if not (model := votes.suggested_by):
        return []
    words = (
        f"Annotators saw what the model {model!r} says: how far they agree cannot be told from its "
        "influence, and their votes are left out here."
    )
    return [words]


@_warns
def _of_asking(votes: Votes, _: Agreement) -> list[str]:
    """Say of adaptive votes that agreement is computed from those requested for every query."""
    votes = votes.counted().told()
    if votes.first_round is None:
        return []
    words = (
        f"The batch asks adaptively: agreement is computed from the {votes.first_round.sum():,} of "
        f"{len(votes):,} votes that every query was asked for. The later ones are on queries that "
        "people found hard; they count for ties and majority."
    )
    return [words]


@_warns
def _of_numbers(votes: Votes, measured: Agreement) -> list[str]:
    """Warnings about how many votes there are and where they come from."""
    warnings, table = [], votes.compared()
    per_query = table.counts().sum(axis=1)
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
    if 0 < paired < FEW_QUERIES and measured.interval == IntervalMethod.QUERIES:
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


@_warns
def _of_voters(votes: Votes, _: Agreement) -> list[str]:
    """Simulated, model and unverified votes."""
    votes = votes.counted().told()
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


@_warns
def _of_excluded(votes: Votes, measured: Agreement) -> list[str]:
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
        "undefined" if value is None else f"{value:.3f}"
        for value in (whole, measured.krippendorff_alpha.value)
    )
    return [f"{words}: with them alpha is {with_them} instead of {without}."]


@_warns
def _of_prevalence(votes: Votes, measured: Agreement) -> list[str]:
    """Says so when one category dominates, and what to read instead of alpha."""
    if votes.kind != Kind.NOMINAL:
        return []
    totals = votes.compared().counts().sum(axis=0)
    if totals.sum() == 0 or totals.max() < PREVALENT * totals.sum():
        return []
    raw, alpha = measured.raw_agreement.value, measured.krippendorff_alpha.value
    label, share = votes.called[int(totals.argmax())], totals.max() / totals.sum()
    numbers = "" if raw is None else f" Raw agreement is {raw:.1%}"
    if numbers:
        numbers += f", alpha {alpha:.3f}." if alpha is not None else ", alpha is undefined."
    words = (
        f"Prevalence: {share:.1%} of the votes are {label!r}. Where one category dominates, alpha "
        f"and kappa are low or unstable even when voters agree.{numbers} Read Gwet's AC1 and the "
        "agreement per category."
    )
    return [words]


@_warns
def _of_undefined(votes: Votes, measured: Agreement) -> list[str]:
    """Why each coefficient that is None cannot be computed."""
    counts = votes.compared().counts()
    undefined = [
        name
        for name, of in COEFFICIENTS.items()
        if votes.kind in of.kinds and getattr(measured, name).value is None
    ]
    if not undefined or counts.sum() == 0:
        return []
    pairable = counts[counts.sum(axis=1) > 1]
    if len(pairable) == 0:
        why = "no query has two votes"
    elif np.count_nonzero(pairable.sum(axis=0)) <= 1:
        only = votes.called[int(pairable.sum(axis=0).argmax())]
        why = f"every vote is {only!r}, so that chance leaves no disagreement to expect"
    else:
        why = "fewer than two categories could be chosen"
    return [f"Undefined: {', '.join(undefined)}, because {why}."]


@_warns
def _of_intervals(_: Votes, measured: Agreement) -> list[str]:
    """The warnings of the computation of intervals."""
    return measured.warnings


@_warns
def _of_spammers(votes: Votes, _: Agreement) -> list[str]:
    """Warn if some voters look like spammers, whom intervals for other workers do not expect."""
    votes = votes.compared()
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


@_warns
def _of_unused(votes: Votes, measured: Agreement) -> list[str]:
    """Name the options whose own agreement is undefined."""
    called = (votes.names.get(option, option) for option in votes.options)
    unused = [
        name for name, count in zip(called, measured.categories.values(), strict=True) if count == 0
    ]
    if votes.kind not in (Kind.NOMINAL, Kind.SEVERAL) or not unused or not measured.n_votes:
        return []
    return [f"Nobody chose {', '.join(unused)}: agreement on it is undefined."]
