"""Overlap of two runs: rank-biased overlap per query, and its mean.

Over the original and the counterfactual collection this is CRBO, the counterfactual rank-biased
overlap of Abolghasemi et al. (ECIR 2024): 1 where swapping the genders changes no ranking.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ..measures.rank_biased_overlap import rbo
from ..runs import Run
from ..vocabulary import CRBO_DEPTH, RboForm
from .meeting import as_in

COLUMNS = (
    "run_a",
    "run_b",
    "measure",
    "p",
    "depth",
    "form",
    "value",
    "min",
    "residual",
    "n_queries",
    "n_queries_missing",
)
PER_QUERY_COLUMNS = ("run_a", "run_b", "qid", "measure", "value", "min", "residual")


@dataclass(frozen=True, eq=False)
class RunOverlap:
    """RBO of two runs; row i of the arrays belongs to `qids[i]`.

    `ext`, `least`, `residual` and `truncated` are the forms of `metrics.measures.rbo`; `form` is
    the one that `value` is the mean of.
    `n_queries_missing` queries have documents in only one of the runs and are left out.
    """

    first: str
    second: str
    p: float
    depth: int
    qids: tuple[str, ...]
    ext: NDArray[np.float64]
    least: NDArray[np.float64]
    residual: NDArray[np.float64]
    truncated: NDArray[np.float64]
    n_queries_missing: int
    form: RboForm = "extrapolated"

    @property
    def values(self) -> NDArray[np.float64]:
        """The value of each query in the chosen form."""
        return self.ext if self.form == "extrapolated" else self.truncated

    @property
    def value(self) -> float | None:
        """The mean over the queries; None without any."""
        return float(self.values.mean()) if len(self.qids) else None

    @property
    def lowest(self) -> float | None:
        """The mean of the least values that RBO can have, given what was seen of the rankings."""
        return float(self.least.mean()) if len(self.qids) else None

    @property
    def open(self) -> float | None:
        """The mean residual: `lowest + open` is the most that it can be."""
        return float(self.residual.mean()) if len(self.qids) else None

    def row(self) -> dict[str, object]:
        """A row of `COLUMNS`."""
        return {
            "run_a": self.first,
            "run_b": self.second,
            "measure": "RBO",
            "p": self.p,
            "depth": self.depth,
            "form": self.form,
            "value": self.value,
            "min": self.lowest,
            "residual": self.open,
            "n_queries": len(self.qids),
            "n_queries_missing": self.n_queries_missing,
        }

    def per_query(self) -> list[dict[str, object]]:
        """Rows of `PER_QUERY_COLUMNS`."""
        return [
            {
                "run_a": self.first,
                "run_b": self.second,
                "qid": qid,
                "measure": "RBO",
                "value": float(value),
                "min": float(least),
                "residual": float(residual),
            }
            for qid, value, least, residual in zip(
                self.qids, self.values, self.least, self.residual, strict=True
            )
        ]


def run_overlap(
    first: Run,
    second: Run,
    *,
    p: float = 0.9,
    depth: int = CRBO_DEPTH,
    form: RboForm = "extrapolated",
) -> RunOverlap:
    """RBO of the first `depth` documents of every query that both runs have.

    Ids that one run writes 261.0 and the other 261 are the same.
    """
    second = as_in(second, first)
    theirs = set(second.qids)
    both = [qid for qid in first.qids if qid in theirs]
    values = [
        rbo(ranking, other, p, depth)
        for ranking, other in zip(_rankings(first, both), _rankings(second, both), strict=True)
    ]
    columns = np.array(values, dtype=np.float64).reshape(-1, 4)
    return RunOverlap(
        first=first.name,
        second=second.name,
        p=p,
        depth=depth,
        qids=tuple(both),
        ext=columns[:, 0],
        least=columns[:, 1],
        residual=columns[:, 2],
        truncated=columns[:, 3],
        n_queries_missing=len(set(first.qids) ^ theirs),
        form=form,
    )


def all_overlaps(
    runs: Iterable[Run],
    *,
    p: float = 0.9,
    depth: int = CRBO_DEPTH,
    form: RboForm = "extrapolated",
) -> list[RunOverlap]:
    """RBO of every pair of runs, in the order of the runs."""
    return [run_overlap(a, b, p=p, depth=depth, form=form) for a, b in combinations(runs, 2)]


def _rankings(run: Run, qids: Iterable[str]) -> list[list[str]]:
    place = {qid: number for number, qid in enumerate(run.qids)}
    docnos = run.docnos.tolist()
    return [docnos[run.offsets[place[qid]] : run.offsets[place[qid] + 1]] for qid in qids]
