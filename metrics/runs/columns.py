"""Rankings that are in memory already: dictionaries and data frames to the columns of a run."""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError, InputTypeError
from ..extras import need
from ..vocabulary import ORDERS, Order

# How PyTerrier, ranx, ir_measures and people name the columns. PyTerrier's `docid` is a number of
# its own index, no document id.
QID_NAMES = ("qid", "q_id", "query_id")
DOCNO_NAMES = ("docno", "doc_id", "document_id")
# trectools' own layout: its `query` is an id, where PyTerrier's is the text of the query.
_TRECTOOLS = {"query": "qid", "docid": "docno"}
_OF_TRECTOOLS = "q0"
_PACKAGES_OF_FRAMES = ("pandas", "polars", "pyarrow", "datasets", "modin", "cudf")


class Columns(NamedTuple):
    """Ranked documents of queries, as `Run` holds them."""

    qids: tuple[str, ...]
    offsets: NDArray[np.int64]
    docnos: list[str]
    scores: NDArray[np.float64]
    ranks: NDArray[np.int64]
    lines: NDArray[np.int64]


_PAIR = 2
_Place = tuple[Any, Any]


def dict_columns(run: Any, order: Order) -> Columns:
    """The columns of `{qid: ranking}`; ties are broken by docno, descending.

    A ranking is `{docno: score}`, pairs of docno and score, hits with a docid and a score, or
    docnos alone, best first.
    """
    if not isinstance(run, Mapping):
        raise InputTypeError(f"the run is {type(run).__name__}.", remedy=_RANKING)
    rows = [(qid, docno, score) for qid, ranking in run.items() for docno, score in places(ranking)]
    qids, docnos, scores = zip(*rows, strict=True) if rows else ((), (), ())
    return sorted_columns(qids, docnos, scores, None, order)


_RANKING = "Give {qid: {docno: score}}, or for each query pairs, hits or docnos, best first."


def places(ranking: Any) -> Iterable[_Place]:
    """Docno and score of each document of a query's ranking; `InputTypeError` for anything else."""
    if isinstance(ranking, Mapping):
        return ranking.items()
    if not is_ranked_list(ranking):
        raise InputTypeError(
            f"the ranking of a query is {type(ranking).__name__}.", remedy=_RANKING
        )
    if all(map(_is_id, ranking)):
        return [(docno, float(len(ranking) - place)) for place, docno in enumerate(ranking)]
    if all(map(_is_pair, ranking)):
        return list(ranking)
    return [(_docno_of(hit), hit.score) for hit in ranking]


def is_ranked_list(value: Any) -> bool:
    """Return whether this is a list of docnos, of pairs of docno and score, or of hits."""
    return isinstance(value, list | tuple) and (
        all(map(_is_id, value)) or all(map(_is_pair, value)) or all(map(_is_hit, value))
    )


def _is_id(value: Any) -> bool:
    return isinstance(value, str | int | np.integer) and not isinstance(value, bool)


def _is_pair(value: Any) -> bool:
    return (
        isinstance(value, tuple | list)
        and len(value) == _PAIR
        and not _is_hit(value)
        and _is_id(value[0])
        and not isinstance(value[1], str | Mapping | list | tuple)
    )


def _is_hit(value: Any) -> bool:
    """Return whether this is a document of one query as Pyserini finds it."""
    return hasattr(value, "score") and _docno_of(value) is not None


def _docno_of(hit: Any) -> Any:
    names = ("docid", *DOCNO_NAMES)
    return next((getattr(hit, name) for name in names if hasattr(hit, name)), None)


def frame_columns(frame: Any, order: Order) -> Columns:
    """The columns of a data frame or of `{name: values}`, known by their names."""
    table = frame if isinstance(frame, Mapping) else as_frame(frame)
    if table is None:
        raise InputTypeError(
            f"{type(frame).__name__} is no data frame.", remedy="Give one of Pandas or Polars."
        )
    names = [str(name) for name in table]
    qid, docno = one_of(names, QID_NAMES, "query"), one_of(names, DOCNO_NAMES, "document")
    score = one_of(names, ("score",), "score")
    return sorted_columns(table[qid], table[docno], table[score], table.get("rank"), order)


def is_of(value: Any, package: str) -> bool:
    """Return whether a value's type comes from this package, which is then imported already."""
    return type(value).__module__.partition(".")[0] == package


