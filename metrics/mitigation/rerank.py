"""A run in a new order, and its file."""

from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..io.files import replacing
from ..measures.fairr import two_groups
from ..runs import Run
from ..runs.ranked import Ranked, join
from ..texts.magnitude_store import Magnitudes
from ..vocabulary import BalanceMethod, Missing
from .objectives import reorder


def join_for_reranking(
    run: Run, magnitudes: Magnitudes, depth: int, missing: Missing = "error"
) -> Ranked:
    """The first `depth` documents of each query with their counts of female and male words."""
    if depth < 1:
        raise InputError(f"the depth is {depth}.", remedy="Use 1 or more.")
    if missing == "skip":
        raise InputError("a re-ranked run cannot skip documents.", remedy="Use error or zero.")
    return join(run, magnitudes, depth, missing)


def reranked(ranked: Ranked, method: BalanceMethod, strength: float, name: str) -> Run:
    """The run of `ranked` with the first ranks of each query in the order of `method`.

    What stands below them stays where it is. The scores are n, n - 1, ..., 1, so that every
    reader of the run finds the same order.
    """
    run = ranked.run
    female, male = two_groups(ranked.groups)
    order = np.arange(len(run.scores))
    for query in range(len(ranked.qids)):
        length = int(ranked.length[query])
        start = int(run.offsets[query])
        places = reorder(
            method,
            run.scores[start : start + length],
            ranked.tc[female][query, :length].astype(np.float64),
            ranked.tc[male][query, :length].astype(np.float64),
            ranked.n_tokens[query, :length].astype(np.float64),
            strength=strength,
        )
        order[start : start + length] = start + places
    ranks = _ranks(run.offsets)
    sizes = np.repeat(np.diff(run.offsets), np.diff(run.offsets))
    return replace(
        run,
        name=name,
        docnos=run.docnos.take(order),
        scores=(sizes - ranks + 1).astype(np.float64),
        ranks=ranks,
        lines=np.arange(1, len(order) + 1),
        path="",
        digest="",
        notices=(),
    )


def _ranks(offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    ranks: NDArray[np.int64] = (
        np.arange(offsets[-1]) - np.repeat(offsets[:-1], np.diff(offsets)) + 1
    )
    return ranks


def write_reranked(run: Run, path: str | Path) -> None:
    """Write a run of `reranked` as `qid Q0 docno rank score tag`."""
    docnos = run.docnos.tolist()
    with replacing(path) as temporary, temporary.open("w", encoding="utf-8", newline="") as file:
        for query, qid in enumerate(run.qids):
            for row in range(int(run.offsets[query]), int(run.offsets[query + 1])):
                place = f"{run.ranks[row]} {run.scores[row]:.0f}"
                file.write(f"{qid} Q0 {docnos[row]} {place} {run.name}\n")
