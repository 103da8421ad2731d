"""Ranked lists of a run's queries: for each group, the most biased towards it first."""

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metrics.errors import InputError
from metrics.measures import Inputs, get
from metrics.measures.sides import USUAL_SIDES, sides_of
from metrics.results.evaluation import is_exact
from metrics.runs import Run
from metrics.runs.ranked import join
from metrics.statistics.ordering import comparable
from metrics.texts.magnitude_store import Magnitudes
from metrics.vocabulary import Missing
from pooling.vocabulary import MAGNITUDE, RANK_CUTOFF

_PAIR = 2


@dataclass(frozen=True, eq=False)
class RankedList:
    """Queries of a run, the most biased towards the group `direction` first.

    `bias[i]` is the bias of `qids[i]`, `next_bias` that of the first query which was left out at
    the end, None where none was.
    """

    run: str
    direction: str
    qids: tuple[str, ...]
    bias: NDArray[np.float64]
    next_bias: float | None = None

    @property
    def name(self) -> str:
        return f"{self.run}:{self.direction}"


def groups_to_pool(named: Sequence[str], there: Sequence[str]) -> tuple[str, ...]:
    """The groups of a word list that a pool is drawn by: those named, in the list's order.

    Of two the negative side of RaB comes first. Without any, `f` and `m` where the list has them,
    else all. Raises `InputError` for a group that the list does not have, and for fewer than two.
    """
    has = f"the word list of the scored collection has {', '.join(there)}."
    for group in named:
        if group not in there:
            raise InputError(f"no group {group!r}: {has}", remedy="Name two of these, or more.")
    chosen = named or (USUAL_SIDES if set(USUAL_SIDES) <= set(there) else there)
    groups = tuple(group for group in there if group in chosen)
    if len(groups) < _PAIR:
        raise InputError(
            f"a pool compares two or more groups of words, but you named one: {groups[0]}; {has}",
            remedy="Name another group as well." if named else "Score with another word list.",
        )
    return (sides_of(groups) or groups) if len(groups) == _PAIR else groups


def bias_per_query(
    run: Run,
    magnitudes: Magnitudes,
    groups: Sequence[str] = USUAL_SIDES,
    *,
    magnitude: str = MAGNITUDE,
    rank_cutoff: int = RANK_CUTOFF,
    missing: Missing = "error",
) -> dict[str, NDArray[np.float64]]:
    """The bias of each of `run.qids` by group; NaN where it is undefined.

    Of two groups it is RaB at `rank_cutoff`, the second minus the first, under both names. Of more
    it is that towards the group: the mean of its RaB against each of the others, which is its mean
    magnitude minus the mean of theirs. The values are `comparable`: equal biases are equal numbers.
    """
    inputs = Inputs(join(run, magnitudes, rank_cutoff, missing), magnitudes)
    exact = is_exact("RaB", magnitude)

    def between(low: str, high: str) -> NDArray[np.float64]:
        measure = get("RaB").with_params(magnitude=magnitude, female=low, male=high)
        return measure.at(inputs, (rank_cutoff,))[0].value

    if len(groups) == _PAIR:
        bias = comparable(between(*groups), exact=exact)
        return dict.fromkeys(groups, bias)
    others = {group: [other for other in groups if other != group] for group in groups}
    return {
        group: comparable(np.mean([between(other, group) for other in rest], axis=0))
        for group, rest in others.items()
    }


@dataclass(frozen=True, eq=False)
class MeasuredRun:
    """The bias of each query of a run, and its lists.

    `biases` has one bias under the run's name for two groups, and one for each of more under the
    name of its list.
    """

    run: Run
    biases: Mapping[str, NDArray[np.float64]]
    lists: tuple[RankedList, ...]


def measure_runs(
    runs: Sequence[Run],
    magnitudes: Magnitudes,
    groups: Sequence[str] = USUAL_SIDES,
    *,
    first: int | None = None,
    **bias: Any,
) -> list[MeasuredRun]:
    """The biases and the lists of each run, several runs at a time.

    `bias` goes to `bias_per_query`.
    """

    def measure(run: Run) -> MeasuredRun:
        values = bias_per_query(run, magnitudes, groups, **bias)
        lists = ranked_lists(run.name, run.qids, values, first)
        if len(groups) == _PAIR:
            return MeasuredRun(run, {run.name: values[groups[0]]}, lists)
        return MeasuredRun(
            run, {ranking.name: values[ranking.direction] for ranking in lists}, lists
        )

    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        return list(pool.map(measure, runs))


def ranked_lists(
    run: str,
    qids: Sequence[str],
    bias: Mapping[str, NDArray[np.float64]],
    first: int | None = None,
) -> tuple[RankedList, ...]:
    """A list for each group of `bias`, from the query that is most biased towards it.

    Of two groups the first has the smallest values at its top. Equal biases stand in the order of
    their query ids as text, so that a list is the same on every machine. Queries whose bias is
    undefined (NaN) are in no list. With `first` only so many queries of each list are given.
    """
    in_text_order = np.array(sorted(range(len(qids)), key=qids.__getitem__), dtype=np.int64)

    def listed(group: str, values: NDArray[np.float64], *, ascending: bool) -> RankedList:
        known = in_text_order[~np.isnan(values[in_text_order])]
        key = values[known] if ascending else -values[known]
        order = known[np.argsort(key, kind="stable")]
        taken = order[:first]
        next_bias = float(values[order[len(taken)]]) if len(taken) < len(order) else None
        taken_qids = tuple(qids[index] for index in taken.tolist())
        return RankedList(run, group, taken_qids, values[taken], next_bias)

    return tuple(
        listed(group, values, ascending=len(bias) == _PAIR and place == 0)
        for place, (group, values) in enumerate(bias.items())
    )