def is_frame(value: Any) -> bool:
    """Return whether this is a data frame, a data set of Hugging Face, or a run of trectools."""
    value = _held(value)
    # The type is asked, as a lazy frame would have to compute its columns.
    is_table = hasattr(type(value), "columns") or hasattr(type(value), "column_names")
    return is_table and any(map(partial(is_of, value), _PACKAGES_OF_FRAMES))


def _held(source: Any) -> Any:
    """The frame inside a `TrecRun` or `TrecQrel` of trectools; anything else as it is."""
    held = (getattr(source, name, None) for name in ("run_data", "qrels_data"))
    return next((frame for frame in held if frame is not None), source)


def as_frame(source: Any) -> Mapping[str, list[Any]] | None:
    """Return the columns of a data frame or of a data set; None for other objects."""
    if not is_frame(source):
        return None
    table = _table(_held(source))
    if table is None or _OF_TRECTOOLS not in table:
        return table
    return {_TRECTOOLS.get(name, name): column for name, column in table.items()}


def _table(source: Any) -> Mapping[str, list[Any]] | None:
    if is_of(source, "datasets"):
        return {name: list(source[name]) for name in source.column_names}
    narwhals = need("narwhals")
    frame = narwhals.from_native(source, pass_through=True)
    if frame is source:
        return None
    if isinstance(frame, narwhals.LazyFrame):
        frame = frame.collect()
    return {name: frame[name].to_list() for name in frame.columns}


def one_of(names: Sequence[str], known: Sequence[str], what: str) -> str:
    """The one column that has a known name; it is never guessed by its place."""
    columns = [name for name in known if name in names]
    if len(columns) != 1:
        problem = f"has {' and '.join(columns)}" if columns else f"has no column for the {what}"
        raise InputError(
            f"the frame {problem}: {', '.join(names)}.",
            remedy=f"Name one column {' or '.join(known)}.",
        )
    return columns[0]


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


def id_text(value: object) -> object:
    """An id as text; Pandas makes 261 a 261.0 where others of the column are missing.

    Other values stay as they are, for the error that names them.
    """
    if isinstance(value, float | np.floating) and float(value).is_integer():
        value = int(value)
    is_number = isinstance(value, int | np.integer) and not isinstance(value, bool)
    return str(value) if is_number else value


def checked_id(value: object, what: str) -> str:
    """Return the id of a document; `InputError` for an invalid one."""
    text = id_text(value)
    if not isinstance(text, str) or not text:
        raise InputTypeError(
            f"{value!r} is no id of a {what}.", remedy="Use text or whole numbers."
        )
    return text


def _texts(values: Sequence[object], what: str) -> NDArray[np.str_]:
    """Ids as text: whole numbers are written in decimal, anything else must be text already."""
    texts = []
    for row, value in enumerate(values, start=1):
        text = id_text(value)
        if not isinstance(text, str) or not text or "\0" in text or text.split() != [text]:
            raise InputError(
                f"row {row}: {value!r} is no id of a {what}.",
                remedy="Use text without blanks, or whole numbers.",
            )
        texts.append(text)
    return np.array(texts, dtype=np.str_)


def _scores(values: Sequence[Any]) -> NDArray[np.float64]:
    scores = _numbers(values, "score")
    if not np.isfinite(scores).all():
        row = int(np.flatnonzero(~np.isfinite(scores))[0])
        raise InputError(f"row {row + 1}: the score {values[row]} cannot be ranked.")
    return scores


def _numbers(values: Sequence[Any], what: str) -> NDArray[np.float64]:
    """Values as numbers: also Decimals, and tensors and arrays of one element; None is NaN."""
    if set(map(type, values)) <= {int, float}:
        return np.array(values, dtype=np.float64)
    numbers = np.empty(len(values))
    for row, value in enumerate(values):
        if isinstance(value, str | bytes):
            problem = "is text"
        else:
            try:
                numbers[row] = np.nan if value is None else value
                continue
            except (TypeError, ValueError):
                problem = "is no number"
        raise InputTypeError(
            f"row {row + 1}: the {what} {value!r} {problem}.", remedy="Give numbers."
        )
    return numbers


def _ranks(values: Sequence[Any]) -> NDArray[np.int64]:
    ranks = _numbers(values, "rank")
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
