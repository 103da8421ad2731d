"""Relevance judgements: `qid iteration docno grade`, as TREC writes them."""

import re
from pathlib import Path

from metrics.errors import InputError
from metrics.files import open_bytes

_COLUMNS = 4
_GRADE = re.compile(r"[+-]?[0-9]{1,9}", re.ASCII)
_SHAPE = "Write: qid 0 docno grade."

Qrels = dict[str, dict[str, int]]


def read_qrels(path: str | Path) -> Qrels:
    """The grade of each judged document of each query; plain, `.gz` or `.zst`.

    Raises `InputError` with file and line for a line of another shape, a grade that is no whole
    number, a document that is judged twice, and bytes that are not UTF-8.
    """
    qrels: Qrels = {}
    with open_bytes(path) as stream:
        for number, raw in enumerate(stream, start=1):
            try:
                fields = raw.decode("utf-8").split()
            except UnicodeDecodeError:
                raise InputError("is not UTF-8.", path=path, line=number) from None
            if fields:
                _add(qrels, fields, path, number)
    if not qrels:
        raise InputError("is empty.", path=path, remedy=_SHAPE)
    return qrels


def _add(qrels: Qrels, fields: list[str], path: str | Path, number: int) -> None:
    if len(fields) != _COLUMNS:
        raise InputError(
            f"{len(fields)} columns instead of {_COLUMNS}.", path=path, line=number, remedy=_SHAPE
        )
    qid, _, docno, grade = fields
    if _GRADE.fullmatch(grade) is None:
        raise InputError(f"the grade {grade!r} is not a whole number.", path=path, line=number)
    grades = qrels.setdefault(qid, {})
    if docno in grades:
        raise InputError(
            f"judges the document {docno!r} of query {qid!r} again.", path=path, line=number
        )
    grades[docno] = int(grade)
