"""Labels of queries by people and by models, in CSV with a header or in the released layout."""

import csv
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ..errors import InputError
from ..io import headers
from ..io.files import checked_path
from ..io.lines import text_lines
from ..runs.queries import read_queries
from ..statistics.model_beliefs import LabellingModel, ModelAnswer
from ..vocabulary import CATEGORIES

_SHAPE = (
    "Write a header with the columns qid and label, of models also model and score, or lines "
    "qid,text,label without one."
)
_MODELS = ("model", "worker", "annotator", "rater")
_TASKS = ("task", *headers.QIDS)
_SCORES = ("score", "belief", "probability", "confidence")


def read_query_labels(path: str | Path) -> dict[str, str]:
    """Read people's label of each query: a category, or another word, such as for a tie.

    `InputError` with file and line for another layout and for a query that comes twice.
    """
    label_of: dict[str, str] = {}
    for line, row in _rows(path):
        if row["qid"] in label_of:
            raise InputError(f"has the query {row['qid']!r} twice.", path=path, line=line)
        label_of[row["qid"]] = row["label"]
    return label_of


def read_model_labels(path: str | Path) -> list[LabellingModel]:
    """Read each model's label of each query, with its belief where it has a score.

    `InputError` with file and line for another layout, a label that is no category, a score that is
    no probability, and a query that a model has twice.
    """
    answers: dict[str, dict[str, ModelAnswer]] = {}
    for line, row in _rows(path):
        label = row["label"] or None
        if label is not None and label not in CATEGORIES:
            known = ", ".join(CATEGORIES)
            raise InputError(
                f"the label {label!r} is none of {known}.", path=path, line=line, remedy=_SHAPE
            )
        of_model = answers.setdefault(row.get("model") or Path(path).name, {})
        if row["qid"] in of_model:
            raise InputError(f"has the query {row['qid']!r} twice.", path=path, line=line)
        of_model[row["qid"]] = ModelAnswer(row["qid"], label, _score(row.get("score"), path, line))
    return [
        LabellingModel(name, "", "", [*of_query.values()]) for name, of_query in answers.items()
    ]


def _rows(path: str | Path) -> Iterator[tuple[int | None, dict[str, str]]]:
    """Yield the cells by name: qid, label and, if there are any, model and score."""
    path = checked_path(path, "the labels")
    lines = ((number, line) for number, line in text_lines(path) if line.strip())
    _, first = next(lines, (0, ""))
    header = next(csv.reader([first]), [])
    places: Mapping[str, int | None] = {
        name: headers.place_of(header, names)
        for name, names in (
            ("qid", _TASKS),
            ("label", headers.LABELS),
            ("model", _MODELS),
            ("score", _SCORES),
        )
    }
    if places["qid"] is None or places["label"] is None:
        queries = read_queries(path, "all")
        if queries.layout != "labels":
            raise InputError("names no columns for query and label.", path=path, remedy=_SHAPE)
        for qid, label in queries.labels.items():
            yield queries.lines[qid], {"qid": qid, "label": label}
        return
    for number, line in lines:
        cells = next(csv.reader([line]))
        if len(cells) != len(header):
            raise InputError(
                f"expected {len(header)} cells, found {len(cells)}.",
                path=path,
                line=number,
                remedy=_SHAPE,
            )
        yield number, {name: cells[at].strip() for name, at in places.items() if at is not None}


def _score(text: Any, path: str | Path, line: int | None) -> float | None:
    if not text:
        return None
    try:
        score = float(text)
    except ValueError:
        score = -1.0
    if not 0 <= score <= 1:
        raise InputError(f"the score {text!r} is not from 0 to 1.", path=path, line=line)
    return score
