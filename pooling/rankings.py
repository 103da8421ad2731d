"""From a run to its two ranked lists of queries: most female first, most male first."""

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from metrics.measures import Inputs, get
from metrics.results.evaluation import is_exact
from metrics.runs import Run
from metrics.runs.ranked import join
from metrics.statistics.ordering import comparable
from metrics.texts.magnitude_store import Magnitudes
from metrics.vocabulary import Missing

Direction = Literal["f", "m"]


@dataclass(frozen=True, eq=False)
class RankedList:
    """Queries of a run in the order of their bias; `bias[i]` is the RaB of `qids[i]`."""

    run: str
    direction: Direction
    qids: tuple[str, ...]
    bias: NDArray[np.float64]

    @property
    def name(self) -> str:
        return f"{self.run}:{self.direction}"


def bias_per_query(
    run: Run,
    magnitudes: Magnitudes,
    *,
    magnitude: str = "tf",
    rank_cutoff: int = 10,
    missing: Missing = "error",
) -> NDArray[np.float64]:
    """RaB at `rank_cutoff` of each of `run.qids`, male minus female; NaN where it is undefined.

    The values are `comparable`: equal biases are equal numbers.
    """
    measure = get("RaB").with_params(magnitude=magnitude)
    ranked = join(run, magnitudes, rank_cutoff, missing)
    bias = measure.at(Inputs(ranked, magnitudes), (rank_cutoff,))[0].value
    return comparable(bias, exact=is_exact(measure.name, magnitude))


def run_lists(
    runs: Sequence[Run], magnitudes: Magnitudes, *, first: int | None = None, **bias: Any
) -> list[RankedList]:
    """The two lists of each run, several runs at a time; `bias` goes to `bias_per_query`."""

    def lists(run: Run) -> tuple[RankedList, RankedList]:
        return ranked_lists(run.name, run.qids, bias_per_query(run, magnitudes, **bias), first)

    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        return [one for both in pool.map(lists, runs) for one in both]


def ranked_lists(
    run: str, qids: Sequence[str], bias: NDArray[np.float64], first: int | None = None
) -> tuple[RankedList, RankedList]:
    """The queries from the most female to the most male, and from the most male.

    Equal biases stand in the order of their query ids as text, so that a list is the same on
    every machine. Queries whose bias is undefined (NaN) are in neither list. With `first` only so
    many queries of each list are given.
    """
    in_text_order = np.array(sorted(range(len(qids)), key=qids.__getitem__), dtype=np.int64)
    in_text_order = in_text_order[~np.isnan(bias[in_text_order])]
    values = bias[in_text_order]
    most_female = in_text_order[np.argsort(values, kind="stable")][:first]
    most_male = in_text_order[np.argsort(-values, kind="stable")][:first]
    return _listed(run, "f", qids, bias, most_female), _listed(run, "m", qids, bias, most_male)


def _listed(
    run: str,
    direction: Direction,
    qids: Sequence[str],
    bias: NDArray[np.float64],
    order: NDArray[np.int64],
) -> RankedList:
    return RankedList(run, direction, tuple(qids[index] for index in order.tolist()), bias[order])
