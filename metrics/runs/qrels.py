"""Relevance judgements: `qid iteration docno grade`, as TREC writes them."""

import re
from collections.abc import Mapping
from pathlib import Path

from ..errors import InputError
from ..io.files import open_bytes
from ..io.lines import numbered_lines

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
        for number, raw in numbered_lines(stream, path):
            try:
                fields = raw.decode("utf-8").split()
            except UnicodeDecodeError:
                raise InputError("is not UTF-8.", path=path, line=number) from None
            if fields:
                _add(qrels, fields, path, number)
    if not qrels:
        raise InputError("is empty.", path=path, remedy=_SHAPE)
    return qrels


#: The grades of TREC Deep Learning passages, of which 2 and 3 are relevant.
_TREC_DL_BEST, _TREC_DL_RELEVANT = 3, 2


def lowest_relevant_grade(qrels: Mapping[str, Mapping[str, int]]) -> int:
    """The lowest relevant grade by the convention of the judgements.

    2 where the best grade is 3, as in TREC Deep Learning, whose grade 1 is "related"; 1 elsewhere.
    """
    best = max((grade for grades in qrels.values() for grade in grades.values()), default=1)
    return _TREC_DL_RELEVANT if best == _TREC_DL_BEST else 1


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
