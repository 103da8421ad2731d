"""Measuring runs that have been read: each measure over its own population."""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cache
from itertools import islice

import numpy as np

from ..measures.base import Inputs, Qrels
from ..runs.ranked import Ranked, join
from ..runs.run import Run
from ..texts.document_numbers import DocumentNumbers
from ..texts.magnitude_store import Magnitudes
from ..vocabulary import Missing
from .evaluation import Request, Result, depth_of, evaluate
from .population import Population, by_population, every_query, judged_queries
from .scale import ORDERS_DRAWN, scale_of, shuffled


def measure_runs(
    runs: Sequence[Run],
    magnitudes: Magnitudes | None,
    requests: Sequence[Request],
    *,
    chosen: Population | None = None,
    missing: Missing = "error",
    qrels: Qrels | None = None,
    passages: Qrels | None = None,
    backgrounds: Sequence[Run] = (),
    categories: DocumentNumbers | None = None,
    labels: DocumentNumbers | None = None,
    scale_seed: int | None = None,
    on_measured: Callable[[], object] = lambda: None,
) -> list[Result]:
    """Every request for every run that has been read, over its population.

    The results have the same queries, all that any of them is about.
    """
    judged = judged_queries(qrels, passages)
    qids = every_query(runs, chosen=chosen, judged=judged)

    @cache
    def joined(qids: tuple[str, ...]) -> dict[str, Ranked]:
        return {
            run.name: join(run, magnitudes, _longest(run), missing, qids) for run in backgrounds
        }

    def inputs_of(
        run: Run, some: Sequence[Request], qids: tuple[str, ...], rule: Missing
    ) -> Inputs:
        # No list goes further, so that no cut-off decides how much memory is taken.
        depth = min(depth_of(some), _longest(run))
        looked_up = magnitudes if _look_at_texts(some) else None
        ranked = join(run, looked_up, depth, rule, qids)
        others = joined(qids)
        return Inputs(ranked, magnitudes, others, qrels or {}, categories, labels, passages or {})

    def over(run: Run, some: Sequence[Request], of: Population) -> list[Result]:
        rule = _rule(some, missing)
        inputs = inputs_of(run, some, of.qids, rule)
        results = evaluate(inputs, some, of)
        if scale_seed is None:
            return results
        # Documents below the cut-off that nobody scored are not an error of the run's.
        drawn = [
            inputs_of(
                shuffled(run, (scale_seed, draw)),
                some,
                of.qids,
                "skip" if rule == "error" else rule,
            )
            for draw in range(ORDERS_DRAWN)
        ]
        return _with_scale(results, inputs, some, drawn)

    def measured(run: Run) -> list[Result]:
        results: dict[int, list[Result]] = {}
        needs = [request.measure.needs for request in requests]
        for of, places in by_population(needs, run, chosen=chosen, judged=judged):
            left = iter(over(run, [requests[place] for place in places], of))
            for place in places:
                results[place] = list(islice(left, len(requests[place].cutoffs)))
        return [result.beside(qids) for place in sorted(results) for result in results[place]]

    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        results = []
        for of_run in pool.map(measured, runs):
            results += of_run
            on_measured()
        return results


def _with_scale(
    results: Sequence[Result],
    inputs: Inputs,
    requests: Sequence[Request],
    shuffled: Sequence[Inputs],
) -> list[Result]:
    """Return the results of one run with their scale; `shuffled` has its random orders.

    There is no `random` for word categories, whose texts are read up to the cut-off alone.
    """
    drawn = [evaluate(order, requests) for order in shuffled]
    places = [
        (request, ends)
        for request in requests
        for ends in request.measure.definition.bounds(
            inputs, request.cutoffs, request.measure.params
        )
    ]
    return [
        replace(
            result,
            scale=scale_of(
                ends,
                [values[place].value for values in drawn]
                if "categories" not in request.measure.needs
                else [],
            ),
        )
        for place, (result, (request, ends)) in enumerate(zip(results, places, strict=True))
    ]


def _look_at_texts(requests: Sequence[Request]) -> bool:
    return any("magnitudes" in request.measure.needs for request in requests)


def _rule(requests: Sequence[Request], missing: Missing) -> Missing:
    """Where no measure looks at texts, no document can be missing."""
    return missing if _look_at_texts(requests) else "zero"


def _longest(run: Run) -> int:
    return int(np.diff(run.offsets).max(initial=1))
