"""Every pair of runs of a report, tested once, and corrected over the family that was chosen."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from ..errors import InputError
from ..statistics.inference import Inference
from ..statistics.significance import PERMUTATIONS, Comparison, compare_all, corrected_together
from .results import Results

#: Measure, magnitude ("" for none) and cut-off.
View = tuple[str, str, int]
Compared = Mapping[View, Sequence[Comparison]]

_TESTS = {
    "randomization": f"randomization test over queries ({PERMUTATIONS:,} sign flips)",
    "paired-t": "paired t-test over queries",
}
_CORRECTIONS = {"holm": "Holm's correction", "bonferroni": "Bonferroni's correction"}


class Comparisons:
    """The tests of a report; `views` is everything under which its runs are compared.

    `pairs_of` compares all pairs of runs under a view, and is called once for each that is needed.
    """

    def __init__(
        self,
        inference: Inference,
        views: Sequence[View],
        pairs_of: Callable[[View], Sequence[Comparison]],
    ) -> None:
        self.inference = inference
        self._views = list(dict.fromkeys(views))
        self._pairs_of = pairs_of
        self._known: dict[View, Sequence[Comparison]] = {}

    def of_table(self, views: Sequence[View], baseline: str = "") -> dict[View, list[Comparison]]:
        """The pairs of a table, or each other run minus the baseline, corrected over the family."""
        if self.inference.family == "report":
            return {view: _against(self._report[view], baseline) for view in views}
        comparisons = {view: _against(self._pairs(view), baseline) for view in views}
        if self.inference.family == "table":
            return _corrected(comparisons)
        return {view: corrected_together(pairs) for view, pairs in comparisons.items()}

    def p_values(
        self, views: Sequence[View], baseline: str
    ) -> dict[tuple[str, str, int, str], float | None]:
        """The corrected p of each run's difference from the baseline: by view, then run."""
        return {
            (*view, pair.first): getattr(pair, self.inference.p_name)
            for view, pairs in self.of_table(views, baseline).items()
            for pair in pairs
        }

    def note(self, baseline: str = "") -> str:
        """The test, the correction and its family, as tables name them."""
        test = _TESTS[self.inference.test]
        return f"two-sided {test}, {self.correction} over {self.family(baseline)}"

    def family(self, baseline: str = "") -> str:
        """The tests that are corrected together, as tables name them."""
        pairs = f"comparisons with {baseline}" if baseline else "pairs of runs"
        families = {
            "measure+cutoff": f"all {pairs} under one measure, magnitude and cut-off",
            "table": f"all {pairs} in this table",
            "report": "all pairs of runs under every measure, magnitude and cut-off of the report",
        }
        return families[self.inference.family]

    @property
    def correction(self) -> str:
        """The correction, as tables name it."""
        return _CORRECTIONS[self.inference.correction]

    def _pairs(self, view: View) -> Sequence[Comparison]:
        if view not in self._known:
            self._known[view] = self._pairs_of(view)
        return self._known[view]

    @cached_property
    def _report(self) -> dict[View, list[Comparison]]:
        return _corrected({view: self._pairs(view) for view in self._views})


def comparisons_of(results: Results, inference: Inference, seed: int) -> Comparisons:
    """The tests of results, by random numbers of the seed.

    Runs are compared at the cut-offs of the bias, or all where there is no bias.
    """
    check_measures(inference, results.measures)
    views = [
        (result.measure, result.magnitude, result.cutoff)
        for result in results.all
        if not results.cutoffs or result.cutoff in results.cutoffs
    ]

    def pairs_of(view: View) -> list[Comparison]:
        measure, magnitude, cutoff = view
        values = {run: results.per_query(run, measure, cutoff, magnitude) for run in results.runs}
        known = {run: array for run, array in values.items() if array is not None}
        return compare_all(known, margin=inference.margin_of(measure), seed=seed)

    return Comparisons(inference, views, pairs_of)


def check_measures(inference: Inference, measures: Iterable[str]) -> None:
    """`InputError` where a margin or a difference to detect is that of none of these measures."""
    known = {name for measure in measures for name in (measure, measure.partition("(")[0])}
    if unknown := inference.measures - known:
        raise InputError(
            f"a margin or difference is for {min(unknown)!r}, which is not measured.",
            remedy=f"Name some of {', '.join(sorted(known))}.",
        )


def _corrected(compared: Compared) -> dict[View, list[Comparison]]:
    corrected = iter(corrected_together([pair for pairs in compared.values() for pair in pairs]))
    return {view: [next(corrected) for _ in pairs] for view, pairs in compared.items()}


def _against(pairs: Sequence[Comparison], baseline: str) -> list[Comparison]:
    """The pairs with the baseline in the second place; without one, all of them."""
    if not baseline:
        return list(pairs)
    return [
        pair if pair.second == baseline else _swapped(pair)
        for pair in pairs
        if baseline in (pair.first, pair.second)
    ]


def _swapped(pair: Comparison) -> Comparison:
    return replace(
        pair,
        first=pair.second,
        second=pair.first,
        difference=_negated(pair.difference),
        low=_negated(pair.high),
        high=_negated(pair.low),
        t=_negated(pair.t),
        effect=_negated(pair.effect),
    )


def _negated(value: float | None) -> float | None:
    return None if value is None else 0.0 - value
