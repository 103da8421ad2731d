"""Rankings that are in memory already: dictionaries and data frames to the columns of a run."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence, Sized
from functools import partial
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np

from ..errors import InputError, InputTypeError
from ..extras import need
from ..vocabulary import Order
from .sorting import (
    WHOLE,
    Block,
    Columns,
    First,
    block_of_rows,
    check_distinct,
    check_rules,
    joined,
)
from .values import id_text, id_texts, score_numbers

# How PyTerrier, ranx, ir_measures and people name the columns. PyTerrier's `docid` is a number of
# its own index, no document id.
QID_NAMES = ("qid", "q_id", "query_id")
DOCNO_NAMES = ("docno", "doc_id", "document_id")
#: Names of columns that count where none of the others is there: they may mean something else.
RARE_NAMES: Mapping[str, tuple[str, ...]] = {
    "query": ("query-id", "topic_id", "topic"),
    "document": ("corpus-id", "corpus_id", "passage_id", "pid", "doc"),
    "score": ("similarity", "sim", "relevance_score"),
    "grade": ("judgment", "judgement", "rating"),
    "text": ("segment", "content", "abstract"),
}
# trectools' own layout: its `query` is an id, where PyTerrier's is the text of the query.
_TRECTOOLS = {"query": "qid", "docid": "docno"}
_OF_TRECTOOLS = "q0"
_PACKAGES_OF_FRAMES = ("pandas", "polars", "pyarrow", "datasets", "modin", "cudf")


class _Queries(NamedTuple):
    """Queries with their rankings, and the rows at which these start, and the last ends."""

    qids: list[str]
    rankings: list[Any]
    starts: list[int]


_PAIR = 2
#: Documents that are worked on at once: what is done once for all of them is little then, and the
#: caches of a processor hold them.
_AT_ONCE = 1 << 14


def dict_columns(run: Any, order: Order, first: First = WHOLE) -> Columns:
    """The columns of `{qid: ranking}`; ties are broken by docno, descending.

    A ranking is `{docno: score}`, pairs of docno and score, hits or records with a docid and a
    score, or docnos alone, best first.
    """
    check_rules(order, first.depth)
    if not isinstance(run, Mapping):
        raise InputTypeError(f"the run is {type(run).__name__}.", remedy=_RANKING)
    starts = list(accumulate(map(_length, run.values()), initial=0))
    qids = id_texts(list(run), "query", starts[:-1])
    if len(set(qids)) < len(qids):  # such as 1 and "1"
        return _columns_of_rows(run, order, first)
    queries = _Queries(qids, list(run.values()), starts)
    # A query without documents is none of the run's.
    places = [
        p for p in sorted(range(len(qids)), key=qids.__getitem__) if starts[p + 1] > starts[p]
    ]
    return joined([_block(queries, part).ranked(order, first) for part in _cut(places, starts)])


def _cut(places: list[int], starts: list[int]) -> Iterator[list[int]]:
    """The places of queries in parts of some documents."""
    begin, n = 0, 0
    for end, place in enumerate(places, start=1):
        n += starts[place + 1] - starts[place]
        if n >= _AT_ONCE or end == len(places):
            yield places[begin:end]
            begin, n = end, 0


def _block(queries: _Queries, places: list[int]) -> Block:
    """The documents of the queries at some places."""
    docnos: list[Any] = []
    scores: list[Any] = []
    counts = []
    are_keys = True
    for place in places:
        ranking = queries.rankings[place]
        is_dict = isinstance(ranking, dict)  # nearly always: without lists of its own
        of_query, their_scores = (ranking, ranking.values()) if is_dict else documents_of(ranking)
        docnos += of_query
        scores += their_scores
        counts.append(len(of_query))
        are_keys = are_keys and is_dict
    n_of = np.array(counts, dtype=np.int64)
    first_rows = np.array([queries.starts[place] for place in places], dtype=np.int64)
    rows = np.arange(len(docnos)) + np.repeat(first_rows - np.cumsum(n_of) + n_of, n_of)
    texts = id_texts(docnos, "document", rows)
    qids = [queries.qids[place] for place in places]
    block = Block(qids, n_of, texts, score_numbers(scores, rows), None, rows)
    if texts is not docnos or not are_keys:
        check_distinct(block)
    return block


def _columns_of_rows(run: Mapping[Any, Any], order: Order, first: First) -> Columns:
    qids, docnos, scores = [], [], []
    for qid, ranking in run.items():
        of_query, their_scores = documents_of(ranking)
        qids += [qid] * len(of_query)
        docnos += of_query
        scores += their_scores
    return block_of_rows(qids, docnos, scores).ranked(order, first)


_OF_RECORDS = ((("docid", *DOCNO_NAMES), "document"), (("score",), "score"))
_RANKING = "Give {qid: {docno: score}}, or for each query pairs, hits or docnos, best first."


def documents_of(ranking: Any) -> tuple[list[Any], list[Any]]:
    """Docnos and scores of a query's ranking; `InputTypeError` for anything else."""
    if isinstance(ranking, dict | Mapping):  # the first is known at once
        return list(ranking), list(ranking.values())
    if is_series(ranking):
        return list(ranking.index), list(ranking)
    if isinstance(ranking, np.ndarray) and ranking.ndim == 1:
        ranking = ranking.tolist()
    if not is_ranked_list(ranking):
        raise _no_ranking(ranking)
    if _all(_is_id, ranking):
        return list(ranking), list(range(len(ranking), 0, -1))
    if _all(_is_record, ranking):
        docno, score = (one_of(list(ranking[0]), *names) for names in _OF_RECORDS)
        return [row.get(docno) for row in ranking], [row.get(score) for row in ranking]
    if _all(_is_pair, ranking):
        docnos, scores = zip(*ranking, strict=True)
        return list(docnos), list(scores)
    return [_docno_of(hit) for hit in ranking], [hit.score for hit in ranking]


