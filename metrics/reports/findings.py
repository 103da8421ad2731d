"""What a report found, in words: which models lean which way, and which of them differ."""

from collections.abc import Mapping, Sequence
from typing import Any

#: A difference is called significant below this p-value, corrected by Holm.
_SIGNIFICANT = 0.05
#: The measures that are 0 where a ranking is balanced.
SIGNED = ("RaB", "ARaB")


def findings(
    measure: str,
    title: str,
    intervals: Mapping[str, Mapping[str, Any]],
    pairs: Sequence[Mapping[str, Any]],
    baseline: str = "",
) -> list[str]:
    """Sentences about one measure at one cut-off, from what `statistics_of` has of it.

    A run leans one way where its 95 % interval does not hold 0. Runs are compared with `baseline`,
    or all with each other, by the permutation test.
    """
    n_queries = max((int(one["n"]) for one in intervals.values()), default=0)
    sentences = [f"{title}, over {n_queries:,} queries."]
    if measure in SIGNED:
        sentences += _leanings(intervals)
    return [*sentences, *_differences(pairs, baseline)]


def _leanings(intervals: Mapping[str, Mapping[str, Any]]) -> list[str]:
    known = {run: one for run, one in intervals.items() if one["low"] is not None}
    male = [run for run, one in known.items() if one["low"] > 0]
    female = [run for run, one in known.items() if one["high"] < 0]
    unclear = [run for run in known if run not in {*male, *female}]
    return [
        f"{_names(runs)} {_verb(runs, verb)}."
        for runs, verb in (
            (male, "lean towards male words"),
            (female, "lean towards female words"),
            (unclear, "cannot be told from balanced: the 95 % interval holds 0"),
        )
        if runs
    ]


def _differences(pairs: Sequence[Mapping[str, Any]], baseline: str) -> list[str]:
    compared = [
        pair
        for pair in pairs
        if pair["permutation_p_holm"] is not None
        and (not baseline or baseline in (pair["first"], pair["second"]))
    ]
    if not compared:
        return []
    different = [pair for pair in compared if pair["permutation_p_holm"] < _SIGNIFICANT]
    against = f" from {baseline}" if baseline else ""
    if not different:
        return [f"No model differs significantly{against or ' from another'}."]
    if baseline:
        others = [
            pair["second"] if pair["first"] == baseline else pair["first"] for pair in different
        ]
        return [f"{_names(others)} {_verb(others, 'differ')} significantly from {baseline}."]
    return [f"{len(different):,} of {len(compared):,} pairs of models differ significantly."]


def _names(runs: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(runs[:-1]), runs[-1]]))


def _verb(runs: Sequence[str], phrase: str) -> str:
    """The phrase with its verb in the singular where there is one run."""
    verb, _, rest = phrase.partition(" ")
    if len(runs) == 1 and verb != "cannot":
        verb += "s"
    return f"{verb} {rest}".strip()
