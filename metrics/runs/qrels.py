"""Relevance judgements: `qid iteration docno grade`, as TREC writes them."""

import re
from collections.abc import Callable, Mapping
from pathlib import Path

from ..errors import InputError
from ..io import headers
from ..io.files import checked_path
from ..io.lines import text_lines
from ..public import public
from . import records
from .layouts import json_of_queries

_COLUMNS = 4
_NAMED = (headers.QIDS, headers.DOCNOS, headers.GRADES)
_GRADE = re.compile(r"[+-]?[0-9]{1,9}(\.0+)?", re.ASCII)
_SHAPE = (
    "Write: qid 0 docno grade, or a first line query-id corpus-id score with its three columns."
)

Qrels = dict[str, dict[str, int]]


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

    Lines `qid 0 docno grade` as TREC writes them; a table whose first line names the columns of
    query, document and grade, such as BEIR's `query-id corpus-id score`, also in Parquet or in an
    object on each line; or `{qid: {docno: grade}}` in JSON. A grade may be written 1.0, and so may
    all ids of a column. Raises `InputError` with file and line for a line of another shape, a grade
    that is no whole number, a document that is judged twice, and bytes that are no text. `grade_of`
    reads a grade, None for an invalid one.
    """
    path = checked_path(path, "the judgements")
    qrels: Qrels = {}
    if records.is_parquet(path):
        return _of_rows(records.parquet_rows(path, _NAMED, "judgments"), grade_of, path)
    places: tuple[int, ...] | None = None
    mark, n_columns = None, _COLUMNS
    for number, line in text_lines(path):
        if not line.strip():
            continue
        if places is None:
            if records.is_record(line):
                return _of_rows(records.json_rows(path, _NAMED, "judgments"), grade_of, path)
            if line.lstrip().startswith("{"):
                return _of_json(path, grade_of)
            mark = headers.separator_of(line)
            cells = _cells(line, mark)
            places = headers.places_of(cells, headers.QIDS, headers.DOCNOS, headers.GRADES)
            if places is not None:
                n_columns = len(cells)
                continue
            places, mark = (0, 2, 3), None
        fields = _cells(line, mark)
        if len(fields) != n_columns:
            raise _other_columns(len(fields), n_columns, path, number)
        _add(qrels, [fields[place] for place in places], grade_of, path, number)
    if not qrels:
        raise InputError("is empty.", path=path, remedy=_SHAPE)
    return _with_whole_ids(qrels)


def _with_whole_ids(qrels: Qrels) -> Qrels:
    """Replace ids such as 261.0 by 261 where all of a column are written as floats."""
    if headers.are_floats(qrels):
        qrels = dict(zip(headers.whole_ids(list(qrels)), qrels.values(), strict=True))
    if headers.are_floats(docno for grades in qrels.values() for docno in grades):
        return {
            qid: dict(zip(headers.whole_ids(list(grades)), grades.values(), strict=True))
            for qid, grades in qrels.items()
        }
    return qrels


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
    return _with_whole_ids(qrels)


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
    fields: list[str],
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
