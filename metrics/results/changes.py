"""Changes of a ranking by swapping the genders: per query, two runs of one ranker compared."""

from collections.abc import Iterator

from ..runs import Run
from ..vocabulary import CRBO_DEPTH
from .overlap import run_overlap

CHANGE_COLUMNS = (
    "run",
    "qid",
    "CRBO",
    "n_documents",
    "n_kept",
    "n_moved",
    "n_replaced",
    "largest_move",
)


def ranking_changes(
    original: Run, counterfactual: Run, *, depth: int = CRBO_DEPTH
) -> list[dict[str, object]]:
    """Rows of `CHANGE_COLUMNS`, one for each query that both runs have, most changed first.

    Of the first `depth` documents of the original ranking, `n_kept` have their rank in the
    counterfactual one, `n_moved` another rank within `depth`, and `n_replaced` none there.
    `largest_move` is in ranks, of those that moved. `CRBO` is extrapolated RBO, p = .9.
    """
    overlap = run_overlap(original, counterfactual, depth=depth)
    rows: list[dict[str, object]] = []
    for qid, crbo in zip(overlap.qids, overlap.values, strict=True):
        before = original.documents(qid)[:depth]
        moves = [abs(move) for move in _moves(before, counterfactual.documents(qid)[:depth])]
        rows.append(
            {
                "run": original.name,
                "qid": qid,
                "CRBO": float(crbo),
                "n_documents": len(before),
                "n_kept": moves.count(0),
                "n_moved": len(moves) - moves.count(0),
                "n_replaced": len(before) - len(moves),
                "largest_move": max(moves, default=0),
            }
        )
    return sorted(rows, key=lambda row: float(str(row["CRBO"])))


def _moves(before: list[str], after: list[str]) -> Iterator[int]:
    rank_after = {docno: rank for rank, docno in enumerate(after)}
    for rank, docno in enumerate(before):
        if docno in rank_after:
            yield rank_after[docno] - rank
