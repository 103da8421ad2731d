"""The queries that a figure is about: one rule for every entry.

A figure of effectiveness is about the judged queries: one that a run does not answer counts as the
measure says, which is 0 for nDCG (as in ir_measures and in `trec_eval -c`). Figures of words and
labels are about the queries that were asked for, else about those that the run itself answers. The
other runs of a call never matter.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Literal

from ..measures.base import Need, Qrels
from ..runs.run import Run

#: `any run` is the rule of version 1.0: the queries that any run of the call answers.
Of = Literal["judged", "asked", "run", "any run"]
#: The queries with a judgment, by what measures of these judgments need.
Judged = Mapping[Need, frozenset[str]]


@dataclass(frozen=True)
class Population:
    """Queries, sorted as text, and what they are: judged, asked for, or those of a run."""

    of: Of
    qids: tuple[str, ...] = field(repr=False)


def asked_for(qids: Iterable[str] | None) -> Population | None:
    """The queries that somebody asked for; None where nobody did."""
    return None if qids is None else Population("asked", tuple(sorted(qids)))


def of_any_run(runs: Iterable[Run]) -> Population:
    """The queries that any of these runs answers."""
    return Population("any run", tuple(sorted(set[str]().union(*(run.qids for run in runs)))))


def judged_queries(qrels: Qrels | None, passages: Qrels | None) -> Judged:
    """The queries with a judgment of a document, and those with a label of a passage."""
    kinds: Mapping[Need, Qrels | None] = {"qrels": qrels, "passages": passages}
    return {
        need: frozenset(qid for qid, of_query in known.items() if of_query)
        for need, known in kinds.items()
        if known
    }


def population(
    needs: Collection[Need], run: Run, *, chosen: Population | None, judged: Judged
) -> Population:
    """The queries of a figure of this run, for a measure with these needs.

    Where none of the judged queries was asked for it is those that were: the measure says what is
    wrong then.
    """
    if chosen is not None and chosen.of != "asked":
        return chosen
    for need, qids in judged.items():
        known = qids if chosen is None else qids.intersection(chosen.qids)
        if need in needs and known:
            return Population("judged", tuple(sorted(known)))
    return chosen or Population("run", run.qids)


def by_population(
    needs: Sequence[Collection[Need]], run: Run, *, chosen: Population | None, judged: Judged
) -> Iterator[tuple[Population, list[int]]]:
    """Each population of a run, with the places of the measures, by their needs, that have it.

    Measures that look at texts stand apart: what becomes of a document without one matters to them
    alone.
    """
    telling: tuple[Need, ...] = (*judged, "magnitudes")
    kinds: list[tuple[Need, ...]] = [tuple(n for n in telling if n in of) for of in needs]
    places = sorted(range(len(needs)), key=kinds.__getitem__)
    for kind, some in groupby(places, key=kinds.__getitem__):
        yield population(kind, run, chosen=chosen, judged=judged), list(some)


def every_query(
    runs: Sequence[Run], *, chosen: Population | None, judged: Judged
) -> tuple[str, ...]:
    """All queries that a figure may be about: the values of all runs stand side by side."""
    if chosen is not None:
        return chosen.qids
    if len(runs) == 1 and not judged:
        return runs[0].qids
    return tuple(sorted({qid for run in runs for qid in run.qids}.union(*judged.values())))
