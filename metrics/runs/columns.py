"""Rankings that are in memory already: dictionaries and data frames to the columns of a run."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..vocabulary import ORDERS, Order

# How PyTerrier, ranx, ir_measures and people name the columns. PyTerrier's `docid` is a number of
# its own index, no document id.
QID_NAMES = ("qid", "q_id", "query_id")
DOCNO_NAMES = ("docno", "doc_id", "document_id")


class Columns(NamedTuple):
    """Ranked documents of queries, as `Run` holds them."""

    qids: tuple[str, ...]
    offsets: NDArray[np.int64]
    docnos: list[str]
    scores: NDArray[np.float64]
    ranks: NDArray[np.int64]
    lines: NDArray[np.int64]


def dict_columns(run: Mapping[str, Mapping[str, float]], order: Order) -> Columns:
    """The columns of `{qid: {docno: score}}`; equal scores stand by docno, descending."""
    rows = [(qid, docno, score) for qid, scores in run.items() for docno, score in scores.items()]
    qids, docnos, scores = zip(*rows, strict=True) if rows else ((), (), ())
    return sorted_columns(qids, docnos, scores, None, order)


def frame_columns(frame: Any, order: Order) -> Columns:
    """The columns of a data frame of Pandas, Polars or Arrow, known by their names."""
    names = column_names(frame)
    qid, docno = one_of(names, QID_NAMES, "query"), one_of(names, DOCNO_NAMES, "document")
    score = one_of(names, ("score",), "score")
    ranks = values_of(frame, "rank") if "rank" in names else None
    return sorted_columns(
        values_of(frame, qid), values_of(frame, docno), values_of(frame, score), ranks, order
    )


def column_names(frame: Any) -> list[str]:
    """The names of a frame's columns; `InputError` for what is no frame."""
    names = getattr(frame, "column_names", None) or getattr(frame, "columns", None)
    if names is None:
        raise InputError(
            f"{type(frame).__name__} is no data frame.", remedy="Give one of Pandas or Polars."
        )
    return [str(name) for name in names]


def values_of(frame: Any, name: str) -> list[Any]:
    """A column as a list, of any kind of frame."""
    column = frame[name]
    values: list[Any] = (column.to_pylist if hasattr(column, "to_pylist") else column.to_list)()
    return values


def one_of(names: Sequence[str], known: Sequence[str], what: str) -> str:
    """The one column that has a known name; it is never guessed by its place."""
    found = [name for name in known if name in names]
    if len(found) != 1:
        problem = f"has {' and '.join(found)}" if found else f"has no column for the {what}"
        raise InputError(
            f"the frame {problem}: {', '.join(names)}.",
            remedy=f"Name one column {' or '.join(known)}.",
        )
    return found[0]


def sorted_columns(
    qids: Sequence[object],
    docnos: Sequence[object],
    scores: Sequence[Any],
    ranks: Sequence[Any] | None,
    order: Order,
) -> Columns:
    """Rows in any order as the columns of a run; row i of an error counts from 1.

    Without `ranks` the rank column follows from the scores, equal ones by docno, descending.
    """
    if order not in ORDERS:
        raise InputError(f"unknown order {order!r}.", remedy=f"Use {', '.join(ORDERS)}.")
    if not len(qids):
        raise InputError("the run is empty.", remedy="Give it at least one document.")
    names, query = np.unique(_texts(qids, "query"), return_inverse=True)
    _documents, document = np.unique(texts := _texts(docnos, "document"), return_inverse=True)
    score = _scores(scores)
    rank = np.zeros(len(query), np.int64) if ranks is None else _ranks(ranks)
    keys = {
        "default": (-document, rank, -score, query),
        "trec_eval": (-document, -score, query),
        "rank": (-document, -score, rank, query),
    }
    place = np.lexsort(keys[order])
    _check_distinct(query, document, qids, docnos)
    counts = np.bincount(query, minlength=len(names))
    offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    if ranks is None:
        rank[place] = np.arange(len(place)) - np.repeat(offsets[:-1], counts) + 1
    return Columns(
        qids=tuple(names.tolist()),
        offsets=offsets,
        docnos=texts[place].tolist(),
        scores=score[place],
        ranks=rank[place],
        lines=place.astype(np.int64) + 1,
    )


def _texts(values: Sequence[object], what: str) -> NDArray[np.str_]:
    """Ids as text: numbers are written in decimal, anything else must be text already."""
    texts = []
    for row, value in enumerate(values, start=1):
        text = str(value) if isinstance(value, int | np.integer) else value
        if not isinstance(text, str) or not text or "\0" in text or text.split() != [text]:
            raise InputError(
                f"row {row}: {value!r} is no id of a {what}.",
                remedy="Use text without blanks, or whole numbers.",
            )
        texts.append(text)
    return np.array(texts, dtype=np.str_)


def _scores(values: Sequence[Any]) -> NDArray[np.float64]:
    scores = np.array([np.nan if value is None else value for value in values], dtype=np.float64)
    if not np.isfinite(scores).all():
        row = int(np.flatnonzero(~np.isfinite(scores))[0])
        raise InputError(f"row {row + 1}: the score {values[row]} cannot be ranked.")
    return scores


def _ranks(values: Sequence[Any]) -> NDArray[np.int64]:
    ranks = np.array([np.nan if value is None else value for value in values], dtype=np.float64)
    bad = ~np.isfinite(ranks) | (ranks < 0) | (ranks != np.floor(ranks))
    if bad.any():
        row = int(np.flatnonzero(bad)[0])
        raise InputError(f"row {row + 1}: the rank {values[row]} is not a whole number from 0.")
    return ranks.astype(np.int64)


def _check_distinct(
    query: NDArray[np.int64],
    document: NDArray[np.int64],
    qids: Sequence[object],
    docnos: Sequence[object],
) -> None:
    pairs = query * (int(document.max()) + 1) + document
    _distinct, first = np.unique(pairs, return_index=True)
    if len(first) < len(pairs):
        row = int(np.setdiff1d(np.arange(len(pairs)), first)[0])
        raise InputError(
            f"row {row + 1}: query {qids[row]} has the document {docnos[row]} twice.",
            remedy="Keep one score of each document.",
        )