def is_series(value: Any) -> bool:
    """Return whether this is a Series of Pandas, scores by docno."""
    return is_of(value, "pandas") and hasattr(value, "index") and not hasattr(value, "columns")


def _no_ranking(value: Any) -> InputTypeError:
    return InputTypeError(f"the ranking of a query is {type(value).__name__}.", remedy=_RANKING)


def _length(ranking: Any) -> int:
    if not isinstance(ranking, dict | Sized):
        raise _no_ranking(ranking)
    return len(ranking)


def is_ranked_list(value: Any) -> bool:
    """Return whether this is a list of docnos, pairs of docno and score, hits, or records."""
    if isinstance(value, np.ndarray):
        return value.ndim == 1
    return isinstance(value, list | tuple) and any(
        _all(test, value) for test in (_is_id, _is_pair, _is_hit, _is_record)
    )


def _all(test: Callable[[Any], bool], values: Sequence[Any]) -> bool:
    """Return whether all pass the test; text is a docno without a call for each."""
    if test is _is_id and set(map(type, values)) == {str}:
        return True
    return all(map(test, values))


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


def _is_record(value: Any) -> bool:
    """Return whether this is a document of one query by the names of columns, with its score."""
    return isinstance(value, Mapping) and all(has_one_of(value, *names) for names in _OF_RECORDS)


def _is_hit(value: Any) -> bool:
    """Return whether this is a document of one query as Pyserini finds it."""
    return hasattr(value, "score") and _docno_of(value) is not None


def _docno_of(hit: Any) -> Any:
    names = ("docid", *DOCNO_NAMES)
    return next((getattr(hit, name) for name in names if hasattr(hit, name)), None)


def frame_columns(frame: Any, order: Order, first: First = WHOLE) -> tuple[Columns, list[int]]:
    """The columns of a data frame or of `{name: values}`, known by their names.

    And a row of each query whose ranks contradict its scores.
    """
    table = frame if isinstance(frame, Mapping) else as_frame(frame)
    if table is None:
        raise InputTypeError(
            f"{type(frame).__name__} is not a data frame.", remedy="Give one of Pandas or Polars."
        )
    names = [str(name) for name in table]
    qid, docno = one_of(names, QID_NAMES, "query"), one_of(names, DOCNO_NAMES, "document")
    if not has_one_of(names, ("score",), "score") and "rank" in names:
        raise InputError(
            "the frame has ranks and no scores.",
            remedy='Give scores that fall with the rank: frame.assign(score=-frame["rank"]).',
        )
    score = one_of(names, ("score",), "score")
    check_rules(order, first.depth)
    if not len(table[qid]):
        return joined([]), []
    block = block_of_rows(table[qid], table[docno], table[score], table.get("rank"))
    return block.ranked(order, first), block.contradictions()


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
    frame = narwhals.from_native(_without_index(source), pass_through=True)
    if frame is source:
        return None
    if isinstance(frame, narwhals.LazyFrame):
        frame = frame.collect()
    names = list(map(str, frame.columns))
    if unnamed := [name for name in frame.columns if not isinstance(name, str)]:
        raise InputError(
            f"the frame has a column {unnamed[0]!r}: its columns have no names.",
            remedy='Name them, as frame.columns = ["qid", "q0", "docno", "rank", "score", "tag"].',
        )
    return {name: frame[name].to_list() for name in names}


def _without_index(source: Any) -> Any:
    """A frame of Pandas with the named levels of its index as columns; any other as it is."""
    names = getattr(getattr(source, "index", None), "names", ())
    levels = [name for name in names if isinstance(name, str)]
    if not levels or len(levels) < len(names) or not set(levels).isdisjoint(source.columns):
        return source
    return source.reset_index()


def has_one_of(names: Collection[str], known: Sequence[str], what: str) -> bool:
    """Return whether there is a column for this, by a known name or by a rare one."""
    return any(name in names for name in (*known, *RARE_NAMES.get(what, ())))


def one_of(names: Sequence[str], known: Sequence[str], what: str) -> str:
    """The one column that has a known name; it is never guessed by its place."""
    columns = [name for name in known if name in names]
    columns = columns or [name for name in RARE_NAMES.get(what, ()) if name in names]
    if len(columns) != 1:
        problem = f"has {' and '.join(columns)}" if columns else f"has no column for the {what}"
        raise InputError(
            f"the frame {problem}: {', '.join(names)}.",
            remedy=f"Name one column {' or '.join(known)}.",
        )
    return columns[0]


def checked_id(value: object, what: str) -> str:
    """Return the id of a document; `InputError` for an invalid one."""
    text = id_text(value)
    if not isinstance(text, str) or not text:
        raise InputTypeError(
            f"{value!r} is not an id of a {what}.", remedy="Use text or whole numbers."
        )
    return text
