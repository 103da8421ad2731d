"""References for the bench of runs: the notebook's loop, and well-kept libraries.

The plain loop does what the notebook released with Rekabsaz & Schedl (2020) does: it reads a run
into a dictionary of lists, looks every document up in a dictionary of magnitudes, and averages list
slices for every query, cut-off and rank. It takes minutes for each run, so it gets the first
queries of a run, and its time is scaled to all of them; its values are compared with ours.
ir_measures and ranx know no such measure: they read the same queries, nothing else. polars reads
whole runs, and matrices of NumPy measure them; it takes for granted that each query has the same
number of lines, together and in their order.
"""

from collections.abc import Sequence
from pathlib import Path

import ir_measures
import numpy as np
import polars as pl
from numpy.typing import NDArray
from ranx import Run as RanxRun

from metrics.vocabulary import CUTOFFS


def loop_read(path: Path) -> dict[int, list[int]]:
    """Documents of each query, in the order of the file."""
    run: dict[int, list[int]] = {}
    with path.open(encoding="utf-8") as file:
        for line in file:
            fields = line.strip().split(" ")
            run.setdefault(int(fields[0]), []).append(int(fields[2]))
    return run


def loop_measure(
    run: dict[int, list[int]], biases: list[dict[int, tuple[float, float]]]
) -> dict[tuple[int, int, int], tuple[float, float]]:
    """RaB and ARaB of each magnitude, query and cut-off."""
    values = {}
    for which, bias_of in enumerate(biases):
        for qid, documents in run.items():
            pairs = [bias_of[document] for document in documents]
            for cutoff in CUTOFFS:
                rab = _loop_rab(pairs, cutoff)
                curve = [_loop_rab(pairs, x) for x in range(1, cutoff + 1) if len(pairs) >= x]
                values[which, qid, cutoff] = (rab, float(np.mean(curve)))
    return values


def _loop_rab(pairs: list[tuple[float, float]], cutoff: int) -> float:
    female = np.mean([pair[0] for pair in pairs[:cutoff]])
    male = np.mean([pair[1] for pair in pairs[:cutoff]])
    return float(male - female)


def ir_measures_read(path: Path) -> int:
    """Lines of the run."""
    return sum(1 for _ in ir_measures.read_trec_run(str(path)))


def ranx_read(path: Path) -> int:
    """Queries of the run."""
    return len(RanxRun.from_file(str(path), kind="trec"))


def polars_measure(
    paths: Sequence[Path], per_query: int, sides: Sequence[tuple[NDArray[np.float64], ...]]
) -> list[float]:
    """Means of each run, RaB then ARaB, pair of magnitudes (female, male) and cut-off."""
    return [value for path in paths for value in _polars_run(path, per_query, sides)]


def _polars_run(
    path: Path, per_query: int, sides: Sequence[tuple[NDArray[np.float64], ...]]
) -> list[float]:
    frame = pl.read_csv(path, separator=" ", has_header=False, columns=[2])
    documents = frame.to_series().to_numpy().reshape(-1, per_query)[:, : max(CUTOFFS)]
    divisor = np.arange(1, max(CUTOFFS) + 1)
    rabs = [
        np.cumsum(male[documents] - female[documents], axis=1) / divisor for female, male in sides
    ]
    arabs = [np.cumsum(rab, axis=1) / divisor for rab in rabs]
    return [float(values[:, cutoff - 1].mean()) for values in (*rabs, *arabs) for cutoff in CUTOFFS]
