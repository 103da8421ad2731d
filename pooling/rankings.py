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
    """Queries of a run in the order of their bias; `bias[i]` is the RaB of `qids[i]`.

    `next_bias` is that of the first query which was left out at the end, None where none was.
    """

    run: str
    direction: Direction
    qids: tuple[str, ...]
    bias: NDArray[np.float64]
    next_bias: float | None = None

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


@dataclass(frozen=True, eq=False)
class MeasuredRun:
    """The RaB of each query of a run, and its two lists."""

    run: Run
    bias: NDArray[np.float64]
    lists: tuple[RankedList, RankedList]


def measure_runs(
    runs: Sequence[Run], magnitudes: Magnitudes, *, first: int | None = None, **bias: Any
) -> list[MeasuredRun]:
    """The biases and the two lists of each run, several runs at a time.

    `bias` goes to `bias_per_query`.
    """

    def measure(run: Run) -> MeasuredRun:
        values = bias_per_query(run, magnitudes, **bias)
        return MeasuredRun(run, values, ranked_lists(run.name, run.qids, values, first))

    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        return list(pool.map(measure, runs))


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
    most_female = in_text_order[np.argsort(values, kind="stable")]
    most_male = in_text_order[np.argsort(-values, kind="stable")]

    def listed(direction: Direction, order: NDArray[np.int64]) -> RankedList:
        taken = order[:first]
        next_bias = float(bias[order[len(taken)]]) if len(taken) < len(order) else None
        taken_qids = tuple(qids[index] for index in taken.tolist())
        return RankedList(run, direction, taken_qids, bias[taken], next_bias)

    return listed("f", most_female), listed("m", most_male)
