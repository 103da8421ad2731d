"""The findings of a report in words: which models lean which way, and which of them differ."""

from collections.abc import Mapping, Sequence
from typing import Any

from ..statistics.inference import USUAL, Inference, Verdict, verdict
from ..statistics.significance import Comparison
from .sides import GENDERS, Sides

#: The measures that are 0 where a ranking is balanced.
SIGNED = ("RaB", "ARaB")

_NOT_NONE = "which does not show that there is none"


def findings(
    measure: str,
    title: str,
    intervals: Mapping[str, Mapping[str, Any]],
    pairs: Sequence[Comparison],
    *,
    inference: Inference = USUAL,
    baseline: str = "",
    subset: str = "queries",
    sides: Sides = GENDERS,
) -> list[str]:
    """Sentences about one measure at one cut-off, each of them a `verdict` of tests.

    A run leans by the t-test of its mean against 0 (the p of its interval), corrected over the
    runs. `pairs` are corrected already, those with `baseline` where one is named. `subset` says in
    words which queries were measured on, `sides` what the models may lean towards.
    """
    n_queries = max((int(one["n"]) for one in intervals.values()), default=0)
    sentences = [f"{title}, over {n_queries:,} {subset}."]
    if measure in SIGNED:
        sentences += _leanings(intervals, inference, sides)
    tested = [
        (pair, found)
        for pair in pairs
        if (found := verdict_on(pair, inference)) is not Verdict.UNTESTED
    ]
    if not tested:
        return sentences
    margin = f"{inference.margin_of(measure) or 0:g}"
    told = _from_baseline(tested, baseline, margin) if baseline else _in_pairs(tested, margin)
    return [*sentences, *told]


def verdict_on(pair: Comparison, inference: Inference) -> Verdict:
    """The verdict of the tests that the report was asked for on one pair of runs."""
    p = getattr(pair, inference.p_name)
    return verdict(pair.difference, p, getattr(pair, inference.equivalence_p_name))


def _leanings(
    intervals: Mapping[str, Mapping[str, Any]], inference: Inference, sides: Sides
) -> list[str]:
    p_values = inference.correct([one.get("p") for one in intervals.values()])
    verdicts = {
        run: verdict(one["value"], p)
        for (run, one), p in zip(intervals.items(), p_values, strict=True)
    }
    return [
        f"{_names(runs)} {_verb(runs, verb)}."
        for found, verb in (
            (Verdict.HIGHER, f"lean towards {sides.high_words}"),
            (Verdict.LOWER, f"lean towards {sides.low_words}"),
            (Verdict.OPEN, "cannot be told from balanced, which does not show balance"),
            (Verdict.UNTESTED, "cannot be told from balanced: there is no interval"),
        )
        if (runs := [run for run, one in verdicts.items() if one is found])
    ]


def _from_baseline(
    tested: Sequence[tuple[Comparison, Verdict]], baseline: str, margin: str
) -> list[str]:
    runs = _by_verdict([(pair.first, found) for pair, found in tested])
    if runs.keys() == {Verdict.OPEN}:
        return [f"No difference from {baseline} is shown, {_NOT_NONE}."]
    phrases = {
        Verdict.HIGHER: f"differ significantly from {baseline}",
        Verdict.SLIGHTLY_HIGHER: f"differ significantly from {baseline}, by less than {margin}",
        Verdict.EQUIVALENT: f"equal {baseline} within {margin}",
    }
    sentences = [
        f"{_names(runs[found])} {_verb(runs[found], phrase)}."
        for found, phrase in phrases.items()
        if found in runs
    ]
    if rest := runs.get(Verdict.OPEN):
        sentences.append(f"No difference of {_names(rest)} from {baseline} is shown, {_NOT_NONE}.")
    return sentences


def _in_pairs(tested: Sequence[tuple[Comparison, Verdict]], margin: str) -> list[str]:
    pairs = _by_verdict([(pair.first, found) for pair, found in tested])
    if pairs.keys() == {Verdict.OPEN}:
        return [f"No difference between two models is shown, {_NOT_NONE}."]
    phrases = {
        Verdict.HIGHER: "differ significantly",
        Verdict.SLIGHTLY_HIGHER: f"differ significantly, by less than {margin}",
        Verdict.EQUIVALENT: f"are equal within {margin}",
        Verdict.OPEN: "are shown neither to differ nor to be equal",
    }
    return [
        f"{len(pairs[found]):,} of {len(tested):,} pairs of models {phrase}."
        for found, phrase in phrases.items()
        if found in pairs
    ]


def _by_verdict(verdicts: Sequence[tuple[str, Verdict]]) -> dict[Verdict, list[str]]:
    """The runs that have each verdict; differences of both directions are together."""
    same = {Verdict.LOWER: Verdict.HIGHER, Verdict.SLIGHTLY_LOWER: Verdict.SLIGHTLY_HIGHER}
    named: dict[Verdict, list[str]] = {}
    for run, found in verdicts:
        named.setdefault(same.get(found, found), []).append(run)
    return named


def _names(runs: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(runs[:-1]), runs[-1]]))


def _verb(runs: Sequence[str], phrase: str) -> str:
    """The phrase with its verb in the singular where there is one run."""
    verb, _, rest = phrase.partition(" ")
    if len(runs) == 1 and verb != "cannot":
        verb += "s"
    return f"{verb} {rest}".strip()
