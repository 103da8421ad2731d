"""The findings of a report in words: which models lean which way, and which of them differ."""

from collections.abc import Mapping, Sequence
from typing import Any

from ..statistics.inference import SIGNIFICANT, USUAL, Inference, Verdict, verdict
from ..statistics.significance import Comparison
from .formats.layout import counted_queries
from .sides import GENDERS, Sides

#: The measures that are 0 where a ranking is balanced.
SIGNED = ("RaB", "ARaB")

#: Verdicts of a significant difference.
_DIFFERENT = (
    *(Verdict.HIGHER, Verdict.LOWER),
    *(Verdict.SLIGHTLY_HIGHER, Verdict.SLIGHTLY_LOWER),
)
_NOT_NONE = "which does not prove that there is none"


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
    words which queries were measured on, `sides` what the models may lean towards. Behind a run
    stands its mean, or its difference, and in brackets the interval where there is one.
    """
    sentences = [f"{_measured(title, intervals, subset)}."]
    if measure in SIGNED:
        sentences += _leanings(intervals, inference, sides)
    tested = _tested(pairs, inference)
    if not tested:
        return sentences
    margin = f"{inference.margin_of(measure) or 0:g}"
    comparisons = (
        _from_baseline(tested, baseline, margin) if baseline else _in_pairs(tested, margin)
    )
    return [*sentences, *comparisons]


def headline(
    measure: str,
    title: str,
    intervals: Mapping[str, Mapping[str, Any]],
    pairs: Sequence[Comparison],
    *,
    inference: Inference = USUAL,
    baseline: str = "",
    subset: str = "queries",
    sides: Sides = GENDERS,
) -> str:
    """One sentence with the numbers of models and pairs that `findings` lists."""
    parts = [_lean_counts(intervals, inference, sides)] if measure in SIGNED else []
    if tested := _tested(pairs, inference):
        n = sum(outcome in _DIFFERENT for _, outcome in tested)
        verb = "differ" if n > 1 else "differs"
        noun = " pairs" if len(tested) > 1 else " pair"
        among, beside = ("", f" from {baseline}") if baseline else (noun, "")
        number = f"{n:,}" if n else "none"
        parts.append(f"{number} of {len(tested):,}{among} {verb} significantly{beside}")
    counts = "; ".join(filter(None, parts))
    return f"{_measured(title, intervals, subset)}{f': {counts}' if counts else ''}."


def verdict_on(pair: Comparison, inference: Inference) -> Verdict:
    """The verdict of the tests that the report was asked for on one pair of runs."""
    p = getattr(pair, inference.p_name)
    return verdict(pair.difference, p, getattr(pair, inference.equivalence_p_name))


def _measured(title: str, intervals: Mapping[str, Mapping[str, Any]], subset: str) -> str:
    n_queries = max((int(interval["n"]) for interval in intervals.values()), default=0)
    return f"{title}, over {counted_queries(n_queries, subset)}"


def _tested(pairs: Sequence[Comparison], inference: Inference) -> list[tuple[Comparison, Verdict]]:
    return [
        (pair, outcome)
        for pair in pairs
        if (outcome := verdict_on(pair, inference)) is not Verdict.UNTESTED
    ]


def _lean_verdicts(
    intervals: Mapping[str, Mapping[str, Any]], inference: Inference
) -> dict[str, tuple[Verdict, bool]]:
    """Each run's verdict, and whether its interval alone excludes 0 against the verdict."""
    p_values = [interval.get("p") for interval in intervals.values()]
    return {
        run: (verdict(interval["value"], p), _excludes_zero(alone, p))
        for (run, interval), alone, p in zip(
            intervals.items(), p_values, inference.correct(p_values), strict=True
        )
    }


def _lean_counts(
    intervals: Mapping[str, Mapping[str, Any]], inference: Inference, sides: Sides
) -> str:
    outcomes = [outcome for outcome, _ in _lean_verdicts(intervals, inference).values()]
    sides_of = {Verdict.HIGHER: sides.high_words, Verdict.LOWER: sides.low_words}
    numbers = {outcome: n for outcome in sides_of if (n := outcomes.count(outcome))}
    if numbers:
        verb = "leans" if next(iter(numbers.values())) == 1 else "lean"
        leaning = " and ".join(f"{n:,} towards {sides_of[at]}" for at, n in numbers.items())
        return f"of {len(outcomes):,} models, {leaning.replace(' ', f' {verb} ', 1)}"
    return "no lean is shown, which does not prove balance" if Verdict.OPEN in outcomes else ""


