"""Relevance judgements: `qid iteration docno grade`, as TREC writes them."""

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from ..errors import InputError
from ..io import headers
from ..io.files import checked_path
from ..io.lines import text_lines
from ..io.parquet_tables import is_parquet
from ..public import public
from . import records
from .layouts import json_of_queries

_COLUMNS = 4
_NAMED = (headers.QIDS, headers.DOCNOS, headers.GRADES)
_ITERATION = frozenset({"0", "Q0"})
#: Grades, which are smaller than most ids of documents.
_SMALL = re.compile(r"[+-]?[0-9]{1,2}(\.0+)?", re.ASCII)
_GRADE = re.compile(r"[+-]?[0-9]{1,9}(\.0+)?", re.ASCII)
_SHAPE = (
    "Write: qid 0 docno grade, or a first line query-id corpus-id score with its three columns."
)

Qrels = dict[str, dict[str, int]]
_Lines = Sequence[tuple[int, str]]


#: The side that a passage leans to by its label; one of both sides leans to neither.
LEANS = {"m": 1, "f": -1, "n": 0, "both": 0}


def read_passage_labels(path: str | Path) -> Qrels:
    """The side that each labelled passage of each query leans to: 1 male, -1 female, 0 neither.

    As `read_qrels`, with the labels m, f, n and both in the place of grades.
    """
    return read_qrels(path, lean_of)


def lean_of(label: str) -> int | None:
    """Return the side of a label of a passage; None for an invalid one."""
    return LEANS.get(label.strip().lower())


def _grade_of(text: str) -> int | None:
    return int(float(text)) if _GRADE.fullmatch(text) else None


@public
def read_qrels(path: str | Path, grade_of: Callable[[str], int | None] = _grade_of) -> Qrels:
    """The grade of each judged document of each query, packed or plain.

    Lines `qid 0 docno grade` as TREC writes them, or with the iteration, which is 0 or Q0 in each
    line, behind the document or behind the grade; a table whose first line names the columns of
    query, document and grade, such as BEIR's `query-id corpus-id score`, also in Parquet or in an
    object on each line; or `{qid: {docno: grade}}` in JSON. A grade may be written 1.0.

    Raises `InputError` with file and line for a line of another shape, a grade that is not a whole
    number, a document that is judged twice, and bytes that are not text. `grade_of` reads a grade,
    None for an invalid one.
    """
    path = checked_path(path, "the judgements")
    qrels: Qrels = {}
    if is_parquet(path):
        return _of_rows(records.parquet_rows(path, _NAMED, "judgments"), grade_of, path)
    lines = [(number, line) for number, line in text_lines(path) if line.strip()]
    first = lines[0][1] if lines else ""
    if records.is_record(first):
        return _of_rows(records.json_rows(path, _NAMED, "judgments"), grade_of, path)
    if first.lstrip().startswith("{"):
        return _of_json(path, grade_of)
    mark = headers.separator_of(first)
    header = _cells(first, mark)
    places = headers.places_of(header, headers.QIDS, headers.DOCNOS, headers.GRADES)
    n_columns, begin = len(header), 1
    if places is None:
        places, mark, n_columns, begin = _places_without_header(lines), None, _COLUMNS, 0
    for number, line in lines[begin:]:
        fields = _cells(line, mark)
        if len(fields) != n_columns:
            raise _other_columns(len(fields), n_columns, path, number)
        _add(qrels, [fields[place] for place in places], grade_of, path, number)
    if not qrels:
        raise InputError("is empty.", path=path, remedy=_SHAPE)
    return qrels


def _places_without_header(lines: _Lines) -> tuple[int, ...]:
    """The columns of query, document and grade in lines without names, by the iteration's column.

    It holds 0 or Q0 in every line. TREC's own place comes first; behind the grade it is looked for
    only where that column holds grades.
    """
    left = set(range(1, _COLUMNS))
    are_grades = True
    for _, line in lines:
        fields = line.split()
        if len(fields) != _COLUMNS:
            continue
        left -= {place for place in left if fields[place] not in _ITERATION}
        are_grades = are_grades and _SMALL.fullmatch(fields[2]) is not None
    if not left or min(left) == 1:
        return 0, 2, 3
    if min(left) == 2:  # noqa: PLR2004 - the third column
        return 0, 1, 3
    return (0, 1, 2) if are_grades else (0, 2, 3)


def _cells(line: str, mark: str | None) -> list[str]:
    return [cell.strip(' "\r\n') for cell in line.split(mark)]


def _other_columns(n_columns: int, expected: int, path: str | Path, number: int) -> InputError:
    return InputError(
        f"expected {expected} columns, found {n_columns}.", path=path, line=number, remedy=_SHAPE
    )


def _of_rows(rows: records.Rows, grade_of: Callable[[str], int | None], path: str | Path) -> Qrels:
    qrels: Qrels = {}
    for number, cells in rows:
        _add(qrels, cells, grade_of, path, number)
    if not qrels:
        raise InputError("is empty.", path=path, remedy=_SHAPE)
    return qrels


def _of_json(path: str | Path, grade_of: Callable[[str], int | None]) -> Qrels:
    qrels: Qrels = {}
    for qid, grades in json_of_queries(path).items():
        for docno, grade in grades.items():
            _add(qrels, [qid, docno, str(grade)], grade_of, path, None)
    return qrels


#: The grades of TREC Deep Learning passages, of which 2 and 3 are relevant.
_TREC_DL_BEST, _TREC_DL_RELEVANT = 3, 2


def lowest_relevant_grade(qrels: Mapping[str, Mapping[str, int]]) -> int:
    """The lowest relevant grade by the convention of the judgements.

    2 where the best grade is 3, as in TREC Deep Learning, whose grade 1 is "related"; 1 elsewhere.
    """
    best = max((grade for grades in qrels.values() for grade in grades.values()), default=1)
    return _TREC_DL_RELEVANT if best == _TREC_DL_BEST else 1


def _add(
    qrels: Qrels,
    fields: Sequence[str],
    grade_of: Callable[[str], int | None],
    path: str | Path,
    number: int | None,
) -> None:
    qid, docno, text = fields
    if not qid or not docno:
        raise InputError("names no query or no document.", path=path, line=number, remedy=_SHAPE)
    grade = grade_of(text)
    if grade is None:
        what = "no whole number" if grade_of is _grade_of else f"none of {', '.join(LEANS)}"
        raise InputError(f"the grade of {docno!r} is {text!r}, {what}.", path=path, line=number)
    grades = qrels.setdefault(qid, {})
    if docno in grades:
        raise InputError(
            f"judges the document {docno!r} of query {qid!r} again.", path=path, line=number
        )
    grades[docno] = grade
