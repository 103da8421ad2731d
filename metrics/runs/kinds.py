"""The one place that detects the type of an argument for runs.

Of a dictionary the first value decides: what another one is, is seen where its documents are read.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np

from .columns import (
    DOCNO_NAMES,
    QID_NAMES,
    has_one_of,
    is_frame,
    is_of,
    is_ranked_list,
    is_series,
)
from .run import Run

#: `rankings` is a run by its queries, `rows` and `records` are one by its documents; a
#: `ranking` is of one query.
Kind = Literal[
    "file", "table", "run", "rankings", "rows", "records", "ranking", "nothing", "unknown"
]
RUNS: frozenset[Kind] = frozenset({"file", "table", "run", "rankings", "rows", "records"})

_TRIPLE = 3


def kind_of(value: Any) -> Kind:
    """The kind of one value; `nothing` is an empty dictionary or list, which may be any of them."""
    if isinstance(value, Run) or is_of(value, "ranx"):
        return "run"
    if isinstance(value, str | Path):
        return "file"
    if is_frame(value):
        return "table"
    if isinstance(value, Mapping):
        return _kind_of_mapping(value)
    if isinstance(value, np.ndarray) and value.ndim:
        value = value.tolist()
    if isinstance(value, list | tuple):
        return _kind_of_list(value)
    return "ranking" if is_series(value) else "unknown"


def _kind_of_list(value: Sequence[Any]) -> Kind:
    if not value:
        return "nothing"
    if all(map(is_row, value)):
        return "rows"
    if are_records(value):
        return "records"
    return "ranking" if is_ranked_list(value) else "unknown"


def _kind_of_mapping(value: Mapping[Any, Any]) -> Kind:
    if not value:
        return "nothing"
    return "rankings" if _is_ranking(next(iter(value.values()))) else "ranking"


def _is_ranking(value: Any) -> bool:
    """Return whether this is a ranking, in whatever way, and no score."""
    return isinstance(value, Mapping | list | tuple) or (
        (isinstance(value, np.ndarray) and value.ndim > 0) or is_series(value)
    )


def is_row(value: Any) -> bool:
    """Return whether this is a ScoredDoc of ir_measures, or query, document and score."""
    if all(hasattr(value, name) for name in ("query_id", "doc_id", "score")):
        return True
    return (
        isinstance(value, tuple | list)
        and len(value) == _TRIPLE
        and not any(isinstance(part, Mapping | list | tuple) for part in value)
        and not isinstance(value[2], str)
    )


def are_records(values: Sequence[Any]) -> bool:
    """Return whether these are dictionaries with query, document and score, one for each row."""
    return all(isinstance(value, Mapping) for value in values) and all(
        has_one_of(values[0], names, what)
        for names, what in ((QID_NAMES, "query"), (DOCNO_NAMES, "document"), (("score",), "score"))
    )


def row_of(value: Any) -> tuple[Any, Any, Any]:
    """Query, document and score of a row."""
    if hasattr(value, "query_id"):
        return value.query_id, value.doc_id, value.score
    query, document, score = value
    return query, document, score