def _leanings(
    intervals: Mapping[str, Mapping[str, Any]], inference: Inference, sides: Sides
) -> list[str]:
    verdicts = _lean_verdicts(intervals, inference)
    means = {
        run: _number(interval["value"], interval.get("low"), interval.get("high"))
        for run, interval in intervals.items()
    }
    corrected = f"once the tests of {len(intervals):,} models are corrected together"
    return [
        f"{words}: {_listed(runs, means)}."
        for expected, words in (
            ((Verdict.HIGHER, False), f"Towards {sides.high_words}"),
            ((Verdict.LOWER, False), f"Towards {sides.low_words}"),
            ((Verdict.OPEN, False), "No lean shown, which does not prove balance"),
            (
                (Verdict.OPEN, True),
                f"No lean shown {corrected}, though the interval alone excludes 0",
            ),
            ((Verdict.UNTESTED, False), "Lean not tested, as no interval can be given"),
        )
        if (runs := [run for run, outcome in verdicts.items() if outcome == expected])
    ]


def _excludes_zero(alone: float | None, corrected: float | None) -> bool:
    """Return whether the uncorrected interval excludes 0 where the corrected test does not."""
    if alone is None or corrected is None:
        return False
    return alone < SIGNIFICANT <= corrected


def _from_baseline(
    tested: Sequence[tuple[Comparison, Verdict]], baseline: str, margin: str
) -> list[str]:
    runs = _by_verdict([(pair.first, outcome) for pair, outcome in tested])
    differences = {
        pair.first: _number(pair.difference, pair.low, pair.high) for pair, _found in tested
    }
    phrases = {
        Verdict.HIGHER: f"Significantly different from {baseline}",
        Verdict.SLIGHTLY_HIGHER: f"Significantly different from {baseline}, by less than {margin}",
        Verdict.EQUIVALENT: f"Equal to {baseline} within {margin}",
        Verdict.OPEN: f"No difference from {baseline} shown, {_NOT_NONE}",
    }
    return [
        f"{phrase}: {_listed(runs[outcome], differences)}."
        for outcome, phrase in phrases.items()
        if outcome in runs
    ]


def _in_pairs(tested: Sequence[tuple[Comparison, Verdict]], margin: str) -> list[str]:
    pairs = _by_verdict([(pair.first, outcome) for pair, outcome in tested])
    if pairs.keys() == {Verdict.OPEN}:
        return [f"No difference between two models is shown, {_NOT_NONE}."]
    phrases = {
        Verdict.HIGHER: "differ significantly",
        Verdict.SLIGHTLY_HIGHER: f"differ significantly, by less than {margin}",
        Verdict.EQUIVALENT: f"are equal within {margin}",
        Verdict.OPEN: "are shown neither to differ nor to be equal",
    }
    return [
        f"{len(pairs[outcome]):,} of {len(tested):,} pairs of models {phrase}."
        for outcome, phrase in phrases.items()
        if outcome in pairs
    ]


def _by_verdict(verdicts: Sequence[tuple[str, Verdict]]) -> dict[Verdict, list[str]]:
    """The runs that have each verdict; differences of both directions are together."""
    same = {Verdict.LOWER: Verdict.HIGHER, Verdict.SLIGHTLY_LOWER: Verdict.SLIGHTLY_HIGHER}
    named: dict[Verdict, list[str]] = {}
    for run, outcome in verdicts:
        named.setdefault(same.get(outcome, outcome), []).append(run)
    return named


def _number(value: float | None, low: float | None, high: float | None) -> str:
    """A signed number with its interval, as in `+0.110 [+0.010, +0.200]`; "" without a number."""
    if value is None:
        return ""
    between = f" [{low:+.3f}, {high:+.3f}]" if low is not None and high is not None else ""
    return f"{value:+.3f}{between}".replace("-", "\u2212")


def _listed(runs: Sequence[str], numbers: Mapping[str, str]) -> str:
    """The runs, each with its number; by semicolons where intervals hold commas."""
    listed = [f"{run} {numbers[run]}".strip() for run in runs]
    return ("; " if any("," in text for text in listed) else ", ").join(listed)
