"""Figures where people judged pairs of query and document that were drawn by known chances."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from ..errors import InputError
from ..measures.base import Linear
from ..statistics.few_labels import Figure, Sample, Target, mean
from ..statistics.pairs import of_population
from .evaluation import Request, Result
from .judged_queries import Figures, Key, key_of, unlike_pool, withhold
from .judgments import Judgments, Terms, checked
from .scored_runs import OpenRuns

_Pair = tuple[str, str]


class JudgedPairs:
    """The figures of one kind of judgments; `notices` describe anomalies.

    A measure that adds up what its documents gain is a mean over pairs, times their number. Of
    others, as nDCG, whose ideal order needs all grades of a query, there is no figure.
    """

    unit = "pair"
    partly_judged = ""

    def __init__(
        self,
        opened: OpenRuns,
        requests: Sequence[Request],
        judgments: Judgments,
        terms: Terms,
    ) -> None:
        checks = checked(judgments, opened, terms)
        self.notices = list(checks.notices)
        self.pool, self.judged = checks.pool, checks.judged
        self._checked, self._terms, self._opened = checks, terms, opened
        self._judgments = judgments
        self.target: Target = terms.target or "population"
        self._requests = {(request.label, request.magnitude): request for request in requests}
        self.of_model: dict[Key, Result] = {
            key_of(result): result
            for result in opened.measure(requests, checks.pool, **{judgments.kind: judgments.model})
        }
        self.of_people = self.of_model
        self._chances = (terms.design and terms.design.pairs) or {}
        self._check_design()
        self.notices += self._drawn_otherwise()

    def figures(self, key: Key, baseline: str = "", together: int = 1) -> Figures:
        """The figure of a run, or its difference to the baseline.

        Its interval holds by itself, or with those of so many figures `together`.
        """
        request = self._requests[key[1], key[2]]
        naive = float(np.nanmean(self.of_model[key].per_query.value))
        if baseline:
            naive -= float(np.nanmean(self.of_model[baseline, *key[1:]].per_query.value))
        linear = request.measure.definition.linear
        if linear is None:
            why = (
                f"{request.label} does not add up what documents gain one by one: judged pairs do "
                "not give it, judged queries do."
            )
            return Figures(None, naive, None, 0, len(self.pool), why)
        weights = self._weights(linear, key[0], key[3])
        if baseline:
            for pair, weight in self._weights(linear, baseline, key[3]).items():
                weights[pair] = weights.get(pair, 0.0) - weight
        gain = partial(linear.gain, **request.measure.params)
        kept = {pair: weight for pair, weight in weights.items() if weight}
        return self._of(kept, gain, together)

    def _of(
        self, weights: Mapping[_Pair, float], gain: Callable[[int], float], together: int
    ) -> Figures:
        people, model = self._judgments.people, self._judgments.model
        without = [pair for pair in weights if pair[1] not in self._chances.get(pair[0], {})]
        if without:
            qid, docno = without[0]
            raise InputError(
                f"the design has no chance for {len(without):,} pairs among the first documents, "
                f"as {docno!r} of {qid!r}.",
                remedy="Give a chance for each pair that could have been drawn; nothing is "
                "known about others.",
            )
        rows, outcomes, beliefs, chances = [], [], [], []
        for row, ((qid, docno), weight) in enumerate(weights.items()):
            chances.append(self._chances[qid][docno])
            beliefs.append(weight * gain(model[qid].get(docno, 0)))
            if docno in people.get(qid, {}):
                rows.append(row)
                outcomes.append(weight * gain(people[qid][docno]))
        naive = sum(beliefs) / len(self.pool)
        least = 2
        if len(rows) < least:
            why = f"people judged {len(rows):,} pairs among the first documents."
            return Figures(None, naive, None, len(rows), len(weights), why)
        sample = Sample.of(beliefs, rows, outcomes, chances=chances)
        level = self._terms.level_with(len(rows), len(weights), self.target, together)
        corrected = mean(sample, target="pool", level=level, is_bounded=True)
        both = [corrected.people or corrected, corrected]
        if self.target == "population":
            places = {qid: place for place, qid in enumerate(self.pool)}
            queries = np.array([places[qid] for qid, _ in weights])
            both = [of_population(figure, sample, queries, len(places)) for figure in both]
        both = [_scaled(figure, len(weights) / len(self.pool)) for figure in both]
        figures = Figures(both[0], naive, both[1], len(rows), len(weights))
        return withhold(figures, self._checked)

    def _weights(self, linear: Linear, name: str, cutoff: int) -> dict[_Pair, float]:
        """Return the factors of the gains of a run's first documents."""
        run = next(run for run in self._opened.runs if run.name == name)
        factors: dict[_Pair, float] = {}
        for qid, documents in self._judgments.shown(run, self.pool, cutoff):
            weights = linear.weights(len(documents), cutoff).tolist()
            factors |= {(qid, docno): w for docno, w in zip(documents, weights, strict=True)}
        return factors

    def _drawn_otherwise(self) -> list[str]:
        """Say where pairs drawn by these chances would hardly have such grades of the model."""
        people, model = self._judgments.people, self._judgments.model
        pairs = [(qid, docno) for qid in self.pool for docno in self._chances.get(qid, {})]
        rows = [row for row, (qid, docno) in enumerate(pairs) if docno in people.get(qid, {})]
        grades = [model[qid].get(docno, np.nan) for qid, docno in pairs]
        chances = [self._chances[qid][docno] for qid, docno in pairs]
        return unlike_pool(self._judgments, rows, [grades], {"chances": chances})

    def _check_design(self) -> None:
        for qid in self.judged:
            for docno in self._judgments.people[qid]:
                if docno not in self._chances.get(qid, {}):
                    raise InputError(
                        f"people judged {docno!r} of {qid!r}, and the design has no chance for it.",
                        remedy="Give the chance of each judged pair, or leave the pair out.",
                    )
        if self._terms.every_look:
            raise InputError(
                "figures of judged pairs hold for one look only.", remedy="Leave out every_look."
            )


def _scaled(figure: Figure, share: float) -> Figure:
    """Of means over pairs those over queries: `share` is how many pairs a query has."""
    return replace(
        figure,
        value=figure.value * share,
        low=None if figure.low is None else figure.low * share,
        high=None if figure.high is None else figure.high * share,
        standard_error=figure.standard_error * share,
        of_pool=figure.of_pool * share**2,
        naive=figure.naive * share,
    )
